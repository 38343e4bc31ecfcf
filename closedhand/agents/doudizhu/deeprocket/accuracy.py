"""Accuracy of a network: the share of an expert's decisions that it predicts.

Only decisions in held-out deals count: one deal in ten, by a hash of its cards, whatever games it
belongs to (`pairs.is_held_out`). Supervised training never learns from these.
"""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from closedhand.agents.doudizhu.deeprocket import networks, pairs, recorded, shards
from closedhand.core.game import InputError
from closedhand.core.registry import make_game
from closedhand.core.statistics import student

ROLES = ("landlord", "down peasant", "up peasant")
CHUNK = 1024
"""Number of pairs per forward pass."""
BLOCKS = 20
"""Number of blocks of games for an interval, as decisions of one game depend on each other."""


def evaluate(
    network: networks.Network,
    games: recorded.Games,
    kind: str,
    rows: np.ndarray,
    device: torch.device | str = "cpu",
) -> np.ndarray:
    """Evaluate a network, which is on `device`, on some `rows` of `pairs.index`, int32 [m, 3].

    The result, float64 [3, 3], has a row for each of `ROLES`: the number of pairs, the number of
    correct predictions, and the summed cross-entropy in nats.
    """
    found = torch.zeros(len(ROLES), 3, dtype=torch.float64)
    was_training = network.training
    network.eval()
    with torch.no_grad():
        for begin in range(0, len(rows), CHUNK):
            encoded = pairs.encode(games, kind, rows[begin : begin + CHUNK])
            batch = pairs.Batch(*(each.to(device) for each in encoded))
            logits = network(batch.planes, batch.status, batch.mask)
            right = logits.argmax(1) == batch.label
            loss = nn.functional.cross_entropy(logits, batch.label, reduction="none")
            columns = torch.stack([torch.ones_like(loss), right.float(), loss], 1).cpu().double()
            found.index_add_(0, encoded.status[:, :3].argmax(1), columns)
    network.train(was_training)
    return found.numpy()


def accuracies(found: np.ndarray) -> dict[str, float | None]:
    """Compute accuracies, `all` and by role, from the result of `evaluate`; None: no pairs."""
    rows = {"all": found.sum(axis=0), **dict(zip(ROLES, found, strict=True))}
    return {
        name: round(float(row[1] / row[0]), 5) if row[0] else None for name, row in rows.items()
    }


def played_by(expert: str, deals: int, seed: int) -> recorded.Games:
    """Play deals with an expert at all seats; return the games of the held-out ones, about a tenth.

    A game counts as won or lost (`objective=win`), as in the games from which networks learn.

    Raises:
        InputError: There is no such agent, an action is illegal, or too few deals are held out.
    """
    options = {"rules": "deeprocket", "objective": "win"}
    played = shards.play_games(make_game("doudizhu", **options), [expert], seed, range(deals))
    held = pairs.is_held_out(played.deals)
    if held.sum() < BLOCKS:
        raise InputError(f"only {held.sum()} of {deals} deals are held out: play more")
    return recorded.Games(
        make_game("doudizhu", **options, substeps=True),
        played.deals[held],
        played.actions[held.repeat(played.lengths)],
        np.concatenate([[0], np.cumsum(played.lengths[held])]),
        np.full(int(held.sum()), 2 ** len(ROLES) - 1, np.uint8),
    )


def accuracy_of(path: Path, kind: str, games: recorded.Games) -> dict[str, Any]:
    """Measure the accuracy of a file's network, of kind `policy` or `kicker`, on expert games.

    `games` are those of `played_by`, all of them held out. At least `BLOCKS` are needed: a block
    without pairs counts as accuracy 0.

    Returns:
        `decisions`: their number; `accuracy`: overall and by role; `error`: half the width of the
        95% interval of the overall accuracy, over blocks of games.

    Raises:
        InputError: The file cannot be read, or holds no such network.
    """
    network, _ = networks.load(path, kind)
    rows = pairs.index(games, kind)
    block = rows[:, 0] * BLOCKS // len(games.deals)
    blocks = [rows[block == number] for number in range(BLOCKS)]
    found = np.stack([evaluate(network, games, kind, each) for each in blocks])  # [block, role, 3]
    sums = found.sum(axis=1)
    [estimate] = student(sums[:, 1:2] / np.maximum(sums[:, :1], 1))
    return {
        "decisions": len(rows),
        "accuracy": accuracies(found.sum(axis=0)),
        "error": round(estimate.high - estimate.mean, 5),
    }

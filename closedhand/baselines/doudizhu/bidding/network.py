"""A Bid Module with a network, which the DeepRocket paper's section 6 wants to try.

The network predicts the chance that the landlord wins from his 17 cards, drawn as the paper draws
cards in hand: 15 ranks, 19 rows of counts and categories. It learns from the deals that
`closedhand train bids` has gathered, each played with everybody as the landlord once, and takes
the place of the logistic model of the module `fitted`, whose chances to bid from it keeps. It is
judged on the deals that are held out from that model, too.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from closedhand.baselines.doudizhu.bidding.fitting import (
    HELD_OUT,
    Deals,
    check_number,
    features_all,
    judge,
    read,
)
from closedhand.baselines.doudizhu.bidding.modules import (
    FEATURES,
    FITTED,
    KINDS,
    THRESHOLDS,
    BiddingAgent,
    bid_worths,
)
from closedhand.baselines.doudizhu.bidding.thresholds import Module
from closedhand.baselines.doudizhu.deeprocket import networks
from closedhand.baselines.learning.logistic import calibration, chances_of, log_loss, logistic
from closedhand.core.agents import Agent, quoted
from closedhand.core.game import Game, InputError
from closedhand.core.kernel import kernel
from closedhand.core.registry import make_game
from closedhand.core.threads import cores
from closedhand.games.doudizhu import planes, rules as flat
from closedhand.games.doudizhu.rules import SEATS

NAME = "bid.safetensors"
CELLS = planes.RANKS * planes.ROWS
CHUNK = 1024
"""Hands that are looked at together."""
BATCH = 512
RATE = 2e-3
"""Learning rate of AdamW, which falls along a cosine to 0."""
WEIGHT_DECAY = 0.01
VALIDATED = 10
"""Of the deals that are not held out, one in so many tells which weights to keep."""
TIMES = 20
"""So often it is asked."""


class Hands(NamedTuple):
    """Hands of 17, and how their landlords fared.

    Attributes:
        planes: int8 [n, 285].
        won: 0 or 1, float32 [n].
    """

    planes: torch.Tensor
    won: torch.Tensor


@kernel
def draw_hands(rules, hands, out):
    """Write the plane of every packed hand, uint64 [n], into a row of `out`, int8 [n, 285]."""
    drawn = np.zeros(planes.RANKS * planes.ROWS * planes.PLANES, np.int8)
    for i in range(len(hands)):
        # Rows of categories that a hand does not hold are not written.
        drawn[planes.HAND :: planes.PLANES] = 0
        planes.draw_cards(drawn, planes.HAND, hands[i])
        planes.draw_possible(rules, drawn, planes.HAND, hands[i])
        out[i] = drawn[planes.HAND :: planes.PLANES]


def planes_of(rules: flat.Rules, hands: np.ndarray) -> np.ndarray:
    """The planes of packed hands, int8 [n, 285]; `rules` are those of the flat game."""
    out = np.empty((len(hands), CELLS), np.int8)
    draw_hands(rules, hands, out)
    return out


def logits(network: networks.Network, seen: torch.Tensor) -> torch.Tensor:
    """The logarithm of the odds that the landlord wins, float32 [n]."""
    status = seen.new_zeros(len(seen), planes.STATUS)
    return network(seen, status, seen.new_ones(len(seen), 1, dtype=torch.bool))[:, 0]


def chances(network: networks.Network, seen: torch.Tensor) -> np.ndarray:
    """The chance that the landlord wins, float64 [n]."""
    with torch.inference_mode():
        pieces = [torch.sigmoid(logits(network, piece)) for piece in seen.split(CHUNK)]
    return torch.cat(pieces).numpy().astype(np.float64)


class Result(NamedTuple):
    """What training brought.

    Attributes:
        path: The network.
        about: What is known of it, JSON values: `log_loss` (of the `network`, of the `logistic`
            model fitted to the same deals, of a `constant`), `calibration`, and `judged` as
            `bid_fitting.judge` has it, all of deals held out.
        interrupted: Whether Ctrl-C ended it.
    """

    path: Path
    about: dict[str, Any]
    interrupted: bool


def train(
    path: Path,
    out: Path,
    minutes: float,
    *,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[float, str], object] = lambda share, text: None,
) -> Result:
    """Train a bid network; Ctrl-C ends it early.

    Args:
        path: Deals that `closedhand train bids` has kept, `deals.npz`.
        out: Folder for the network, `bid.safetensors`.
        minutes: How long.
        seed: Of first weights and order.
        threads: Of the processor; None: all cores.
        progress: Called now and then with the share that is done and a text about it.

    Raises:
        InputError: No deals, or too few.
        KeyboardInterrupt: Interrupted before anything was learned.
    """
    from closedhand import __version__

    if not minutes > 0:
        raise InputError(f"training takes more than {minutes} minutes")
    settings, deals = read(path)
    check_number(deals.points.size)
    torch.set_num_threads(threads or cores())
    torch.manual_seed(seed)
    rules = make_game("doudizhu", **settings["options"]).rules
    seen = torch.from_numpy(planes_of(rules, deals.hands.ravel()))
    won = torch.from_numpy((deals.points.ravel() > 0).astype(np.float32))
    number = np.arange(len(deals.hands)).repeat(SEATS)
    held_out = number % HELD_OUT == HELD_OUT - 1
    validated = ~held_out & (number // HELD_OUT % VALIDATED == VALIDATED - 1)
    learned, asked = (
        Hands(seen[rows], won[rows])
        for rows in map(torch.from_numpy, (~held_out & ~validated, validated))
    )
    network = networks.Network("bid", status=False)
    epochs, interrupted = fit(network, learned, asked, 60 * minutes, seed, progress)
    of_network = chances(network, seen)
    about = {
        "deals": len(deals.hands),
        "agent": settings["agent"],
        "rules": settings["options"]["rules"],
        "seed": seed,
        "epochs": round(epochs, 2),
        **compare(of_network, deals, held_out),
        "version": __version__,
    }
    networks.save(out / NAME, network, about)
    return Result(out / NAME, about, interrupted)


def fit(
    network: networks.Network,
    learned: Hands,
    asked: Hands,
    seconds: float,
    seed: int,
    progress: Callable[[float, str], object],
) -> tuple[float, bool]:
    """Maximise the likelihood of `learned` by AdamW; keep the weights that did best on `asked`.

    Returns:
        The number of epochs, and whether Ctrl-C ended it.

    Raises:
        KeyboardInterrupt: Interrupted before anything was learned.
    """
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=WEIGHT_DECAY)
    rng = np.random.default_rng(seed)
    best, kept = np.inf, None
    order, at, steps, times = np.empty(0, np.int64), 0, 0, 0
    start = time.monotonic()
    share = 0.0
    try:
        while share < 1:
            if at >= len(order):
                order, at = rng.permutation(len(learned.won)), 0
            rows = torch.from_numpy(order[at : at + BATCH])
            at += BATCH
            for group in optimizer.param_groups:
                group["lr"] = RATE * 0.5 * (1 + np.cos(np.pi * share))
            loss = nn.functional.binary_cross_entropy_with_logits(
                logits(network, learned.planes[rows]), learned.won[rows]
            )
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            steps += 1
            share = min(1.0, (time.monotonic() - start) / seconds)
            if share * TIMES >= times + 1:
                times = int(share * TIMES)
                found = log_loss(chances(network, asked.planes), asked.won.numpy())
                if found < best:
                    best = found
                    kept = {name: each.clone() for name, each in network.state_dict().items()}
                progress(share, f"log loss {found:.4f}")
        interrupted = False
    except KeyboardInterrupt:
        if kept is None:
            raise
        interrupted = True
    assert kept is not None
    network.load_state_dict(kept)
    return steps * BATCH / len(learned.won), interrupted


def compare(of_network: np.ndarray, deals: Deals, held_out: np.ndarray) -> dict[str, Any]:
    """How good chances are beside those of a logistic model, on the deals held out.

    Args:
        of_network: The chances by hand, float64 [3n].
        deals: The deals, [n].
        held_out: Which hands are not learned from, bool [3n].
    """
    features = np.empty((deals.hands.size, len(FEATURES)))
    features_all(deals.hands.ravel(), features)
    won = (deals.points.ravel() > 0).astype(float)
    number = np.arange(len(deals.hands)).repeat(SEATS)
    weights, _ = logistic(features[~held_out], won[~held_out], number[~held_out])
    of_model = chances_of(features, weights)
    test = held_out[::SEATS]
    modules = {
        name: Module(found.reshape(-1, SEATS)[test], THRESHOLDS)
        for name, found in (("net", of_network), (KINDS[FITTED], of_model))
    }
    constant = np.full(held_out.sum(), won[~held_out].mean())
    named = {"network": of_network[held_out], "logistic": of_model[held_out], "constant": constant}
    return {
        "log_loss": {name: round(log_loss(c, won[held_out]), 4) for name, c in named.items()},
        "calibration": calibration(of_network[held_out], won[held_out]),
        "judged": judge(modules, deals.points[test]),
    }


class BidNetAgent(BiddingAgent):
    """Bids by the chances of a network and plays as another agent.

    Attributes:
        network: The bid network.
    """

    def __init__(self, game: Game, path: str, player: Agent) -> None:
        """Bid and play.

        Args:
            game: Dou Dizhu with bidding.
            path: Of the network, or of a folder with `bid.safetensors`.
            player: Plays the cards.

        Raises:
            InputError: A game without bidding, or no such network.
        """
        super().__init__(game, KINDS[FITTED], player)
        self.name = f"bids:net={quoted(path, ',:')}:{player.name}"
        # One core: matches run in several processes.
        torch.set_num_threads(1)
        file = Path(path)
        self.network, _ = networks.load(file / NAME if file.is_dir() else file, "bid")

    def _bid(self, rules: flat.Rules, views: np.ndarray, actions: np.ndarray) -> None:
        hands = views["hands"][np.arange(len(views)), views["player"]]
        seen = torch.from_numpy(planes_of(rules, hands))
        bid_worths(FITTED, chances(self.network, seen), rules, views, actions)

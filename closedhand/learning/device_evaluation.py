"""Evaluation on a device: a network against an agent that decides in kernels, in duplicate."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from closedhand.envs.device_batch import DeviceBatch

NEVER = -1e9
"""The logit of an illegal action."""
MOST_STEPS = 2000
"""Steps after which an evaluation ends though games go on."""


@torch.no_grad()
def versus(batch: DeviceBatch, network: Any, opponent: str, seed: int) -> dict[str, Any]:
    """Play the best actions of a network against an agent, one game in each of a batch.

    On the same deals the network, a `networks.PolicyValue`, plays each side in turn, the agent all
    other seats.

    Returns:
        `points` of the side a game, and the share of games `won`, draws counting half: mean and
        both ends of the 95% interval; `sides` has the shares won on each side.
    """
    game = batch.game
    sides = torch.tensor(game.sides, device=batch.device)
    dtype = next(network.parameters()).dtype
    answers = torch.zeros(batch.number, dtype=torch.int64, device=batch.device)
    points, shares = [], []
    for side in sorted(set(game.sides)):
        batch.reset(seed)
        over = torch.zeros(batch.number, dtype=torch.bool, device=batch.device)
        paid = torch.zeros(batch.number, dtype=torch.float64, device=batch.device)
        for step in range(MOST_STEPS):
            own = sides[batch.player] == side
            batch.decide(opponent, answers)
            logits = network.policy(network.body(batch.observation.to(dtype)))
            best = logits.float().masked_fill(batch.action_mask == 0, NEVER).argmax(1)
            batch.step(torch.where(own, best, answers))
            mine = (batch.rewards * (sides == side)).sum(1)
            paid += torch.where(over, torch.zeros_like(mine), mine)
            over |= batch.status != 0
            if step % 16 == 15 and bool(over.all()):
                break
        points.append(paid[over])
        shares.append((paid[over] > 0).double() + 0.5 * (paid[over] == 0).double())
    found: dict[str, Any] = {"points": _interval(points)}
    if game.payoff_range[0] < 0:
        found["won"] = _interval(shares)
        found["sides"] = [round(float(each.mean()), 4) for each in shares]
    return found


def _interval(parts: Sequence[Tensor]) -> list[float]:
    """Return the mean of the means of some parts, and the ends of its 95% interval."""
    mean = sum(float(each.mean()) for each in parts) / len(parts)
    variance = sum(float(each.var()) / len(each) for each in parts) / len(parts) ** 2
    margin = 1.96 * math.sqrt(variance)
    return [round(value, 4) for value in (mean, mean - margin, mean + margin)]

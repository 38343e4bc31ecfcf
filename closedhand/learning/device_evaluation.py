"""Evaluation on a device: a network against an agent that decides in kernels, in duplicate."""

from typing import Any

import torch

from closedhand.core.agents import AnyAgent
from closedhand.envs.device_batch import DeviceBatch
from closedhand.learning.evaluation import score_of

NEVER = -1e9
"""The logit of an illegal action."""
MOST_STEPS = 2000
"""Maximum number of steps for each round of a game; deals with longer games are left out."""


@torch.no_grad()
def versus(batch: DeviceBatch, network: Any, opponent: AnyAgent, seed: int) -> dict[str, Any]:
    """Play a network's best actions against an agent that decides in kernels, in duplicate.

    Every game of the batch is a deal, on which the network, a `networks.PolicyValue`, plays each
    side in turn, the agent all other seats. The result is a `Score.entry`.
    """
    game = batch.game
    sides = torch.tensor(game.sides, device=batch.device)
    dtype = next(network.parameters()).dtype
    answers = torch.zeros(batch.number, dtype=torch.int64, device=batch.device)
    points, ended = [], []
    for side in sorted(set(game.sides)):
        batch.reset(seed)
        over = torch.zeros(batch.number, dtype=torch.bool, device=batch.device)
        paid = torch.zeros(batch.number, dtype=torch.float64, device=batch.device)
        for step in range(MOST_STEPS * game.rounds):
            own = sides[batch.player] == side
            batch.decide(opponent, answers)
            logits = network(batch.observation.to(dtype))
            best = logits.float().masked_fill(batch.action_mask == 0, NEVER).argmax(1)
            batch.step(torch.where(own, best, answers))
            mine = (batch.rewards * (sides == side)).sum(1)
            paid += torch.where(over, torch.zeros_like(mine), mine)
            over |= batch.status != 0
            if step % 16 == 15 and bool(over.all()):
                break
        points.append(paid)
        ended.append(over)
    finished = torch.stack(ended).all(0)
    return score_of(game, torch.stack(points, 1)[finished].cpu().numpy()).entry()

"""Agents that decide by a kernel, for the flat game of Daihinmin and for its sets of cards."""

from typing import NamedTuple

import numpy as np

from closedhand.agents.agent import KernelAgent
from closedhand.core import policies
from closedhand.core.game import Game
from closedhand.core.numba.jit import Policy, kernel
from closedhand.games.daihinmin.legality import can_play
from closedhand.games.daihinmin.plays import PASS


class InSets(NamedTuple):
    """Policy that converts the plays of a flat policy to sets of cards.

    An illegal action is a pass in both forms.

    Attributes:
        plays: Policy for the flat game.
    """

    kernels = "closedhand.agents.daihinmin.agent"

    plays: Policy


@kernel
def decide(policy, rules, view, ids):
    """Choose the set of cards that `InSets` plays."""
    action = np.int64(policies.decide(policy.plays, rules.flat, view, ids))
    if not can_play(rules.flat, view, action):
        action = np.int64(PASS)
    return np.int64(rules.tables.set_of[action])


def kernel_agent(game: Game, name: str, policy: Policy) -> KernelAgent:
    """Make an agent from its policy.

    Args:
        game: Daihinmin with any options.
        name: Name of the agent.
        policy: Policy for the flat game.
    """
    return KernelAgent(game, name, policy if game.flat is game else InSets(policy))

"""Agents for Daihinmin that decide by a kernel, for games with and without `compact`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from closedhand.baselines.agent import KernelAgent
from closedhand.core.game import Game
from closedhand.core.kernel import kernel
from closedhand.games.daihinmin.legality import can_play
from closedhand.games.daihinmin.plays import NUM_ACTIONS, PASS


def flat_rules(game: Game) -> Any:
    """Rules of the flat game, whose actions are plays."""
    return getattr(game.rules, "flat", game.rules)


@kernel
def to_sets(rules, views, actions):
    """Convert plays, in place, into sets of cards; an illegal action is a pass in both forms."""
    for i in range(len(views)):
        action = actions[i]
        if not can_play(rules.flat, views[i], action):
            action = PASS
        actions[i] = rules.tables.set_of[action]


def kernel_agent(
    game: Game, name: str, choose_all: Callable[..., None], *given: Any
) -> KernelAgent:
    """Make an agent from its kernel.

    Args:
        game: Daihinmin with any options.
        name: Name of the agent.
        choose_all: `choose_all(rules, *given, views, ids, actions)` writes the play for every view.
        *given: Parameters of the kernel.
    """
    rules = flat_rules(game)

    def decide(views: np.ndarray, ids: np.ndarray, actions: np.ndarray) -> None:
        choose_all(rules, *given, views, ids, actions)

    def translate(views: np.ndarray, ids: np.ndarray, actions: np.ndarray) -> None:
        to_sets(game.rules, views, actions)

    return KernelAgent(
        game, name, decide, NUM_ACTIONS, translate if game.options["compact"] else None
    )

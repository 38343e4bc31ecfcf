"""Shared code of agents that decide by a kernel over whole plays."""

from collections.abc import Callable

import numpy as np

from closedhand.core.game import Game, State

Decide = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
"""`decide(views, ids, actions)` writes an action of the flat game for every view, states [n], to
`actions`, int32 [n]; `ids`, int32, is scratch space for legal actions."""

Translate = Callable[[np.ndarray, np.ndarray, np.ndarray], None]
"""`translate(views, ids, actions)` converts actions of the flat game, in place, into actions of
another form of it."""


class KernelAgent:
    """An agent that decides on many views in one call, also for other forms of a flat game.

    Attributes:
        name: Name in results and records.
    """

    def __init__(
        self,
        game: Game,
        name: str,
        decide: Decide,
        scratch: int,
        translate: Translate | None = None,
    ) -> None:
        """Play `game` by a kernel.

        Args:
            game: Game to play.
            name: Name of the agent.
            decide: Kernel that decides in the flat game.
            scratch: Number of ids that `decide` needs as scratch space.
            translate: Conversion into actions of `game`, if it is not the flat game.
        """
        self.game = game
        self.name = name
        self._decide = decide
        self._translate = translate
        self._scratch = scratch

    def act(self, view: State) -> int:
        """The action of the player to act."""
        return int(self.act_batch(np.array([view], self.game.dtype))[0])

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """The action for each view, states [n]; int32 [n]."""
        actions = np.empty(len(views), np.int32)
        ids = np.empty(self._scratch, np.int32)
        self._decide(views, ids, actions)
        if self._translate is not None:
            self._translate(views, ids, actions)
        return actions

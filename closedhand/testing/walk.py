"""A random game in progress, at whose positions checks are made."""

from typing import Any

import numpy as np

from closedhand.core.game import Game, State

CLOSE_LOOKS = 6
"""Maximum number of items that `some` returns, such as positions of a game checked closely."""

SAMPLES = 10
"""Number of random ids that `testing.contract.check_illegal` tries, and that a message shows."""


class Walk:
    """A game of random play in progress."""

    def __init__(self, game: Game, seed: int) -> None:
        """Deal with `np.random.default_rng(seed)`."""
        self.game, self.seed = game, seed
        self.players = range(game.num_players)
        self.state = game.deal(np.random.default_rng(seed))
        self.actions: list[int] = []  # so far
        self.states: list[State] = []  # copies of all states so far
        self.rng = np.random.default_rng([seed, 1])  # of the play and of the checks

    def __str__(self) -> str:
        return f"seed {self.seed}, actions {self.actions}"


def some(things: Any, rng: np.random.Generator) -> list[Any]:
    """Return all items of a short list; of a long one the first, the last and a sample."""
    if len(things) <= CLOSE_LOOKS:
        return list(things)
    inner = rng.choice(len(things) - 2, CLOSE_LOOKS - 2, replace=False) + 1
    return [things[0], *(things[int(i)] for i in np.sort(inner)), things[-1]]

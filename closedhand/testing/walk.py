"""A random game in progress, at whose positions checks are made."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from closedhand.core.game import Game, State

CLOSE_LOOKS = 6
"""Maximum number of items that `some` returns, such as positions of a game checked closely."""

SAMPLES = 10
"""Number of random ids that `contract.check_illegal` tries, and of ids that a message shows."""


@dataclass
class Walk:
    """A game of random play in progress."""

    game: Game
    seed: int  # the deal is that of `np.random.default_rng(seed)`
    state: State = field(init=False)
    actions: list[int] = field(default_factory=list)  # so far
    states: list[State] = field(default_factory=list)  # copies of all so far
    rng: np.random.Generator = field(init=False)  # of the play and of the checks

    def __post_init__(self) -> None:
        self.state = self.game.deal(np.random.default_rng(self.seed))
        self.rng = np.random.default_rng([self.seed, 1])

    @property
    def players(self) -> range:
        """All seats."""
        return range(self.game.num_players)

    def __str__(self) -> str:
        return f"seed {self.seed}, actions {self.actions}"


def some(things: Any, rng: np.random.Generator) -> list[Any]:
    """Return all items of a short list; of a long one the first, the last and a sample."""
    if len(things) <= CLOSE_LOOKS:
        return list(things)
    inner = rng.choice(len(things) - 2, CLOSE_LOOKS - 2, replace=False) + 1
    return [things[0], *(things[int(i)] for i in np.sort(inner)), things[-1]]

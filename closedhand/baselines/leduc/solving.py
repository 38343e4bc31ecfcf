"""What all algorithms for Leduc have in common: how one is made, run, judged and resumed."""

from typing import Protocol

import numpy as np

from closedhand.baselines.leduc.strategy import Strategy
from closedhand.games.game import Game


class Learner(Protocol):
    """An algorithm at work on a game.

    Attributes:
        game: The game.
        iterations: How many are done.
    """

    game: Game
    iterations: int

    def run(self, number: int) -> None:
        """Do `number` iterations more."""
        ...

    def strategy(self) -> Strategy:
        """The strategy that the algorithm stands for so far."""
        ...

    def state(self) -> dict[str, np.ndarray]:
        """Everything that `restore` needs to go on as if nothing had happened."""
        ...

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        ...

"""Common part of solvers that learn from sampled games."""

from collections.abc import Sequence

import numpy as np

from closedhand.core.game import Game
from closedhand.solvers.interface import Trees
from closedhand.solvers.solving import pack_rng, unpack_rng


class SampledSolver:
    """Base of solvers on sampled games: counts iterations, saves and resumes.

    Attributes:
        game: The game.
        walk: Tree that games are sampled from.
        layout: The information sets and their places in the rows of the walk.
        iterations: Number of iterations so far.
        learned: Learned arrays by name, float64 [rows of the walk]; `run` changes them in place.
        rng: Generator of all random numbers.
    """

    def __init__(self, trees: Trees, game: Game, seed: int, learned: Sequence[str]) -> None:
        """Start with arrays of zeros of the names `learned`."""
        self.game = game
        tree = trees.build(game)
        self.walk = trees.walk(game, tree)
        self.layout = trees.layout(game, tree)._replace(entries=self.walk.entries)
        self.iterations = 0
        self.learned = {name: np.zeros(self.walk.rows) for name in learned}
        self.rng = np.random.default_rng(seed)

    def state(self) -> dict[str, np.ndarray]:
        """State for `restore`."""
        return {
            **self.learned,
            "iterations": np.array(self.iterations),
            "rng": pack_rng(self.rng),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        self.learned = {name: state[name].copy() for name in self.learned}
        self.iterations = int(state["iterations"])
        unpack_rng(self.rng, state["rng"])

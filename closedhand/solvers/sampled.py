"""What solvers keep that learn from games drawn at random, whatever tables they learn in."""

import numpy as np

from closedhand.core.game import Game
from closedhand.solvers.solving import pack_rng, unpack_rng


class SampledSolver:
    """The part of a `solving.Solver` that counts, is saved and resumes.

    Attributes:
        game: The game.
        iterations: Number of iterations so far.
        learned: What is learned, by name; `run` changes the arrays in place.
        rng: Generator of everything that is drawn.
    """

    def __init__(self, game: Game, seed: int, learned: dict[str, np.ndarray]) -> None:
        """Start from arrays of zeros, or whatever `learned` holds."""
        self.game = game
        self.iterations = 0
        self.learned = learned
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

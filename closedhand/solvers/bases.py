"""Common parts of solvers: what they learn on, and their state for checkpoints."""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from closedhand.core.game import Game
from closedhand.solvers.interface import Trees
from closedhand.solvers.strategy import first_tables


class SweepingSolver:
    """Base of solvers whose iterations sweep the whole tree.

    Attributes:
        game: The game.
        tree: The tree of the game.
        layout: Its information sets and their places in arrays.
        tables: Regrets and strategies, at first of the uniform strategy.
        iterations: Number of iterations done.
        kept: Tables of a checkpoint by their names in it.
    """

    kept: Mapping[str, str] = {name: name for name in ("regret", "sigma", "average")}

    def __init__(self, trees: Trees, game: Game, seed: int = 0) -> None:
        """Start from the uniform strategy; `seed` is not used, as nothing is random."""
        self.game = game
        self.tree = trees.build(game)
        self.layout = trees.layout(game, self.tree)
        self.tables = first_tables(self.tree, self.layout)
        self.iterations = 0

    def state(self) -> dict[str, np.ndarray]:
        """Return the state for `restore`."""
        tables = {name: getattr(self.tables, field).copy() for name, field in self.kept.items()}
        return {**tables, "iterations": np.array(self.iterations)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        tables = {field: state[name].copy() for name, field in self.kept.items()}
        self.tables = self.tables._replace(**tables)
        self.iterations = int(state["iterations"])


class SampledSolver:
    """Base of solvers whose iterations sample games.

    Attributes:
        game: The game.
        walk: Tree that games are sampled from.
        layout: The information sets and their places in the rows of the walk.
        iterations: Number of iterations done.
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
        """Return the state for `restore`."""
        rng = np.array(json.dumps(self.rng.bit_generator.state))
        learned = {name: each.copy() for name, each in self.learned.items()}
        return {**learned, "iterations": np.array(self.iterations), "rng": rng}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        self.learned = {name: state[name].copy() for name in self.learned}
        self.iterations = int(state["iterations"])
        self.rng.bit_generator.state = json.loads(str(state["rng"]))

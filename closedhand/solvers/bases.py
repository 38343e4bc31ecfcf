"""Common parts of solvers: what they learn on, and their state for checkpoints."""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from closedhand.core.game import Game
from closedhand.solvers.interface import Trees
from closedhand.solvers.strategy import first_tables


class _Solver:
    """Base of all solvers.

    Attributes:
        game: The game.
        learned: Learned arrays by their names in a checkpoint; `run` changes them in place.
        iterations: Number of iterations done.
    """

    def __init__(self, game: Game, learned: dict[str, np.ndarray]) -> None:
        self.game, self.learned, self.iterations = game, learned, 0

    def state(self) -> dict[str, np.ndarray]:
        """Return the state for `restore`."""
        learned = {name: each.copy() for name, each in self.learned.items()}
        return {**learned, "iterations": np.array(self.iterations)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        for name, array in self.learned.items():
            array[...] = state[name]
        self.iterations = int(state["iterations"])


class SweepingSolver(_Solver):
    """Base of solvers whose iterations sweep the whole tree; `seed` is not used.

    Attributes:
        tree: The tree of the game.
        layout: Its information sets and their places in arrays.
        tables: Regrets and strategies, at first of the uniform strategy.
        kept: Tables of a checkpoint by their names in it.
    """

    kept: Mapping[str, str] = {name: name for name in ("regret", "sigma", "average")}

    def __init__(self, trees: Trees, game: Game, seed: int = 0) -> None:
        self.tree = trees.build(game)
        self.layout = trees.layout(game, self.tree)
        self.tables = first_tables(self.tree, self.layout)
        kept = {name: getattr(self.tables, field) for name, field in self.kept.items()}
        super().__init__(game, kept)


class SampledSolver(_Solver):
    """Base of solvers whose iterations sample games.

    Attributes:
        walk: Tree that games are sampled from.
        layout: The information sets and their places in the rows of the walk.
        rng: Generator of all random numbers.
        kept: Names of the learned arrays, at first zeros.
    """

    kept: Sequence[str] = ()

    def __init__(self, trees: Trees, game: Game, seed: int = 0) -> None:
        tree = trees.build(game)
        self.walk = trees.walk(game, tree)
        self.layout = trees.layout(game, tree)._replace(entries=self.walk.entries)
        self.rng = np.random.default_rng(seed)
        super().__init__(game, {name: np.zeros(self.walk.rows) for name in self.kept})

    def state(self) -> dict[str, np.ndarray]:
        """Return the state for `restore`."""
        return {**super().state(), "rng": np.array(json.dumps(self.rng.bit_generator.state))}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        super().restore(state)
        self.rng.bit_generator.state = json.loads(str(state["rng"]))

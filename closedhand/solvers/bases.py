"""Common parts of solvers: what they learn on, and their state for checkpoints."""

import json
from collections.abc import Mapping, Sequence

import numpy as np

from closedhand.core.game import Game
from closedhand.solvers.interface import Layout, Trees
from closedhand.solvers.strategy import Strategy, first_tables, to_strategy


class BaseSolver:
    """An algorithm applied to a game; a subclass implements `_iterate`.

    Attributes:
        game: The game.
        layout: Its information sets and their places in the learned arrays.
        learned: Learned arrays by their names in a checkpoint; `run` changes them in place.
        iterations: Number of iterations done.
        played: Name of the learned array that is the strategy.
    """

    played = "average"

    def __init__(self, game: Game, layout: Layout, learned: dict[str, np.ndarray]) -> None:
        self.game, self.layout, self.learned, self.iterations = game, layout, learned, 0

    def _iterate(self, number: int) -> None:
        raise NotImplementedError

    def run(self, number: int) -> None:
        """Do `number` more iterations."""
        self._iterate(number)
        self.iterations += number

    def strategy(self) -> Strategy:
        """Return the algorithm's strategy so far."""
        return to_strategy(self.game, self.layout, self.learned[self.played])

    def state(self) -> dict[str, np.ndarray]:
        """Return everything that `restore` needs to go on as a run without a break."""
        learned = {name: each.copy() for name, each in self.learned.items()}
        return {**learned, "iterations": np.array(self.iterations)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        for name, array in self.learned.items():
            array[...] = state[name]
        self.iterations = int(state["iterations"])


class SweepingSolver(BaseSolver):
    """Base of solvers whose iterations sweep the whole tree; `seed` is not used.

    Attributes:
        tree: The tree of the game.
        tables: Regrets and strategies, at first of the uniform strategy.
        kept: Tables of a checkpoint by their names in it.
    """

    kept: Mapping[str, str] = {name: name for name in ("regret", "sigma", "average")}

    def __init__(self, trees: Trees, game: Game, seed: int = 0) -> None:
        self.tree = trees.build(game)
        layout = trees.layout(game, self.tree)
        self.tables = first_tables(self.tree, layout)
        kept = {name: getattr(self.tables, field) for name, field in self.kept.items()}
        super().__init__(game, layout, kept)


class SampledSolver(BaseSolver):
    """Base of solvers whose iterations sample games.

    Attributes:
        walk: Tree that games are sampled from.
        rng: Generator of all random numbers.
        kept: Names of the learned arrays, at first zeros, in the rows of the walk.
    """

    kept: Sequence[str] = ()

    def __init__(self, trees: Trees, game: Game, seed: int = 0) -> None:
        tree = trees.build(game)
        self.walk = trees.walk(game, tree)
        self.rng = np.random.default_rng(seed)
        layout = trees.layout(game, tree)._replace(entries=self.walk.entries)
        super().__init__(game, layout, {name: np.zeros(self.walk.rows) for name in self.kept})

    def state(self) -> dict[str, np.ndarray]:
        """Return the state for `restore`."""
        return {**super().state(), "rng": np.array(json.dumps(self.rng.bit_generator.state))}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        super().restore(state)
        self.rng.bit_generator.state = json.loads(str(state["rng"]))

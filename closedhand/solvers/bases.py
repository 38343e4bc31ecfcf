"""Bases of solvers: trees, judgements (exact evaluations of the strategy), and checkpoints."""

import json
import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from closedhand.core.checks import whole_number
from closedhand.core.game import Game, InputError
from closedhand.core.reading import check_arrays
from closedhand.solvers.interface import Layout, Tables, Trees
from closedhand.solvers.strategy import Strategy, evaluate, normalised, to_strategy

CHUNK = 0.1
"""Seconds between readings of the clock."""
JUDGEMENTS = 8
"""Judgements in each power of ten of the iterations."""


def next_judgement(iterations: int, judgements: int) -> int:
    """Return the iterations at the next judgement, a rounded 10^(k / `judgements`), k whole."""
    number = iterations
    power = math.floor(judgements * math.log10(max(1, iterations))) - 1
    while number <= iterations:
        power += 1
        number = round(10 ** (power / judgements))
    return number


class BaseSolver:
    """An algorithm applied to a game, a `closedhand.core.run.Learner`.

    A subclass implements `_iterate`.

    Attributes:
        layout: The game's information sets and their places in the learned arrays.
        learned: Learned arrays by their names in a checkpoint; `run` changes them in place.
        end: Number of iterations after which `advance` stops.
        judgements: Judgements in each power of ten of the iterations.
        played: Name of the learned array that is the strategy.
    """

    played = "average"

    def __init__(self, game: Game, layout: Layout, learned: dict[str, np.ndarray]) -> None:
        self.game, self.layout, self.learned, self.iterations = game, layout, learned, 0
        self.end, self.judgements, self._rate = math.inf, JUDGEMENTS, 1.0

    def _iterate(self, number: int) -> None:
        raise NotImplementedError

    def run(self, number: int) -> None:
        """Do `number` more iterations; an `InputError` unless it is a whole number of 0 or more."""
        number = whole_number(number, "the number of iterations", 0)
        self._iterate(number)
        self.iterations += number

    def advance(self, seconds: float) -> bool:
        """Do iterations for about 0.1 s, at least one; return whether a judgement is due."""
        judgement = min(self.end, next_judgement(self.iterations, self.judgements))
        left = judgement - self.iterations
        number = int(max(1, min(left, self._rate * min(CHUNK, seconds))))
        start = time.perf_counter()
        self.run(number)
        self._rate = number / max(time.perf_counter() - start, 1e-9)
        return self.iterations >= judgement

    def summary(self) -> dict[str, Any]:
        """Return the iterations and the evaluation of the strategy, whose payoffs are per game."""
        return {"iterations": self.iterations, **evaluate(self.strategy()).summary(self.game)}

    def strategy(self) -> Strategy:
        """Return the algorithm's strategy so far."""
        return to_strategy(self.game, self.layout, self.learned[self.played])

    def state(self) -> dict[str, np.ndarray]:
        """Return copies of all that `restore` needs."""
        learned = {name: each.copy() for name, each in self.learned.items()}
        return {**learned, "iterations": np.array(self.iterations)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a result of `state`; an `InputError` refuses arrays that do not fit."""
        check_arrays(state, self.state())
        if state["iterations"] < 0:
            raise InputError(f"the number of iterations is negative: {int(state['iterations'])}")
        for name, array in self.learned.items():
            array[...] = state[name]
        self.iterations = int(state["iterations"])


class SweepingSolver(BaseSolver):
    """Base of solvers whose iterations sweep the whole tree; `seed` has no effect.

    Attributes:
        tables: Regrets and average, at first 0, and the current strategy, at first uniform.
        kept: Fields of `tables` that are learned, by their names in a checkpoint.
    """

    kept: Mapping[str, str] = {name: name for name in ("regret", "sigma", "average")}

    def __init__(self, trees: Trees, game: Game, seed: int = 0) -> None:
        self.tree, layout = trees.build(game), trees.layout(game)
        regret, sigma, average, gains = np.zeros((4, *layout.shape))
        sigma[layout.entries] = normalised(layout.rows, np.zeros(len(layout.actions)))
        reached, values = np.zeros((2, len(self.tree.player), *layout.shape[1:]))
        self.tables = Tables(regret, sigma, average, reached, values, gains)
        kept = {name: getattr(self.tables, field) for name, field in self.kept.items()}
        super().__init__(game, layout, kept)


class SampledSolver(BaseSolver):
    """Base of solvers whose iterations sample games.

    Attributes:
        tree: Tree that games are sampled from, an `InfoTree` or a `TiedTree`.
        deals: Cumulative probabilities of the deals, float64 [deals].
        kept: Names of the learned arrays, at first zeros, by action.
    """

    kept: Sequence[str] = ()

    def __init__(self, trees: Trees, game: Game, seed: int = 0) -> None:
        trees = trees.sampled or trees
        self.tree, layout = trees.build(game), trees.layout(game)
        self.deals = np.cumsum(self.tree.chance)
        self.rng = np.random.default_rng(seed)
        super().__init__(game, layout, {name: np.zeros(layout.shape) for name in self.kept})

    def state(self) -> dict[str, np.ndarray]:
        """Return copies of all that `restore` needs, with the state of the generator."""
        return {**super().state(), "rng": np.array(json.dumps(self.rng.bit_generator.state))}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        super().restore(state)
        self.rng.bit_generator.state = json.loads(str(state["rng"]))

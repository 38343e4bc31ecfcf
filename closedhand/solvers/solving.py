"""Common code of all algorithms for small games: their base classes, and runs.

A judgement is an exact evaluation of an algorithm's strategy so far.
"""

import dataclasses
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from closedhand.core import run as long_work
from closedhand.core.checks import check_seed, whole_number
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.reading import check_arrays
from closedhand.core.registry import load as load_ref
from closedhand.core.version import __version__
from closedhand.solvers.interface import Algorithm, Layout, Tables, Trees
from closedhand.solvers.strategy import FILE, Strategy, evaluate, normalised, save, to_strategy
from closedhand.solvers.tree import trees_of

CHUNK = 0.1
"""Seconds between readings of the clock."""
JUDGEMENTS = 8
"""Number of judgements while the number of iterations grows tenfold."""
CLOSE_JUDGEMENTS = 64
"""The same if a target NashConv is given: more, to stop soon after it is reached."""


def next_judgement(iterations: int, judgements: int) -> int:
    """Return when to judge next: the least rounded 10^(k / `judgements`) above `iterations`."""
    number = iterations
    power = math.floor(judgements * math.log10(max(1, iterations))) - 1
    while number <= iterations:
        power += 1
        number = round(10 ** (power / judgements))
    return number


class BaseSolver:
    """An algorithm applied to a game; it is a `closedhand.core.run.Learner`.

    A subclass implements `_iterate`.

    Attributes:
        layout: The game's information sets and their places in the learned arrays.
        learned: Learned arrays by their names in a checkpoint; `run` changes them in place.
        end: Number of iterations after which `advance` stops.
        judgements: Number of judgements while the number of iterations grows tenfold.
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


AVERAGE = "the average strategy converges to an equilibrium"
ROOT = f"{AVERAGE}: NashConv is O(1/√t)"
QUADRATIC = f"{AVERAGE} if uniform; the quadratic one is seen to, faster"
ANNEALED = "none when annealed; the last policy is seen to converge"
SWEEP, SAMPLE = "sweep of the tree for each player", "sampled deal for each player"
HERE = "closedhand.solvers"

ALGORITHMS = {
    "cfr": Algorithm(f"{HERE}.cfr:CFR", SWEEP, ROOT),
    "cfr+": Algorithm(f"{HERE}.cfr:CFRPlus", SWEEP, ROOT),
    "lcfr": Algorithm(f"{HERE}.cfr:LinearCFR", SWEEP, ROOT),
    "dcfr": Algorithm(f"{HERE}.cfr:DiscountedCFR", SWEEP, ROOT),
    "pcfr+": Algorithm(f"{HERE}.cfr:PredictiveCFRPlus", SWEEP, QUADRATIC),
    "mccfr": Algorithm(f"{HERE}.mccfr:MCCFR", SAMPLE, f"{AVERAGE}, in probability"),
    "mmd": Algorithm(f"{HERE}.mmd:MMD", SWEEP, ANNEALED),
    "q-learning": Algorithm(f"{HERE}.q_learning:QLearning", "game", "none"),
}
"""Algorithms for every small game. Guarantees are for two players with opposite payoffs."""
SOLVERS = ("cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "mccfr")
"""The CFR family, whose average strategies converge to an equilibrium."""


def make_solver(
    algorithm: str, game: Game, seed: int = 0, trees: Trees | None = None
) -> BaseSolver:
    """Make one of `ALGORITHMS` for a game, on `trees`, by default those of `tree.trees_of`.

    Raises:
        InputError: There is no such algorithm, the game is too large or does not list its deals, or
            the seed is not allowed.
    """
    if algorithm not in ALGORITHMS:
        raise InputError(f"no algorithm {algorithm!r}; there are {', '.join(ALGORITHMS)}")
    make = load_ref(ALGORITHMS[algorithm].solver)
    return make(trees or trees_of(game), game, check_seed(seed))


class Run(long_work.Run[BaseSolver]):
    """A run of an algorithm; its history has the judgements so far (`BaseSolver.summary`)."""

    def __init__(
        self,
        algorithm: str,
        game: Game,
        seed: int = 0,
        folder: Path | None = None,
        states: str | None = None,
    ) -> None:
        """Make a run before its first iteration.

        `folder` gets the files of `strategy.save`, `result.json` and the checkpoint `learner.npz`;
        None: no files. `states` names the abstraction to learn on; None: the information sets.

        Raises:
            InputError: As in `make_solver`, or the game has no such abstraction.
        """
        self.algorithm = algorithm
        settings = {
            "game": game.name,
            "options": dict(game.options),
            "states": states,
            "algorithm": algorithm,
            "seed": check_seed(seed),
            "version": __version__,
        }
        path = folder and Path(folder) / "learner.npz"
        solver = make_solver(algorithm, game, seed, trees_of(game, states))
        super().__init__(solver, settings, path, self._write)

    def strategy(self) -> Strategy:
        """Return the solver's strategy, with its provenance."""
        found = {**self.settings, "iterations": self.learner.iterations}
        keys = ("states", "algorithm", "iterations", "seed")
        about = {key: found[key] for key in keys if found[key] is not None}
        return dataclasses.replace(self.learner.strategy(), about=about)

    def advance(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        until: float | None = None,
        progress: Callable[[], object] = lambda: None,
    ) -> Self:
        """Start or continue the algorithm; return the run, judged, and saved if there is a folder.

        It stops at `iterations` in all, at `seconds` of work in all (judgements excluded), or at a
        judgement whose NashConv is at most `until`; None: no limit. Ctrl-C stops it between two
        iterations. `progress` is called about ten times a second. Errors are those of `work`.
        """
        self.learner.run(0)  # loads or compiles the kernels
        self.learner.end = np.inf if iterations is None else iterations
        self.learner.judgements = JUDGEMENTS if until is None else CLOSE_JUDGEMENTS

        def over() -> bool:
            if self.learner.iterations >= self.learner.end:
                return True
            return until is not None and bool(self.history) and self.nash_conv <= until

        before = self.learner.iterations
        self.work(np.inf if seconds is None else seconds, over, progress)
        if self.learner.iterations == before:
            self.save()
        return self

    @property
    def nash_conv(self) -> float:
        """NashConv at the last judgement; an `InputError` before the first one."""
        return self._last["nash_conv"]

    @property
    def _last(self) -> dict[str, Any]:
        if not self.history:
            raise InputError(f"{self.algorithm} has no judgement yet: call advance first")
        return self.history[-1]

    def summary(self) -> dict[str, Any]:
        """Return settings and judgements for JSON; an `InputError` before the first judgement."""
        result = {"interrupted": self.interrupted, **self._last, "curve": self.history}
        return {**self.settings, **result}

    def _write(self) -> None:
        if self.path is not None:
            result = json.dumps(self.summary(), separators=(",", ":"))
            save(self.strategy(), self.path.with_name(FILE))
            write_atomically(self.path.with_name("result.json"), result + "\n")

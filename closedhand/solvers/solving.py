"""Common code of all algorithms for small games: make a solver, run it and resume it."""

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import numpy as np

from closedhand.core import run as long_work
from closedhand.core.checks import check_seed
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.registry import load as load_ref
from closedhand.core.version import __version__
from closedhand.solvers.bases import JUDGEMENTS, BaseSolver
from closedhand.solvers.interface import Algorithm, Trees
from closedhand.solvers.strategy import FILE, Strategy, save
from closedhand.solvers.tree import trees_of

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


CLOSE_JUDGEMENTS = 64
"""Judgements in each power of ten if a target NashConv is given: more, to stop soon after it."""


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

        `folder` gets `strategy.npz`, `result.json` and the checkpoint `learner.npz`; None: nothing
        is written. `states` names the abstraction to learn on; None: the information sets.

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

"""Common code of all algorithms for small games: make, run, evaluate and resume a solver.

`Run.advance` runs a solver (`bases.BaseSolver`) for some iterations or time and evaluates its
strategy exactly at intervals (a judgement). The time of judgements does not count.
"""

import dataclasses
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from closedhand.core import run as long_work
from closedhand.core.checks import check_seed
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.reading import check_arrays
from closedhand.core.registry import load as load_ref
from closedhand.core.version import __version__
from closedhand.solvers.bases import BaseSolver
from closedhand.solvers.interface import Algorithm, Evaluation, Trees
from closedhand.solvers.strategy import FILE, Strategy, evaluate, save
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


CHUNK = 0.1
"""Seconds between readings of the clock."""
JUDGEMENTS = 8
"""Judgements in each power of ten of the iterations."""
CLOSE_JUDGEMENTS = 64
"""Judgements in each power of ten with a target NashConv: more, to stop soon after it."""


def next_judgement(iterations: int, judgements: int = JUDGEMENTS) -> int:
    """Return the number of iterations at the next judgement, out of 1, 2, 3, 4, 6, 7, 10, 13, …."""
    number = iterations
    power = np.floor(judgements * np.log10(max(1, iterations))) - 1
    while number <= iterations:
        power += 1
        number = round(10 ** (power / judgements))
    return number


@dataclass
class Judged:
    """A solver as a `closedhand.core.run.Learner`; its history is the list of its judgements.

    Attributes:
        solver: The solver.
        end: Number of iterations after which it stops.
        judgements: Judgements in each power of ten of the iterations.
    """

    solver: BaseSolver
    end: float = np.inf
    judgements: int = JUDGEMENTS
    _rate: float = 1.0

    def advance(self, seconds: float) -> bool:
        """Do iterations for at most about 0.1 s; return whether the next judgement is reached."""
        judgement = min(self.end, next_judgement(self.solver.iterations, self.judgements))
        left = judgement - self.solver.iterations
        number = int(max(1, min(left, self._rate * min(CHUNK, seconds))))
        start = time.perf_counter()
        self.solver.run(number)
        self._rate = number / max(time.perf_counter() - start, 1e-9)
        return self.solver.iterations >= judgement

    def state(self) -> dict[str, np.ndarray]:
        """Return the state of the solver."""
        return self.solver.state()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned.

        Raises:
            InputError: The state belongs to another solver, or is damaged.
        """
        check_arrays(state, self.solver.state())
        if state["iterations"] < 0:
            raise InputError(f"the number of iterations is negative: {int(state['iterations'])}")
        self.solver.restore(state)

    def summary(self) -> dict[str, Any]:
        """Evaluate the strategy; all values are payoffs per game."""
        judged = judgement_summary(self.solver.game, evaluate(self.solver.strategy()))
        return {"iterations": self.solver.iterations, **judged}


class Run(long_work.Run[Judged]):
    """A run of an algorithm, with its judgements so far."""

    def __init__(
        self,
        algorithm: str,
        solver: BaseSolver,
        seed: int = 0,
        folder: Path | None = None,
        states: str | None = None,
    ) -> None:
        """Run a solver of an algorithm, made with a seed; it may have done iterations already.

        `folder` gets `strategy.npz`, `result.json` and the checkpoint `learner.npz`; None: nothing
        is written. `states` names the abstraction that it learns on; None: the information sets.
        """
        self.algorithm = algorithm
        self.solver = solver
        self.seed = seed
        self.folder = None if folder is None else Path(folder)
        self.states = states
        settings = {
            "game": solver.game.name,
            "options": dict(solver.game.options),
            "states": states,
            "algorithm": algorithm,
            "seed": seed,
            "version": __version__,
        }
        path = self.folder and self.folder / "learner.npz"
        super().__init__(Judged(solver), settings, path, self._write)

    def strategy(self) -> Strategy:
        """Return the solver's strategy, with its provenance."""
        about = {
            **({} if self.states is None else {"states": self.states}),
            "algorithm": self.algorithm,
            "iterations": self.solver.iterations,
            "seed": self.seed,
        }
        return dataclasses.replace(self.solver.strategy(), about=about)

    def advance(
        self,
        iterations: int | None = None,
        seconds: float | None = None,
        until: float | None = None,
        progress: Callable[[], object] = lambda: None,
    ) -> Self:
        """Start or continue the algorithm; Ctrl-C stops it between two iterations.

        It stops at a total number of iterations, at a total time of work in seconds, or when
        NashConv is at most `until`; None: no limit. `progress` is called about ten times a second.

        Returns:
            The run itself, judged, and saved if there is a folder.
        """
        self.solver.run(0)  # loads or compiles the kernels
        self.learner.end = np.inf if iterations is None else iterations
        self.learner.judgements = JUDGEMENTS if until is None else CLOSE_JUDGEMENTS

        def over() -> bool:
            if self.solver.iterations >= self.learner.end:
                return True
            return until is not None and bool(self.history) and self.nash_conv <= until

        before = self.solver.iterations
        self.work(np.inf if seconds is None else seconds, over, progress)
        if self.solver.iterations == before:
            self.save()
        return self

    @property
    def nash_conv(self) -> float:
        """NashConv at the last judgement."""
        return self.history[-1]["nash_conv"]

    def summary(self) -> dict[str, Any]:
        """Summarise the run for JSON, without the strategy itself."""
        result = {"interrupted": self.interrupted, **self.history[-1], "curve": self.history}
        return {**self.settings, **result}

    def _write(self) -> None:
        if self.folder is not None:
            result = json.dumps(self.summary(), separators=(",", ":"))
            save(self.strategy(), self.folder / FILE)
            write_atomically(self.folder / "result.json", result + "\n")


def begin(
    algorithm: str, game: Game, seed: int = 0, folder: Path | None = None, states: str | None = None
) -> Run:
    """Make a run of an algorithm before its first iteration, with the arguments of `Run`.

    Raises:
        InputError: As in `make_solver`, or the game has no such abstraction.
    """
    solver = make_solver(algorithm, game, seed, trees_of(game, states))
    return Run(algorithm, solver, seed, folder, states)


def labels(game: Game) -> tuple[str, ...]:
    """Name the players in results: by their roles, if all differ."""
    if len(set(game.roles)) == game.num_players:
        return game.roles
    return tuple(f"player_{player}" for player in range(game.num_players))


def judgement_summary(game: Game, evaluation: Evaluation) -> dict[str, Any]:
    """Convert a judgement to JSON values, payoffs per game."""
    others = {} if game.num_players == 2 and game.zero_sum else {"others": list(evaluation.others)}
    return {
        "value": evaluation.value,
        **others,
        "best_responses": dict(zip(labels(game), evaluation.best_responses, strict=True)),
        "nash_conv": evaluation.nash_conv,
        "exploitability": evaluation.exploitability,
    }

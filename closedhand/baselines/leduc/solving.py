"""What all algorithms for Leduc have in common: how one is made, run, judged and resumed.

Every algorithm is a `Solver`. `Run.advance` gives it iterations or time and judges it now and then
by the exact evaluation of its strategy; the time that judging takes does not count.
"""

import dataclasses
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

import numpy as np

from closedhand.baselines.leduc import strategy as strategies
from closedhand.baselines.leduc.strategy import Strategy
from closedhand.baselines.leduc.tree import Evaluation, evaluate
from closedhand.core import run as long_work
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)


class Solver(Protocol):
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
        """Everything that `restore` needs to go on; where it says no more, as if uninterrupted."""
        ...

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        ...


class Algorithm(NamedTuple):
    """An algorithm, before it is at work.

    Attributes:
        solver: Where to find it, `module:class` in this folder; called with a game and a seed.
        unit: What an iteration is.
        guarantee: What theory says of the strategy.
    """

    solver: str
    unit: str
    guarantee: str


AVERAGE = "the average strategy converges to an equilibrium"
SWEEP = "sweep of the tree for each player"

ALGORITHMS = {
    "cfr": Algorithm("cfr:CFR", SWEEP, f"{AVERAGE}: NashConv is O(1/√t)"),
    "cfr+": Algorithm("cfr:CFRPlus", SWEEP, f"{AVERAGE}: NashConv is O(1/√t)"),
    "lcfr": Algorithm("cfr:LinearCFR", SWEEP, f"{AVERAGE}: NashConv is O(1/√t)"),
    "dcfr": Algorithm("cfr:DiscountedCFR", SWEEP, f"{AVERAGE}: NashConv is O(1/√t)"),
    "pcfr+": Algorithm(
        "cfr:PredictiveCFRPlus",
        SWEEP,
        f"{AVERAGE} if uniform; the quadratic one is seen to, faster",
    ),
    "mccfr": Algorithm("mccfr:MCCFR", "sampled deal for each player", f"{AVERAGE}, in probability"),
    "mmd": Algorithm("mmd:MMD", SWEEP, "none when annealed; the last policy is seen to converge"),
    "q-learning": Algorithm("qlearning:QLearning", "game", "none"),
    "ppo": Algorithm("ppo:PPO", "rollout of both players", "none"),
}
SOLVERS = ("cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "mccfr")
"""The CFR family, whose average strategies come to an equilibrium."""


def make(algorithm: str, game: Game, seed: int = 0) -> Solver:
    """An algorithm for a game, before its first iteration.

    Raises:
        InputError: There is no such algorithm, it is not for this game, or a library is missing.
    """
    if game.name not in strategies.GAMES:
        raise InputError(f"{algorithm} is for {' and '.join(strategies.GAMES)}, not {game.name}")
    return find(algorithm)(game, seed)


def find(algorithm: str) -> Callable[[Game, int], Solver]:
    """What makes an algorithm of a game and a seed.

    Raises:
        InputError: There is no such algorithm, or a library is missing.
    """
    if algorithm not in ALGORITHMS:
        raise InputError(f"no algorithm {algorithm!r}; there are {', '.join(ALGORITHMS)}")
    module, _, name = ALGORITHMS[algorithm].solver.partition(":")
    try:
        found = import_module(f"closedhand.baselines.leduc.{module}")
    except ModuleNotFoundError as error:
        raise InputError(f"no module {error.name}: pip install 'closedhand[train]'") from None
    return getattr(found, name)


CHUNK = 0.1
"""Seconds between looks at the clock."""
JUDGEMENTS = 8
"""In each power of ten of the iterations."""
CLOSE_JUDGEMENTS = 64
"""The same on the way to an aim, which is not to be overshot by much."""


def next_judgement(iterations: int, judgements: int = JUDGEMENTS) -> int:
    """The next number of iterations after which to judge, of 1, 2, 3, 4, 6, 7, 10, 13 and so on."""
    number = iterations
    power = np.floor(judgements * np.log10(max(1, iterations))) - 1
    while number <= iterations:
        power += 1
        number = round(10 ** (power / judgements))
    return number


@dataclass
class Judged:
    """A solver as a `closedhand.core.run.Learner`, whose history is the curve of its judgements.

    Attributes:
        solver: The algorithm at work.
        end: Iterations after which it has nothing more to do.
        judgements: In each power of ten of the iterations.
    """

    solver: Solver
    end: float = np.inf
    judgements: int = JUDGEMENTS
    _rate: float = 1.0

    def advance(self, seconds: float) -> bool:
        """Do iterations for a tenth of a second, up to the next judgement at most."""
        judgement = min(self.end, next_judgement(self.solver.iterations, self.judgements))
        left = judgement - self.solver.iterations
        number = int(max(1, min(left, self._rate * min(CHUNK, seconds))))
        start = time.perf_counter()
        self.solver.run(number)
        self._rate = number / max(time.perf_counter() - start, 1e-9)
        return self.solver.iterations >= judgement

    def state(self) -> dict[str, np.ndarray]:
        """That of the solver."""
        return self.solver.state()

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        self.solver.restore(state)

    def summary(self) -> dict[str, Any]:
        """One judgement; all values are chips a game."""
        evaluation = evaluate(self.solver.strategy())
        return {"iterations": self.solver.iterations, **judgement_summary(evaluation)}


class Point(NamedTuple):
    """How good an algorithm's strategy was at some time.

    Attributes:
        iterations: Done until then.
        seconds: Of work until then, judging not counted.
        evaluation: The exact evaluation.
    """

    iterations: int
    seconds: float
    evaluation: Evaluation


class Run(long_work.Run[Judged]):
    """An algorithm at work, and how it went.

    Attributes:
        algorithm: Its name.
        solver: The algorithm.
        seed: Of its randomness.
        folder: For `strategy.npz`, `strategy.csv`, `result.json` and, to go on from,
            `learner.npz`; None: nothing is written.
    """

    def __init__(
        self, algorithm: str, solver: Solver, seed: int = 0, folder: Path | None = None
    ) -> None:
        """An algorithm before its first iteration, or with those that it has done."""
        from closedhand import __version__

        self.algorithm = algorithm
        self.solver = solver
        self.seed = seed
        self.folder = folder
        settings = {
            "game": solver.game.name,
            "options": dict(solver.game.options),
            "algorithm": algorithm,
            "seed": seed,
            "version": __version__,
        }
        path = None if folder is None else Path(folder) / "learner.npz"
        super().__init__(Judged(solver), settings, path, self._write, older=_older)

    @property
    def points(self) -> list[Point]:
        """The judgements, in order."""
        return [
            Point(
                each["iterations"],
                each["seconds"],
                Evaluation(each["value"], tuple(each["best_responses"].values())),
            )
            for each in self.history
        ]

    def strategy(self) -> Strategy:
        """The solver's strategy, with its provenance."""
        about = {
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
        """Let the algorithm work, or go on; Ctrl-C stops it between two iterations.

        Args:
            iterations: Stop when so many are done, those before included; None: no limit.
            seconds: Stop when so much work is done, that before included; None: no limit.
            until: Stop when NashConv is not larger; None: no limit.
            progress: Called about ten times a second.

        Returns:
            Itself; judged, and saved if there is a folder.
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
        """That of the last judgement."""
        return self.history[-1]["nash_conv"]

    def summary(self) -> dict[str, Any]:
        """How it went, for JSON; the strategy itself is not in it."""
        return {
            **self.settings,
            "interrupted": self.interrupted,
            **self.history[-1],
            "curve": self.history,
        }

    def _write(self) -> None:
        if self.folder is not None:
            result = json.dumps(self.summary(), separators=(",", ":"))
            strategies.save(self.strategy(), Path(self.folder) / "strategy.npz")
            write_atomically(Path(self.folder) / "result.json", result + "\n")


def begin(algorithm: str, game: Game, seed: int = 0, folder: Path | None = None) -> Run:
    """An algorithm before its first iteration, to be advanced.

    Raises:
        InputError: As `make`.
    """
    return Run(algorithm, make(algorithm, game, seed), seed, folder)


def load(folder: Path, algorithm: str, game: Game, seed: int) -> Run:
    """Read a run that is to be continued.

    Args:
        folder: Where it was saved.
        algorithm: The algorithm that goes on.
        game: The game that goes on.
        seed: The seed that goes on.

    Raises:
        InputError: There is none, or it was made with other settings.
    """
    run = begin(algorithm, game, seed, folder)
    run.resume()
    return run


def _older(state: dict[str, Any]) -> dict[str, Any]:
    """Settings and curve of a checkpoint of version 0.1.0, which kept its whole summary."""
    found = json.loads(str(state.pop("result")))
    return {"settings": found, "seconds": found["seconds"], "history": found["curve"]}


def judgement_summary(evaluation: Evaluation) -> dict[str, Any]:
    """A judgement for JSON; all values are chips a game."""
    return {
        "value": evaluation.value,
        "best_responses": dict(zip("ST", evaluation.best_responses, strict=True)),
        "nash_conv": evaluation.nash_conv,
        "exploitability": evaluation.exploitability,
    }


def pack_rng(rng: np.random.Generator) -> np.ndarray:
    """The state of a generator as an array, for `Learner.state`."""
    return np.array(json.dumps(rng.bit_generator.state))


def unpack_rng(rng: np.random.Generator, packed: np.ndarray) -> None:
    """Put a generator into a state that `pack_rng` packed."""
    rng.bit_generator.state = json.loads(str(packed))

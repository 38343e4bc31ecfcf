"""What all algorithms for Leduc have in common: how one is made, run, judged and resumed.

Every algorithm is a `Learner`. `advance` gives it iterations or time and judges it now and then by
the exact evaluation of its strategy; the time that judging takes does not count.
"""

import dataclasses
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from closedhand.baselines.leduc import strategy as strategies
from closedhand.baselines.leduc.strategy import Strategy
from closedhand.baselines.leduc.tree import Evaluation, evaluate
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError


class Learner(Protocol):
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
        learner: Where to find it, `module:class` in this folder; called with a game and a seed.
        unit: What an iteration is.
        guarantee: What theory says of the strategy.
    """

    learner: str
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


def make(algorithm: str, game: Game, seed: int = 0) -> Learner:
    """An algorithm for a game, before its first iteration.

    Raises:
        InputError: There is no such algorithm, it is not for this game, or a library is missing.
    """
    if game.name not in strategies.GAMES:
        raise InputError(f"{algorithm} is for {' and '.join(strategies.GAMES)}, not {game.name}")
    return find(algorithm)(game, seed)


def find(algorithm: str) -> Callable[[Game, int], Learner]:
    """What makes an algorithm of a game and a seed.

    Raises:
        InputError: There is no such algorithm, or a library is missing.
    """
    if algorithm not in ALGORITHMS:
        raise InputError(f"no algorithm {algorithm!r}; there are {', '.join(ALGORITHMS)}")
    module, _, name = ALGORITHMS[algorithm].learner.partition(":")
    try:
        found = import_module(f"closedhand.baselines.leduc.{module}")
    except ModuleNotFoundError as error:
        raise InputError(f"no module {error.name}: pip install 'closedhand[train]'") from None
    return getattr(found, name)


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


@dataclass
class Run:
    """An algorithm at work, and how it went.

    Attributes:
        algorithm: Its name.
        learner: The algorithm.
        seed: Of its randomness.
        points: Judgements, in order.
        seconds: Of work, judging not counted.
        interrupted: Whether it was stopped before its end.
    """

    algorithm: str
    learner: Learner
    seed: int
    points: list[Point] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False

    def strategy(self) -> Strategy:
        """The learner's strategy, with its provenance."""
        about = {
            "algorithm": self.algorithm,
            "iterations": self.learner.iterations,
            "seed": self.seed,
        }
        return dataclasses.replace(self.learner.strategy(), about=about)


def begin(algorithm: str, game: Game, seed: int = 0) -> Run:
    """An algorithm before its first iteration, to be advanced.

    Raises:
        InputError: As `make`.
    """
    return Run(algorithm, make(algorithm, game, seed), seed)


CHUNK = 0.1
"""Seconds between looks at the clock."""
JUDGEMENTS = 8
"""In each power of ten of the iterations."""
CLOSE_JUDGEMENTS = 64
"""The same on the way to an aim, which is not to be overshot by much."""
SAVE_EVERY = 30.0
"""Seconds."""


def next_judgement(iterations: int, judgements: int = JUDGEMENTS) -> int:
    """The next number of iterations after which to judge, of 1, 2, 3, 4, 6, 7, 10, 13 and so on."""
    number = iterations
    power = np.floor(judgements * np.log10(max(1, iterations))) - 1
    while number <= iterations:
        power += 1
        number = round(10 ** (power / judgements))
    return number


def advance(
    run: Run,
    iterations: int | None = None,
    seconds: float | None = None,
    until: float | None = None,
    progress: Callable[[Run], None] = lambda run: None,
    save: Callable[[Run], None] = lambda run: None,
) -> Run:
    """Let an algorithm work, or go on; Ctrl-C stops it between two iterations.

    Args:
        run: What to go on with; changed in place.
        iterations: Stop when so many are done, those before included; None: no limit.
        seconds: Stop when so much work is done, that before included; None: no limit.
        until: Stop when NashConv is not larger; None: no limit.
        progress: Called about ten times a second.
        save: Called now and then, and at the end.

    Returns:
        `run`.
    """
    learner = run.learner
    learner.run(0)  # loads or compiles the kernels
    rate = 1.0
    saved = time.monotonic()
    end = np.inf if iterations is None else iterations
    limit = np.inf if seconds is None else seconds
    judgements = JUDGEMENTS if until is None else CLOSE_JUDGEMENTS
    with interrupts() as interrupted:

        def working() -> bool:
            return run.seconds < limit and not interrupted()

        while learner.iterations < end and working():
            judgement = min(end, next_judgement(learner.iterations, judgements))
            due = saved + SAVE_EVERY
            while learner.iterations < judgement and working() and time.monotonic() < due:
                time_left = min(CHUNK, limit - run.seconds)
                number = int(max(1, min(judgement - learner.iterations, rate * time_left)))
                start = time.perf_counter()
                learner.run(number)
                spent = time.perf_counter() - start
                run.seconds += spent
                rate = number / max(spent, 1e-9)
                progress(run)
            judge(run)
            if until is not None and run.points[-1].evaluation.nash_conv <= until:
                break
            if time.monotonic() >= due:
                save(run)
                saved = time.monotonic()
        run.interrupted = interrupted()
    if not run.points:
        judge(run)
    save(run)
    return run


def judge(run: Run) -> None:
    """Add a point to the curve."""
    evaluation = evaluate(run.learner.strategy())
    run.points.append(Point(run.learner.iterations, run.seconds, evaluation))


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Keep the first Ctrl-C from breaking into an iteration; yields whether it came."""
    came = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield came.is_set
        return

    def keep(number: int, frame: Any) -> None:
        if came.is_set():
            raise KeyboardInterrupt
        came.set()

    before = signal.signal(signal.SIGINT, keep)
    try:
        yield came.is_set
    finally:
        signal.signal(signal.SIGINT, before)


def summary(run: Run) -> dict[str, Any]:
    """How a run went, for JSON; the strategy itself is not in it."""
    from closedhand import __version__

    last = run.points[-1]
    return {
        "game": run.learner.game.name,
        "options": dict(run.learner.game.options),
        "algorithm": run.algorithm,
        "seed": run.seed,
        "version": __version__,
        "interrupted": run.interrupted,
        **point_summary(last),
        "curve": [point_summary(point) for point in run.points],
    }


def point_summary(point: Point) -> dict[str, Any]:
    """One judgement for JSON; all values are chips a game."""
    evaluation = point.evaluation
    return {
        "iterations": point.iterations,
        "seconds": round(point.seconds, 6),
        "value": evaluation.value,
        "best_responses": dict(zip("ST", evaluation.best_responses, strict=True)),
        "nash_conv": evaluation.nash_conv,
        "exploitability": evaluation.exploitability,
    }


def save(run: Run, folder: Path) -> None:
    """Write `strategy.npz`, `strategy.csv`, `result.json` and `learner.npz`, for `load`."""
    folder = Path(folder)
    result = json.dumps(summary(run), separators=(",", ":"))
    kept: dict[str, Any] = {**run.learner.state(), "result": np.array(result)}
    buffer = BytesIO()
    np.savez_compressed(buffer, **kept)
    strategies.save(run.strategy(), folder / "strategy.npz")
    write_atomically(folder / "result.json", result + "\n")
    # The last one: what a run goes on from is as new as what lies beside it.
    write_atomically(folder / "learner.npz", buffer.getvalue())


def load(folder: Path, algorithm: str, game: Game, seed: int) -> Run:
    """Read a run that is to be continued.

    Args:
        folder: Where `save` wrote it.
        algorithm: The algorithm that goes on.
        game: The game that goes on.
        seed: The seed that goes on.

    Raises:
        InputError: There is none, or it was made with other settings.
    """
    from closedhand import __version__

    path = Path(folder) / "learner.npz"
    learner = make(algorithm, game, seed)
    settings = {
        "game": game.name,
        "options": dict(game.options),
        "algorithm": algorithm,
        "seed": seed,
        "version": __version__,
    }
    kept = strategies.read_arrays(path)
    try:
        found = json.loads(str(kept.pop("result")))
        for key, value in settings.items():
            if found[key] != value:
                raise InputError(f"{path} was made with {key} {found[key]}, not {value}")
        learner.restore(kept)
        points = [
            Point(
                point["iterations"],
                point["seconds"],
                Evaluation(point["value"], tuple(point["best_responses"].values())),
            )
            for point in found["curve"]
        ]
    except InputError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, RuntimeError):
        raise InputError(f"{path} holds nothing that can be continued") from None
    return Run(algorithm, learner, seed, points, found["seconds"])


def pack_rng(rng: np.random.Generator) -> np.ndarray:
    """The state of a generator as an array, for `Learner.state`."""
    return np.array(json.dumps(rng.bit_generator.state))


def unpack_rng(rng: np.random.Generator, packed: np.ndarray) -> None:
    """Put a generator into a state that `pack_rng` packed."""
    rng.bit_generator.state = json.loads(str(packed))

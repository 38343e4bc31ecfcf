"""Long work, done one way: by the clock, stopped by Ctrl-C, saved now and then, gone on with.

`Run` lets a `Learner` work and keeps its checkpoint. Loops that other libraries own, and work that
has no learner, take the parts that they need: `Watch` (clock, Ctrl-C, when to save), `work_off`
(jobs in processes) and `check_same` (settings). A kill costs what was done since the last
checkpoint; the first Ctrl-C stops at the next safe point and saves, a second one stops at once.
"""

import json
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

import numpy as np

from closedhand.core.files import read_arrays, write_arrays
from closedhand.core.game import InputError
from closedhand.core.interrupt import Deferral, deferred
from closedhand.core.workers import results_of

SAVE_EVERY = 30.0
"""Seconds between checkpoints."""
MOST_SAVING = 20.0
"""A checkpoint follows another one after so many times the time that this took at least."""

Result = TypeVar("Result")


class Learner(Protocol):
    """What works for long: a learner, a solver, anything that is done piece by piece."""

    def advance(self, seconds: float) -> bool:
        """Do one piece of work, best of some tenths of a second.

        A `KeyboardInterrupt` that it lets through leaves the learner as it was before the piece.

        Args:
            seconds: How much time there is left; a piece that cannot be cut may take longer.

        Returns:
            Whether the history should say what came of it.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs: arrays, in a format of files that takes them more."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned; any error means that the file is damaged."""
        ...

    def summary(self) -> dict[str, Any]:
        """How far it is and how good, for the history: JSON values."""
        ...


Worker = TypeVar("Worker", bound=Learner)


class Format(NamedTuple):
    """How checkpoints are written.

    Attributes:
        write: Writes to a path, atomically, what is known of a run (JSON values) and a state.
        read: The same back. What is known may be a part of it in files of earlier versions.
    """

    write: Callable[[Path, dict[str, Any], dict[str, Any]], None]
    read: Callable[[Path], tuple[dict[str, Any], dict[str, Any]]]


ABOUT = ("settings", "seconds", "history")
"""What a checkpoint holds beside the state of a learner."""


def _write_npz(path: Path, about: dict[str, Any], state: dict[str, Any]) -> None:
    texts = {key: np.array(json.dumps(value)) for key, value in about.items()}
    write_arrays(path, {**state, **texts})


def _read_npz(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    state: dict[str, Any] = read_arrays(path)
    return {key: json.loads(str(state.pop(key))) for key in ABOUT if key in state}, state


NPZ = Format(_write_npz, _read_npz)
"""NumPy's npz, what is known of the run as JSON texts."""


def check_same(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse to go on with what was made with other settings.

    Args:
        path: Where it lies.
        found: The settings that it was made with.
        wanted: Those that it is to go on with.

    Raises:
        InputError: A setting differs; the line names it, and both values.
    """
    for key, value in wanted.items():
        if found.get(key) != value:
            raise InputError(f"{path} was made with {key} {found.get(key)}, not {value}")


class Watch:
    """The clock, Ctrl-C and the checkpoints of long work: a context in which a loop runs.

    A loop calls `tick` behind every piece of work and ends when that says so. At the end of the
    context, of Ctrl-C as of the work, what is new is saved; `KeyboardInterrupt` does not leave the
    context, but for that of a second Ctrl-C, behind which nothing is saved. Nor is anything behind
    other errors.

    Attributes:
        pieces: How many were done.
    """

    def __init__(
        self,
        save: Callable[[], object] = lambda: None,
        seconds: float = math.inf,
        at_end: bool = True,
    ) -> None:
        """Watch over work.

        Args:
            save: Writes a checkpoint.
            seconds: How long to work by the clock.
            at_end: Whether to save at the end of the context, too.
        """
        self.pieces = 0
        self._save = save
        self._seconds = seconds
        self._at_end = at_end
        self._deferred = deferred()
        self._deferral = Deferral()
        self._stopped = False
        self._saved_pieces = 0
        self._start = self._saved = self._cost = 0.0

    def __enter__(self) -> Self:
        """Start the clock, and put Ctrl-C off."""
        self._deferral = self._deferred.__enter__()
        self._start = self._saved = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> bool:
        """Save what is new; see the class."""
        try:
            self._stopped = kind is not None and issubclass(kind, KeyboardInterrupt)
            at_once = self._deferral.presses > 1
            if kind is not None and (at_once or not self._stopped):
                return False
            if self._at_end and self.pieces > self._saved_pieces:
                self.save()
            return True
        finally:
            self._deferred.__exit__(None, None, None)

    @property
    def seconds(self) -> float:
        """How long it has been at work, by the clock."""
        return time.monotonic() - self._start

    @property
    def share(self) -> float:
        """How much of the time is over, 0 to 1."""
        return min(1.0, self.seconds / self._seconds)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ends, or ended, the work."""
        return self._stopped or self._deferral.presses > 0

    @property
    def due(self) -> bool:
        """Whether it is time to save; what takes long to save is saved less often."""
        return time.monotonic() - self._saved > max(SAVE_EVERY, MOST_SAVING * self._cost)

    @property
    def going_on(self) -> bool:
        """Whether there is time left, and no Ctrl-C."""
        return not self.interrupted and self.seconds < self._seconds

    def tick(self) -> bool:
        """Count a piece of work, and save if it is time; returns whether to go on."""
        self.pieces += 1
        if self.due:
            self.save()
        return self.going_on

    def save(self) -> None:
        """Write a checkpoint now."""
        start = time.monotonic()
        self._save()
        self._saved_pieces = self.pieces
        self._saved = time.monotonic()
        self._cost = self._saved - start


class Run(Generic[Worker]):
    """A learner at work, and how it went.

    Attributes:
        learner: The learner.
        settings: What has to be the same when it goes on, JSON values.
        path: The checkpoint; None: none is kept.
        seconds: Of work, before interruptions as well; what is said and saved of it is left out.
        history: What the learner said of itself, with the seconds until then, in order.
        interrupted: Whether Ctrl-C ended the work.
    """

    def __init__(
        self,
        learner: Worker,
        settings: Mapping[str, Any],
        path: Path | None = None,
        also: Callable[[], object] = lambda: None,
        format: Format = NPZ,
        older: Callable[[dict[str, Any]], dict[str, Any]] = lambda state: {},
        note_checkpoints: bool = True,
    ) -> None:
        """Begin.

        Args:
            learner: The learner, before its first piece of work.
            settings: What has to be the same when it goes on, JSON values.
            path: For the checkpoint; None: none is kept.
            also: Writes what else is to be saved, always before the checkpoint: that is never
                newer than what lies beside it.
            format: Of the checkpoint.
            older: From the state in a checkpoint of an earlier version to what it lacks, `settings`
                and so on; takes out what is of no use.
            note_checkpoints: Whether the history says how far it is at every checkpoint, not only
                where the learner asks for it.
        """
        self.learner = learner
        self.settings = json.loads(json.dumps(settings))
        self.path = path
        self.seconds = 0.0
        self.history: list[dict[str, Any]] = []
        self.interrupted = False
        self._also = also
        self._format = format
        self._older = older
        self._note_checkpoints = note_checkpoints
        self._noted = False

    def resume(self) -> None:
        """Go on from the checkpoint.

        Raises:
            InputError: There is none, or it was made with other settings.
        """
        assert self.path is not None
        try:
            about, state = self._format.read(self.path)
            if len(about) < len(ABOUT):
                about = {**self._older(state), **about}
            check_same(self.path, about["settings"], self.settings)
            self.learner.restore(state)
            self.seconds = float(about.get("seconds", 0.0))
            self.history = list(about.get("history", []))
            self._noted = True
        except InputError:
            raise
        except Exception:  # a damaged file fails in a dozen ways
            raise InputError(f"{self.path} holds nothing that can be continued") from None

    def resume_if_kept(self, restart: bool = False) -> bool:
        """Go on from the checkpoint if there is one, unless told to restart.

        Returns:
            Whether it goes on.

        Raises:
            InputError: It was made with other settings.
        """
        if restart or self.path is None or not self.path.exists():
            return False
        self.resume()
        return True

    def work(
        self,
        limit: float = math.inf,
        over: Callable[[], bool] = lambda: False,
        progress: Callable[[], object] = lambda: None,
    ) -> Self:
        """Work until there is an end, or a Ctrl-C.

        Args:
            limit: Seconds of work after which to end, those before a resumption included.
            over: Whether to end; asked before every piece.
            progress: Called behind every piece.

        Returns:
            Itself.

        Raises:
            KeyboardInterrupt: There was a second Ctrl-C.
        """
        watch = Watch(lambda: self._save_from(watch))
        with watch:
            while watch.going_on and self.seconds < limit and not over():
                start = time.perf_counter()
                due = self.learner.advance(limit - self.seconds)
                self.seconds += time.perf_counter() - start
                self._noted = False
                if due:
                    self.note()
                watch.tick()
                progress()
        self.interrupted = watch.interrupted
        return self

    def _save_from(self, watch: Watch) -> None:
        self.interrupted = watch.interrupted
        self.save()

    def note(self) -> None:
        """Add to the history what the learner says of itself, if it has worked since."""
        if not self._noted:
            self.history.append({**self.learner.summary(), "seconds": round(self.seconds, 6)})
            self._noted = True

    def save(self) -> None:
        """Write a checkpoint, and what else there is to be saved."""
        if self._note_checkpoints:
            self.note()
        self._also()
        if self.path is not None:
            about = {key: getattr(self, key) for key in ABOUT}
            self._format.write(self.path, about, self.learner.state())


def work_off(
    work: Callable[..., Result],
    jobs: list[tuple[Any, ...]],
    first: list[tuple[Any, ...]],
    workers: int,
    take: Callable[[Result], object],
    save: Callable[[], object] = lambda: None,
    at_end: bool = True,
) -> bool:
    """Do jobs, in several processes if asked to, and save now and then what came of them.

    Args:
        work: Does a job.
        jobs: Arguments of each.
        first: Short jobs that several workers wait for, see `closedhand.core.workers`.
        workers: Processes; 1 works in this one.
        take: Called with each result, in the order of the jobs; after a Ctrl-C with those that
            were finished.
        save: Writes what was taken so far.
        at_end: Whether to save at the end, too.

    Returns:
        Whether Ctrl-C ended it.

    Raises:
        KeyboardInterrupt: There was a second Ctrl-C.
    """
    with Watch(save, at_end=at_end) as watch:
        for result in results_of(work, jobs, first, min(workers, len(jobs))):
            take(result)
            watch.tick()
    return watch.interrupted

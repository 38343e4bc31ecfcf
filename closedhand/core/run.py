"""Long work: limited by time, stopped by Ctrl-C, saved from time to time, and resumable.

`Run` drives a `Learner` and writes its checkpoints. Other long work uses only `Watch`, `work_off`
and `check_same`. The first Ctrl-C stops at the next safe point and saves, a second one stops at
once. A kill loses the work since the last checkpoint.
"""

import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar, cast

from closedhand.core.checks import prefixed
from closedhand.core.files import target, write_arrays
from closedhand.core.game import InputError, shown
from closedhand.core.interrupt import Deferral, deferred
from closedhand.core.reading import read_arrays
from closedhand.core.workers import WorkerLost, Workers, results_of

SAVE_EVERY = 10.0
"""Minimum time between two checkpoints in seconds."""
MOST_SAVING = 20.0
"""Minimum time between two checkpoints, in multiples of the time that writing one takes."""

Options = Mapping[str, Any]
Result = TypeVar("Result")
Found = TypeVar("Found")


class Learner(Protocol):
    """Long work that is done in pieces, such as learning or solving."""

    def advance(self, seconds: float) -> bool:
        """Do one piece of work, ideally of some tenths of a second.

        `seconds` is the time left; a piece that cannot be shortened may take longer. Return whether
        to add a summary to the history. A `KeyboardInterrupt` must leave the learner unchanged.
        """
        ...

    def state(self) -> dict[str, Any]:
        """Return everything that `restore` needs: arrays, and values that the `Format` writes."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Restore a result of `state`; any error means that the file is damaged.

        An `InputError` says what is wrong with it; the caller adds the path.
        """
        ...

    def summary(self) -> dict[str, Any]:
        """Return progress and quality so far, for the history: JSON values.

        A `KeyboardInterrupt` must leave the learner unchanged.
        """
        ...


Worker = TypeVar("Worker", bound=Learner)


class Format(NamedTuple):
    """A file format of checkpoints: functions that write a file, atomically, and read it.

    `write` takes a path, a learner's state, and metadata, JSON values by the names in `ABOUT`;
    `read` takes a path, and returns state and metadata.
    """

    write: Callable[[Path, dict[str, Any], dict[str, Any]], None]
    read: Callable[[Path], tuple[dict[str, Any], dict[str, Any]]]


ABOUT = ("settings", "seconds", "history")
"""Names of the metadata in a checkpoint."""


def _read_npz(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    state: dict[str, Any] = read_arrays(path)
    about = {key: json.loads(str(state.pop(key))) for key in ABOUT if key in state}
    return state, about


NPZ = Format(write_arrays, _read_npz)
"""NumPy's npz, with the metadata of the run as JSON texts."""


def check_same(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Refuse to resume work on a path that was begun with other settings, or another `version`.

    Raises:
        InputError: A setting of `wanted` differs; the message has both values.
    """
    for key, now in wanted.items():
        was = found.get(key)
        if key == "version" and was != now:
            raise InputError(
                f"{path} was begun by version {shown(was)} of closedhand, not {shown(now)}: let "
                "that version finish it, or begin anew in another place"
            )
        if isinstance(was, Mapping) and isinstance(now, Mapping):
            was, now = _differing(cast(Options, was), cast(Options, now))
        if was != now:
            raise InputError(
                f"{path} was made with {key} {was}, not {now}: give that to resume it, or another "
                "place to begin anew"
            )


def _differing(found: Options, wanted: Options) -> tuple[str, str]:
    absent = object()
    names = [n for n in {**wanted, **found} if found.get(n, absent) != wanted.get(n, absent)]
    was, now = (
        ", ".join(f"{n}={options[n]}" if n in options else f"no {n}" for n in names)
        for options in (found, wanted)
    )
    return was, now


class Watch:
    """Context of the loop of long work: it defers Ctrl-C and saves checkpoints.

    The loop calls `tick` after every piece of work and ends when `tick` returns False. When the
    loop has ended, also by a first Ctrl-C, unsaved work is saved; a `KeyboardInterrupt` is caught.
    After a second Ctrl-C or another error nothing is saved, and the error leaves the context.

    Attributes:
        pieces: Number of pieces done.
    """

    def __init__(self, save: Callable[[], object] = lambda: None, at_end: bool = True) -> None:
        """Prepare to `save` from time to time and, if `at_end`, at the end of the context."""
        self.pieces = 0
        self._save = save
        self._at_end = at_end
        self._deferred = deferred()
        self._deferral = Deferral()
        self._stopped = False
        self._saved_pieces = 0
        self._saved = self._cost = 0.0

    def __enter__(self) -> Self:
        self._deferral = self._deferred.__enter__()
        self._saved = time.monotonic()
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> bool:
        try:
            self._stopped = kind is not None and issubclass(kind, KeyboardInterrupt)
            if kind is not None and (self.at_once or not self._stopped):
                return False
            if self._at_end and self.pieces > self._saved_pieces:
                self.save()
            return True
        finally:
            self._deferred.__exit__(None, None, None)

    @property
    def interrupted(self) -> bool:
        """Whether the work ends, or ended, by Ctrl-C."""
        return self._stopped or self._deferral.presses > 0

    @property
    def at_once(self) -> bool:
        """Whether Ctrl-C was pressed twice: then nothing more is saved."""
        return self._deferral.presses > 1

    @property
    def due(self) -> bool:
        """Whether it is time to save; a checkpoint that takes long is written less often."""
        return time.monotonic() - self._saved > max(SAVE_EVERY, MOST_SAVING * self._cost)

    def tick(self, note: Callable[[], object] = lambda: None) -> bool:
        """Count a piece of work, `note` it, and save if due; return False after a Ctrl-C."""
        self.pieces += 1  # before a Ctrl-C may end `note`: the piece is saved nevertheless
        note()
        if self.due:
            self.save()
        return not self.interrupted

    def save(self) -> None:
        """Write a checkpoint now."""
        start = time.monotonic()
        self._save()
        self._saved_pieces = self.pieces
        self._saved = time.monotonic()
        self._cost = self._saved - start


@dataclass(eq=False, repr=False)
class Run(Generic[Worker]):
    """A run of a learner, with its history and checkpoints.

    Attributes:
        learner: The learner, before its first piece of work.
        settings: Settings that must be the same on resumption, JSON values.
        path: Path of the checkpoint; None: none is kept.
        save_results: Function that writes further files, called before each checkpoint (`save`).
        format: File format of the checkpoint.
        note_checkpoints: Whether each checkpoint adds a summary, also if `advance` returns False.
        made: Main file of `save_results`; one that exists without a checkpoint is of another run.
        seconds: Seconds of work over all resumptions, without summaries and checkpoints.
        history: Summaries of the learner in order, each with the seconds of work before it.
        interrupted: Whether Ctrl-C ended the work.
        on_evaluation: Function that gets each new entry of the history, such as a logger.
    """

    learner: Worker
    settings: Mapping[str, Any]
    path: Path | None = None
    save_results: Callable[[], object] = lambda: None
    format: Format = NPZ
    note_checkpoints: bool = True
    made: Path | None = None
    seconds: float = field(default=0.0, init=False)
    history: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]], init=False)
    interrupted: bool = field(default=False, init=False)
    on_evaluation: Callable[[dict[str, Any]], object] = field(init=False)
    _noted: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self.settings = json.loads(json.dumps(self.settings))
        self.on_evaluation = lambda metrics: None

    def resume(self) -> Self:
        """Resume from the checkpoint; return the run itself.

        Raises:
            InputError: There is none, it is damaged, or it was made with other settings.
        """
        assert self.path is not None
        try:
            state, about = self.format.read(self.path)
            check_same(self.path, about["settings"], self.settings)
            with prefixed(f"{self.path} cannot be resumed"):
                self.learner.restore(state)
            self.seconds = float(about["seconds"])
            if not 0 <= self.seconds < math.inf:  # nor NaN, with which no time is left
                raise ValueError("seconds")
            self.history = list(about["history"])
            # An evaluation may have been interrupted, or not be due at this checkpoint.
            last = self.history[-1]["seconds"] if self.history else None
            self._noted = last == self._rounded_seconds
        except InputError:
            raise
        except Exception:  # a damaged file can raise almost any error
            raise InputError(
                f"{self.path} holds nothing to resume: delete it, or begin anew in another place"
            ) from None
        return self

    def resume_if_kept(self, restart: bool = False) -> bool:
        """Resume from the checkpoint, if there is one, unless `restart`; return whether it did.

        Raises:
            InputError: As for `resume`, or `made` is of another run.
        """
        if restart or self.path is None:
            return False
        if not self.path.exists():
            if self.made is not None and self.made.exists():
                raise InputError(
                    f"{self.made} is of another training: name another folder, or add --restart"
                )
            return False
        self.resume()
        if self.made is not None and not self.made.exists():
            self.save_results()  # there may be no more work, after which they would be saved
        return True

    def work(
        self,
        limit: float = math.inf,
        over: Callable[[], bool] = lambda: False,
        progress: Callable[[], object] = lambda: None,
    ) -> Self:
        """Work until the limit is reached, `over` returns True, or Ctrl-C is pressed.

        Args:
            limit: Seconds of work after which to end, including those before a resumption.
            over: Function that is called before every piece of work and returns whether to end.
            progress: Function that is called after every piece of work.

        Raises:
            InputError: The checkpoint cannot be written; the last one is unchanged.
            KeyboardInterrupt: There was a second Ctrl-C.
        """
        if self.path is not None:
            target(self.path)  # fails now, not at the first checkpoint

        def save() -> None:
            self.interrupted = watch.interrupted
            self.save()

        watch = Watch(save)
        with watch:
            while not watch.interrupted and self.seconds < limit and not over():
                start = time.perf_counter()
                due = self.learner.advance(limit - self.seconds)
                self.seconds += time.perf_counter() - start
                self._noted = False
                watch.tick(self.note if due else lambda: None)
                progress()
        self.interrupted = watch.interrupted
        return self

    def note(self) -> None:
        """Add a summary of the learner to the history, if it has worked since the last one."""
        if not self._noted:
            self.history.append({**self.learner.summary(), "seconds": self._rounded_seconds})
            self._noted = True
            self.on_evaluation(dict(self.history[-1]))

    @property
    def _rounded_seconds(self) -> float:
        return round(self.seconds, 6)

    def save(self) -> None:
        """Do `save_results`, then write a checkpoint."""
        if self.note_checkpoints:
            self.note()
        if self.made is not None and self.path is not None and not self.path.exists():
            self._keep()  # first: without a checkpoint `made` counts as another run's
        self.save_results()
        self._keep()

    def _keep(self) -> None:
        if self.path is not None:
            about = {key: getattr(self, key) for key in ABOUT}
            self.format.write(self.path, self.learner.state(), about)


def work_off(
    work: Callable[..., Result],
    jobs: list[tuple[Any, ...]],
    first: list[tuple[Any, ...]],
    workers: Workers,
    take: Callable[[Result], object],
    so_far: Callable[[], Found | None],
    save: Callable[[Found], object] = lambda found: None,
) -> Found:
    """Do jobs, possibly in several processes; save summaries on the way, and return the last.

    The first four arguments are those of `closedhand.core.workers.results_of`. `take` gets the
    results in the order of the jobs, after a Ctrl-C only those of finished jobs. `so_far` returns a
    summary of the results taken, or None. `save` gets all summaries but the last.

    Raises:
        KeyboardInterrupt: A second Ctrl-C, or no summary at the end, as after an early Ctrl-C.
        InputError: Processes cannot get the jobs, since they cannot be pickled.
        WorkerLost: A process was ended from outside; a summary of the results so far is saved.
    """

    def save_so_far() -> None:
        found = so_far()
        if found is not None:
            save(found)

    with Watch(save_so_far, at_end=False) as watch:
        try:
            for result in results_of(work, jobs, first, workers):
                take(result)
                watch.tick()
        except WorkerLost:
            save_so_far()
            raise
    found = so_far()
    if found is None:
        raise KeyboardInterrupt
    return found

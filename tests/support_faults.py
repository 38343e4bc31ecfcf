"""Commands whose processes are killed, interrupted, stopped or given a broken disk.

That happens at counted points, not at times: whenever a piece of work ends, and whenever a file in
the command's folder is opened for writing, renamed or removed. All processes are forked from one
that has imported and compiled what they need (`Nursery`).
"""

import contextlib
import ctypes
import errno
import fcntl
import json
import mmap
import os
import resource
import signal
import struct
import subprocess
import sys
import traceback
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Self

LIMIT = 300
"""Seconds after which a process that hangs is ended, and the test fails."""
PIPE = 1 << 20
SLOW = ("lightning", "matplotlib.pyplot", "sb3_contrib", "scipy.stats")
"""Libraries whose import takes seconds: it is done once, for all commands."""
TICK = 1 / 32
"""Seconds of the clock of long work from one look at it to the next; sums of it are exact."""


@dataclass
class Order:
    """A command to be run, and what happens to it.

    Attributes:
        words: The command.
        folder: Its working folder.
        setup: Python that makes its work small.
        here: Whether later ones are forked from its process, which has all kernels loaded.
        kill: Point at which it gets SIGKILL; 0: never.
        interrupt: Point at which it gets Ctrl-C.
        stop: Point at which it stops, and waits to be killed.
        fault: Which access to a file fails.
        code: Number of that error.
        most: Size of the files that it can write, bytes.
        without_rights: Whether write protection holds even for root.
    """

    words: list[str]
    folder: str
    setup: str = ""
    here: bool = False
    kill: int = 0
    interrupt: int = 0
    stop: int = 0
    fault: int = 0
    code: int = errno.ENOSPC
    most: int = 0
    without_rights: bool = False


@dataclass
class Outcome:
    """What became of a command.

    Attributes:
        code: Its exit code, or minus the signal that ended it; 0 if it is stopped.
        out: What it printed.
        err: What it printed on stderr.
        points: Points that it has passed.
        pieces: Pieces of work among them.
        accesses: Accesses to files among them.
        pid: Id of its process.
    """

    code: int
    out: str
    err: str
    points: int
    pieces: int
    accesses: int
    pid: int


DONE = Outcome(0, "", "", 0, 0, 0, 0)


class Nursery:
    """A process from which those of the commands are forked."""

    def __init__(self) -> None:
        """Start it."""
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", "import support_faults as s; s.serve()"],
            cwd=Path(__file__).parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """End it."""
        self._process.communicate()

    def run(self, order: Order) -> Outcome:
        """Run a command until it ends or stops."""
        return self._ask(asdict(order))

    def leave(self) -> None:
        """Leave the process of the last command that ran `here`."""
        self._ask(None)

    def kill(self, stopped: Outcome) -> None:
        """Kill a process that has stopped."""
        self._ask(stopped.pid)

    def _ask(self, order: Any) -> Outcome:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, "the nursery has ended"
        return Outcome(**json.loads(line))


def serve() -> None:
    """Run commands until the input ends."""
    sys.path[0] = os.getcwd()  # setups import support modules from other folders
    # With one core nothing starts threads that would be missing after a fork.
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[os.getpid() % len(cores)]})
    for module in ("arena.league", "arena.plot", "cli"):
        import_module(f"closedhand.{module}")
    for library in SLOW:
        with contextlib.suppress(ImportError):
            import_module(library)
    first = os.getpid()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        order = json.loads(line)
        if order is None and os.getpid() != first:
            os._exit(0)  # the one that it was forked from answers
        outcome = _run(Order(**order)) if isinstance(order, dict) else DONE
        if isinstance(order, int):
            os.kill(order, signal.SIGKILL)
            os.waitpid(order, 0)
        answers.write(json.dumps(asdict(outcome)) + "\n")
        answers.flush()


def _run(order: Order) -> Outcome:
    counts = mmap.mmap(-1, 12)
    pipes = [os.pipe() for _ in range(2)]
    ends = [end for _, end in pipes]
    for end in ends:
        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE)
    pid = os.fork()
    if pid == 0:
        signal.alarm(LIMIT)
        code = _command(order, counts, ends)
        if not order.here:
            os._exit(code)
        # From here on this is the nursery; the other one waits until it ends.
        signal.alarm(0)
        status, pid = code << 8, os.getpid()
    else:
        _, status = os.waitpid(pid, os.WUNTRACED)
        if order.here:
            # It has answered all that came, or has died of the last.
            for end in [each for pipe in pipes for each in pipe]:
                os.close(end)
            return Outcome(os.waitstatus_to_exitcode(status), "", "", 0, 0, 0, pid)
    stopped = os.WIFSTOPPED(status)
    code = 0 if stopped else os.waitstatus_to_exitcode(status)
    out, err = (_content(*ends) for ends in pipes)
    return Outcome(code, out, err, *struct.unpack("3i", counts), pid)


def _content(begin: int, end: int) -> str:
    """What was written into a pipe so far; it is closed."""
    os.close(end)
    os.set_blocking(begin, False)
    try:
        return os.read(begin, PIPE).decode()
    except BlockingIOError:  # nothing, and a stopped process that may still write
        return ""
    finally:
        os.close(begin)


def _command(order: Order, counts: mmap.mmap, ends: list[int]) -> int:
    """Run a command in this process; its exit code."""
    from closedhand.cli import main
    from closedhand.core import run

    kept = [os.dup(number) for number in (1, 2)]
    for number, end in zip((1, 2), ends, strict=True):
        os.dup2(end, number)
    before = run.time, run.SAVE_EVERY, run.MOST_SAVING
    os.chdir(order.folder)
    clock = Clock()
    run.time, run.SAVE_EVERY, run.MOST_SAVING = clock, 0.0, 0.0  # type: ignore[assignment]
    sys.argv = ["closedhand", *order.words]
    code = 0
    try:
        exec(order.setup, {"clock": clock})
        if not order.here:
            Points(order, counts)
        if order.without_rights:
            _drop_rights()
        if order.most:
            resource.setrlimit(resource.RLIMIT_FSIZE, (order.most, order.most))
        main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except BaseException:
        traceback.print_exc()
        code = 70
    with contextlib.suppress(OSError):
        sys.stdout.flush(), sys.stderr.flush()
    run.time, run.SAVE_EVERY, run.MOST_SAVING = before
    for number, own in zip((1, 2), kept, strict=True):
        os.dup2(own, number)
        os.close(own)
    return code


class Clock:
    """A clock that goes by how often it is looked at: work by the clock is the same every time."""

    def __init__(self) -> None:
        """Start at 0."""
        self.now = 0.0

    def perf_counter(self) -> float:
        """Seconds."""
        self.now += TICK
        return self.now

    monotonic = time = perf_counter


class Points:
    """Counts the points that a command passes, and does to it what was ordered."""

    def __init__(self, order: Order, counts: mmap.mmap) -> None:
        """Follow the command of this process."""
        from closedhand.core.run import Watch

        self._order = order
        self._counts = counts
        self._points = self._pieces = self._accesses = 0
        self._folder = os.path.realpath(order.folder)
        due: Any = Watch.due
        counted: Any = Watch
        counted.due = property(lambda watch: (self._piece(), due.fget(watch))[1])
        sys.addaudithook(self._audit)

    def _piece(self) -> None:
        self._pieces += 1
        self._pass()

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            written = isinstance(arguments[2], int) and arguments[2] & (os.O_WRONLY | os.O_RDWR)
            if not written or isinstance(arguments[0], int):
                return
        elif event not in ("os.rename", "os.remove", "os.mkdir"):
            return
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if not path.startswith(self._folder) or path.endswith(".lock"):
            return
        self._accesses += 1
        self._pass()
        if self._accesses == self._order.fault:
            raise OSError(self._order.code, os.strerror(self._order.code), path)

    def _pass(self) -> None:
        self._points += 1
        self._counts[:] = struct.pack("3i", self._points, self._pieces, self._accesses)
        if self._points == self._order.kill:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._points == self._order.interrupt:
            signal.raise_signal(signal.SIGINT)
        if self._points == self._order.stop:
            os.kill(os.getpid(), signal.SIGSTOP)


def _drop_rights() -> None:
    """Give up root's right to write everywhere."""
    header, nothing = struct.pack("Ii", 0x20080522, 0), bytes(24)
    if os.geteuid() == 0 and ctypes.CDLL(None).capset(header, nothing):
        raise OSError("capset")

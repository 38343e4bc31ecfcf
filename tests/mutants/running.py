"""Tests run against mutants, each in a forked process.

No file is changed. A fault in a function gets there by its code object, in a process that has
imported the package and built its tables already. A fault in what has run by then, such as the code
that builds the tables, gets there by an import hook, in a process that has not. Kernels are plain
Python, so that a fault in one is not hidden by a binary in Numba's cache, and none gets into it.
"""

import cProfile
import gc
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import IO, Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = "closedhand"
TESTS = (
    "tests/competitions/**/test_*.py",
    "tests/games/**/test_*.py",
    "tests/envs/test_*.py",
    "tests/wrappers/test_*.py",
    "tests/search/test_*.py",
    "tests/learning/test_*.py",
    "tests/solvers/test_*.py",
    "tests/arena/test_*.py",
    "tests/core/test_*.py",
    "tests/testing/test_*.py",
    "tests/agents/test_*.py",
)
"""Files whose tests are tried; what a test calls decides for which mutants it is run."""
ABOUT_DATA = ("tests/games/test_facts.py", "tests/envs/test_registration.py")
"""Files whose tests read what modules without functions state."""
FOLDERS = (
    "arena", "competitions", "core", "envs", "games", "learning", "search", "solvers", "wrappers",
)  # fmt: skip
"""Folders of the package that faults are put into."""
DEVICES = re.compile(r"core/numba/|core/cu|/device|/__main__")
"""Files that plain Python does not reach: compilation, and what runs on a GPU."""
OF_EXTRAS = ("rllib", "sb3", "tianshou", "torchrl", "maskable_ppo")
"""Modules that import the library of an extra; it may be missing, and starts threads."""
# All times are processor seconds, so that a busy machine changes no outcome.
MOST = 12.0
"""Time that a test may take in plain Python, under a profiler; slower ones are left out."""
BUDGET = 45.0
"""Time for a file of tests; those whose turn has not come are left out."""
ENOUGH, AGAIN = 30.0, 180.0
"""Time of the tests for one mutant, and for one that survived these."""
UNKNOWN = 60.0
"""Time limit of a test whose usual time is not known."""
WAITING = 5.0
"""Seconds on the clock for each processor second, after which a test or a child hangs."""
MEMORY = 8 << 30
"""Most bytes of a child: a fault may ask for any number of them."""
OUT_OF_TIME = 99
"""Exit status of a child in which a test took too long."""


@dataclass
class Test:
    """A test that passes in plain Python, how long it takes and which functions it calls."""

    name: str
    seconds: float
    functions: frozenset[tuple[str, str]] = frozenset()


@dataclass
class Job:
    """A running child."""

    key: Any
    deadline: float
    answer: IO[str]


def forked(
    jobs: Iterable[tuple[Any, Callable[[int], int], float]], workers: int
) -> Iterator[tuple[Any, int | None, str]]:
    """Run functions in forked processes.

    Args:
        jobs: A key; the function, which gets the descriptor of a file for its answer and returns
            the exit status; and its time limit in seconds.
        workers: Number of processes at a time.

    Yields:
        The key, the exit status or None if the time was up, and what it has answered.
    """
    running: dict[int, Job] = {}
    queue = iter(jobs)
    left = True
    while left or running:
        while left and len(running) < workers:
            job = next(queue, None)
            if job is None:
                left = False
                break
            key, function, seconds = job
            answer = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
            pid = os.fork()
            if not pid:
                _child(function, answer.fileno())
            running[pid] = Job(key, time.monotonic() + seconds, answer)
        pid, status = os.waitpid(-1, os.WNOHANG) if running else (0, 0)
        if not pid:
            time.sleep(0.02)
        for late in [p for p, job in running.items() if job.deadline < time.monotonic()]:
            os.killpg(late, signal.SIGKILL)
            running[late].deadline = float("inf")
        if pid:
            job = running.pop(pid)
            with job.answer as file:
                file.seek(0)
                text = file.read()
            yield job.key, os.WEXITSTATUS(status) if os.WIFEXITED(status) else None, text


def _child(function: Callable[[int], int], answer: int) -> None:
    os.setpgid(0, 0)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(null, stream)
    status = 1
    try:
        status = function(answer)
    finally:
        os._exit(status)


def run_tests(arguments: Sequence[str], plugin: object) -> int:
    """Run pytest in a folder of its own; the exit status."""
    folder = tempfile.mkdtemp()
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
    os.chdir(ROOT)
    try:
        options = ["-q", "-x", "-p", "no:cacheprovider", "--basetemp", f"{folder}/tmp"]
        # Hypothesis is imported before the fork, and needs no rewriting.
        options += ["--hypothesis-seed=0", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        return int(pytest.main([*options, *arguments], plugins=[plugin]))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# What the tests call


class TimeIsUp(BaseException):
    """A test takes too long; no `except Exception` keeps it."""


class Recorder:
    """A plugin that notes what tests call and how long they take; marked slow ones come last."""

    def __init__(self) -> None:
        self.tests: list[dict[str, Any]] = []
        self._profiles: list[cProfile.Profile] = []
        self._collected: set[CodeType] = set()
        self._failed = False
        self._begin = time.process_time()
        threading.setprofile(self._enter)  # pyright: ignore[reportArgumentType]
        self._enter()

    def _enter(self, *_: object) -> None:
        """Profile this thread; a new thread calls this once, for the profile takes its place."""
        self._profiles.append(cProfile.Profile(builtins=False))
        self._profiles[-1].enable()

    def _called(self) -> set[CodeType]:
        """All code called since the last time."""
        called = set()
        for profile in self._profiles:
            called |= {
                entry.code for entry in profile.getstats() if isinstance(entry.code, CodeType)
            }
        self._profiles[0].clear()
        del self._profiles[1:]
        return called

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        self._collected = self._called()
        random.Random(0).shuffle(items)
        items.sort(key=lambda item: item.get_closest_marker("slow") is not None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self._failed = False
        start = time.process_time()
        result = yield
        seconds = time.process_time() - start
        called = sorted(_functions(self._called() | self._collected))
        if not self._failed:
            self.tests.append({"name": item.nodeid, "seconds": seconds, "functions": called})
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Any:
        if time.process_time() - self._begin > BUDGET:
            pytest.skip("the time for this file is up")
        # The profile of another thread, when it is deleted, ends that of this one.
        self._profiles[0].enable()
        with _alarm(MOST, _raise):
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= not report.passed


class _alarm:
    """A context that calls a handler if it takes more than some processor seconds, or hangs."""

    def __init__(self, seconds: float, handler: Callable[[int, Any], None]) -> None:
        self._seconds, self._handler = seconds, handler

    def __enter__(self) -> None:
        for number in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(number, self._handler)
        signal.setitimer(signal.ITIMER_PROF, self._seconds)
        signal.setitimer(signal.ITIMER_REAL, WAITING * self._seconds)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _raise(number: int, frame: Any) -> None:
    raise TimeIsUp


def _functions(codes: Iterable[CodeType]) -> Iterator[tuple[str, str]]:
    home = str(ROOT / PACKAGE) + os.sep
    for code in codes:
        if code.co_filename.startswith(home):
            yield module_name(Path(code.co_filename)), code.co_qualname


def module_name(path: Path) -> str:
    """The name of the module in a file of the package."""
    parts = path.resolve().relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def source_path(module: str) -> Path:
    """The file of a module."""
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def tests_of(room: str) -> str:
    """Where the tests of a room are, below `tests/`."""
    folder = room.replace(".", "/")
    return f"{folder}/" if (ROOT / "tests" / folder).is_dir() else f"{folder.rpartition('/')[0]}/"


def survey(path: Path, workers: int, folders: Iterable[str] = ("",)) -> list[Test]:
    """Every test with what it calls; files of tests that have not changed are not run again.

    Args:
        path: File that keeps what is known.
        workers: Number of processes.
        folders: Folders below `tests/` with the tests to take.
    """
    known = json.loads(path.read_text()) if path.exists() else {}
    files = sorted(str(file.relative_to(ROOT)) for each in TESTS for file in ROOT.glob(each))
    within = tuple(f"tests/{folder}" for folder in folders)
    files = [file for file in files if file.startswith(within)]
    stamps = {file: hashlib.sha256((ROOT / file).read_bytes()).hexdigest() for file in files}
    new = [file for file in files if known.get(file, {}).get("stamp") != stamps[file]]

    def record(file: str) -> Callable[[int], int]:
        def run(answer: int) -> int:
            recorder = Recorder()
            # Without -x: a test that fails in plain Python, or takes too long, is left out.
            run_tests(["--maxfail=10000", "-m", "not peers", file], recorder)
            with open(answer, "w", encoding="utf-8") as out:
                json.dump(recorder.tests, out)
            return 0

        return run

    def record_all(_: int) -> int:
        load()
        for file, _, text in forked(
            ((file, record(file), WAITING * 3 * BUDGET) for file in new), workers
        ):
            known[file] = {"stamp": stamps[file], "tests": json.loads(text or "[]")}
            path.write_text(json.dumps(known))
        return 0

    # In a process of its own, for it imports what is to be mutated.
    list(forked([(None, record_all, float("inf"))] if new else [], 1))
    known = json.loads(path.read_text())
    return [
        Test(each["name"], each["seconds"], frozenset(map(tuple, each["functions"])))
        for file in files
        for each in known[file]["tests"]
    ]


def chosen(tests: Sequence[Test], module: str, function: str, seconds: float) -> list[Test]:
    """The tests for a fault, of some seconds in all: those that call its function, then others.

    The others use its module: what is computed once is called in the first test that needs it.
    """
    place = (module, function or "<module>")
    first = {test.name for test in tests if place in test.functions}
    users = [test for test in tests if any(name == module for name, _ in test.functions)]
    if not users:
        # Its functions have run when the package was loaded, or it has none.
        room = module.rpartition(".")[0]
        first = {test.name for test in tests if test.name.startswith(ABOUT_DATA)}
        users = [
            test
            for test in tests
            if test.name in first or any(name.startswith(room) for name, _ in test.functions)
        ]
    users.sort(key=lambda test: (test.name not in first, test.seconds))
    found: list[Test] = []
    total = 0.0
    for test in users:
        total += test.seconds
        if total > seconds and found:
            break
        found.append(test)
    return found


# A mutant


Change = Callable[[str], Any]
"""Source of a module to source or syntax tree with a fault."""


class _Import(importlib.abc.MetaPathFinder, importlib.machinery.SourceFileLoader):
    """Imports a module with a fault in place of the module."""

    def __init__(self, module: str, change: Change) -> None:
        super().__init__(module, str(source_path(module)))
        self._change = change

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname == self.name:
            return importlib.util.spec_from_file_location(fullname, self.path, loader=self)
        return None

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text(encoding="utf-8")
        return compile(self._change(source), self.path, "exec")


class Killer:
    """A plugin that tells which test failed first, and ends the process if one takes too long."""

    def __init__(self, answer: int, limits: dict[str, float]) -> None:
        self._answer = answer
        self._limits = limits
        self._name = ""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self._name = item.nodeid
        with _alarm(self._limits.get(item.nodeid, UNKNOWN), self._end):
            return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            os.write(self._answer, f"{report.nodeid}\n".encode())

    def _end(self, number: int, frame: Any) -> None:
        os.write(self._answer, f"{self._name}\n".encode())
        os._exit(OUT_OF_TIME)


def outermost(function: str) -> str:
    """The qualified name of the function that a nested one is defined in."""
    return function.partition(".<locals>")[0]


def code_of(code: CodeType, function: str) -> CodeType | None:
    """The code of a function within that of a module."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if constant.co_qualname == function:
                return constant
            if found := code_of(constant, function):
                return found
    return None


def in_function(module: str, change: Change, function: str) -> CodeType | None:
    """The code of the outermost function around a fault; None if the fault is not in its code."""
    path = source_path(module)
    source = path.read_text(encoding="utf-8")
    name = outermost(function)
    old, new = (
        code_of(compile(each, str(path), "exec"), name) for each in (source, change(source))
    )
    return new if new != old else None


def put(module: str, code: CodeType) -> None:
    """Put the code of a function in place of what it was."""
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and function.__module__ == module:
            old = function.__code__
            if old.co_qualname == code.co_qualname and old.co_firstlineno == code.co_firstlineno:
                function.__code__ = code


def needs_an_extra(module: str) -> bool:
    """Whether a module is left out by `load`."""
    return module.rpartition(".")[2] in OF_EXTRAS


def sources() -> list[Path]:
    """The files of the package that faults may be put into, sorted."""
    home = ROOT / PACKAGE
    found = {path for folder in FOLDERS for path in (home / folder).rglob("*.py")}
    return sorted(path for path in found if not DEVICES.search(path.relative_to(home).as_posix()))


def load() -> None:
    """Import all that may be mutated, but for what needs an extra, and build the games' tables."""
    sys.path.insert(0, str(ROOT / "tests"))
    from support import VARIANTS

    from closedhand import make_game
    from closedhand.core.registry import GAMES

    for path in sources():
        if not needs_an_extra(module := module_name(path)):
            importlib.import_module(module)
    for name, rules in [*VARIANTS, *((name, {}) for name in GAMES)]:
        game = make_game(name, **rules)
        game.parse(game.text(0))


def loaded() -> set[tuple[str, str]]:
    """The functions that `load` calls, by module and qualified name, found in another process."""

    def run(answer: int) -> int:
        profile = cProfile.Profile(builtins=False)
        profile.runcall(load)
        codes = {entry.code for entry in profile.getstats() if isinstance(entry.code, CodeType)}
        with open(answer, "w", encoding="utf-8") as out:
            json.dump(sorted(_functions(codes)), out)
        return 0

    [(_, _, text)] = forked([(None, run, 600.0)], 1)
    return set(map(tuple, json.loads(text)))


def attack_loaded(
    module: str, code: CodeType, tests: Sequence[Test]
) -> tuple[Callable[[int], int], float]:
    """Like `attack`, after `load`, with the code of a function."""
    limits = {test.name: 10 + 10 * test.seconds for test in tests}

    def run(answer: int) -> int:
        put(module, code)
        return run_tests([test.name for test in tests], Killer(answer, limits))

    return run, WAITING * (60 + sum(limits.values()))


def attack(
    module: str, change: Change, tests: Sequence[Test], *arguments: str
) -> tuple[Callable[[int], int], float]:
    """A function for `forked` that runs tests with a fault in a module, and its time limit."""
    limits = {test.name: 10 + 10 * test.seconds for test in tests}

    def run(answer: int) -> int:
        sys.meta_path.insert(0, _Import(module, change))
        names = [test.name for test in tests]
        return run_tests([*arguments, *names], Killer(answer, limits))

    return run, WAITING * (60 + sum(limits.values()))

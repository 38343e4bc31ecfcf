"""Fixtures that several test files share; helper functions are in the support modules."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
from support import each_variant

from closedhand import Game, make_game
from closedhand.core.numba import notices

OTHERS = " "
ORDER = ("daihinmin", OTHERS, "chinese_poker", "leduc", "doudizhu")
"""Texts in the names of tests, in the order in which the tests run."""


BUSY = "import os; parent = os.getppid()\nwhile os.getppid() == parent: sum(range(10**6))"
"""A program that keeps a core busy until the process that has started it ends."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--beside 4` is for tests that judge by the clock what a loaded machine does late."""
    parser.addoption("--beside", type=int, default=0, help="run beside so many busy processes")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Start the busy processes, once for all workers."""
    config = session.config
    if not hasattr(config, "workerinput"):
        for _ in range(config.getoption("--beside")):
            busy = subprocess.Popen([sys.executable, "-c", BUSY])
            config.add_cleanup(busy.wait)
            config.add_cleanup(busy.kill)


def pytest_report_header(config: pytest.Config) -> str:
    """Say what else runs."""
    number = config.getoption("--beside")
    return f"beside {number} busy processes" if number else ""


def pytest_configure() -> None:
    """Let tests of Ctrl-C work where a shell has started the run in the background."""
    ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # For every model Stable-Baselines3 would leave a folder for a log that it does not write.
    os.environ.setdefault("SB3_LOGDIR", tempfile.gettempdir())
    # Ray Tune would leave its own handler of Ctrl-C to the tests that come after.
    os.environ.setdefault("TUNE_DISABLE_SIGINT_HANDLER", "1")
    # Whichever test comes first would be told that kernels are compiled, among its own messages.
    notices.announced = True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests of a game beside one another.

    Two workers begin with a half of the tests each, so that few kernels are compiled by both.
    """

    def place(item: pytest.Item) -> int:
        return next((i for i, name in enumerate(ORDER) if name in item.nodeid), ORDER.index(OTHERS))

    items.sort(key=place)


@pytest.fixture(autouse=True)
def torch_is_seeded() -> None:
    """Networks and inputs that a test draws are the same in every run."""
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)


@pytest.fixture(params=each_variant())
def game(request: pytest.FixtureRequest) -> Game:
    """Every game under every preset, flat and sub-stepped, with and without its options."""
    name, options = request.param
    return make_game(name, **options)


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder is the test's own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def own_cache(in_empty_folder: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is the folder for what is computed once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with untrained networks of one convolution each."""
    from support_networks import save_untrained

    return save_untrained(tmp_path_factory.mktemp("untrained"))


@pytest.fixture
def tiny_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Networks of their size are known, and few deals check the training."""
    from support_networks import make_quick

    make_quick(monkeypatch)

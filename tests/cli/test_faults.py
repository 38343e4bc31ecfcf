"""Every command that writes: killed, interrupted, twice at once, with bad targets and disks.

`WORK` is the table of these commands; a command that is not in it fails a test. The environment
variable CLOSEDHAND_FUZZ multiplies the number of kills and faults.
"""

import inspect
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from support import DATA, FUZZ
from support_faults import Nursery, Order, Outcome
from typer.main import get_command

from closedhand import GAMES
from closedhand.cli import app

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_setaffinity"), reason="processes are forked and stopped as Linux does it"
)

INPUTS = {"config", "file", "deals", "records", "runs", "start", "strategy", "tables"}
"""Parameters that are paths, and are only read."""


def arrays(name: str) -> Callable[[Path], Any]:
    """The arrays of an npz file, without texts about its making."""

    def read(folder: Path) -> Any:
        with np.load(folder / name) as data:
            return {key: data[key] for key in data if data[key].dtype.kind != "U"}

    return read


def tensors(name: str) -> Callable[[Path], Any]:
    """The tensors of a network."""

    def read(folder: Path) -> Any:
        from safetensors.numpy import load_file

        return load_file(folder / name)

    return read


def content(name: str) -> Callable[[Path], Any]:
    """The bytes of a file, or of the visible files in a folder."""

    def read(folder: Path) -> Any:
        path = folder / name
        files = sorted(path.glob("[!.]*")) if path.is_dir() else [path]
        return {each.name: each.read_bytes() for each in files}

    return read


TIMES = {"seconds", "microseconds_per_decision", "interrupted", "settings", "begun"}


def untimed(value: Any) -> Any:
    """JSON without what depends on the clock."""
    if isinstance(value, dict):
        return {key: untimed(each) for key, each in value.items() if key not in TIMES}
    return [untimed(each) for each in value] if isinstance(value, list) else value


def results(name: str, pattern: str = "**/*.json") -> Callable[[Path], Any]:
    """All results in JSON in a folder, or in a file."""

    def read(folder: Path) -> Any:
        path = folder / name
        files = sorted(path.glob(pattern)) if path.is_dir() else [path]
        return {
            str(each.relative_to(folder)): untimed(json.loads(each.read_text())) for each in files
        }

    return read


@dataclass(frozen=True)
class Work:
    """A command that writes, in small.

    Attributes:
        command: The command; `{}` is what it writes to.
        out: That, a folder or a file.
        same: From the folder to what is the same whatever happens; None: only that the command goes
            on is checked.
        is_file: Whether `out` is a file.
        setup: Python that makes it small.
        before: Commands that are run before.
        checkpoint: File without which there is nothing to resume, if resuming is asked for.
        again: What the command takes in addition when it is resumed.
        needs: A library.
        pieces: Whether its pieces are the same every time.
        replaces: Whether an existing file is written over.
        few: Whether it is done only with a factor above 1: starting processes takes long.
    """

    command: str
    out: str
    same: Callable[[Path], Any] | None = None
    is_file: bool = False
    setup: str = ""
    before: tuple[str, ...] = ()
    checkpoint: str = ""
    again: str = ""
    needs: str = "matplotlib"
    pieces: bool = True
    replaces: bool = True
    few: bool = False


MATCH = {"out": "m.json", "is_file": True, "checkpoint": "m.json", "again": "--resume"}
SMALL_MATCH = "from closedhand.arena import league, match; match.CHUNK = league.CHUNK = 20"
SMALL_SHARDS = (
    "from closedhand.agents.doudizhu.deeprocket import shards as s; s.SHARD, s.CHUNK = 60, 20"
)
SHARDS = "records generate doudizhu --agents random,rule --workers 1 --games {} --out {}"
SMALL_BIDS = (
    "from closedhand.agents.doudizhu.bidding import fitting, network, thresholds; "
    "fitting.CHUNK, fitting.FEWEST, thresholds.ROUNDS, network.time = 50, 300, 2, clock; "
)
BIDS = "train bids --agent random --games 600 --out {}"
UNTIL = (
    "from closedhand.core.run import Run; work = Run.work; "
    "Run.work = lambda self, limit=0, over=0, **more: work(self, over=lambda: {}, **more); "
)
"""The end of work that takes minutes for granted, and takes more of them when resumed."""
TABLES = UNTIL.format("self.learner.cycles >= 3") + (
    "from functools import partial; from closedhand.agents.chinese_poker import training; "
    "training.Training = partial(training.Training, hands=550, pool_size=800)"
)
SMALL_LEDUC = "from closedhand.solvers import solving; solving.CHUNK = 0.003; "
SMALL_NETWORKS = (
    "from closedhand.agents.doudizhu.deeprocket import fine_tuning as f; "
    "f.CHECK_DEALS, f.time = 4, clock; "
    "f.Settings.__init__.__defaults__ = (0, None, 4, None); "
    "import pathlib, pytest, support_networks; "
    "support_networks.tiny_sizes(pytest.MonkeyPatch()); "
    "support_networks.save_untrained(pathlib.Path('start'))"
)

WORK = {
    "match": Work(
        "match doudizhu --agents rule,random --deals 100 --workers 1 --out {}",
        same=results("m.json"),
        setup=SMALL_MATCH,
        **MATCH,
    ),
    "match in processes": Work(
        "match doudizhu --agents rule,random --deals 200 --workers 2 --out {}",
        same=results("m.json"),
        few=True,
        **MATCH,
    ),
    "league": Work(
        "match daihinmin --agents random --rounds 60 --option rounds=1 --workers 1 --out {}",
        same=results("m.json"),
        setup=SMALL_MATCH,
        **MATCH,
    ),
    "solve": Work(
        "solve leduc --algorithm mccfr --iterations 500 --out {}",
        "s",
        arrays("s/mccfr/strategy.npz"),
        setup=SMALL_LEDUC,
        checkpoint="s/mccfr/learner.npz",
        again="--resume",
        pieces=False,
    ),
    "exactly": Work("solve leduc --algorithm lp --out {}", "s", needs="scipy"),
    "shards": Work(
        SHARDS.format(160, "{}"), "s", content("s"), setup=SMALL_SHARDS, needs="pyarrow"
    ),
    "figures": Work(
        "reproduce deeprocket --only figures --network rule --best random --games 60 "
        "--iterations 1 --workers 1 --out {}",
        "r",
        results("r", "figures/*.json"),
        setup="from closedhand.papers.deeprocket import pairings; pairings.CHUNK = 20",
    ),
    "ladder": Work(
        "reproduce deeprocket --only ladder --agents random,rule --ladder-deals 80 --workers 1 "
        "--out {}",
        "r",
        results("r", "ladder-*/*.json"),
        setup=SMALL_MATCH,
    ),
    "weights": Work(
        "train doudizhu --algorithm decompose --minutes 0.002 --out {}",
        "d",
        arrays("d/decompose.npz"),
        setup=UNTIL.format("self.learner.steps >= 3")
        + "from closedhand.agents.doudizhu.decompose import tuning; "
        "tuning.TASK = tuning.TASK._replace(games=tuning.PIECE)",
    ),
    "numbers": Work(
        "train daihinmin --algorithm kou --minutes 0.002 --out {}",
        "k",
        arrays("k/kou.npz"),
        setup=UNTIL.format("self.learner.deals >= 12")
        + "from closedhand.agents.daihinmin.kou import tuning; "
        "tuning.PIECE, tuning.SCREENED, tuning.CONFIRMED = 2, 4, 6",
    ),
    "tables": Work(
        "train chinese-poker --algorithm fitted --minutes 0.002 --out {}",
        "t",
        arrays("t/tables.npz"),
        setup=TABLES,
        needs="scipy",
    ),
    "bids": Work(BIDS, "b", results("b"), setup=SMALL_BIDS, needs="scipy"),
    "bid network": Work(
        "train bid-net --deals b/deals.npz --minutes 0.01 --threads 1 --out {}",
        "n",
        tensors("n/bid.safetensors"),
        setup=SMALL_BIDS,
        before=(BIDS.format("b"),),
        needs="torch",
    ),
    "network": Work(
        "train kicker-net --records s --steps 8 --threads 1 --batch 16 --out {}",
        "n",
        tensors("n/kicker.safetensors"),
        setup=SMALL_SHARDS,
        before=(SHARDS.format(160, "s"),),
        needs="lightning",
    ),
    "fine-tuning": Work(
        "train self-play --from start --minutes 0.002 --threads 1 --out {}",
        "f",
        tensors("f/policy.safetensors"),
        setup=SMALL_NETWORKS,
        needs="torch",
    ),
    "sb3": Work(
        "train doudizhu --algorithm maskable-ppo --opponents random --steps 1000 --out {}",
        "p",
        needs="sb3_contrib",
        pieces=False,
    ),
    "learner": Work(
        "train leduc --algorithm ppo --steps 900 --set batch=200 --set width=16 --out {}",
        "l",
        tensors("l/model.safetensors"),
        needs="torch",
    ),
    "export": Work(
        f"records export {DATA}/uecda.log --out {{}}", "x.jsonl", content("x.jsonl"), is_file=True
    ),
    "picture": Work("show leduc-graph --out {}", "g.svg", content("g.svg"), is_file=True),
    "advice": Work(
        "advise chinese-poker AsKsQsJsTs9h8h7h6h5h2c2d2s --opponents 6000 --picture {}",
        "p.png",
        content("p.png"),
        is_file=True,
        setup="import os; os.environ['XDG_CACHE_HOME'] = os.path.abspath('cache')",
        needs="PIL",
    ),
    "log": Work(
        "serve daihinmin --agents random --rounds 3 --port 0 --log {}",
        "a.log",
        is_file=True,
        replaces=False,
    ),
}
"""All kinds of commands that write."""

OTHERS = {
    ("deals",): "a short file, written at once",
    ("web",): "tables of its own, see `tests/web`",
    ("reproduce", "all"): "the four, one after the other",
    ("reproduce", "chinese-poker"): "made of parts, as `figures`",
    ("reproduce", "kou"): "leagues as parts, as `ladder`",
    ("reproduce", "learners"): "cells as parts, as `figures`, and runs, as `solve`",
    ("reproduce", "leduc"): "made of parts, as `figures`, and runs, as `solve`",
    ("train", "policy-net"): "as `train kicker-net`",
    ("train", "daihinmin"): "as `train doudizhu --algorithm decompose`",
    ("train", "uh-leduc"): "as `train leduc --algorithm ppo`",
    # Of other packages that happen to be installed.
    **{
        ("train", name.replace("_", "-")): "as `train leduc --algorithm ppo`"
        for name, spec in GAMES.items()
        if not str(spec.make).startswith("closedhand.")
    },
    ("exploit",): "as `train leduc --algorithm ppo`",
    ("compile",): "needs the extra `gpu`; one file at the end",
}
"""Commands that are made as one in the table is."""


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """All commands, by their words."""
    if not hasattr(command, "list_commands"):
        yield words, command
        return
    context = typer.Context(command)
    for name in command.list_commands(context):
        yield from commands(command.get_command(context, name), (*words, name))


def annotation_of(command: Any, name: str) -> str:
    """The annotation of a parameter; empty for `--overwrite`, which all writers share."""
    parameter = inspect.signature(command.callback).parameters.get(name)
    return str(parameter.annotation) if parameter else ""


def test_every_command_that_writes_is_in_the_table() -> None:
    known = {(*each.command.split(),) for each in WORK.values()}
    missing = [
        (*words, parameter.name)
        for words, command in commands(get_command(app))
        for parameter in command.params
        if "Path" in annotation_of(command, parameter.name)
        and parameter.name not in INPUTS
        and words not in OTHERS
        and not any(
            line[: len(words)] == words and set(parameter.opts) & set(line) for line in known
        )
    ]
    assert not missing


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as started:
        yield started


class Trial:
    """A kind of work in folders of its own, each prepared alike."""

    def __init__(self, nursery: Nursery, work: Work, folder: Path) -> None:
        self.nursery = nursery
        self.work = work
        self.folder = folder
        self.clean = folder / "clean"
        self.clean.mkdir()
        self.number = 0
        for command in work.before:
            assert self.run(self.clean, command.split()).code == 0

    def run(self, folder: Path, words: list[str], **faults: Any) -> Outcome:
        order = Order(words, str(folder), self.work.setup, **faults)
        return self.nursery.run(order)

    def new(self) -> Path:
        """A folder with what is needed before."""
        self.number += 1
        return Path(shutil.copytree(self.clean, self.folder / str(self.number)))

    def start(self, folder: Path, **faults: Any) -> Outcome:
        """Start or resume the command."""
        words = self.work.command.format(self.work.out).split()
        if self.work.again and (folder / self.work.checkpoint).exists():
            words.append(self.work.again)
        return self.run(folder, words, **faults)

    def whole(self) -> tuple[Outcome, Any]:
        """The command without faults, and what comes of it."""
        warm = self.start(self.new(), here=True)
        assert warm.code == 0, warm.err
        folder = self.new()
        outcome = self.start(folder)
        assert outcome.code == 0, outcome.err
        assert_no_litter(folder)
        return outcome, self.same(folder)

    def same(self, folder: Path) -> Any:
        return None if self.work.same is None else self.work.same(folder)

    def finish(self, folder: Path) -> Outcome:
        """Run the command to its end, whatever had happened to it."""
        if not self.work.replaces:
            (folder / self.work.out).unlink(missing_ok=True)
        outcome = self.start(folder)
        assert outcome.code == 0, outcome.err
        assert_no_litter(folder)
        return outcome


def assert_no_litter(folder: Path) -> None:
    """What is only there while a command writes is gone."""
    left = [path for path in folder.rglob("*") if path.suffix in (".lock", ".part")]
    assert not left


def assert_one_line(outcome: Outcome, code: int, *texts: str) -> None:
    assert outcome.code == code, outcome.err
    # A progress bar that is no longer shown leaves an empty line; notes may stand before.
    lines = [line for line in outcome.err.splitlines() if line]
    assert all(line.startswith("closedhand: ") for line in lines), outcome.err
    assert lines and all(text in lines[-1] for text in texts), outcome.err


@pytest.mark.slow
@pytest.mark.parametrize("name", WORK)
def test_faults(
    name: str, nursery: Nursery, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    work = WORK[name]
    pytest.importorskip(work.needs)
    if work.few and FUZZ <= 1:
        pytest.skip("takes CLOSEDHAND_FUZZ=2")
    rng = np.random.default_rng([ord(letter) for letter in name])
    trial = Trial(nursery, work, tmp_path)
    request.addfinalizer(nursery.leave)
    whole, same = trial.whole()
    for _ in range(max(1, round(FUZZ))):
        check_kill(trial, int(rng.integers(whole.points)) + 1, whole, same)
        check_fault(trial, int(rng.integers(whole.accesses)) + 1, same)
    check_interruption(trial, whole, same)
    check_full_disk(trial, same)
    check_targets(trial)
    check_two_at_once(trial, whole, same)


def check_kill(trial: Trial, point: int, whole: Outcome, same: Any) -> None:
    """It goes on, repeats one piece at most, and its result is that without a kill."""
    folder = trial.new()
    killed = trial.start(folder, kill=point)
    assert killed.code in (-signal.SIGKILL, 0), killed.err
    rest = trial.finish(folder)
    np.testing.assert_equal(trial.same(folder), same)
    if trial.work.pieces:
        # Of what is nested, each has a piece.
        assert killed.pieces + rest.pieces <= whole.pieces + 2


def check_fault(trial: Trial, access: int, same: Any) -> None:
    """An error of the disk is one line, and what was good before is still so."""
    folder = trial.new()
    failed = trial.start(folder, fault=access)
    if failed.code:
        assert_one_line(failed, 2, "No space left on device")
    trial.finish(folder)
    np.testing.assert_equal(trial.same(folder), same)


def check_interruption(trial: Trial, whole: Outcome, same: Any) -> None:
    """Ctrl-C is one line at any time, and the same command resumes."""
    if not whole.pieces:
        return
    for point in (1, max(1, whole.points // 2)):
        folder = trial.new()
        stopped = trial.start(folder, interrupt=point)
        if stopped.code:
            assert stopped.code == 130 and "Traceback" not in stopped.err, stopped.err
            lines = stopped.err.splitlines()
            assert sum("interrupted" in line for line in lines) == 1, stopped.err
    trial.finish(folder)
    np.testing.assert_equal(trial.same(folder), same)


def check_full_disk(trial: Trial, same: Any) -> None:
    """Files that cannot grow: one line, no file that is cut off."""
    folder = trial.new()
    failed = trial.start(folder, most=200)
    assert_one_line(failed, 2, "File too large")
    trial.finish(folder)
    np.testing.assert_equal(trial.same(folder), same)


def identity(path: Path) -> Any:
    """What lies under a name, links not followed; None: nothing."""
    if not path.is_symlink() and not path.exists():
        return None
    found = path.lstat()
    return found.st_ino, found.st_mode, found.st_size, found.st_mtime


def check_targets(trial: Trial) -> None:
    """What is no place to write to is refused before the work begins, and stays what it is."""
    work = trial.work
    bad: dict[str, Callable[[Path], object]] = {
        "not a regular file": lambda path: os.mkfifo(path),
        "a regular file": lambda path: path.symlink_to("/dev/full"),
        "No such file": lambda path: path.symlink_to("/proc/nothing/here"),
        "Permission denied": lambda path: path.parent.chmod(0o555),
    }
    if work.is_file:
        bad["a folder"] = Path.mkdir
    else:
        bad["a folder"] = lambda path: path.write_text("good")
    if work.is_file and not work.replaces:
        bad["exists"] = lambda path: path.write_text("good")
    for text, make in bad.items():
        folder = trial.new()
        path = folder / work.out
        make(path)
        before = identity(path)
        refused = trial.start(folder, without_rights=True)
        folder.chmod(0o755)
        wanted = "cannot" if not work.is_file and text != "a folder" else text
        assert_one_line(refused, 2, wanted)
        assert refused.pieces == 0
        assert identity(path) == before
        assert_no_litter(folder)


def check_two_at_once(trial: Trial, whole: Outcome, same: Any) -> None:
    """The second is told who writes there; a killed one holds nothing."""
    folder = trial.new()
    # It has made the folder, filelock has, too, and then it holds the lock.
    first = trial.start(folder, stop=max(3, whole.points // 2))
    assert first.code == 0 and first.points < whole.points, first.err
    try:
        words = trial.work.command.format(trial.work.out).split()
        second = trial.run(folder, words)
    finally:
        trial.nursery.kill(first)
    assert_one_line(second, 2, f"process {first.pid} ")
    trial.finish(folder)
    np.testing.assert_equal(trial.same(folder), same)

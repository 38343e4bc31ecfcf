"""Long work: clock, checkpoints, settings; killed or interrupted, it goes on, of whatever kind."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closedhand import InputError
from closedhand.core import interrupt, parts, run as long_work
from closedhand.core.run import Run, Watch, check_same, work_off
from closedhand.core.workers import results_of

# In one process.


class Counter:
    """A learner that counts; every third number is worth a word."""

    def __init__(self) -> None:
        self.number = 0
        self.stop_at = -1

    def advance(self, seconds: float) -> bool:
        if self.number + 1 == self.stop_at:
            raise KeyboardInterrupt
        self.number += 1
        return self.number % 3 == 0

    def state(self) -> dict[str, Any]:
        return {"number": np.array(self.number)}

    def restore(self, state: dict[str, Any]) -> None:
        self.number = int(state["number"])

    def summary(self) -> dict[str, Any]:
        return {"number": self.number}


def counting(path: Path | None, **settings: Any) -> Run[Counter]:
    return Run(Counter(), settings, path)


def numbers(run: Run[Counter]) -> list[int]:
    return [each["number"] for each in run.history]


def test_a_run_is_saved_and_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "folder" / "run.npz"
    run = counting(path, seed=3, options={"players": (2, 3)})
    run.work(over=lambda: run.learner.number == 7)
    assert numbers(run) == [3, 6, 7]
    assert not run.interrupted
    again = counting(path, seed=3, options={"players": (2, 3)})
    assert again.resume_if_kept()
    assert (again.learner.number, again.history, again.seconds) == (7, run.history, run.seconds)
    again.work(over=lambda: again.learner.number == 9)
    assert numbers(again) == [3, 6, 7, 9]
    fresh = counting(path, seed=4)
    assert not fresh.resume_if_kept(restart=True)
    with pytest.raises(InputError) as error:
        fresh.resume()
    assert str(error.value) == f"{path} was made with seed 3, not 4"


@pytest.mark.parametrize("missing", ["settings", "number", None])
def test_what_is_no_checkpoint_is_one_line(tmp_path: Path, missing: str | None) -> None:
    path = tmp_path / "run.npz"
    run = counting(path)
    run.save()
    with np.load(path) as data:
        np.savez(path, **{key: value for key, value in data.items() if key != missing})
    if missing is None:
        path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(InputError) as error:
        counting(path).resume()
    assert str(path) in str(error.value) and "\n" not in str(error.value)
    with pytest.raises(InputError, match="cannot read"):
        counting(tmp_path / "nothing.npz").resume()


def test_time_ends_work() -> None:
    run = counting(None)
    run.work(0.05)
    done = run.learner.number
    assert done > 0 and run.seconds >= 0.05
    # The limit counts what was done before.
    run.work(0.05)
    assert run.learner.number == done
    run.work(run.seconds + 1e-9)
    assert run.learner.number == done + 1


@pytest.mark.parametrize("done", [0, 5])
def test_an_interrupted_piece_is_not_saved(tmp_path: Path, done: int) -> None:
    path = tmp_path / "run.npz"
    run = counting(path)
    run.learner.stop_at = done + 1
    assert run.work().interrupted
    assert path.exists() == bool(done)
    if done:
        again = counting(path)
        again.resume()
        assert again.learner.number == done


def test_the_first_ctrl_c_waits_for_the_piece_and_saves(tmp_path: Path) -> None:
    def progress() -> None:
        if run.learner.number == 2:
            signal.raise_signal(signal.SIGINT)
            reached.append(run.learner.number)

    reached: list[int] = []
    run = counting(tmp_path / "run.npz")
    assert run.work(progress=progress).interrupted
    assert reached == [2] and run.learner.number == 2
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_saves_nothing(tmp_path: Path) -> None:
    def progress() -> None:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    path = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        counting(path).work(progress=progress)
    assert not path.exists()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_errors_save_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        counting(tmp_path / "run.npz").work(progress=lambda: 1 / 0)
    assert not list(tmp_path.iterdir())


def test_one_ctrl_c_ends_all_that_is_nested() -> None:
    with interrupt.deferred() as outer:
        with Watch() as watch:
            signal.raise_signal(signal.SIGINT)
            assert not watch.tick()
        assert watch.interrupted
        with pytest.raises(KeyboardInterrupt):
            outer()
    interrupt.check()


def test_checkpoints_come_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(long_work.time, "monotonic", lambda: clock[0])
    saved: list[float] = []

    def save() -> None:
        saved.append(clock[0])
        clock[0] += 5

    with Watch(save, seconds=500) as watch:
        while watch.tick():
            clock[0] += 10
    # The second one waits for twenty times what the first one took.
    assert saved[:2] == [40, 155] and saved[-1] >= 500


def test_settings_are_named_with_both_values() -> None:
    check_same(Path("x"), {"a": 1, "b": 2}, {"a": 1})
    with pytest.raises(InputError, match=r"^x was made with b None, not 3$"):
        check_same(Path("x"), {"a": 1}, {"a": 1, "b": 3})


def test_parts_go_on_where_they_were(tmp_path: Path) -> None:
    def stopped(tell: Any) -> dict[str, Any]:
        signal.raise_signal(signal.SIGINT)
        tell(0.5)
        raise AssertionError("not interrupted")

    def compute(second: parts.Part) -> Any:
        both = {"one": lambda tell: {"at": time.perf_counter()}, "two": second}
        return parts.compute(both, tmp_path, {"seed": 1}, lambda *_: None)

    with pytest.raises(KeyboardInterrupt):
        compute(stopped)
    one = json.loads((tmp_path / "one.json").read_text())["result"]
    assert compute(lambda tell: {"x": 1}) == {"one": one, "two": {"x": 1}}


def square(number: int) -> int:
    return number * number


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_come_in_order_until_ctrl_c(workers: int) -> None:
    jobs = [(i,) for i in range(20)]
    assert list(results_of(square, jobs, jobs[:1], workers)) == [i * i for i in range(20)]
    found: list[int] = []

    def take(result: int) -> None:
        found.append(result)
        if len(found) == 5:
            signal.raise_signal(signal.SIGINT)

    assert work_off(square, jobs, jobs[:1], workers, take)
    # Those that are done in other processes count as well.
    assert found == [i * i for i in range(len(found))] and len(found) >= 5
    assert workers == 2 or len(found) == 5
    assert not work_off(square, jobs, jobs[:1], workers, found.append)


# As commands: killed, interrupted and gone on with.


@dataclass(frozen=True)
class Kind:
    """A kind of long work.

    Attributes:
        command: What is started, and started again.
        checkpoint: The file that shows that there is something to go on from.
        how_far: From the folder to what has to grow, None while nothing can be read.
        setup: Run before.
        again: What the command takes in addition when it goes on.
        result: From the folder to what is the same as without an interruption, if it comes to an
            end of its own.
        patch: Makes it small.
        needs: A library.
    """

    command: str
    checkpoint: str
    how_far: Callable[[Path], Any]
    setup: tuple[str, ...] = ()
    again: str = ""
    result: Callable[[Path], Any] | None = None
    patch: str = ""
    needs: str = "numpy"


def kept(path: Path, *keys: str) -> dict[str, Any]:
    with np.load(path) as data:
        return {key: data[key] for key in keys}


def history(name: str) -> Callable[[Path], Any]:
    """The history in a checkpoint; all of it has to be there later on, and more."""
    return lambda folder: json.loads(str(kept(folder / name, "history")["history"]))


def of_torch(name: str, *keys: str) -> Callable[[Path], Any]:
    """A number in a file of PyTorch."""

    def read(folder: Path) -> Any:
        import torch

        found: Any = torch.load(folder / name, weights_only=True, map_location="cpu")
        for key in keys:
            found = found[key]
        return found

    return read


def deals_of(name: str) -> Callable[[Path], int]:
    return lambda folder: json.loads((folder / name).read_text())["deals"]


def payoffs(folder: Path) -> Any:
    data = json.loads((folder / "m.json").read_text())
    assert not data["interrupted"]
    return data.get("points") or [pair["returns"] for pair in data["pairs"]]


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "s").iterdir()}


def figures(folder: Path) -> Any:
    """The parts of a reproduction; times differ."""
    return {
        path.name: json.loads(path.read_text())["result"]["points"]
        for path in (folder / "r" / "figures").glob("*-??.json")
    }


def timesteps(folder: Path) -> int:
    with zipfile.ZipFile(folder / "p" / "model.zip") as model:
        return json.loads(model.read("data"))["num_timesteps"]


def shards_begun(folder: Path) -> int:
    return sum(path.stat().st_size > 0 for path in (folder / "s").iterdir())


SMALL_SHARDS = (
    "from closedhand.baselines.doudizhu.deeprocket import shards; "
    "shards.SHARD, shards.CHUNK = 400, 50"
)
SHARDS = "records generate doudizhu --agents random,rule --games {} --out s --workers 1"
SMALL_TABLES = (
    "from functools import partial; from closedhand.baselines.chinese_poker import training; "
    "training.Training = partial(training.Training, hands=550, pool_size=800)"
)
BIDS = "train bids --agent random --out b --games {}"

KINDS = {
    "match": Kind(
        "match doudizhu --agents rule,random --deals 2000 --workers 1 --out m.json",
        "m.json",
        deals_of("m.json"),
        again="--resume",
        result=payoffs,
    ),
    "match-workers": Kind(
        "match doudizhu --agents decompose,rule --deals 2000 --workers 2 --out m.json",
        "m.json",
        deals_of("m.json"),
        again="--resume",
        result=payoffs,
    ),
    "league": Kind(
        "match daihinmin --agents random --rounds 2500 --workers 1 --out m.json",
        "m.json",
        deals_of("m.json"),
        again="--resume",
        result=payoffs,
    ),
    "solve": Kind(
        "solve leduc --algorithm mccfr --iterations 1500000 --out s",
        "s/mccfr/learner.npz",
        history("s/mccfr/learner.npz"),
        again="--resume",
        result=lambda folder: kept(folder / "s/mccfr/strategy.npz", "probabilities"),
    ),
    "shards": Kind(
        SHARDS.format(3000), "s", shards_begun, result=files_of, patch=SMALL_SHARDS, needs="pyarrow"
    ),
    "parts": Kind(
        "reproduce deeprocket --only figures --network rule --best random --games 2000 "
        "--iterations 2 --workers 1 --out r",
        "r/figures/DR-v-MW-01.json",
        lambda folder: len(figures(folder)),
        result=figures,
        needs="matplotlib",
    ),
    "solver by the clock": Kind(
        "train uh-leduc --algorithm q-learning --minutes 10 --out q",
        "q/learner.npz",
        history("q/learner.npz"),
    ),
    "weights": Kind(
        "train doudizhu --algorithm decompose --minutes 10 --out d",
        "d/decompose.npz",
        history("d/decompose.npz"),
    ),
    "tables": Kind(
        "train chinese-poker --minutes 10 --out t",
        "t/training.npz",
        history("t/training.npz"),
        patch=SMALL_TABLES,
        needs="scipy",
    ),
    "bids": Kind(BIDS.format(300_000), "b/deals.npz", history("b/deals.npz"), needs="scipy"),
    "bid network": Kind(
        "train bid-net --deals b/deals.npz --minutes 10 --out n --threads 1",
        "n/bid.ckpt",
        lambda folder: of_torch("n/bid.ckpt", "numbers")(folder)[0],
        setup=(BIDS.format(3000),),
        needs="torch",
    ),
    "ppo": Kind(
        "train doudizhu --opponents random --minutes 10 --out p",
        "p/model.zip",
        timesteps,
        needs="sb3_contrib",
    ),
    "network": Kind(
        "train kicker-net --records s --minutes 10 --out n --threads 1 --batch 16",
        "n/kicker.ckpt",
        of_torch("n/kicker.ckpt", "closedhand", "step"),
        setup=(SHARDS.format(400),),
        patch=SMALL_SHARDS,
        needs="lightning",
    ),
    "fine-tuning": Kind(
        "train self-play --minutes 10 --out f --threads 1",
        "f/self-play.ckpt",
        of_torch("f/self-play.ckpt", "steps"),
        patch="from closedhand.baselines.doudizhu.deeprocket import fine_tuning; "
        "fine_tuning.train.__kwdefaults__['deals'] = 4",
        needs="torch",
    ),
}
DEADLINE = 240.0
"""Seconds for anything to happen; the first use of a kernel compiles it."""


def start(kind: Kind, folder: Path, command: str) -> subprocess.Popen[str]:
    """Start a command that saves behind every piece of work."""
    program = "; ".join(
        [
            "from closedhand.core import run",
            "run.SAVE_EVERY = run.MOST_SAVING = 0.0",
            *([kind.patch] if kind.patch else []),
            "from closedhand.cli import main",
            "main()",
        ]
    )
    return subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", program, *command.split()],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(kind: Kind, folder: Path, command: str) -> None:
    """Run a command to its end."""
    process = start(kind, folder, command)
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, errors


def how_far(kind: Kind, folder: Path) -> Any:
    """How far the checkpoint is, None while there is none."""
    return kind.how_far(folder) if (folder / kind.checkpoint).exists() else None


def wait(process: subprocess.Popen[str], met: Callable[[], Any]) -> None:
    """Wait until something is so, or the process has ended."""
    end = time.monotonic() + DEADLINE
    while not met() and process.poll() is None:
        assert time.monotonic() < end, "nothing happens"
        time.sleep(0.02)


@pytest.fixture
def processes() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that do not outlive a test."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="interrupts are sent otherwise on Windows")
@pytest.mark.parametrize("name", KINDS)
def test_killed_and_interrupted_work_goes_on(
    name: str, tmp_path: Path, processes: list[subprocess.Popen[str]]
) -> None:
    kind = KINDS[name]
    pytest.importorskip(kind.needs)
    folder, whole = tmp_path / "interrupted", tmp_path / "whole"
    folder.mkdir(), whole.mkdir()
    for command in kind.setup:
        finish(kind, folder, command)

    process = start(kind, folder, kind.command)
    processes.append(process)
    wait(process, lambda: how_far(kind, folder))
    assert process.poll() is None, process.communicate()[1]
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    killed = how_far(kind, folder)
    assert killed

    process = start(kind, folder, f"{kind.command} {kind.again}")
    processes.append(process)
    wait(process, lambda: how_far(kind, folder) != killed)
    after = how_far(kind, folder)
    if process.poll() is None:
        # As a terminal does: to all processes.
        os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=DEADLINE)
    assert process.returncode == 130, errors
    notes = [line for line in errors.splitlines() if "interrupted" in line]
    assert len(notes) == 1 and notes[0].startswith("closedhand: interrupted"), errors
    assert "Traceback" not in errors
    stopped = how_far(kind, folder)
    if isinstance(killed, list):
        assert after[: len(killed)] == stopped[: len(killed)] == killed
        assert len(stopped) > len(killed)
    else:
        assert stopped >= after > killed

    if kind.result is not None:
        finish(kind, folder, f"{kind.command} {kind.again}")
        finish(kind, whole, kind.command)
        np.testing.assert_equal(kind.result(folder), kind.result(whole))

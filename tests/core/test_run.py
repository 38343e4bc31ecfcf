"""Long work in one process: clock, checkpoints, settings. As commands: tests/cli/test_faults.py."""

import multiprocessing
import os
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from closedhand import InputError
from closedhand.core import interrupt, run as long_work
from closedhand.core.files import WriteError
from closedhand.core.parts import Notes, Part, compute_parts
from closedhand.core.run import Run, Watch, check_same, work_off
from closedhand.core.version import __version__
from closedhand.core.workers import results_of


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
    assert str(error.value).startswith(f"{path} was made with seed 3, not 4: give that to resume")


def test_a_logger_gets_each_new_entry_of_the_history(tmp_path: Path) -> None:
    told: list[dict[str, Any]] = []
    run = counting(tmp_path / "run.npz")
    run.on_evaluation = told.append
    run.work(over=lambda: run.learner.number == 7)
    assert told == run.history and len(told) == 3
    again = counting(tmp_path / "run.npz").resume()
    again.on_evaluation = told.append
    again.work(over=lambda: again.learner.number == 9)
    assert told == again.history and len(told) == 4


def test_an_evaluation_that_was_interrupted_is_made_up_for(tmp_path: Path) -> None:
    def begin() -> Run[Counter]:
        return Run(Counter(), {}, tmp_path / "run.npz", note_checkpoints=False)

    run = begin()
    run.work(over=lambda: run.learner.number == 3)
    run.learner.number += 1
    run.seconds += 1.0
    run.save()
    assert numbers(run) == [3]
    for _ in range(2):
        run = begin().resume()
        run.note()
        run.save()
        assert numbers(run) == [3, 4]


def making(folder: Path) -> Run[Counter]:
    """Make a run with a result besides the checkpoint."""
    made = folder / "number.txt"

    def save() -> None:
        made.write_text(str(run.learner.number))

    run = Run(Counter(), {}, folder / "run.npz", save, made=made)
    return run


def test_a_result_without_a_checkpoint_is_of_another_run(tmp_path: Path) -> None:
    path = tmp_path / "number.txt"
    path.write_text("5")
    with pytest.raises(InputError, match=r"number\.txt is of another training: name another fold"):
        making(tmp_path).resume_if_kept()
    run = making(tmp_path)
    assert not run.resume_if_kept(restart=True)
    run.work(over=lambda: run.learner.number == 3)
    assert path.read_text() == "3" and making(tmp_path).resume_if_kept()


@pytest.mark.parametrize("saved", [False, True])
def test_a_kill_at_the_first_checkpoint_leaves_what_is_resumed(tmp_path: Path, saved: bool) -> None:
    """Killed before or after the result is written."""

    def save() -> None:
        if saved:
            before()
        raise ZeroDivisionError

    run = making(tmp_path)
    before, run.save_results = run.save_results, save
    with pytest.raises(ZeroDivisionError):
        run.work(over=lambda: run.learner.number == 7)
    again = making(tmp_path)
    assert again.resume_if_kept() and again.learner.number == 7
    again.work(over=lambda: again.learner.number == 7)  # no more work, and yet there is the result
    assert (tmp_path / "number.txt").read_text() == "7"


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


def test_what_a_learner_refuses_is_said_of_the_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def restore(learner: Counter, state: dict[str, Any]) -> None:
        raise InputError("it lacks 'number'")

    path = tmp_path / "run.npz"
    counting(path).save()
    monkeypatch.setattr(Counter, "restore", restore)
    with pytest.raises(InputError) as error:
        counting(path).resume()
    assert str(error.value) == f"{path} cannot be resumed: it lacks 'number'"


@pytest.mark.parametrize("seconds", ["NaN", "Infinity", "-1"])
def test_damaged_seconds_are_not_resumed(tmp_path: Path, seconds: str) -> None:
    path = tmp_path / "run.npz"
    counting(path).save()
    with np.load(path) as data:
        np.savez(path, **{**data, "seconds": np.array(seconds)})
    with pytest.raises(InputError, match="holds nothing to resume"):
        counting(path).resume()


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


def test_ctrl_c_in_an_evaluation_saves_the_piece_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(long_work, "SAVE_EVERY", -1.0)  # every piece is saved
    monkeypatch.setattr(long_work, "MOST_SAVING", -1.0)

    def summary() -> dict[str, Any]:
        signal.raise_signal(signal.SIGINT)
        interrupt.check()
        return {}

    def begin() -> Run[Counter]:
        return Run(Counter(), {}, tmp_path / "run.npz", note_checkpoints=False)

    run = begin()
    run.learner.summary = summary  # type: ignore[method-assign]
    assert run.work().interrupted
    assert run.history == [] and begin().resume().learner.number == run.learner.number == 3


def test_ctrl_c_stays_ignored_where_it_is(tmp_path: Path) -> None:
    """As in a process that a shell has started in the background."""

    def progress() -> None:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run = counting(tmp_path / "run.npz")
        assert not run.work(over=lambda: run.learner.number == 3, progress=progress).interrupted
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


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

    with Watch(save) as watch:
        while clock[0] < 500 and watch.tick():
            clock[0] += 10
    # The second one waits for twenty times what the first one took.
    assert saved[:2] == [20, 135] and saved[-1] >= 500


def test_settings_are_named_with_both_values() -> None:
    check_same(Path("x"), {"a": 1, "b": 2}, {"a": 1})
    for off, on in (({"a": 1, "b": True}, {"a": 1, "b": False}), ({"a": 1}, {"a": 1, "b": None})):
        with pytest.raises(InputError, match=r"^x was made with options"):
            check_same(Path("x"), {"options": off}, {"options": on})
    with pytest.raises(InputError, match=r"^x was made with b None, not 3: give"):
        check_same(Path("x"), {"a": 1}, {"a": 1, "b": 3})


@pytest.mark.parametrize("version", ["9.9.9", f"{__version__}.1", "9" * 5000, 1, None])
def test_only_the_version_that_began_it_goes_on(version: object) -> None:
    check_same(Path("x"), {"version": __version__}, {"version": __version__})
    with pytest.raises(InputError, match=r"^x was begun by version .* let that version finish it"):
        check_same(Path("x"), {"version": version}, {"version": __version__})


def test_of_options_only_those_that_differ_are_named() -> None:
    found = {"rounds": 50, "rules": "uecda", "old": 1}
    wanted = {"rounds": 100, "rules": "uecda", "new": 2}
    told = r"^x was made with options rounds=50, no new, old=1, not rounds=100, new=2, no old: "
    with pytest.raises(InputError, match=told):
        check_same(Path("x"), {"options": found}, {"options": wanted})


def test_checksums_of_files_have_to_agree() -> None:
    check_same(Path("x"), {"files": {"a": "1"}}, {"files": {"a": "1"}})
    with pytest.raises(InputError, match="made with files a=1, not a=2"):
        check_same(Path("x"), {"files": {"a": "1"}}, {"files": {"a": "2"}})


def computed(folder: Path, *parts: Part) -> Any:
    named = {f"part-{i}": part for i, part in enumerate(parts)}
    return compute_parts(named, folder, {"seed": 1}, lambda *_: None)


def test_parts_go_on_where_they_were(tmp_path: Path) -> None:
    def stopped(tell: Notes) -> dict[str, Any]:
        signal.raise_signal(signal.SIGINT)
        tell(0.5)
        raise AssertionError("not interrupted")

    def first(tell: Notes) -> dict[str, Any]:
        done.append(tell.begun)
        return {"x": 0}

    done: list[Any] = []
    with pytest.raises(KeyboardInterrupt):
        computed(tmp_path, first, stopped)
    assert computed(tmp_path, first, lambda tell: {"x": 1}) == {
        "part-0": {"x": 0},
        "part-1": {"x": 1},
    }
    assert done == [None]


@pytest.mark.parametrize("other", [False, True])
def test_a_part_keeps_what_it_has_begun(tmp_path: Path, other: bool) -> None:
    def count(tell: Notes) -> dict[str, Any]:
        numbers: list[int] = list(tell.begun or [])
        tell.keep(lambda: numbers)
        while len(numbers) < 6:
            numbers.append(len(numbers))
            played.append(numbers[-1])
            if len(played) == 4:
                signal.raise_signal(signal.SIGINT)
            tell(len(numbers) / 6)
        return {"numbers": numbers}

    played: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        computed(tmp_path, count)
    if other:
        (tmp_path / "part-0.json").write_text('{"settings": {"seed": 2}, "begun": [5]}')
    assert computed(tmp_path, count) == {"part-0": {"numbers": [*range(6)]}}
    assert played == [*range(4), *range(0 if other else 4, 6)]


@pytest.mark.parametrize("text", ["{", "[1]", '{"settings": {}, "title": "a thesis"}'])
def test_what_is_no_part_is_not_written_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "part-1.json").write_text(text)
    with pytest.raises(WriteError, match=r"part-1\.json: it exists and is not a part of a"):
        computed(tmp_path, lambda tell: {}, lambda tell: {})
    assert [path.name for path in tmp_path.iterdir()] == ["part-1.json"]


def test_runs_without_notes_are_removed(tmp_path: Path) -> None:
    """They are of another version or of other settings."""

    def count(notes: Notes) -> dict[str, Any]:
        notes.own(tmp_path / "run")
        notes.keep(dict)
        (tmp_path / "run").mkdir(exist_ok=True)
        path = tmp_path / "run" / "number"
        number = int(path.read_text()) if path.exists() else 0
        path.write_text(str(number + 1))
        if number == 0:
            raise KeyboardInterrupt
        return {"number": number}

    for seed in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            compute_parts({"part": count}, tmp_path, {"seed": seed}, lambda *_: None)
        found = compute_parts({"part": count}, tmp_path, {"seed": seed}, lambda *_: None)
        assert found == {"part": {"number": 1}}


def square(number: int) -> int:
    return number * number


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_come_in_order_until_ctrl_c(workers: int, capfd: pytest.CaptureFixture[str]) -> None:
    jobs = [(i,) for i in range(20)]
    assert list(results_of(square, jobs, jobs[:1], workers)) == [i * i for i in range(20)]
    found: list[int] = []

    def take(result: int) -> None:
        found.append(result)
        if len(found) == 5:
            # As a terminal does: to all processes.
            for process in multiprocessing.active_children():
                os.kill(process.pid or 0, signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    assert work_off(square, jobs, jobs[:1], workers, take, lambda: found) is found
    # Those that are done in other processes count as well.
    assert found == [i * i for i in range(len(found))] and len(found) >= 5
    assert workers == 2 or len(found) == 5
    with pytest.raises(KeyboardInterrupt):
        found.clear()
        work_off(square, jobs, jobs[:1], workers, take, lambda: None)
    assert not capfd.readouterr().err


def square_or_end(number: int) -> int:
    if number == 3:
        time.sleep(0.5)
        os.kill(os.getpid(), signal.SIGKILL)
    return square(number)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals")
def test_a_process_that_is_ended_from_outside_is_one_line() -> None:
    found: list[int] = []
    saved: list[list[int]] = []
    jobs = [(i,) for i in range(20)]
    with pytest.raises(InputError, match=r"a worker process was ended from outside.* --resume"):
        work_off(square_or_end, jobs, [], 2, found.append, lambda: found or None, saved.append)
    assert found == [0, 1, 4] and saved[-1] == found


def test_no_jobs_are_left() -> None:
    """As after a kill between the last job and the end."""
    assert work_off(square, [], [(1,)], 2, print, lambda: "all") == "all"


def test_jobs_save_what_they_have_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_work, "SAVE_EVERY", 0.0)
    monkeypatch.setattr(long_work, "MOST_SAVING", 0.0)
    found: list[int] = []
    saved: list[list[int]] = []
    jobs = [(i,) for i in range(4)]
    work_off(square, jobs, [], 1, found.append, lambda: found[1:] or None, saved.append)
    assert saved == [[1], [1, 4], [1, 4, 9]]

"""Games are prepared in the background: in order, once, and first where somebody waits."""

import sys
import threading
from pathlib import Path

import pytest

from closedhand.web import preparation
from closedhand.web.preparation import STAGES, Preparation

NUMBER = len(STAGES)
COMPILE = Preparation._compile


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, str]]:
    """What is compiled and loaded, in place of doing it."""
    found: list[tuple[str, str, str]] = []
    monkeypatch.setattr(
        Preparation, "_compile", lambda self, *each: not found.append(("compile", *each))
    )
    for stage in preparation.STAGES:
        monkeypatch.setitem(
            preparation.STAGES, stage, lambda game, s=stage: found.append(("load", game.name, s))
        )
    return found


def run(games: list[str], file: Path | None) -> Preparation:
    one = Preparation(games, file)
    one.start()
    for stage in STAGES:
        for game in games:
            one.wait(game, stage)
    return one


def test_what_was_compiled_once_is_only_loaded(
    calls: list[tuple[str, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "compiled.txt"
    one = run(["leduc", "uh_leduc"], file)
    assert one.status() == {"left": [], "done": 2 * NUMBER, "total": 2 * NUMBER}
    assert calls[:2] == [("compile", "leduc", "table"), ("load", "leduc", "table")]
    assert len(calls) == 4 * NUMBER
    run(["leduc", "uh_leduc"], file)
    assert [what for what, *_ in calls[4 * NUMBER :]] == ["load"] * 2 * NUMBER
    monkeypatch.setattr(preparation, "CACHE", "another version")
    run(["leduc"], file)
    assert calls[6 * NUMBER] == ("compile", "leduc", "table")


def test_the_stage_that_is_waited_for_comes_next(
    calls: list[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def first(game: object) -> None:
        begun.set()
        assert goes_on.wait(60)

    monkeypatch.setitem(preparation.STAGES, "table", first)
    one = Preparation(["leduc", "uh_leduc", "chinese_poker"], None)
    one.start()
    assert begun.wait(60)
    wanted = [("chinese_poker", "hints"), ("leduc", "table")]
    threads = [threading.Thread(target=one.wait, args=each) for each in wanted]
    for thread in threads:
        thread.start()
    while len(one._wanted) < len(wanted):
        pass
    assert one.status()["left"][0] == ["leduc", "table"]  # the present one
    goes_on.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert calls[1] == ("compile", "chinese_poker", "hints")
    for stage in STAGES:
        one.wait("chinese_poker", stage)
    assert len(calls) == len(set(calls))  # what is ready by now is not prepared again


def test_nobody_waits_for_ever(
    calls: list[tuple[str, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A failure of the preparation, or a game that it does not know, holds nobody up."""

    def fail(game: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setitem(preparation.STAGES, "table", fail)
    one = run(["leduc", "uh_leduc"], None)
    one.wait("unknown")
    assert one.status()["left"] == []
    loaded = [each for each in calls if each[0] == "load" and each[2] == "hints"]
    assert loaded == [("load", "leduc", "hints"), ("load", "uh_leduc", "hints")]


def test_an_interrupted_compilation_is_not_noted(
    calls: list[tuple[str, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server ended, or the process was killed: the next start compiles again."""
    file = tmp_path / "compiled.txt"
    with monkeypatch.context() as patch:
        patch.setattr(preparation, "COMMAND", (sys.executable, "-c", "input()"))
        patch.setattr(Preparation, "_compile", COMPILE)
        run(["leduc"], file)
    assert not file.exists()
    run(["leduc"], file)
    assert [what for what, *_ in calls] == ["load"] * NUMBER + ["compile", "load"] * NUMBER


@pytest.mark.slow
def test_the_other_process_compiles_and_answers() -> None:
    one = Preparation(["leduc"], None)
    assert one._compile("leduc", "table")
    assert one._compile("nothing", "table")
    process = one._process
    assert process is not None and process.poll() is None
    one.close()
    assert process.wait(60)

"""The command `bench`: rates of the installed package."""

import json

import pytest
from support_cli import assert_refused, run_to

from closedhand import make_game
from closedhand.arena import speed
from closedhand.arena.speed import on_device

SMALL = ("--seconds", "0.001", "--games", "2")


@pytest.mark.slow
def test_every_form_has_a_rate() -> None:
    result = run_to(0, "bench", "chinese-poker", *SMALL, "--agents", "random", "--json")
    found = json.loads(result.stdout)
    assert found["machine"]["cores"] >= 1 and found["device"] == "cpu"
    assert len(found["figures"]) == 6
    assert all(row["rate"] > 0 and row["game"].startswith("chine") for row in found["figures"])
    assert [row["what"] for row in found["figures"]][-1] == "agent random"
    assert "VectorEnv, 2 games, compact" in run_to(0, "bench", "chinese-poker", *SMALL).stdout


def test_every_form_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "random_games", lambda *given: 7)
    monkeypatch.setattr(speed, "VIEWS", 20)
    figures = list(speed.on_cpu(make_game("leduc"), 2, ["random"], "random", 0.0))
    assert [(figure.what, figure.unit) for figure in figures] == [
        ("random games in a kernel", "actions"),
        ("VectorEnv, 2 games, planes", "steps"),
        ("VectorEnv, 2 games, compact", "steps"),
        ("AEC env, planes", "steps"),
        ("Env against random, planes", "steps"),
        ("agent random", "decisions"),
    ]
    assert all(figure.rate > 0 for figure in figures)


def test_a_rate_is_of_work_after_a_first_round() -> None:
    clock, work = iter([10.0, 10.0, 10.5, 12.0]), iter([1000, 3, 5])
    assert speed.rate(lambda: next(work), 2.0, lambda: next(clock)) == 8 / 2


def test_the_code_of_a_gpu_runs_on_a_cpu_too() -> None:
    pytest.importorskip("torch")
    figures = list(on_device(make_game("leduc"), 2, ["random"], "cpu", 0.001))
    assert len(figures) == 4 and all(figure.rate > 0 for figure in figures)
    assert figures[-1].what == "random in all seats, 2 games, compact"


def test_nothing_is_measured_if_a_game_lacks_an_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "on_cpu", lambda *given: pytest.fail("measured"))
    games = ("leduc", "chinese-poker")
    assert_refused("no agent 'equilibrium'", "bench", *games, "--agents", "equilibrium", *SMALL)


def test_bad_input_is_refused() -> None:
    torch = pytest.importorskip("torch")
    assert_refused("bad", "bench", "leduc", "--agents", "bad", *SMALL)
    assert_refused("no game", "bench", "chess", *SMALL)
    if not torch.cuda.is_available():
        assert_refused("not available", "bench", "leduc", "--device", "cuda", *SMALL)

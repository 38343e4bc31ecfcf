"""`solve` and `judge` in any small game."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support_cli import run, run_to
from support_kuhn import KUHN_VALUE, kuhn as kuhn

from closedhand.cli import common
from closedhand.solvers import strategy

pytestmark = pytest.mark.usefixtures("in_empty_folder", "kuhn")


def test_a_game_of_another_package_is_solved_played_and_judged(tmp_path: Path) -> None:
    arguments = ("solve", "kuhn", "--algorithm", "cfr+,lp", "--iterations", "500", "--out", "s")
    data = json.loads(run_to(0, *arguments, "--json").stdout)["runs"]
    assert data[0]["value"] == pytest.approx(KUHN_VALUE, abs=1e-3)
    assert data[1]["value"] == pytest.approx(KUHN_VALUE, abs=1e-9)
    assert list(data[0]["best_responses"]) == ["first", "second"]
    table = run_to(0, *arguments).stdout
    assert "first wins" in table and "exact value for first: -0.0555555555" in table
    agent = f"strategy:{tmp_path / 's' / 'lp' / 'strategy.npz'}"
    judged = json.loads(run_to(0, "judge", "kuhn", agent, "--json").stdout)
    assert judged["nash_conv"] == pytest.approx(0, abs=1e-8)
    assert judged["information_sets"] == 12
    match = ("match", "kuhn", "--agents", f"{agent},random", "--deals", "50", "--workers", "1")
    assert json.loads(run_to(0, *match, "--json").stdout)["game"] == "kuhn"


def test_an_agent_is_judged_as_json_and_as_table() -> None:
    found = json.loads(run_to(0, "judge", "kuhn", "random", "--json").stdout)
    assert found["value"] == pytest.approx(0.125)
    assert found["nash_conv"] == pytest.approx(0.5 + 5 / 12)
    table = run_to(0, "judge", "kuhn", "random").stdout
    assert "12 information sets, 54 histories" in table and "NashConv" in table


def test_leduc_agents_are_judged_as_they_are_solved(tmp_path: Path) -> None:
    solved = ("solve", "leduc", "--iterations", "20", "--out", "s", "--json")
    found = json.loads(run_to(0, *solved).stdout)
    agent = f"strategy:{tmp_path / 's' / 'pcfr+' / 'strategy.npz'}"
    judged = json.loads(run_to(0, "judge", "leduc", agent, "--json").stdout)
    for name in ("value", "nash_conv", "exploitability"):
        assert judged[name] == pytest.approx(found[name], abs=1e-9)


def test_agents_without_a_policy_are_refused() -> None:
    assert "one deal of doudizhu" in run("judge", "doudizhu", "greedy").stderr


def test_sides_of_equal_roles_have_names_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    real = common.bind
    monkeypatch.setattr(common, "bind", lambda *given: replace(real(*given), roles=("player",) * 2))
    monkeypatch.setattr(strategy, "shared_responses", lambda played: {0: 1.0, 1: 2.0})
    found = json.loads(run_to(0, "judge", "kuhn", "random", "--json").stdout)
    first, second = found["shared_information"].items()
    assert first[0] != second[0] and (first[1], second[1]) == (1.0, 2.0)

"""The reproduction of the paper about kou."""

import json
import math
from pathlib import Path
from typing import Any, cast

import pytest

from closedhand import InputError
from closedhand.core import agents as registry
from closedhand.core.statistics import Estimate
from closedhand.papers.kou import report, reproduction as kou

MATCH = ("match", "daihinmin", "--agents", "default,random", "--workers", "1")


def test_scores_come_with_times() -> None:
    results = [{"agent": "kou", "microseconds_per_decision": 1234.56}]
    league = {"rounds": 200, "agents": ["kou"], "matches": [[300], [500]], "results": results}
    assert report._score_table([league], {200: (700,), 300: (900,)}) == [
        "| league of | agent | 200 rounds | points a round | 95% | µs a decision |",
        "|---|---|---|---|---|---|",
        "| kou | kou | 800 | 4.000 | -8.706 to 16.706 | 1,234.6 |",
        "| *paper* | *kou* | 700 | 3.000 | 300 rounds |  |",
    ]


def test_signs_are_told_where_both_are_certain() -> None:
    assert report.sign_of(Estimate(-50.0, -90.0, -10.0), -1211, 80) == "same"
    assert report.sign_of(Estimate(50.0, 10.0, 90.0), -1211, 80) == "other"
    assert report.sign_of(Estimate(50.0, -10.0, 90.0), -1211, 80) == "open"
    assert report.sign_of(Estimate(50.0, 10.0, 90.0), 160, 80) == "open"
    for mean in (-50.0, 50.0):  # of a single match
        assert report.sign_of(Estimate(mean, math.nan, math.nan), -1211, 80) == "open"


def test_every_agent_has_files_of_its_own() -> None:
    agents = {agent for seated, _ in kou.leagues(kou.Plan()).values() for agent in seated}
    assert len({kou.plain(agent) for agent in agents}) == len(agents)


def test_fewer_rounds_leave_a_longer_league_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kou, "MATCH", 2)
    path, game = tmp_path / "league.json", kou.the_game()

    def play(rounds: int) -> Any:
        part = kou._part(path, game, ["random"] * 5, rounds, kou.Plan())
        return part(cast(Any, lambda share: None))

    long = play(6)
    kept = path.read_text()
    short = play(2)
    assert (short["deals"], short["matches"]) == (1, long["matches"][:1])
    assert path.read_text() == kept
    assert play(6)["matches"] == long["matches"]
    assert play(8)["deals"] == 4
    assert json.loads(path.read_text())["deals"] == 4


@pytest.mark.slow
def test_the_paper_about_kou(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All tables are made, here with quick agents in place of the real ones."""
    entry = registry._entry_point

    class Quick:
        def __init__(self, name: str) -> None:
            point = entry("daihinmin", "random" if name == "monte-carlo" else "default")
            self.make = point.load()
            self.name, self.value, self.dist = point.name, point.value, point.dist

        def load(self) -> Any:
            return lambda game, seed, argument, **options: self.make(game, seed, None)

    monkeypatch.setattr(registry, "_entry_point", lambda game, name: Quick(name))
    for module in (kou, report):
        monkeypatch.setattr(module, "MATCH", 2)
    steps: list[float] = []

    def compute(**given: Any) -> dict[str, Any]:
        plan = kou.Plan(**{"rounds": 4, "search_rounds": 2, "enemies": ("default",), **given})
        return kou.compute(tmp_path, plan, lambda name, number, total: steps.append(number))

    results = compute()
    assert round(steps[-1]) == len(results) == len(kou.leagues(kou.Plan(enemies=("default",))))
    text = report.report(results)
    assert "\nDifferences: the text" in text
    for number in range(1, 7):
        assert f"## Table {number}" in text
    assert "| default | use_2 | +0 | +0 to +0 | open | +0 | +0 to +0 | open | +102 |" in text
    assert "| *paper* | *beersong* | 3.170 | 900 rounds |" in text
    assert "| default | 80 | +0 | +0 to +0 |" in text
    assert text.count("| kou | 1,000 | ") == 1
    report.pictures(results, tmp_path)
    for name in ("figure-2-kou.png", "figure-1-kou-letter-1.png", "sweep.png", "budget.png"):
        assert (tmp_path / name).exists()
    assert compute() == results
    table = compute(sections=("table-1",))
    assert table == {name: results[name] for name in table}
    assert [line for line in report.report(table).splitlines() if line.startswith("## Table")] == [
        "## Table 1: Among light class champions (pictures: figure-1-kou.png, "
        "figure-1-kou-letter-1.png)"
    ]
    assert compute(seed=1, sections=("table-1",)) != table
    with pytest.raises(InputError, match="must be a multiple of 2"):
        compute(rounds=5)

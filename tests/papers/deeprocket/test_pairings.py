"""The roles of the paper's agents."""

from pathlib import Path
from typing import Any

import pytest

from closedhand.arena import match
from closedhand.core.duplicate import play_chunk
from closedhand.papers.deeprocket import pairings

GAME = pairings.the_game()


def test_roles_are_those_of_a_duplicate_match() -> None:
    duplicate = play_chunk(GAME, ["greedy", "rule"], 3, range(5, 25)).returns
    roles = None, [GAME.sides]
    for table, specs in enumerate((("greedy", "rule"), ("rule", "greedy"))):
        played = play_chunk(GAME, specs, 3, range(5, 25), *roles)
        assert (played.returns[:, 0] == duplicate[:, table]).all()
    itself = play_chunk(GAME, ("rule", "rule"), 3, range(5, 25), *roles).returns
    assert (itself[:, 0] != duplicate[:, 0]).any()


def test_agents_that_search_by_the_clock_play_in_one_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: dict[tuple[str, ...], int] = {}

    def work_off(work: Any, jobs: list[Any], first: Any, workers: int, take: Any, *_: Any) -> None:
        found[tuple(jobs[0][1])] = workers
        for job in jobs:
            take(work(*job))

    monkeypatch.setattr(pairings, "work_off", work_off)
    monkeypatch.setattr(match, "is_clocked", lambda game, agents: "greedy" in agents)
    pairings.compute("rule", "greedy", 2, 1, tmp_path, 0, 7, lambda name, done: None)
    assert found == {
        ("rule", "greedy"): 1, ("rule", "rule"): 7, ("greedy", "rule"): 1, ("greedy", "greedy"): 1,
    }  # fmt: skip


def test_names_of_agents_are_no_formulas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    drawn: list[Any] = []
    monkeypatch.setattr(pairings, "save_figure", lambda figure, path: drawn.append(figure))
    rates = {name: {"mean": 0.5, "low": 0.4, "high": 0.6} for name in pairings.PAIRINGS}
    data = {
        "agents": {"DR": "policy-net:$a_b_c$", "MW": "rule"}, "games": 2, "deals": 2,
        "iterations": {name: [0.5] for name in rates}, "landlord": rates, "peasants": rates,
    }  # fmt: skip
    pairings.pictures(data, tmp_path)
    titles = [figure.get_suptitle() for figure in drawn]
    assert len(titles) == 2
    assert all(title.startswith(r"DR: policy-net:\$a_b_c\$, MW: rule; ") for title in titles)

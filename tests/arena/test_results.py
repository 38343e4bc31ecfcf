"""The results of matches."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.arena import match, plot, results
from closedhand.cli.match import budget_used, show_match
from closedhand.core import duplicate
from closedhand.search import stopping

DOUDIZHU = make_game("doudizhu")


def test_points_are_those_of_the_side_that_an_agent_plays() -> None:
    # One deal, two tables, three seats; agent 0 is the landlord at the first one.
    returns = np.array([[[6.0, -3.0, -3.0], [-12.0, 6.0, 6.0]]])
    assert duplicate.tables(DOUDIZHU.sides) == [(0, 1, 1), (1, 0, 0)]
    assert results.points(DOUDIZHU, returns, 0).tolist() == [[6.0, 12.0]]
    assert results.points(DOUDIZHU, returns, 1).tolist() == [[-12.0, -6.0]]
    assert results.role_names(DOUDIZHU) == ["landlord", "peasants"]


def test_summaries_are_json_and_complete() -> None:
    data = json.loads(json.dumps(results.summary(match.play(DOUDIZHU, ["rule", "greedy"], 20, 8))))
    assert data["game"] == "doudizhu"
    assert data["options"]["rules"] == "deeprocket"
    assert (data["seed"], data["deals"]) == (8, 20)
    (pair,) = data["pairs"]
    assert np.shape(pair["returns"]) == (20, 2, 3)
    assert [(r["agent"], r["role"]) for r in pair["results"]] == [
        (agent, role) for agent in ("rule", "greedy") for role in ("landlord", "peasants", "all")
    ]
    rule, greedy = pair["results"][2], pair["results"][5]
    assert rule["points"]["mean"] == pytest.approx(-greedy["points"]["mean"])
    assert all(time > 0 for time in pair["microseconds_per_decision"])


def test_columns_are_those_of_the_literature() -> None:
    """WP is the win rate; ADP has a base of 1, whatever the stake is, and bombs."""
    for base in (1, 3):
        game = make_game("doudizhu", rules="douzero", base=base)
        played = match.play(game, ["rule", "greedy"], 30, 8)
        (pair,) = results.summary(played)["pairs"]
        for row in pair["results"]:
            assert row["columns"].keys() == {"WP", "ADP"}
            assert row["columns"]["WP"] == row["win_rate"]
            for end, value in row["columns"]["ADP"].items():
                assert value == pytest.approx(row["points"][end] / base, abs=1e-5)
        landlord = played.pairs[0].returns[:, 0, 0] / base
        assert set(np.abs(landlord)) <= {2.0, 4.0, 8.0, 16.0}
        assert pair["results"][0]["columns"]["ADP"]["mean"] == pytest.approx(landlord.mean())


@pytest.mark.parametrize(
    ("name", "options", "columns"),
    [
        ("doudizhu", {"objective": "win"}, {"WP"}),
        ("doudizhu", {"bidding": True}, {"WP"}),
        ("uh_leduc", {}, set()),
    ],
)
def test_columns_are_shown_where_they_apply(name: str, options: dict, columns: set[str]) -> None:
    played = match.play(make_game(name, **options), ["random", "random"], 3, 1)
    (pair,) = results.summary(played)["pairs"]
    assert all(row["columns"].keys() == columns for row in pair["results"])


def test_what_searches_have_cost_is_counted_and_resumed(tmp_path: Path) -> None:
    agents = ["search[threads=1,worlds=4]:16", "rule"]
    whole = results.summary(match.play(DOUDIZHU, agents, 4, 1))
    spent, nothing = whole["pairs"][0]["spent"]
    assert nothing is None
    # Simulations come in batches, and a decision that needs none costs nothing.
    assert 0 < spent["searches"] <= whole["pairs"][0]["decisions"][0]
    assert spent["simulations"] >= 16 * spent["searches"]
    assert spent["seconds"] > 0 and spent["processor_seconds"] > 0
    path = tmp_path / "match.json"
    results.save(path, whole)
    loaded = results.load(path, DOUDIZHU, agents, 1)
    assert results.summary(loaded)["pairs"][0]["spent"] == whole["pairs"][0]["spent"]


@pytest.mark.parametrize("spent", [5, [None], [{"searches": 1}, None], [{}, "a"]])
def test_damaged_costs_are_refused(tmp_path: Path, spent: object) -> None:
    data = results.summary(match.play(DOUDIZHU, ["rule", "greedy"], 2, 1))
    data["pairs"][0]["spent"] = spent
    results.save(tmp_path / "match.json", data)
    with pytest.raises(InputError, match="holds no match to resume"):
        results.load(tmp_path / "match.json", DOUDIZHU, ["rule", "greedy"], 1)


def test_a_search_with_one_thread_starts_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search starts as many threads as its option says, and none for one, whatever its budget."""
    started: list[int] = []

    class Counting(ThreadPoolExecutor):
        def __init__(self, number: int) -> None:
            started.append(number)
            super().__init__(number)

    monkeypatch.setattr(stopping, "ThreadPoolExecutor", Counting)
    view = DOUDIZHU.view(DOUDIZHU.deal(np.random.default_rng(2)), 0)
    for number in (1, 3):
        for argument in ("5ms", "64"):
            make_agent(DOUDIZHU, f"search[threads={number}]:{argument}").act(view)
    assert started == [3, 3]


def test_a_score_is_that_of_the_summary() -> None:
    played = match.play(make_game("uh_leduc"), ["random", "equilibrium[iterations=20]"], 40, seed=3)
    score = results.score(played)
    own = next(
        row
        for row in results.summary(played)["pairs"][0]["results"]
        if row["agent"] == "random" and row["role"] == "all"
    )
    assert (score.agents, score.deals) == (played.names, 40)
    for estimate, row in ((score.won, own["win_rate"]), (score.points, own["points"])):
        assert estimate.mean == pytest.approx(row["mean"], abs=1e-6)
        assert estimate.low < row["mean"] < estimate.high
    assert str(score).startswith("random against equilibrium…ations=20]: won ")
    assert str(score).endswith(", 40 duplicate deals")


def test_labels_differ_even_from_names_with_a_number() -> None:
    assert results.labels(["a", "a-2", "a", "a"]) == ("a", "a-2", "a-3", "a-4")
    assert len(set(results.labels(["a", "a", "a-2"]))) == 3


def test_a_difference_is_of_the_points_on_the_same_deals() -> None:
    [pair] = results.summary(match.play(make_game("leduc"), ["random", "random"], 30, 2))["pairs"]
    points = {(row["agent"], row["role"]): row["points"]["mean"] for row in pair["results"]}
    for role, difference in pair["difference"].items():
        expected = points["random", role] - points["random-2", role]
        assert difference["mean"] == pytest.approx(expected, abs=2e-6)
    assert pair["difference"]["all"]["mean"] != 0


def test_agents_with_one_name_are_told_apart() -> None:
    played = match.play(make_game("leduc"), ["random", "random", "random"], 2)
    shown = [pair["agents"] for pair in results.summary(played)["pairs"]]
    assert shown == [["random", "random-2"], ["random", "random-3"], ["random-2", "random-3"]]
    assert results.score(played).agents == ("random", "random-2")


@pytest.mark.parametrize("name", ["m$_^$x", r"n$\frac$x", "l\udcff", "a$_b$c"])
def test_any_name_can_be_drawn(name: str, tmp_path: Path) -> None:
    data = results.summary(match.play(make_game("leduc"), ["random", "random"], 5, 1))
    (pair,) = data["pairs"]
    pair["agents"] = [name, "random"]
    plot.plot_match(data, tmp_path / "match.png")
    assert (tmp_path / "match.png").stat().st_size > 1000
    assert plot.drawn("a$_b$c") == r"a\$_b\$c"


def test_sides_of_equal_roles_are_all_there() -> None:
    [pair] = results.summary(match.play(make_game("daihinmin"), ["random"] * 2, 2))["pairs"]
    roles = ["player", *(f"player-{i}" for i in (2, 3, 4, 5)), "all"]
    assert [row["role"] for row in pair["results"]] == [*roles, *roles]
    assert list(pair["difference"]) == roles
    gaps = [each["mean"] for each in pair["difference"].values()]
    assert np.mean(gaps[:5]) == pytest.approx(gaps[5], abs=1e-5)


def test_no_win_rate_where_no_payoff_is_a_loss(capsys: pytest.CaptureFixture[str]) -> None:
    """Every payoff of Daihinmin is positive: all would have won all games."""
    played = match.play(make_game("daihinmin"), ["random"] * 2, 2)
    score, data = results.score(played), results.summary(played)
    assert score.won is None and "won" not in str(score) and " points a game" in str(score)
    assert all(row["win_rate"] is None for row in data["pairs"][0]["results"])
    show_match(data)
    shown = capsys.readouterr().out
    assert "points" in shown and "win rate" not in shown


def test_searches_may_have_no_time() -> None:
    spent = {"searches": 2.0, "simulations": 8.0, "seconds": 0.0, "processor_seconds": 0.0}
    assert budget_used(spent) == "2 searches of 4 simulations and 0.0 ms"
    spent |= {"seconds": 0.1, "processor_seconds": 0.2}
    assert budget_used(spent) == "2 searches of 4 simulations and 50.0 ms, on 2.00 cores"

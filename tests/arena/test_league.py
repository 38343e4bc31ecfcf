"""Leagues: seats, rounds, statistics, resuming, the command line."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import interrupt_at
from support_cli import run

from closedhand import InputError, make_agent, make_game
from closedhand.arena import league
from closedhand.core.agents import Traits

SHORT = make_game("daihinmin", rounds=4, seat_period=2)
ONE = make_game("daihinmin", classes="random")


def summary(*arguments: Any, **options: Any) -> dict[str, Any]:
    return json.loads(json.dumps(league.summary(league.play(*arguments, **options))))


def test_every_agent_takes_every_seat_of_a_duplicate_once() -> None:
    seats = league.seats_of(ONE, 3, 7, 5)
    assert all(sorted(table) == list(range(5)) for table in (*seats, *seats.T))
    assert len({tuple(league.seats_of(ONE, 3, deal, 1)[0]) for deal in range(50)}) > 30


@pytest.mark.slow
@pytest.mark.parametrize(("game", "tables"), [(SHORT, 1), (SHORT, 5), (ONE, 5)])
def test_payoffs_are_those_of_the_games_by_agent(game: Any, tables: int) -> None:
    """Results equal those of single games, with agents that draw no random numbers."""
    played = league.play(game, ["default"], 3, 5, duplicate=tables > 1).played.returns
    assert played.shape == (3, tables, game.options["rounds"], 5)
    assert (np.sort(played) == [1, 2, 3, 4, 5]).all()
    agent = make_agent(game, "default")
    for deal in range(3):
        state = game.deal(np.random.default_rng((5, deal)))
        while not game.over(state):
            game.play(state, agent.act(game.view(state, int(state.player))))
        for table, seats in enumerate(league.seats_of(game, 5, deal, tables)):
            assert (played[deal, table].sum(axis=0)[seats] == game.returns(state)).all()


@pytest.mark.slow
def test_payments_within_a_round_are_added_up() -> None:
    """A game may pay in more stages than it has rounds."""
    whole, staged = (
        league.play(game, ["random"], 2).played.returns
        for game in (SHORT, replace(SHORT, rounds=1))
    )
    assert (staged == whole.sum(axis=2, keepdims=True)).all()


def test_equals_are_equal() -> None:
    data = summary(make_game("daihinmin", rounds=20), ["random"], 10, seed=1)
    assert [result["agent"] for result in data["results"]][::4] == ["random", "random-5"]
    points = [result["points"] for result in data["results"]]
    assert sum(p["mean"] for p in points) == pytest.approx(15)
    assert all(abs(p["mean"] - 3) < p["high"] - p["low"] < 0.7 for p in points)
    assert all(gap["low"] < 0 < gap["high"] for gap in data["differences"])


@pytest.mark.parametrize("game", [ONE, SHORT], ids=["rounds", "matches"])
def test_equals_on_duplicate_deals_differ_by_nothing(game: Any) -> None:
    data = summary(game, ["default"], 10, seed=2, duplicate=True)
    for gap in data["differences"]:
        assert (gap["mean"], gap["low"], gap["high"]) == (0, 0, 0)
    assert {result["points"]["high"] for result in data["results"]} == {3}
    assert all(result["places"] == [0.2] * 5 for result in data["results"])


def test_summaries_are_complete() -> None:
    data = summary(SHORT, ["random", "default", "random"], 12, seed=3)
    assert data["agents"] == ["random", "default", *["random"] * 3]
    assert (data["deals"], data["tables"], data["rounds"], data["duplicate"]) == (12, 1, 48, False)
    assert np.shape(data["points"]) == (12, 1, 4, 5)
    best = data["results"][1]
    assert best["agent"] == "default"
    assert best["points"]["mean"] == pytest.approx(np.mean(data["points"], axis=(0, 1, 2))[1])
    assert best["points"]["low"] > 4
    assert np.sum([result["places"] for result in data["results"]], axis=0) == pytest.approx(1)
    order = [data["differences"][0]["agents"][0]] + [g["agents"][1] for g in data["differences"]]
    means = {result["agent"]: result["points"]["mean"] for result in data["results"]}
    assert order == sorted(means, key=lambda name: -means[name])
    assert data["differences"][0]["low"] > 0.5
    assert all(result["microseconds_per_decision"] > 0 for result in data["results"])


def test_equal_payoffs_share_places() -> None:
    shares = league.places(np.array([[2.0, -1.0, -1.0], [0.0, 0.0, 0.0]]))
    assert shares == pytest.approx(np.array([[4, 1, 1], [1, 2.5, 2.5], [1, 2.5, 2.5]]) / 6)


def test_one_deal_has_an_interval_over_its_rounds() -> None:
    data = summary(SHORT, ["random"], 1)
    points = data["results"][0]["points"]
    assert data["blocks"] == 2 and points["low"] < points["mean"] < points["high"]
    data = summary(make_game("daihinmin"), ["random"], 1)
    points = data["results"][0]["points"]
    assert data["blocks"] == 1 and (points["low"], points["high"]) == (None, None)


@pytest.mark.slow
def test_a_league_of_another_game() -> None:
    game = league.bind("chinese_poker", {"players": 4}, 100, True)
    data = summary(game, ["separable", "random"], 20, seed=1, duplicate=True)
    assert data["differences"][0]["agents"][0] == "separable"
    assert data["differences"][0]["low"] > 5
    assert np.sum(data["points"], axis=3) == pytest.approx(0)


def test_games_of_leagues() -> None:
    def options(given: dict[str, Any], rounds: int, duplicate: bool) -> tuple[Any, ...]:
        game = league.bind("daihinmin", given, rounds, duplicate)
        return game.options["rounds"], game.options["classes"]

    assert options({}, 10_000, False) == (100, "none")
    assert options({}, 30, False) == (30, "none")
    assert options({"class_period": 50}, 10_000, False) == (50, "none")
    assert options({"rounds": 7}, 10_000, False) == (7, "none")
    assert options({}, 10_000, True) == (1, "random")
    assert options({"classes": "none"}, 10_000, True) == (1, "none")
    assert options({"rounds": 7}, 10_000, True) == (7, "none")
    with pytest.raises(InputError, match="three or more sides"):
        league.bind("doudizhu", {}, 100, True)


def test_a_game_with_a_fixed_number_of_rounds_is_not_shortened() -> None:
    fixed = replace(make_game("chinese_poker", players=3), rounds=3)
    assert league.one_round(fixed) is fixed and league.one_round(SHORT).rounds == 1


def test_rounds_beyond_all_bounds_are_refused() -> None:
    result = run("match", "daihinmin", "--agents", "random", "--rounds", "1" + "0" * 400)
    assert result.exit_code == 2 and "deals of a league is at most" in result.stderr


class Slow:
    """An agent that is steady, but not quick."""

    name = "slow"
    traits = Traits(microseconds=1e6, steady=True)

    def act(self, view: Any) -> int:
        raise NotImplementedError


def test_steady_and_quick_agents_play_many_deals_at_once() -> None:
    game, together = make_game("daihinmin", rounds=100), league.TOGETHER
    for agent, per_job in (
        ("policy", together),
        ("kou", together),
        ("random", 1),
        ("policy-search:20", 1),
        (Slow(), 1),
        (make_agent(game, "policy"), 1),
    ):
        assert league.deals_per_job(game, ["default", agent]) == per_job
    assert league.deals_per_job(make_game("daihinmin"), ["default"]) == league.CHUNK
    short = make_game("daihinmin", rounds=4)
    assert league.deals_per_job(short, ["default", "random"]) > 1
    assert league.deals_per_job(short, ["default", "policy-search:20"]) == 1


def test_deals_side_by_side_are_those_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(league, "CHUNK", 1)  # as for long deals
    game, seen, deals = make_game("daihinmin", rounds=2), list[int](), league.TOGETHER + 2
    agents = ["policy", "kou", "kou[letter=1]", "min-sets", "trick-ender"]
    played = league.play(game, agents, deals, 4, progress=seen.append)
    assert seen == [0, league.TOGETHER, deals]
    monkeypatch.setattr(league, "TOGETHER", 1)
    alone = league.play(game, agents, deals, 4)
    assert (played.played.returns == alone.played.returns).all()
    assert (played.played.decisions == alone.played.decisions).all()


@pytest.mark.slow
def test_processes_do_not_change_the_result() -> None:
    deals = league.CHUNK // 4 + 5
    one, two = (
        league.play(SHORT, ["default", "random"], deals, 5, workers=workers) for workers in (1, 2)
    )
    assert (one.played.returns == two.played.returns).all()
    assert (one.played.decisions == two.played.decisions).all()


def test_a_saved_league_is_read_back_with_its_settings(tmp_path: Path) -> None:
    agents, path = ["default", "random"], tmp_path / "league.json"
    data = summary(ONE, agents, 10, 6)
    path.write_text(json.dumps(data))
    again = league.summary(league.load(path, ONE, agents, 6, False))
    assert all(again[key] == data[key] for key in ("points", "differences", "decisions", "seconds"))
    for message, other in (
        ("seed 6, not 7", (ONE, agents, 7, False)),
        ("duplicate False", (ONE, agents, 6, True)),
        ("agents", (ONE, ["default"], 6, False)),
        ("options", (SHORT, agents, 6, False)),
    ):
        with pytest.raises(InputError, match=f"was made with {message}"):
            league.load(path, *other)


@pytest.mark.slow
@pytest.mark.parametrize("first", [10, 62, 70])
def test_a_resumed_league_is_as_if_never_interrupted(first: int, tmp_path: Path) -> None:
    game, agents = make_game("daihinmin", rounds=2), ["default", "random"]
    path = tmp_path / "league.json"
    path.write_text(json.dumps(summary(game, agents, first, 6)))
    played = league.load(path, game, agents, 6, False)
    assert played.deals == first
    seen: list[int] = []
    resumed = league.play(game, agents, 130, 6, played=played, progress=seen.append)
    assert seen == ([0] if first < 62 else []) + [62, 124, 130]
    whole = league.play(game, agents, 130, 6)
    assert (resumed.played.returns == whole.played.returns).all()
    for enough in (5, 130):
        assert league.play(game, agents, enough, 6, played=resumed) is resumed


def test_an_interruption_keeps_finished_deals() -> None:
    part = league.play(ONE, ["default"], 300, progress=interrupt_at(250))
    assert (part.interrupted, part.deals) == (True, 250)
    # With the last deal there is nothing left to interrupt.
    again = league.play(ONE, ["default"], 260, played=part, progress=interrupt_at(260))
    assert (again.interrupted, again.deals) == (False, 260)


@pytest.mark.parametrize(
    ("agents", "deals", "seed", "message"),
    [
        ([], 5, 0, "1 to 5 agents"),
        (["random"] * 6, 5, 0, "1 to 5 agents"),
        (["random"], 0, 0, "whole number of 1 or more"),
        (["random"], 5, -1, "seed"),
        (["nobody"], 5, 0, "no agent 'nobody'"),
    ],
)
def test_bad_leagues(agents: list[str], deals: int, seed: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        league.play(ONE, agents, deals, seed)


MATCH = ("match", "daihinmin", "--agents", "default,random", "--workers", "1")


@pytest.mark.slow
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*MATCH, "--rounds", "12", "--option", "rounds=5")
    assert result.exit_code == 0, result.output
    assert "random takes 4 seats" in result.stderr
    assert "playing 15 rounds, in deals of 5" in result.stderr
    for word in ("points", "5th", "default minus random", "over 3 deals", "daihinmin: 15 rounds"):
        assert word in result.stdout
    assert (tmp_path / "runs" / "league-daihinmin-rounds-5-default-random.json").exists()
    duplicate = (*MATCH, "--duplicate", "--out", "d.json", "--json")
    data = json.loads(run(*duplicate, "--deals", "4").stdout)
    assert (data["rounds"], data["options"]["classes"]) == (20, "random")
    assert json.loads(run(*duplicate, "--rounds", "31", "--resume").stdout)["deals"] == 7
    for arguments, reason in (
        ((*MATCH, "--deals", "4"), "takes --rounds"),
        ((*duplicate, "--deals", "4", "--rounds", "20"), "takes --rounds"),
        (("match", "leduc", "--agents", "random", "--rounds", "5"), "three or more sides"),
    ):
        result = run(*arguments)
        assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
        assert reason in result.stderr

"""Duplicate matches: statistics, processes, resuming."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import interrupt_at

from closedhand import Game, InputError, make_agent, make_game
from closedhand.arena import league, match, results
from closedhand.core.agents import NamedAgent, Traits
from closedhand.core.game import State
from closedhand.learning.evaluation import judge
from closedhand.solvers import strategy

DOUDIZHU = make_game("doudizhu")
AUCTION = make_game("doudizhu", bidding=True)


@pytest.mark.slow
@pytest.mark.parametrize("game", [DOUDIZHU, AUCTION], ids=["sides", "auction"])
@pytest.mark.parametrize("agent", ["rule", "greedy"])
def test_a_deterministic_agent_draws_with_itself(game: Game, agent: str) -> None:
    data = results.summary(match.play(game, [agent, agent], 100, seed=1))
    for gap in data["pairs"][0]["difference"].values():
        assert gap == {"mean": 0.0, "low": 0.0, "high": 0.0}


@pytest.mark.slow
def test_the_ranking_of_the_agents() -> None:
    """The better agent wins in both roles, with the whole interval above 0."""
    played = match.play(DOUDIZHU, ["greedy", "rule", "random"], 400, seed=2)
    data = results.summary(played)
    assert [pair["agents"] for pair in data["pairs"]] == [
        ["greedy", "rule"],
        ["greedy", "random"],
        ["rule", "random"],
    ]
    for pair in data["pairs"]:
        for result in pair["results"]:
            if result["agent"] == pair["agents"][0]:
                assert result["points"]["low"] > 0
                assert result["win_rate"]["low"] > 0.5
        assert pair["difference"]["all"]["low"] > 0


@pytest.mark.slow
def test_deals_are_the_same_for_every_pairing_and_number_of_deals() -> None:
    agents = ["rule", "greedy"]
    few = match.play(DOUDIZHU, agents, 130, seed=3).pairs[0].returns
    many = match.play(DOUDIZHU, [*agents, "greedy"], 260, seed=3).pairs[0].returns
    assert (few == many[:130]).all()
    other = match.play(DOUDIZHU, agents, 130, seed=4).pairs[0].returns
    assert (few != other).any()


@pytest.mark.slow
def test_processes_do_not_change_the_result() -> None:
    agents, deals = ["rule", "random"], 2 * match.CHUNK + 30
    one, two = (match.play(DOUDIZHU, agents, deals, 5, workers) for workers in (1, 2))
    assert (one.pairs[0].returns == two.pairs[0].returns).all()
    assert (one.pairs[0].decisions == two.pairs[0].decisions).all()


def test_agents_that_search_play_in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "CHUNK", 1)  # more than one job
    agents = ["search:20", "random"]
    one, two = (match.play(make_game("leduc"), agents, 2, 5, workers) for workers in (1, 2))
    assert (one.pairs[0].returns == two.pairs[0].returns).all()


def test_an_agent_that_processes_cannot_get_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def factory(game: Game, seed: int, argument: Any) -> Any:
        return make_agent(game, "random", seed)

    monkeypatch.setattr(match, "CHUNK", 1)
    agents = ["random", "random", NamedAgent("foreign", factory, None, {})]
    why = "^this cannot be sent to other processes: Can't pickle .*factory'; use --workers 1$"
    with pytest.raises(InputError, match=why):
        match.play(make_game("leduc"), agents, 2, workers=2)
    assert match.play(make_game("leduc"), agents, 2, workers=1).deals == 2


def test_progress_counts_deals() -> None:
    seen: list[int] = []
    match.play(DOUDIZHU, ["rule", "rule"], match.CHUNK + 1, progress=seen.append)
    assert seen == [0, match.CHUNK, match.CHUNK + 1]


def test_slow_matches_show_progress_often() -> None:
    class Slow:
        name = "slow"
        traits = Traits(clocked=True)

        def act(self, view: State) -> int:
            return int(DOUDIZHU.legal(view)[0])

    seen: list[int] = []
    match.play(DOUDIZHU, [Slow(), "rule"], 2 * match.CLOCKED_CHUNK + 1, progress=seen.append)
    assert seen == [0, match.CLOCKED_CHUNK, 2 * match.CLOCKED_CHUNK, 2 * match.CLOCKED_CHUNK + 1]


def test_agents_may_be_objects() -> None:
    agents = [make_agent(DOUDIZHU, "greedy"), "rule"]
    assert match.play(DOUDIZHU, agents, 10).names == ("greedy", "rule")


class Illegal:
    """Always chooses the same action."""

    name = "illegal"

    def act(self, view: State) -> int:
        return 0


def test_illegal_actions_are_reported() -> None:
    with pytest.raises(InputError, match="agent 'illegal' cannot continue: action 0"):
        match.play(DOUDIZHU, [Illegal(), "rule"], 10)


@pytest.mark.parametrize(
    ("agents", "deals", "seed", "message"),
    [
        (["rule"], 10, 0, "two agents"),
        (["rule", "rule"], 0, 0, "whole number of 1 or more"),
        (["rule", "rule"], 2.5, 0, "whole number of 1 or more"),
        (["rule", "rule"], 10**9, 0, "at most 100,000,000, not"),
        (["rule", "rule"], 10, -1, "seed"),
        (["rule", "nobody"], 10, 0, "no agent 'nobody'"),
    ],
)
def test_bad_matches(agents: list[str], deals: int, seed: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        match.play(DOUDIZHU, agents, deals, seed)


@pytest.mark.parametrize("as_object", [False, True])
def test_agents_that_remember_rounds_play_no_matches_side_by_side(as_object: bool) -> None:
    game, name = make_game("daihinmin", rounds=2), "policy-search[threads=1]:20"
    agent = make_agent(game, name) if as_object else name
    with pytest.raises(InputError, match="remembers earlier rounds"):
        match.play(game, ["default", agent], 1)
    with pytest.raises(InputError, match="remembers earlier rounds"):
        league.play(game, [agent, "default"], 1, duplicate=True)
    with pytest.raises(InputError, match="remembers earlier rounds"):
        judge(game, make_agent(game, "default"), agent, 1, 0)
    with pytest.raises(InputError, match="remembers earlier rounds"):
        judge(game, make_agent(game, agent), "default", 1, 0)


@pytest.mark.parametrize("payoff", [1e308, 1e6, float("inf")])
def test_payoffs_that_the_game_does_not_have_are_not_resumed(payoff: float, tmp_path: Path) -> None:
    data = results.summary(match.play(DOUDIZHU, ["rule", "random"], 5, 6))
    data["pairs"][0]["returns"][0][0][0] = payoff
    path = tmp_path / "match.json"
    path.write_text(json.dumps(data))
    with pytest.raises(InputError, match=r"no match to resume|not JSON"):
        results.load(path, DOUDIZHU, ["rule", "random"], 6)


@pytest.mark.parametrize("first", [match.CHUNK, match.CHUNK + 40, 40])
def test_a_resumed_match_is_as_if_never_interrupted(first: int, tmp_path: Path) -> None:
    agents, deals = ["rule", "random"], 2 * match.CHUNK
    path = tmp_path / "match.json"
    results.save(path, results.summary(match.play(DOUDIZHU, agents, first, 6)))
    played = results.load(path, DOUDIZHU, agents, 6)
    assert played.deals == first
    resumed = match.play(DOUDIZHU, agents, deals, 6, played=played)
    whole = match.play(DOUDIZHU, agents, deals, 6)
    assert (resumed.pairs[0].returns == whole.pairs[0].returns).all()
    for enough in (10, deals):
        assert match.play(DOUDIZHU, agents, enough, 6, played=resumed) is resumed


def test_an_interruption_keeps_finished_deals() -> None:
    stop = interrupt_at(2 * match.CHUNK)
    played = match.play(DOUDIZHU, ["rule", "rule"], 3 * match.CHUNK, progress=stop)
    assert played.interrupted
    assert played.deals == 2 * match.CHUNK


def test_files_of_an_agent_that_change_meanwhile_are_an_error(tmp_path: Path) -> None:
    game = make_game("uh_leduc")
    path = tmp_path / "strategy.npz"
    strategy.save(strategy.strategy_of(game, "random"), path)

    def change(done: int) -> None:
        if done:
            strategy.save(strategy.strategy_of(game, "equilibrium"), path)

    with pytest.raises(InputError, match="have changed"):
        match.play(game, [f"strategy:{path}", "random"], match.CHUNK + 1, progress=change)


def test_the_number_of_processes_may_be_any_integer() -> None:
    game = make_game("leduc")
    played = match.play(game, ["random", "random"], 3, workers=np.int64(1))
    assert played.deals == 3
    with pytest.raises(InputError, match="number of workers"):
        match.play(game, ["random", "random"], 3, workers=2.0)  # type: ignore[arg-type]


def test_other_settings_cannot_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "match.json"
    results.save(path, results.summary(match.play(DOUDIZHU, ["rule", "random"], 5, 6)))
    with pytest.raises(InputError, match="was made with seed 6, not 7"):
        results.load(path, DOUDIZHU, ["rule", "random"], 7)
    with pytest.raises(InputError, match="was made with agents"):
        results.load(path, DOUDIZHU, ["rule", "greedy"], 6)
    with pytest.raises(InputError, match="was made with options"):
        results.load(path, make_game("doudizhu", spring=True), ["rule", "random"], 6)
    path.write_text("[1, 2]")
    with pytest.raises(InputError, match="no match to resume"):
        results.load(path, DOUDIZHU, ["rule", "random"], 6)
    with pytest.raises(InputError, match="cannot read"):
        results.load(tmp_path / "nothing.json", DOUDIZHU, ["rule", "random"], 6)

"""Duplicate matches: seatings, statistics, processes, resuming; and games against a person."""

import json
from pathlib import Path

import numpy as np
import pytest

from closedhand import Game, InputError, make_agent, make_game
from closedhand.arena import match, play, results
from closedhand.core import duel
from closedhand.core.agents import Traits, digests
from closedhand.core.game import State
from closedhand.core.statistics import bootstrap, wins

DOUDIZHU = make_game("doudizhu")
AUCTION = make_game("doudizhu", bidding=True)


def test_two_sides_make_two_tables() -> None:
    assert duel.tables((0, 1, 1)) == [(0, 1, 1), (1, 0, 0)]


def test_each_agent_is_alone_once_at_every_seat_of_a_game_without_sides() -> None:
    tables = duel.tables((0, 1, 2, 3))
    assert len(set(tables)) == 8
    for agent in (0, 1):
        alone = [table.index(agent) for table in tables if table.count(agent) == 1]
        assert sorted(alone) == [0, 1, 2, 3]


def test_points_are_those_of_the_side_that_an_agent_plays() -> None:
    # One deal, two tables, three seats; agent 0 is the landlord at the first one.
    returns = np.array([[[6.0, -3.0, -3.0], [-12.0, 6.0, 6.0]]])
    assert duel.tables(DOUDIZHU.sides) == [(0, 1, 1), (1, 0, 0)]
    assert results.points(DOUDIZHU, returns, 0).tolist() == [[6.0, 12.0]]
    assert results.points(DOUDIZHU, returns, 1).tolist() == [[-12.0, -6.0]]
    assert results.role_names(DOUDIZHU) == ["landlord", "peasants"]


@pytest.mark.parametrize("game", [DOUDIZHU, AUCTION], ids=["sides", "auction"])
@pytest.mark.parametrize("agent", ["rule", "greedy"])
def test_a_deterministic_agent_draws_with_itself(game: Game, agent: str) -> None:
    data = results.summary(match.play(game, [agent, agent], 100, seed=1))
    for gap in data["pairs"][0]["difference"].values():
        assert gap == {"mean": 0.0, "low": 0.0, "high": 0.0}


def test_the_ranking_of_the_agents() -> None:
    """In both roles, with the whole interval."""
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


def test_deals_are_the_same_for_every_pairing_and_number_of_deals() -> None:
    agents = ["rule", "greedy"]
    few = match.play(DOUDIZHU, agents, 130, seed=3).pairs[0].returns
    many = match.play(DOUDIZHU, [*agents, "greedy"], 260, seed=3).pairs[0].returns
    assert (few == many[:130]).all()
    other = match.play(DOUDIZHU, agents, 130, seed=4).pairs[0].returns
    assert (few != other).any()


def test_processes_do_not_change_the_result() -> None:
    agents, deals = ["rule", "random"], 2 * match.CHUNK + 30
    one, two = (match.play(DOUDIZHU, agents, deals, 5, workers) for workers in (1, 2))
    assert (one.pairs[0].returns == two.pairs[0].returns).all()
    assert (one.pairs[0].decisions == two.pairs[0].decisions).all()


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
    assert match.play(DOUDIZHU, agents, 10).agents == ("greedy", "rule")


class Illegal:
    """Always chooses the same action."""

    name = "illegal"

    def act(self, view: State) -> int:
        return 0


def test_illegal_actions_are_reported() -> None:
    with pytest.raises(InputError, match="agent 'illegal' cannot play on: action 0"):
        match.play(DOUDIZHU, [Illegal(), "rule"], 10)


@pytest.mark.parametrize(
    ("agents", "deals", "seed", "message"),
    [
        (["rule"], 10, 0, "two agents"),
        (["rule", "rule"], 0, 0, "one deal"),
        (["rule", "rule"], 10, -1, "seed"),
        (["rule", "nobody"], 10, 0, "no agent 'nobody'"),
    ],
)
def test_bad_matches(agents: list[str], deals: int, seed: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        match.play(DOUDIZHU, agents, deals, seed)


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
    assert match.play(DOUDIZHU, agents, 10, 6, played=resumed) is resumed


def test_an_interruption_keeps_finished_deals() -> None:
    def interrupt(deals: int) -> None:
        if deals == 2 * match.CHUNK:
            raise KeyboardInterrupt

    played = match.play(DOUDIZHU, ["rule", "rule"], 3 * match.CHUNK, progress=interrupt)
    assert played.interrupted
    assert played.deals == 2 * match.CHUNK


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
    with pytest.raises(InputError, match="no match that can be continued"):
        results.load(path, DOUDIZHU, ["rule", "random"], 6)
    with pytest.raises(InputError, match="cannot read"):
        results.load(tmp_path / "nothing.json", DOUDIZHU, ["rule", "random"], 6)


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


def test_intervals_cover_the_mean_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    samples = rng.exponential(size=(200, 300))
    estimates = bootstrap(samples, seed=1, resamples=500)
    covered = sum(e.low <= 1.0 <= e.high for e in estimates)
    assert 270 <= covered <= 297
    # About 1.96 standard errors on each side.
    width = np.mean([e.high - e.low for e in estimates])
    assert width == pytest.approx(2 * 1.96 / np.sqrt(200), rel=0.1)


def test_bootstrap_pairs_columns_and_is_reproducible() -> None:
    values = np.random.default_rng(1).normal(size=(50, 1)) * [1.0, -1.0]
    up, down = bootstrap(values, seed=3)
    assert (up.mean, up.low, up.high) == pytest.approx((-down.mean, -down.high, -down.low))
    assert bootstrap(values, seed=3) == [up, down]
    assert bootstrap(np.full(10, 2.5))[0] == (2.5, 2.5, 2.5)
    with pytest.raises(ValueError, match="no deals"):
        bootstrap(np.zeros(0))


def test_wins() -> None:
    assert wins(np.array([3.0, 0.0, -1.0])).tolist() == [1.0, 0.5, 0.0]


def session(game: Game, seat: int = 0, seed: int = 0) -> play.Session:
    agents = [make_agent(game, "greedy") for _ in range(2)]
    return play.Session(game, play.start(game, None, seed), seat, agents, agents[0])


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("options", [{}, {"substeps": True, "bidding": True}])
def test_a_person_plays_by_hints_to_the_end(seat: int, options: dict[str, bool]) -> None:
    table = session(make_game("doudizhu", **options), seat)
    shown: list[str] = []
    assert play.run(table, lambda prompt: table.hint(), shown.append)
    assert table.over
    assert shown[-1].startswith(("you win", "you lose"))


def test_other_hands_are_not_shown() -> None:
    table = session(DOUDIZHU)
    shown: list[str] = []
    play.run(table, lambda prompt: "quit", shown.append)
    hidden = [line for line in "\n".join(shown).splitlines() if "peasant" in line]
    assert len(hidden) == 2
    assert all("▒" in line and not set("56789TJQKA") & set(line[24:]) for line in hidden)


def test_undo_goes_back_to_the_previous_decision() -> None:
    table = session(DOUDIZHU)
    with pytest.raises(InputError, match="first decision"):
        table.undo()
    before = table.state.copy()
    table.play(table.hint())
    middle = table.state.copy()
    table.play(table.legal()[-1])
    table.undo()
    assert table.state.tobytes() == middle.tobytes()
    table.undo()
    assert table.state.tobytes() == before.tobytes()


def test_what_cannot_be_played_changes_nothing() -> None:
    table = session(DOUDIZHU)
    before = table.state.copy()
    lines = iter(["", "xyz", "PASS", "undo", "?", "help", "quit"])
    shown: list[str] = []
    assert not play.run(table, lambda prompt: next(lines), shown.append)
    assert table.state.tobytes() == before.tobytes()
    text = "\n".join(shown)
    assert "is no action" in text
    assert "is not legal" in text
    assert "hint: " in text
    with pytest.raises(InputError, match="first decision"):
        table.undo()


@pytest.mark.parametrize("error", [EOFError, KeyboardInterrupt])
def test_leaving(error: type[BaseException]) -> None:
    def ask(prompt: str) -> str:
        raise error

    assert not play.run(session(DOUDIZHU), ask, lambda text: None)


def test_wrong_seats() -> None:
    with pytest.raises(InputError, match="seat is 0 to 2, not 3"):
        session(DOUDIZHU, seat=3)
    agent = make_agent(DOUDIZHU, "rule")
    with pytest.raises(InputError, match="2 other seats"):
        play.Session(DOUDIZHU, play.start(DOUDIZHU, None, 0), 0, [agent], agent)


def test_files_behind_agents_count(tmp_path: Path) -> None:
    """A match does not go on with another network, be it named as a file, a folder or for bids."""
    (tmp_path / "policy.safetensors").write_bytes(b"1")
    file = tmp_path / "policy.safetensors"
    agents = [f"policy-net:{tmp_path}", f"policy-net:{file}", f"bids:net={file}:rule", "rule"]
    before = digests(DOUDIZHU, agents)
    assert set(before) == set(agents[:3])
    (tmp_path / "kicker.safetensors").write_bytes(b"2")
    after = digests(DOUDIZHU, agents)
    assert all(before[agent] != after[agent] for agent in agents[:3])

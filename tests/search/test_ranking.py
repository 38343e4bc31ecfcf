"""Rankings of legal actions against values that are enumerated."""

from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.agents.random import RandomAgent
from closedhand.core.game import State
from closedhand.search import Uniform, rank, ranking, simulation_of
from closedhand.search.ranking import Ranked, Ranking, Simulation, summary

LEDUC = make_game("leduc")
HOW = Simulation(LEDUC, Uniform())
ENOUGH = {"simulations": 20_000, "threads": 1}


@pytest.fixture(scope="module")
def facing_raises() -> State:
    """A jack that faces two raises."""
    return LEDUC.view_from(0, "SJ", ["raise", "raise"])


def value(state: State, player: int) -> float:
    """Expected payoff of a player if all act uniformly at random, by enumeration."""
    if LEDUC.over(state):
        return float(LEDUC.returns(state)[player])
    values = []
    for action in LEDUC.legal(state):
        after = state.copy()
        LEDUC.play(after, int(action))
        values.append(value(after, player))
    return float(np.mean(values))


def test_values_are_those_of_the_whole_tree(facing_raises: State) -> None:
    exact = {}
    for action in LEDUC.legal(facing_raises):
        values = []
        for seed in range(60):
            full = LEDUC.redeal(facing_raises, 0, np.random.default_rng(seed))
            LEDUC.play(full, int(action))
            values.append(value(full, 0))
        exact[LEDUC.text(int(action))] = np.mean(values), np.std(values) / np.sqrt(60)
    ranked = rank(LEDUC, facing_raises, **ENOUGH)
    assert {each.text for each in ranked} == set(exact)
    for each in ranked:
        mean, error = exact[each.text]
        assert abs(each.points.mean - mean) <= 4 * error + (each.points.high - each.points.low)
        assert each.points.low <= each.points.mean <= each.points.high
        assert each.wins is not None and 0 <= each.wins.low <= each.wins.high <= 1


def test_the_best_comes_first(facing_raises: State) -> None:
    ranked = rank(LEDUC, facing_raises, **ENOUGH)
    gaps = [each.behind.mean for each in ranked]
    assert gaps == sorted(gaps, reverse=True)
    assert ranked[0].behind == (0.0, 0.0, 0.0)
    assert all(each.behind.mean <= 0.0 for each in ranked)


def test_threads_change_nothing(facing_raises: State) -> None:
    """The same number of simulations with the same seed is the same ranking."""
    one = rank(LEDUC, facing_raises, simulations=3000, threads=1, seed=5)
    assert rank(LEDUC, facing_raises, simulations=3000, threads=2, seed=5) == one
    assert rank(LEDUC, facing_raises, simulations=3000, threads=1, seed=6) != one


@pytest.mark.parametrize("piece", [1, 7, 10**6])
def test_pieces_change_nothing(
    facing_raises: State, monkeypatch: pytest.MonkeyPatch, piece: int
) -> None:
    """A ranking looks between two pieces of its work whether it is stopped."""
    whole = rank(LEDUC, facing_raises, simulations=3000, threads=1)
    played: list[int] = []
    evaluate_all = ranking.evaluate_all

    def note(rules: Any, policy: Any, states: Any, guesses: Any, player: int, actions: Any,
             surviving: Any, *rest: Any) -> None:  # fmt: skip
        played.append(len(states) * int(surviving.sum()))
        evaluate_all(rules, policy, states, guesses, player, actions, surviving, *rest)

    monkeypatch.setattr(ranking, "evaluate_all", note)
    monkeypatch.setattr(ranking, "PIECE", piece)
    assert rank(LEDUC, facing_raises, simulations=3000, threads=1) == whole
    assert max(played) <= max(piece, 2) and sum(played) >= 3000


def test_bad_actions_are_given_up_but_for_those_that_are_shown() -> None:
    game = make_game("leduc")
    view = game.view_from(1, "SK", ["raise"])
    ranked = rank(game, view, shown=1, **ENOUGH)
    most = max(each.determinisations for each in ranked)
    assert ranked[0].determinisations == most
    assert min(each.determinisations for each in ranked) < most
    assert len({each.determinisations for each in rank(game, view, shown=3, **ENOUGH)}) == 1


def test_gaps_narrow_and_an_action_that_is_kept_is_never_given_up() -> None:
    """The worst action is compared with the others on all determinisations."""
    game = make_game("uh_leduc")
    view = game.view_from(0, "SJ", ["raise"])
    actions = game.legal(view)
    how = Simulation(game, Uniform())
    worst = rank(game, view, simulations=20_000, threads=1)[-1].action
    ranking = Ranking(how, view, actions, np.random.default_rng(0), shown=1, kept=[worst])
    widths = []
    for rounds in (5, 40):
        for _ in range(rounds):
            ranking.advance()
        gaps = ranking.gaps(worst)
        assert gaps[0].points.mean == max(gap.points.mean for gap in gaps)
        (own,) = [gap for gap in gaps if gap.action == worst]
        assert own.points == (0.0, 0.0, 0.0)
        assert gaps[0].determinisations == own.determinisations
        widths.append(gaps[0].points.high - gaps[0].points.low)
    assert widths[1] < widths[0]
    wide = ranking.gaps(worst, 0.999)[0].points
    assert gaps[0].points == ranking.gaps(worst, 0.95)[0].points
    assert wide.high - wide.low > widths[1]
    best = ranking.ranked()[0]
    assert best.action == gaps[0].action


def test_a_short_look_plays_the_least_that_has_intervals() -> None:
    game = make_game("uh_leduc")
    view = game.view_from(0, "SJ", ["raise"])
    actions, rng = game.legal(view), np.random.default_rng(0)
    ranking = Ranking(Simulation(game, Uniform()), view, actions, rng, share=1, least=3)
    ranking.advance(populations=2)
    assert ranking.done == 2 * 3 * len(actions)
    gaps = ranking.gaps(int(actions[0]))
    assert [gap.determinisations for gap in gaps] == [6] * len(actions)
    assert all(np.isfinite(gap.points).all() for gap in gaps)


def test_time_may_be_the_budget(facing_raises: State) -> None:
    assert len(rank(LEDUC, facing_raises, seconds=1e-9, threads=1)) == 2


def test_what_cannot_be_ranked(facing_raises: State) -> None:
    with pytest.raises(InputError, match="give simulations or seconds"):
        rank(LEDUC, facing_raises)
    with pytest.raises(InputError, match="positive number of actions"):
        rank(LEDUC, facing_raises, simulations=9, shown=0)
    for listed, reason in (([3], "not legal"), ([], "there is no action")):
        how = Simulation(LEDUC, Uniform(), candidates=lambda view, ids=listed: np.array(ids, int))
        with pytest.raises(InputError, match=reason):
            rank(LEDUC, facing_raises, how, simulations=9)
    over = LEDUC.view_from(0, "SJ", ["raise", "fold"])
    with pytest.raises(InputError, match="the game is over"):
        rank(LEDUC, over, simulations=9)
    with pytest.raises(InputError, match="a seed is a whole number of 0 or more, not -1"):
        rank(LEDUC, facing_raises, simulations=9, seed=-1)
    with pytest.raises(InputError, match="random does not simulate"):
        simulation_of(make_agent(LEDUC, "random"), facing_raises)


def test_an_agent_says_how_it_simulates(facing_raises: State) -> None:
    class Thinker(RandomAgent):
        def simulation(self, view: State) -> Simulation:
            assert view is facing_raises
            return HOW

    assert simulation_of(Thinker(LEDUC), facing_raises) is HOW


def test_a_ranking_as_json(facing_raises: State) -> None:
    ranked = rank(LEDUC, facing_raises, Simulation(LEDUC, Uniform()), simulations=500, threads=1)
    first = summary(ranked)[0]
    assert set(first) == {"action", "text", "points", "wins", "behind", "determinisations"}
    assert set(first["points"]) == {"mean", "low", "high"}


@pytest.mark.slow
@pytest.mark.parametrize("bidding", [False, True])
def test_agents_of_dou_dizhu_rank_what_they_consider(bidding: bool) -> None:
    game = make_game("doudizhu", bidding=bidding, substeps=True)
    agent = make_agent(game, "search:200")
    state = game.deal(np.random.default_rng(3))
    how = simulation_of(agent, game.view(state, 0))
    ranked: list[Ranked] = rank(game, game.view(state, 0), how, simulations=2000, threads=1)
    assert {each.action for each in ranked} <= set(how.game.legal(state).tolist())
    assert (ranked[0].text in ("PASS", "BID1", "BID2", "BID3")) == bidding
    assert ranked[0].wins is not None and 0.0 < ranked[0].wins.mean < 1.0


@pytest.mark.slow
def test_an_agent_of_daihinmin_ranks_by_points() -> None:
    game = make_game("daihinmin")
    state = game.deal(np.random.default_rng(3))
    view = game.view(state, int(state.player))
    how = simulation_of(make_agent(game, "monte-carlo:100"), view)
    ranked = rank(game, view, how, simulations=500, threads=1)
    assert ranked[0].wins is None
    assert all(1.0 <= each.points.mean <= 5.0 for each in ranked)


class Named:
    """Of a game, what a ranking needs."""

    can_lose = True
    is_win_or_loss = False

    def text(self, action: int, view: State) -> str:
        return str(action)


def ranking_of(
    monkeypatch: pytest.MonkeyPatch, rounds: list[list[float]], **settings: Any
) -> Ranking:
    """A ranking after rounds of the given payoffs of each action."""
    how: Any = Simulation(Named(), Uniform())  # type: ignore[arg-type]
    actions = np.arange(len(rounds[0]))
    found = Ranking(how, np.zeros(1)[0], actions, np.random.default_rng(0), **settings)
    for payoffs in rounds:
        played = np.array([payoffs])  # on one determinisation
        monkeypatch.setattr(
            ranking, "_population", lambda *given, own=played: np.where(given[3], own, np.nan)
        )
        found.advance()
    return found


def test_what_was_eliminated_follows_whatever_its_few_payoffs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Action 2 is ahead of both others in the first round only, in which action 3 beats it."""
    rounds = [[-1.0, -2.0, 0.5, 1.0], [1.0, 0.0, 9.0, -4.0]]
    trial = ranking_of(monkeypatch, rounds, shown=1, kept=[0, 1])
    first, *_, last = trial.ranked()
    assert [each.action for each in trial.ranked()] == [0, 1, 3, 2]
    assert first.behind == (0.0, 0.0, 0.0) and last.behind.mean == 1.5
    assert [each.action for each in trial.gaps(0)] == [0, 1, 3, 2]
    assert trial.gaps(0)[-1].points.mean == 1.5
    assert first.determinisations == 2 * last.determinisations


def test_what_was_eliminated_takes_no_place_of_those_that_are_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Action 1 falls behind what action 2 was at its end, and stays one of the best two."""
    trial = ranking_of(monkeypatch, [[1.0, 0.9, 0.8], [1.0, 0.5, 0.0], [1.0, 0.5, 0.0]], shown=2)
    first, second, third = trial.ranked()
    assert [first.action, second.action, third.action] == [0, 1, 2]
    assert first.determinisations == second.determinisations == 3 * third.determinisations


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [1, 4])
def test_intervals_of_the_shown_actions_hold(rounds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """By 400 rankings of five actions whose payoffs are drawn around known means."""
    true, shown, rng = np.array([0.0, -0.1, -0.3, -1.0, -2.0]), 3, np.random.default_rng(rounds)

    def draw(how: Any, view: Any, actions: Any, surviving: Any, size: int, own: Any) -> np.ndarray:
        worlds = rng.normal(size=(size, 1))  # what all actions share
        return np.where(surviving, true + worlds + 2 * rng.normal(size=(size, len(true))), np.nan)

    monkeypatch.setattr(ranking, "_population", draw)
    how: Any = Simulation(Named(), Uniform())  # type: ignore[arg-type]
    points, behind = [], []
    for seed in range(400):
        generator = np.random.default_rng(seed)
        trial = Ranking(how, np.zeros(1)[0], np.arange(5), generator, shown=shown, share=1)
        for _ in range(rounds):
            trial.advance()
        best, *others = trial.ranked()[:shown]
        for each in (best, *others):
            points.append(each.points.low <= true[each.action] <= each.points.high)
        for each in others:
            gap = true[each.action] - true[best.action]
            behind.append(each.behind.low <= gap <= each.behind.high)
    assert 0.93 <= np.mean(points) <= 0.97
    assert 0.925 <= np.mean(behind) <= 0.97

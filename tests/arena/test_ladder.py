"""Ladders: ratings and resampling."""

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.arena import ladder


def test_ratings_are_recovered() -> None:
    elo = np.array([300.0, 40.0, -120.0, -220.0])
    first, second = np.array([(i, j) for i in range(4) for j in range(i + 1, 4)]).T
    games = np.array([2_000_000, 500_000, 1_000_000, 800_000, 3_000_000, 600_000])
    won = games / (1 + 10 ** ((elo[second] - elo[first]) / 400))
    (found,) = ladder.fit(4, won[None], games)
    assert found == pytest.approx(elo, abs=0.1)
    # An agent that wins all games has a finite rating, higher for more games.
    rows = np.array([10.0, 1000.0])
    ten, thousand = (ladder.fit(2, n[None, None], n[None])[0, 0] for n in rows)
    assert 100 < ten < thousand < 1000


def test_deals_are_resampled_together() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 3, 400).astype(float)
    totals = ladder.resample([scores, 2 - scores, scores[:100], scores[:100]], 0, 500)
    assert (totals[:, 0] + totals[:, 1] == 800).all()
    assert (totals[:, 2] == totals[:, 3]).all()
    assert totals[:, 0].mean() == pytest.approx(scores.sum(), rel=0.01)
    assert totals[:, 0].std() == pytest.approx(scores.std() * 20, rel=0.15)
    # Resamples of the first deals are the same in pairs that played more deals.
    assert 0.3 < np.corrcoef(totals[:, 0], totals[:, 2])[0, 1] < 0.7


def played(returns: np.ndarray) -> dict[str, Any]:
    """The summary of a match of Leduc, as far as a ladder reads it."""
    rows = [{"role": "all", "win_rate": {}, "points": {}} for _ in range(2)]
    pair = {
        "agents": ["a", "b"],
        "results": rows,
        "returns": returns.tolist(),
        "decisions": [1, 1],
        "seconds": [1.0, 1.0],
    }
    return {"pairs": [pair], "deals": len(returns)}


def test_pairs_name_repeated_agents_as_the_list_does() -> None:
    games = [played(np.array([[[1.0, -1.0], [-1.0, 1.0]]]))] * 3
    data = ladder.summary(make_game("leduc"), ["a", "b", "a"], games, 0)
    assert {row["agent"] for row in data["agents"]} == {"a", "b", "a-2"}
    assert [pair["agents"] for pair in data["pairs"]] == [["a", "b"], ["a", "a-2"], ["b", "a-2"]]


def test_the_level_of_elo_is_95_percent(monkeypatch: pytest.MonkeyPatch) -> None:
    """By many simulated ladders of two agents, the first of which wins 60 games of 100.

    By the delta method the interval reaches 1.960 standard errors to each side; 90% would be 1.645.
    """
    monkeypatch.setattr(ladder, "resample", partial(ladder.resample, resamples=100))
    game, rng, deals, chance = make_game("leduc"), np.random.default_rng(0), 400, 0.6
    true = 200 * math.log10(chance / (1 - chance))
    halves, covered, ladders = [], 0, 200
    for seed in range(ladders):
        won = rng.random((deals, 2)) < chance
        first = np.where(won, 1.0, -1.0) * [1, -1]  # in its second game it has the other seat
        data = ladder.summary(game, ["a", "b"], [played(np.stack([first, -first], -1))], seed)
        elo = next(row["elo"] for row in data["agents"] if row["agent"] == "a")
        covered += elo["low"] <= true <= elo["high"]
        share, games = won.mean(), 2 * deals
        slope = 200 / math.log(10) / (share * (1 - share))
        error = slope * won.mean(axis=1).std() / math.sqrt(deals)
        assert games and elo["mean"] == pytest.approx(true, abs=5 * error)
        halves.append((elo["high"] - elo["low"]) / 2 / error)
    assert np.mean(halves) == pytest.approx(1.960, rel=0.02)
    assert 0.91 <= covered / ladders <= 0.985


@pytest.mark.parametrize(
    ("deals", "elo"),
    [
        *((deals, (60, 0, -60)) for deals in (10, 25, 100)),
        (20, (400, 0, -400)),
        (50, (700, 0, -100)),
    ],
)
def test_intervals_of_ratings_hold_for_few_deals(deals: int, elo: tuple[int, ...]) -> None:
    """By 300 simulated ladders of three agents; a standard error is less than a point.

    With the wide ones the first agent often wins all games.
    """
    rng, true, covered = np.random.default_rng(deals), np.array(elo) - np.mean(elo), []
    pairs = np.array([(0, 1), (0, 2), (1, 2)]).T
    chances = 1 / (1 + 10 ** ((true[pairs[1]] - true[pairs[0]]) / 400))
    for seed in range(300):
        scores = [(rng.random((deals, 2)) < chance).sum(axis=1) for chance in chances]
        won = np.array([own.sum() for own in scores])
        totals = np.concatenate([won[None], ladder.resample(scores, seed, 100)])
        ratings = ladder.fit(3, totals, np.full(3, 2 * deals))
        low, high = ladder.intervals(ratings, np.full(3, 2 * deals))
        covered.append((low <= true) & (true <= high))
    assert 0.93 <= np.mean(covered) <= 0.97


def test_two_agents_have_the_interval_of_log_odds() -> None:
    """One game of 20 is lost; t for 9 degrees of freedom is 2.2622."""
    scores = np.array([2.0] * 9 + [1.0])
    totals = np.concatenate([[[scores.sum()]], ladder.resample([scores], 0, 20_000)])
    games = np.array([20])
    ratings = ladder.fit(2, totals, games)
    low, high = ladder.intervals(ratings, games)
    error = 200 / math.log(10) * math.sqrt(1 / 19.5 + 1 / 1.5)
    assert (high - low) / 2 == pytest.approx([2.2622 * error] * 2, rel=0.15)
    # Resamples of games that are all won are alike.
    ratings = ladder.fit(2, np.full((9, 1), 20.0), games)
    low, high = ladder.intervals(ratings, games)
    # Of 1 / 20.5 + 1 / 0.5 the part of the drawn game, after 20 won games.
    p = 20.5 / 21
    error = 200 / math.log(10) * math.sqrt((p**2 + (1 - p) ** 2) / 2) / (21 * p * (1 - p))
    assert (high - low) / 2 == pytest.approx([2.2622 * error] * 2, rel=1e-4)


def test_a_rating_of_one_deal_has_no_interval() -> None:
    low, high = ladder.intervals(np.zeros((9, 2)), np.array([2]))
    assert np.isnan([low, high]).all()


def test_pairs_with_a_slow_agent_play_fewer_deals() -> None:
    agents = ["random", "greedy", "search:50ms"]
    for slow, deals in ((5, [20, 5, 5]), (50, [20, 20, 20])):
        found = ladder.pairs_of(make_game("doudizhu"), agents, 20, slow)
        assert [number for _, number in found] == deals
        assert [(one.name, other.name) for (one, other), _ in found] == [
            ("random", "greedy"), ("random", "search:50ms"), ("greedy", "search:50ms"),
        ]  # fmt: skip
    with pytest.raises(InputError, match="at least two agents"):
        ladder.pairs_of(make_game("doudizhu"), ["random"], 20, 5)
    for numbers in ((0, 5), (2.5, 5), (-5, 5), (20, 0)):
        with pytest.raises(InputError, match="is a whole number of 1 or more"):
            ladder.pairs_of(make_game("doudizhu"), agents, *numbers)


def test_only_games_of_two_sides_with_losses_are_ranked() -> None:
    leduc, three = make_game("leduc"), make_game("chinese_poker", players=3)
    for game, found in (
        (leduc, True),
        (replace(leduc, payoff_range=(1, 5)), False),
        (three, False),
    ):
        assert ladder.is_ranked(game) == found
    with pytest.raises(InputError, match="two sides that are won or lost, not for chinese_poker"):
        ladder.pairs_of(three, ["random", "random"], 20, 5)

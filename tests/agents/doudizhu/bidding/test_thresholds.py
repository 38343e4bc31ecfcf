"""The thresholds of bids: those that pay best."""

import numpy as np
import pytest

from closedhand.agents.doudizhu.bidding import thresholds as bid_thresholds
from closedhand.agents.doudizhu.bidding.thresholds import Module


@pytest.mark.parametrize(
    ("totals", "bids", "cuts"),
    [
        # A pass brings nothing; 3 brings most in the upper half.
        ([[0, 0, 0, 0], [-1, -1, 1, 1], [-2, -2, 2, 2], [-3, -3, 3, 3]], [0, 1, 2, 3], [0.5] * 3),
        # 2 is best between.
        ([[0, 0, 0, 0], [-2, 1, 1, 1], [-2, 2, 1, 1], [-3, -3, 3, 3]], [0, 1, 2, 3],
         [0.25, 0.25, 0.5]),
        # After a 1 there is 2 or 3, and neither ever pays.
        ([[0, 0, 0, 0], [-1, -1, -1, -1], [-2, -2, -2, -2]], [0, 2, 3], [1, 1, 1]),
        # The bid has to rise: what a low chance gains by a 3, the high ones lose.
        ([[0, 0, 0, 0], [5, -2, -2, -2]], [0, 3], [1, 1, 1]),
    ],
)  # fmt: skip
def test_best_cuts(totals: list[list[float]], bids: list[int], cuts: list[float]) -> None:
    assert bid_thresholds.best_cuts(np.array(totals, float), bids).tolist() == cuts


@pytest.mark.slow
def test_thresholds_find_what_pays() -> None:
    """The landlord wins with the chance p: the last seat wants what the others pass from 1/2 on."""
    rng = np.random.default_rng(2)
    chances = rng.random((60_000, 3))
    points = np.where(rng.random(chances.shape) < chances, 1.0, -1.0)
    passes = Module(chances, np.full((3, 3, 3), np.inf))
    found = bid_thresholds.fit_thresholds(
        chances, points, [passes], np.ones(chances.shape, np.int64)
    )
    for seat in range(3):
        assert abs(found[seat, 0, 2] - 0.5) < 0.05
    # A share of 1/2 brings, at the stake 3, 1/2 of 6 points on average.
    nobody = np.zeros(len(points), np.int64), np.full(len(points), -1)
    modules = [Module(chances, found), passes]
    for seat in range(3):
        which = np.tile(np.arange(3) != seat, (len(points), 1)).astype(np.int64)
        held = bid_thresholds.hold(modules, which, range(3), *nobody)
        brought = bid_thresholds.points_of(points, *held, seat)
        assert brought.mean() == pytest.approx(6 * 0.25, abs=0.05)

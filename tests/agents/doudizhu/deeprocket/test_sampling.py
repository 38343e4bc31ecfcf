"""The games of self-play: what they gain, and how actions are drawn."""

import numpy as np
import pytest
from support_torch import QUIET

from closedhand.agents.doudizhu.deeprocket import sampling

pytestmark = QUIET


def test_gains_are_measured_by_the_other_games_of_the_deal() -> None:
    won = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]], bool)
    gains = sampling.landlords_gains(won)
    for deal, table in np.ndindex(won.shape):
        others = np.delete(won[deal], table)
        assert gains[deal, table] == pytest.approx(won[deal, table] - others.mean(), abs=1e-6)
    assert np.allclose(gains.sum(axis=1), 0, atol=1e-6)


def test_draws_follow_the_shares() -> None:
    shares = np.tile(np.float32([0, 0.25, 0, 0.75, 0]), (4000, 1))
    numbers = np.bincount(sampling.draw(shares, np.random.default_rng(0)), minlength=5)
    assert numbers[[0, 2, 4]].tolist() == [0, 0, 0]
    assert numbers[1] == pytest.approx(1000, abs=120)

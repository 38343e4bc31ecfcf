"""Ladders: ratings and resampling."""

import re

import numpy as np
import pytest

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


def test_every_pair_has_a_file_of_its_own() -> None:
    names = ["net:a/b", "net:a-b", "net:a b", f"net:{'x' * 200}", f"net:{'x' * 201}"]
    found = {ladder.file_name((one, "rule")) for one in names}
    assert len(found) == len(names)
    assert all(re.fullmatch(r"[\w-]{1,80}\.json", name) for name in found)

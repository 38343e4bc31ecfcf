"""Intervals."""

import math

import numpy as np
import pytest

from closedhand.core.statistics import (
    bootstrap,
    count_blocks,
    over_blocks,
    student,
    t_quantile,
    wins,
)


def test_intervals_cover_the_mean_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    samples = rng.exponential(size=(200, 300))
    estimates = bootstrap(samples, seed=1, resamples=500)
    covered = sum(e.low <= 1.0 <= e.high for e in estimates)
    assert 270 <= covered <= 297
    # About 1.96 standard errors on each side.
    width = np.mean([e.high - e.low for e in estimates])
    assert width == pytest.approx(2 * 1.96 / np.sqrt(200), rel=0.1)


def test_the_level_of_a_bootstrap_is_95_percent() -> None:
    """The mean of 500 is nearly normal: 1.960 standard errors on each side; 96% would be 2.054."""
    samples = np.random.default_rng(2).normal(size=(500, 2000))
    estimates = bootstrap(samples, seed=3)
    low, high = np.array([each[1:] for each in estimates]).T
    half = (high - low).mean() / 2 / (samples.std(axis=0).mean() / math.sqrt(500))
    assert half == pytest.approx(1.960, rel=0.01)
    assert 0.94 <= ((low <= 0) & (high >= 0)).mean() <= 0.96


def test_the_level_of_student_is_95_percent() -> None:
    """Exact for normal samples, however small they are."""
    rng = np.random.default_rng(4)
    for n in (2, 5, 30):
        estimates = student(rng.normal(size=(n, 40_000)))
        covered = np.mean([each.low <= 0 <= each.high for each in estimates])
        assert covered == pytest.approx(0.95, abs=0.004)  # 3.7 standard errors


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


def test_student() -> None:
    assert t_quantile(1) == pytest.approx(12.7062, abs=1e-3)
    assert t_quantile(4, 0.99) == pytest.approx(4.6041, abs=1e-3)
    assert t_quantile(10_000) == pytest.approx(1.9602, abs=1e-3)
    samples = np.random.default_rng(0).normal(size=(6, 2000))
    assert 0.94 < np.mean([e.low < 0 < e.high for e in student(samples)]) < 0.96
    assert math.isnan(student(samples[:1])[0].low)


def test_blocks_of_rounds() -> None:
    assert [count_blocks(n) for n in (1, 7, 10, 99, 1000, 1099, 2000)] == [1, 7, 10, 10, 10, 10, 20]
    values = np.random.default_rng(0).normal(size=(47, 3))
    for estimate, column in zip(over_blocks(values), values.T, strict=True):
        assert estimate.mean == pytest.approx(column.mean())
        assert estimate.high - estimate.mean == pytest.approx(estimate.mean - estimate.low)
    assert math.isnan(over_blocks(values[:1])[0].low)
    # Rounds that hang together are fewer than they are many: blocks see that, single rounds do not.
    noise = np.random.default_rng(1).normal(size=(400, 2000))
    chains = np.repeat(noise[:20], 20, axis=0)
    covered = np.mean([e.low <= 0 <= e.high for e in over_blocks(chains)])
    assert covered > 0.92 > np.mean([e.low <= 0 <= e.high for e in student(chains)])

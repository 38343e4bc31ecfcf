"""Means with confidence intervals, over the deals of a match or the matches of a league.

Intervals come from a bootstrap, or from Student's t if the sample may be small.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np

BLOCK, FEWEST_BLOCKS = 100, 10
"""Minimum number of rows of a block, and the number of smaller blocks if rows are few."""
RESAMPLES = 2000
LEVEL = 0.95
"""Confidence level of intervals."""
CHUNK = 50


class Estimate(NamedTuple):
    """A mean over deals or matches and its 95% interval.

    Attributes:
        mean: The mean.
        low: Lower end of the interval.
        high: Upper end.
    """

    mean: float
    low: float
    high: float


def bootstrap(values: np.ndarray, seed: int = 0, resamples: int = RESAMPLES) -> list[Estimate]:
    """Estimate the mean of each column with its percentile interval, by resampling rows.

    All columns share the resampled rows: values of one deal stay together, so that differences
    between columns are paired.

    Args:
        values: A row for each deal, a column for each measure, [n] or [n, m] with n > 0.
        seed: Seed of the resampling.
        resamples: Number of resamples.

    Returns:
        One estimate for each column; its ends are NaN if there is one deal only.

    Raises:
        ValueError: There are no deals.
    """
    table = np.asarray(values, float)
    table = table[:, None] if table.ndim == 1 else table
    n = len(table)
    if n == 0:
        raise ValueError("there are no deals to take a mean of")
    if n == 1:
        return [Estimate(mean, math.nan, math.nan) for mean in table[0].tolist()]
    rng = np.random.default_rng(seed)
    means = np.empty((resamples, table.shape[1]))
    for start in range(0, resamples, CHUNK):
        rows = rng.integers(n, size=(min(CHUNK, resamples - start), n))
        weights = np.stack([np.bincount(row, minlength=n) for row in rows])
        means[start : start + len(rows)] = weights @ table / n
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(means, [tail, 100 - tail], axis=0)
    columns = zip(table.mean(axis=0), low, high, strict=True)
    return [Estimate(*map(float, column)) for column in columns]


def student(values: np.ndarray, level: float = LEVEL) -> list[Estimate]:
    """Estimate the mean of each column with its interval by Student's t.

    Args:
        values: A row for each deal or match, a column for each measure, [n, m] with n > 0.
        level: Confidence level of the interval.

    Returns:
        One estimate for each column; its ends are NaN if there is one row only.
    """
    n, means = len(values), np.mean(values, axis=0)
    half = np.full(len(means), math.nan)
    if n > 1:
        half = t_quantile(n - 1, level) * np.std(values, axis=0, ddof=1) / math.sqrt(n)
    return [Estimate(*map(float, c)) for c in zip(means, means - half, means + half, strict=True)]


def interval(low: float | None, high: float | None, form: str = ".3f") -> str:
    """Write the ends of an interval; a hyphen if they are NaN, as for a single deal.

    Examples:
        >>> interval(-0.5, 1.25, "+.2f"), interval(math.nan, math.nan)
        ('-0.50 to +1.25', '-')
    """
    if low is None or high is None or math.isnan(low):
        return "-"
    return f"{low:{form}} to {high:{form}}"


def count_blocks(rows: int) -> int:
    """Return the number of blocks into which `over_blocks` divides rows."""
    return min(rows, max(FEWEST_BLOCKS, rows // BLOCK))


def over_blocks(values: np.ndarray) -> list[Estimate]:
    """Estimate the mean of each column with its interval, for rows that depend on earlier rows.

    The rows are divided into consecutive blocks of nearly equal size, at least `BLOCK` rows each if
    there are enough. The interval is that of `student` over the means of the blocks.

    Args:
        values: A row for each round of a match, a column for each measure, [n, m] with n > 0.

    Returns:
        One estimate for each column; its ends are NaN if there is one row only.

    Examples:
        >>> [estimate] = over_blocks(np.array([[1.0], [0.0]] * 500))
        >>> estimate.mean, count_blocks(1000)
        (0.5, 10)
    """
    blocks = np.array_split(values, count_blocks(len(values)))
    found = student(np.stack([block.mean(axis=0) for block in blocks]))
    return [
        Estimate(mean, mean + low - centre, mean + high - centre)
        for mean, (centre, low, high) in zip(values.mean(axis=0).tolist(), found, strict=True)
    ]


@cache
def t_quantile(freedom: int, level: float = LEVEL) -> float:
    """Return the two-sided quantile of Student's t: abs(t) stays below it with probability `level`.

    Examples:
        >>> [round(t_quantile(freedom), 3) for freedom in (1, 9, 99)]
        [12.706, 2.262, 1.984]
    """
    # t is the square root of freedom times the tangent of an angle of density cos^(freedom - 1).
    ends = np.linspace(0, math.pi / 2, 200_001)
    below = np.cumsum(np.cos((ends[1:] + ends[:-1]) / 2) ** (freedom - 1))
    return math.sqrt(freedom) * math.tan(np.interp(level, below / below[-1], ends[1:]))


def wins(points: np.ndarray) -> np.ndarray:
    """Convert payoffs to wins: 1 if positive, 1/2 if 0, 0 if negative; float64, same shape."""
    return (1 + np.sign(points)) / 2

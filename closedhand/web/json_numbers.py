"""Numbers with intervals, as browsers are told them: JSON has no infinite ones, and no NaN."""

import math
from typing import Any

from closedhand.core.parsing import SEED, is_number


def estimate_of(found: Any) -> list[float | None]:
    """Mean and interval of an estimate that a file holds.

    Raises:
        ValueError: Its mean is no number.
    """
    mean, low, high = (number_of(found[key]) for key in ("mean", "low", "high"))
    if mean is None:
        raise ValueError("an estimate without a mean")
    return [mean, low, high]


def number_of(value: Any) -> float | None:
    """A finite number, None in place of anything else."""
    return float(value) if is_number(value) and math.isfinite(value) else None


def count_of(value: Any) -> int | None:
    """A whole number that is not negative, None in place of anything else."""
    return value if SEED.holds(value) else None

"""Numbers for browsers: JSON has neither infinities nor NaN, so None stands for them."""

import math
from typing import Any

from closedhand.core.parsing import is_number

DAMAGED = (ArithmeticError, LookupError, TypeError, AttributeError, ValueError)
"""Errors of a function that reads unchecked data from a file."""


def estimate_of(found: Any) -> list[float | None]:
    """Read `[mean, low, high]` from an estimate in a file; ends that are not finite become None.

    Raises:
        LookupError, TypeError, ValueError: A key is missing, or the mean is not a finite number.
    """
    mean, low, high = (number_of(found[key]) for key in ("mean", "low", "high"))
    if mean is None:
        raise ValueError("an estimate without a mean")
    return [mean, low, high]


def number_of(value: Any) -> float | None:
    """Return a finite number as a float; None for anything else."""
    return float(value) if is_number(value) and math.isfinite(value) else None

"""Numbers with intervals, as browsers are told them."""

from typing import Any


def estimate_of(found: Any) -> list[float | None]:
    """Mean and interval of an estimate that a file holds."""
    return [number_of(found[key]) for key in ("mean", "low", "high")]


def number_of(value: Any) -> float | None:
    """A number, None in place of anything else."""
    return float(value) if isinstance(value, int | float) else None

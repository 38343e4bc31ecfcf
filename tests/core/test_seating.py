"""Seats at the tables of a duplicate deal."""

import pytest

from closedhand.core.seating import seatings


@pytest.mark.parametrize(
    ("sides", "tables"),
    [
        ((0, 1, 1), [(0, 1, 1), (1, 0, 0)]),
        ((0, 1, 2), [(0, 1, 2), (1, 2, 0), (2, 0, 1)]),
        ((0, 1, 0, 1), [(0, 1, 0, 1), (1, 0, 1, 0)]),
        (tuple(range(5)), [tuple((seat + t) % 5 for seat in range(5)) for t in range(5)]),
    ],
)
def test_seating(sides: tuple[int, ...], tables: list[tuple[int, ...]]) -> None:
    assert seatings(sides) == tables

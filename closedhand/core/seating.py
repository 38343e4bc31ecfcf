"""Duplicate seating: each deal is played once at every rotation of the teams."""

from collections.abc import Sequence


def num_tables(sides: Sequence[int]) -> int:
    """Return the number of tables of a duplicate deal between as many teams as there are sides."""
    return len(set(sides))


def seating(sides: Sequence[int], table: int) -> tuple[int, ...]:
    """Return the team at every seat of a table: side j is played by team (j + table) mod k.

    Args:
        sides: The side that each seat plays for (`Game.sides`).
        table: Number of the table, from 0 to k - 1, where k is the number of sides and of teams.

    Examples:
        >>> seating((0, 1, 1), 0), seating((0, 1, 1), 1)
        ((0, 1, 1), (1, 0, 0))
    """
    order = sorted(set(sides))
    return tuple((order.index(side) + table) % len(order) for side in sides)

"""Duplicate seating: each deal is played once at every rotation of the teams."""

from collections.abc import Sequence


def seatings(sides: Sequence[int]) -> list[tuple[int, ...]]:
    """List the team at every seat of each table, as many tables and teams as there are sides.

    At table i, side j is played by team (i + j) mod k, where k is the number of sides.

    Args:
        sides: The side that each seat plays for (`Game.sides`).

    Examples:
        >>> seatings((0, 1, 1))
        [(0, 1, 1), (1, 0, 0)]
    """
    order = sorted(set(sides))
    places = [order.index(side) for side in sides]
    return [tuple((place + i) % len(order) for place in places) for i in range(len(order))]

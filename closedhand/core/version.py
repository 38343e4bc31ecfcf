"""The version of the package, where everything can import it."""

import re

__version__ = "1.0.0"

UNCHANGED_SINCE = "0.1.0"
"""The oldest version whose games, seeds and solvers give the same figures, to the digit, as this
one: what it began can be finished here. Agents have versions of their own (`Traits.since`)."""


def order(version: str) -> tuple[int, ...]:
    """The numbers of a version, of at most nine digits each, to compare it with another."""
    return tuple(int(number) for number in re.findall(r"\d{1,9}", version)[:3])


def goes_on(version: object, since: str = UNCHANGED_SINCE) -> bool:
    """Whether this version finishes what another began.

    Args:
        version: Version that began it, as its file states it.
        since: The oldest that will do.
    """
    if not isinstance(version, str):
        return False
    return order(max(since, UNCHANGED_SINCE, key=order)) <= order(version) <= order(__version__)

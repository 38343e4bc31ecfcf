"""The plays with two jokers in kernels, for tables of plays with or without them.

The type of the table decides it when a kernel is compiled.
"""

from typing import Any

from closedhand.core.numba import linking
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.plays import NO_JOKER, JokerPlace
from closedhand.games.daihinmin.state import two_jokers

NO_PLAY = -2
"""Id in place of a play that the table lacks. It differs from -1, which means no play to beat."""


def first_of_both(plays: Any, family: Any) -> Any:
    """Return the id of the first play with two jokers in a family, or in the next one."""
    return plays["both"][family] if "both" in (plays.dtype.names or ()) else NO_PLAY


@linking.overload(first_of_both)
def _first_of_both(plays, family):
    if "both" in plays.fields:
        return lambda plays, family: plays.both[family]
    return lambda plays, family: NO_PLAY


def second_joker(plays: Any, play: Any) -> JokerPlace:
    """Return the rank, and the bit of the suit, that the second joker of a play stands for."""
    if "second" in (plays.dtype.names or ()):
        return JokerPlace(int(plays["second"][play]), int(plays["second_suit"][play]))
    return JokerPlace(NO_JOKER, 0)


@linking.overload(second_joker)
def _second_joker(plays, play):
    if "second" in plays.fields:
        return lambda plays, play: JokerPlace(int(plays.second[play]), int(plays.second_suit[play]))
    return lambda plays, play: JokerPlace(NO_JOKER, 0)


@kernel
def is_pair_of_jokers(rules, action):
    """Return whether a play is the pair of jokers, the only one of its family with both."""
    return two_jokers(rules.plays) and action == first_of_both(rules.plays, 1)

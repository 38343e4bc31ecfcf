"""The plays with two jokers in kernels, of a table of plays that may have none.

Which table it is, is known when a kernel is compiled, and costs nothing later.
"""

from typing import Any

from closedhand.core.numba import linking
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.plays import NO_JOKER, JokerPlace
from closedhand.games.daihinmin.state import two_jokers

NO_PLAY = -2
"""The id in place of a play that there is not; -1 is nothing to beat."""


def first_of_both(plays: Any, family: Any) -> Any:
    """The id of the first play with two jokers of a family, or of the next one."""
    return plays["both"][family] if "both" in (plays.dtype.names or ()) else NO_PLAY


@linking.overload(first_of_both)
def _first_of_both(plays, family):
    if "both" in plays.fields:
        return lambda plays, family: plays.both[family]
    return lambda plays, family: NO_PLAY


def second_joker(plays: Any, play: Any) -> JokerPlace:
    """What the second joker of a play stands for, as a rank and the bit of a suit."""
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
    """Whether a play is the two jokers alone, which stand for no cards."""
    return two_jokers(rules.plays) and action == first_of_both(rules.plays, 1)

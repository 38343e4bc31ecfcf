"""The plays with two jokers, for kernels compiled for tables of plays with or without them."""

from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.optional_fields import reader
from closedhand.games.daihinmin.plays import NO_JOKER
from closedhand.games.daihinmin.state import two_jokers

NO_PLAY = -2
"""Id in place of a play that the table lacks. It differs from -1, which means no play to beat."""

first_of_both = reader("both", NO_PLAY)
"""Function of a table and a family: the id of the family's first play with two jokers, of a later
family's if it has none, or `NO_PLAY` if the table has none."""
_second_rank = reader("second", NO_JOKER)
_second_suit = reader("second_suit", 0)


@kernel
def second_joker(plays, play):
    """Return the rank, and the bit of the suit, that the second joker of a play stands for."""
    return int(_second_rank(plays, play)), int(_second_suit(plays, play))


@kernel
def is_pair_of_jokers(rules, action):
    """Return whether a play is the pair of jokers, the only one of its family with both."""
    return two_jokers(rules.plays) and action == first_of_both(rules.plays, 1)

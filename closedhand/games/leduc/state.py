"""The state of a game of the Leduc family, field by field, and the rules as kernels take them."""

from typing import NamedTuple

import numpy as np

from closedhand.core.layout import record_type
from closedhand.core.numba.jit import kernel
from closedhand.games.leduc.plays import LONGEST

SEATS = 2
FLOP = 2
"""The index of the flop in `cards`, after the cards of S and T."""

UNKNOWN = -1
"""A card that a view hides."""

STATE = record_type(
    [
        ("cards", "i4", SEATS + 1),  # kinds of S's and T's card and the flop, or UNKNOWN
        ("history", "i4", LONGEST),  # ids of all actions, then zeros
        ("moves", "i4"),  # number of actions
        ("node", "i4"),  # node of the betting tree, an index of `plays.TABLES.nodes`
        ("player", "i4"),  # the player to act; at the end, the last to have acted
    ]
)


class Rules(NamedTuple):
    """The rules of one member of the family: its tables, a record of `plays.TABLES`."""

    kernels = "closedhand.games.leduc.game"

    tables: np.record


@kernel
def revealed(rules, state):
    """Return whether the flop is revealed."""
    return rules.tables.nodes[state.node].phase == 2

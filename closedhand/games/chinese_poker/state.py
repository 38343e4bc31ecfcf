"""The state of Chinese Poker, field by field, and its rules as kernels take them."""

from typing import NamedTuple

import numpy as np

from closedhand.core.layout import record_type
from closedhand.games.chinese_poker.plays import HAND

SEATS = 4
"""Number of seats in a state; a game may have fewer players."""

DECK = 52
UNKNOWN = -1
"""A card that a view hides, or a card of an empty seat."""

UNSET, HIDDEN = -1, -2
"""Values in place of an arrangement or a back: not chosen yet; hidden by a view."""

STATE = record_type(
    [
        ("history", "i4", SEATS),  # the arrangement of each seat
        ("backs", "i4", SEATS),  # the back of each seat, in sub-steps set before the arrangement
        ("moves", "i4"),  # arrangements set
        ("player", "i4"),  # the player to act; at the end, the last to have acted
        ("hands", "i1", (SEATS, HAND)),  # cards, high to low
    ]
)


class Rules(NamedTuple):
    """The tables, a record of `plays.TABLES`, and the options of a game.

    Attributes:
        tables: Strengths and arrangements.
        players: 2 to 4.
        majority: Extra points for winning more parts than are lost.
        scoop: Extra points for winning all three parts, instead of `majority`.
        fouls: Whether boards out of order may be set.
        royalties: Whether opponents pay for strong parts.
        naturals: Whether naturals win outright.
    """

    kernels = "closedhand.games.chinese_poker.game"

    tables: np.record
    players: int
    majority: int
    scoop: int
    fouls: bool
    royalties: bool
    naturals: bool

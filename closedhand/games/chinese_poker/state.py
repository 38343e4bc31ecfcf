"""The state of Chinese Poker, field by field, and the rules as kernels take them."""

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
"""Values of an arrangement or a back that is not chosen yet, and of one that a view hides."""

STATE = record_type(
    [
        ("history", "i4", SEATS),  # id of the arrangement by seat, or UNSET or HIDDEN
        ("backs", "i4", SEATS),  # id of its back, likewise; in sub-steps set before the front
        ("moves", "i4"),  # number of hands set
        ("player", "i4"),  # the player to act; at the end, the last to have acted
        ("hands", "i1", (SEATS, HAND)),  # ids of cards, high to low, or all UNKNOWN
    ]
)


class Rules(NamedTuple):
    """The rules of the game without sub-steps."""

    kernels = "closedhand.games.chinese_poker.game"

    tables: np.record  # strengths and arrangements, a record of `plays.TABLES`
    players: int  # 2 to 4
    majority: int  # extra points for winning more parts than are lost
    scoop: int  # extra points for winning all three parts, instead of `majority`
    fouls: bool  # whether boards out of order may be set
    royalties: bool  # whether opponents pay for strong parts
    naturals: bool  # whether naturals win outright

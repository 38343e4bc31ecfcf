"""What a state of Daihinmin is: its fields, and what the rules of a game are made of.

Players keep their numbers; `seats` is the order in which they sit. Actions are the ids of
`plays.py`, sets of cards those of `cards.py`.
"""

from typing import NamedTuple

import numpy as np

PLAYERS = 5
EVERYBODY = 2**PLAYERS - 1
MOST_PASSES = 20
LONGEST = 1102
"""No round has more actions: 53 plays, not all 20 passes behind each, three picks; and so many
leave no padding in a state."""
NOBODY = -1
HIDDEN = -1
"""In the history: an exchanged card that the observer does not know."""

# Wide fields first: without padding, equal states are equal bytes.
STATE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # Sets of cards, a bit for each:
                ("hands", "u8", PLAYERS),  # held
                ("played", "u8", PLAYERS),  # played in this round
                ("trick", "u8", PLAYERS),  # played in this trick
                ("taxed", "u8", 2),  # what daihinmin and hinmin gave
                ("returned", "u8", 2),  # what they got for it, or is chosen of it so far
                ("seed", "u8"),  # of all chance to come
                ("history", "i2", LONGEST),  # all actions of the round
                ("moves", "i4"),  # how many
                ("player", "i4"),  # to act
                ("target", "i4"),  # the play to beat, -1 for the player who leads
                ("owner", "i4"),  # who made it, or leads
                ("leader", "i4"),  # who led the first trick, -1 in the exchange
                ("left", "i4", PLAYERS),  # cards left
                ("places", "i4", PLAYERS),  # 0 for who was out first, -1 for who is not out
                ("out", "i4"),  # how many are out
                ("passed", "i4"),  # bits of the players who cannot play on in this trick
                ("passes", "i4"),  # since the last play
                ("lock", "i4"),  # bits of the suits that have to be played, 0 for any
                ("revolution", "i4"),  # whether low ranks beat high ones
                ("classes", "i4", PLAYERS),  # places of the last round, -1 in a round without
                ("seats", "i4", PLAYERS),  # the players in seat order
                ("next", "i4", PLAYERS),  # who sits behind each player
                ("round_number", "i4"),  # from 0
                ("points", "i4", PLAYERS),  # of the rounds that are over
            ],
            align=True,
        ),
    )
)


OPTIONS = np.dtype(
    (
        np.record,
        [
            (name, "i4")
            for name in (
                "rounds",
                "seat_period",
                "class_period",
                "ranked",  # whether the first round has classes
                "exchange",
                "kaidan",
                "joker_edges",
                "revolution",
                "eight_stop",
                "lock",
                "joker_unlocks",
                "spade_three",
                "overplay",
                "lead_pass",
                "pass_limit",
                "illegal_pass",  # whether what is illegal counts as a pass
            )
        ],
    )
)


class Rules(NamedTuple):
    """The table `plays.PLAYS` and the options of a game, as `make` describes them.

    Two records: kernels hand on as many pointers, not twenty numbers.
    """

    kernels = "closedhand.games.daihinmin.game"

    plays: np.record
    options: np.record

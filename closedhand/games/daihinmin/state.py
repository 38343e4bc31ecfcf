"""The state of Daihinmin, field by field, and the data behind the rules of a game.

Players keep their numbers; `seats` is the order in which they sit. Actions are the ids of
`plays.py`, sets of cards those of `cards.py`.
"""

from typing import NamedTuple

import numpy as np

PLAYERS = 5
EVERYBODY = 2**PLAYERS - 1
MOST_PASSES = 20
LONGEST = 1102
"""Upper bound on the actions of a round: 53 plays, fewer than 20 passes after each, three picks.

Its exact value leaves no padding in a state.
"""
NOBODY = -1
HIDDEN = -1
"""Entry of the history for an exchanged card that the observer does not know."""

# Wide fields first: without padding, equal states are equal bytes.
STATE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # Sets of cards, one bit per card:
                ("hands", "u8", PLAYERS),  # held
                ("played", "u8", PLAYERS),  # played in this round
                ("trick", "u8", PLAYERS),  # played in this trick
                ("taxed", "u8", 2),  # paid by daihinmin and hinmin
                ("returned", "u8", 2),  # given back to them, or chosen for that so far
                ("seed", "u8"),  # seed of all chance events to come
                ("history", "i2", LONGEST),  # all actions of the round
                ("moves", "i4"),  # number of actions
                ("player", "i4"),  # the player to act
                ("target", "i4"),  # the play to beat, -1 for the player who leads
                ("owner", "i4"),  # who made the play to beat, or leads
                ("leader", "i4"),  # who led the first trick, -1 in the exchange
                ("left", "i4", PLAYERS),  # number of cards left
                ("places", "i4", PLAYERS),  # 0 for the first player out, -1 for those not out
                ("out", "i4"),  # number of players out
                ("passed", "i4"),  # bits of the players who cannot play on in this trick
                ("passes", "i4"),  # number of passes since the last play
                ("lock", "i4"),  # bits of the suits that have to be played, 0 for any
                ("revolution", "i4"),  # whether low ranks beat high ones
                ("classes", "i4", PLAYERS),  # places of the last round, -1 in a round without
                ("seats", "i4", PLAYERS),  # the players in seat order
                ("next", "i4", PLAYERS),  # the next player in seat order, by player
                ("round_number", "i4"),  # counted from 0
                ("points", "i4", PLAYERS),  # points of the rounds that are over
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
                "illegal_pass",  # whether an illegal action counts as a pass
            )
        ],
    )
)


class Rules(NamedTuple):
    """The table `plays.PLAYS` and the options of a game, as described in `make_game`.

    These are two records, so that kernels pass on two pointers, not twenty numbers.
    """

    kernels = "closedhand.games.daihinmin.game"

    plays: np.record
    options: np.record

"""The state of Dou Dizhu, field by field, and the rules as kernels take them.

The lowest action ids are those of the preset's plays, which end with the pass (`plays.py`). Those
of the words, such as bids, follow (`auction.py`). Cards are counts by rank, packed (`counts.py`).
"""

from typing import NamedTuple

import numpy as np

from closedhand.core.layout import record_type
from closedhand.core.numba.jit import kernel

SEATS = 3
"""Number of hands in a state; in a game of two the third one is set aside."""
LONGEST = 160
"""Upper bound on actions since the deal: 8 words, 52 plays, as both losers keep a card, and passes.

At most two passes follow each play but the last. In the longest game all three players make plays,
so at least two plays are beaten by another player, after one pass or none: 2 * 49 + 2 * 1."""
MOST_BOMBS = 14
"""Maximum number of bombs: thirteen ranks held four times, and the rocket."""

STATE = record_type(
    [
        ("hands", "u8", SEATS),  # cards held, packed; 0 if a view hides them
        ("played", "u8", SEATS),  # cards played, packed
        ("public", "u8"),  # the public cards, packed; 0 in a view during the auction
        ("seed", "u8"),  # seed of the next deal, if everybody passes in the auction; 0 in a view
        ("picked", "u8"),  # kickers chosen so far in a sub-stepped play, packed
        ("history", "u2", LONGEST),  # flat ids of actions since the deal, with words
        ("moves", "i4"),  # number of these actions
        ("target", "i4"),  # id of the play to beat; -1: none, so the player to act leads
        ("player", "i4"),  # the player to act
        ("owner", "i4"),  # who made the play to beat, or leads; in an auction the top bidder, or -1
        ("landlord", "i4"),  # seat of the landlord, -1 during the auction
        ("words", "i4"),  # number of bids and other words, passes included; they open the history
        ("stake", "i4"),  # the highest bid, or the base, doubled by robbing and showing
        ("bombs", "i4"),  # number of bombs and rockets played
        ("left", "i4", SEATS),  # number of cards left
        ("plays", "i4", SEATS),  # number of plays that the seat has made, without passes
        # `group`, `picks` and `picked` are the incomplete play of the player to act, in sub-steps.
        ("group", "i4"),  # its main group, -1 if none is chosen
        ("picks", "i2"),  # number of kickers still to pick
        ("passed", "i2"),  # earlier deals in which all passed; 0 if `passed_deals` is 0
    ]
)

OPTIONS_TYPE = record_type(
    [
        ("bidding", "i8"),
        ("robbing", "i8"),
        ("forced", "i8"),  # whether the first seat is the landlord if all pass
        ("passed_deals", "i8"),  # passed deals after which the game ends; 0: no limit
        ("double_word", "i8"),  # id of the word that doubles, minus `auction.pass_id`; 0: none
        ("show_word", "i8"),  # id of the word that shows the landlord's hand, likewise
        ("spring", "i8"),
        ("win", "i8"),  # whether payoffs are 1 and -1, not points
        ("stake", "i8"),  # the stake without bids
        ("players", "i8"),
        ("hand", "i8"),  # number of cards dealt to each player
        ("aside", "i8"),  # number of cards of the third seat in a game of two
        ("public", "i8"),  # number of public cards
        ("deck", "u8"),  # all cards, packed
    ]
)
"""The options of a game as numbers, and its deck."""


class Rules(NamedTuple):
    """The rules of the game without sub-steps."""

    kernels = "closedhand.games.doudizhu.game"

    plays: np.record  # the preset's plays, a record of `plays.PLAYS`
    options: np.record  # a record of `OPTIONS_TYPE`

    @property
    def has_opening(self) -> bool:
        """Whether words to double or show exist; `auction.is_opening` is about all words."""
        return bool(self.options.double_word or self.options.show_word)

    @property
    def has_words(self) -> bool:
        """Whether there are words before the landlord leads."""
        return bool(self.options.bidding or self.has_opening)


@kernel
def around(rules, seat):
    """Return `seat` modulo the number of players; constant divisors compile without a division."""
    return seat % SEATS if rules.options.players == SEATS else seat % 2


@kernel
def clear(state):
    """Clear the incomplete play in sub-steps."""
    state.group = -1
    state.picked = np.uint64(0)
    state.picks = 0

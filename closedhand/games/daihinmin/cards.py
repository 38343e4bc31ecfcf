"""Sets of cards in kernels, a bit for each card: those of a rank, of a suit, and how many of each.

The numbers of cards are those of `plays.py`: 4 x rank + suit, and last the joker.
"""

import numpy as np

from closedhand.core.kernel import kernel
from closedhand.games.daihinmin.plays import ALL_SUITS, JOKER_BIT, NUM_RANKS

EACH_RANK = np.uint64(0x1111111111111)
"""The clubs; times suits as bits, all cards of these suits."""
PAIRS_OF_BITS = np.uint64(0x3333333333333)


@kernel
def bit(card):
    """The set of one card."""
    return np.uint64(1) << np.uint64(card)


@kernel
def ranks_between(low, high):
    """All cards but the joker whose rank is `low` or higher and `high` or lower."""
    first, end = max(low, 0), min(high, NUM_RANKS - 1) + 1
    if first >= end:
        return np.uint64(0)
    return bit(4 * end) - bit(4 * first)


@kernel
def of_suits(suits):
    """All cards but the joker of the suits that are bits of `suits`; of 0 those of all suits."""
    return EACH_RANK * np.uint64(suits if suits else ALL_SUITS)


@kernel
def ranks_with(cards, number):
    """The ranks of which a set holds at least `number` cards, 1 to 4, as bits 4 x rank."""
    counts = cards & (JOKER_BIT - np.uint64(1))
    counts -= (counts >> np.uint64(1)) & np.uint64(0x5555555555555)
    counts = (counts & PAIRS_OF_BITS) + ((counts >> np.uint64(2)) & PAIRS_OF_BITS)
    return ((counts + EACH_RANK * np.uint64(8 - number)) >> np.uint64(3)) & EACH_RANK

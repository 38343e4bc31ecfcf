"""Sets of cards in kernels, one bit per card: selection by rank and by suit, and counts by rank.

The ids of cards are those of `plays.py`: 4 x rank + suit, with the joker last.
"""

import numpy as np

from closedhand.core.kernel import kernel
from closedhand.games.daihinmin.plays import ALL_SUITS, JOKER_BIT, NUM_RANKS

EACH_RANK = np.uint64(0x1111111111111)
"""All clubs; multiplied by suits as bits, all cards of these suits."""
PAIRS_OF_BITS = np.uint64(0x3333333333333)


@kernel
def bit(card):
    """The set of one card."""
    return np.uint64(1) << np.uint64(card)


@kernel
def ranks_between(low, high):
    """All cards but the joker with ranks from `low` to `high`, inclusive."""
    first, end = max(low, 0), min(high, NUM_RANKS - 1) + 1
    if first >= end:
        return np.uint64(0)
    return bit(4 * end) - bit(4 * first)


@kernel
def of_suits(suits):
    """All cards but the joker of the suits given by the bits of `suits`; 0 means all suits."""
    return EACH_RANK * np.uint64(suits if suits else ALL_SUITS)


@kernel
def ranks_with(cards, number):
    """The ranks with at least `number` (1 to 4) cards in a set, as bits 4 x rank."""
    counts = cards & (JOKER_BIT - np.uint64(1))
    counts -= (counts >> np.uint64(1)) & np.uint64(0x5555555555555)
    counts = (counts & PAIRS_OF_BITS) + ((counts >> np.uint64(2)) & PAIRS_OF_BITS)
    return ((counts + EACH_RANK * np.uint64(8 - number)) >> np.uint64(3)) & EACH_RANK

"""Sets of cards in kernels, one bit per card: selection by rank and by suit, and counts by rank.

Ids of cards, and sets with two jokers, are those of `plays.py`: two hands with a joker each both
contain card 52. So `added` and `removed` count jokers; in a game with one joker they compile to
single operations on bits.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import inlined, kernel
from closedhand.games.daihinmin.plays import (
    ALL_SUITS,
    BOTH,
    DECK,
    JOKER,
    JOKER_BIT,
    NUM_RANKS,
    SECOND_BIT,
)
from closedhand.games.daihinmin.state import two_jokers

EACH_RANK = np.uint64(0x1111111111111)
"""All clubs; multiplied by suits as bits, all cards of these suits."""
PAIRS_OF_BITS = np.uint64(0x3333333333333)
"""The lower two bits of the four bits of each rank."""
STAGES = ((4, 0x0F0F0F0F0F0F0F0F), (8, 0x00FF00FF00FF00FF), (16, 0x0000FFFF0000FFFF))
"""Widths of the groups of bits that `mirrored` swaps, and masks of the lower group of each pair."""


@kernel
def bit(card):
    """Return the set of one card."""
    return np.uint64(1) << np.uint64(card)


@kernel
def deck_of(state):
    """Return all cards of a game, a set."""
    return DECK | SECOND_BIT if two_jokers(state) else DECK


@kernel
def jokers(number):
    """Return the set of `number` jokers, 0 to 2."""
    return BOTH if number > 1 else np.uint64(number) << np.uint64(JOKER)


@kernel
def alike(cards):
    """Replace a lone joker of a set by the first one, card 52."""
    return (cards & ~BOTH) | jokers(bits.size(cards & BOTH))


@kernel
def kinds(cards):
    """Replace the jokers of a set, one or two, by the first one, card 52."""
    return alike(cards) & ~SECOND_BIT


@kernel
def added(state, cards, more):
    """Return the union of two disjoint sets, with jokers counted."""
    if not two_jokers(state):
        return cards | more
    number = bits.size(cards & BOTH) + bits.size(more & BOTH)
    return ((cards | more) & ~BOTH) | jokers(number)


@kernel
def removed(state, cards, some):
    """Return a set without the cards of the set `some`, with jokers counted."""
    if not two_jokers(state):
        return cards & ~some
    number = max(0, bits.size(cards & BOTH) - bits.size(some & BOTH))
    return (cards & ~some & ~BOTH) | jokers(number)


def are_disjoint(sets: Iterable[int], jokers: int = 1) -> bool:
    """Return whether sets are disjoint and hold cards only, at most `jokers` jokers in all."""
    found = number = 0
    for cards in sets:
        own = cards & (1 << JOKER) - 1
        if own & found or cards >> JOKER not in (0, 1, 3):
            return False
        found |= own
        number += (cards >> JOKER).bit_count()
    return number <= jokers


def together(record: Any, cards: Any, more: Any) -> np.uint64:
    """Call `added` from Python, with sets of any type of integer."""
    return np.uint64(added(record, np.uint64(cards), np.uint64(more)))


def without(record: Any, cards: Any, some: Any) -> np.uint64:
    """Call `removed` from Python, with sets of any type of integer."""
    return np.uint64(removed(record, np.uint64(cards), np.uint64(some)))


@kernel
def ranks_between(low, high):
    """Return all cards except the joker with ranks from `low` to `high`, inclusive."""
    first, end = max(low, 0), min(high, NUM_RANKS - 1) + 1
    if first >= end:
        return np.uint64(0)
    return bit(4 * end) - bit(4 * first)


@kernel
def of_suits(suits):
    """Return all cards except the joker of the suits in the bits of `suits`; 0 means all suits."""
    return EACH_RANK * np.uint64(suits if suits else ALL_SUITS)


@inlined
def counts_by_rank(cards):
    """Count the cards of each rank of a set without the jokers, four bits for each rank."""
    # Count the bits of all ranks at once, first in pairs, then in fours.
    counts = cards & (JOKER_BIT - np.uint64(1))
    counts -= (counts >> np.uint64(1)) & np.uint64(0x5555555555555)
    return (counts & PAIRS_OF_BITS) + ((counts >> np.uint64(2)) & PAIRS_OF_BITS)


@kernel
def ranks_with(cards, number):
    """Return the ranks with at least `number` (1 to 5) cards in a set, as bits 4 x rank."""
    # Adding 8 - number to each count of 0 to 4 sets the highest of the four bits if the count is
    # large enough, without carry.
    return ((counts_by_rank(cards) + EACH_RANK * np.uint64(8 - number)) >> np.uint64(3)) & EACH_RANK


@kernel
def mirrored(ranks):
    """Reverse the order of the ranks, four bits each, in a set without jokers or in counts."""
    # Neighbouring groups of 4, 8, 16 and 32 bits are swapped. The 13 ranks are then at the upper
    # end of the 16 groups of the word, and the last shift brings them down.
    for shift, mask in STAGES:
        places, low = np.uint64(shift), np.uint64(mask)
        ranks = ((ranks & low) << places) | ((ranks >> places) & low)
    ranks = (ranks << np.uint64(32)) | (ranks >> np.uint64(32))
    return ranks >> np.uint64(4 * (16 - NUM_RANKS))


@kernel
def in_runs(cards):
    """Return the cards in runs of three or more of a suit; `cards` is a set without jokers."""
    # A shift by 4 bits is one rank of the same suit. `starts` are first cards of runs of three.
    starts = cards & (cards >> np.uint64(4)) & (cards >> np.uint64(8))
    return starts | (starts << np.uint64(4)) | (starts << np.uint64(8))


@kernel
def best_of(cards):
    """Return the best card of a set for taxes, -1 for the empty set."""
    return bits.highest(cards) if cards else -1

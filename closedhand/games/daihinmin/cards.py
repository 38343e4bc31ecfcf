"""Sets of cards in kernels, one bit per card: selection by rank and by suit, and counts by rank.

The ids of cards are those of `plays.py`: 4 x rank + suit, with the joker last.

Nothing tells two jokers apart: one of them in a set is card 52, both are 52 and 53. So hands that
share no card may both have card 52, and sets are put together and taken apart by `added` and
`removed`, which count the jokers. Which game it is, is known when a kernel is compiled: with one
joker they are the operations on bits.
"""

from typing import Any

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import kernel
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


@kernel
def bit(card):
    """The set of one card."""
    return np.uint64(1) << np.uint64(card)


@kernel
def deck_of(state):
    """All cards of a game, a set."""
    return DECK | SECOND_BIT if two_jokers(state) else DECK


@kernel
def jokers(number):
    """The set of 0 to 2 jokers."""
    return BOTH if number > 1 else np.uint64(number) << np.uint64(JOKER)


@kernel
def alike(cards):
    """A set in which a lone joker is the first one, whichever it was."""
    return (cards & ~BOTH) | jokers(bits.size(cards & BOTH))


@kernel
def kinds(cards):
    """A set with one joker in place of two."""
    return alike(cards) & ~SECOND_BIT


@kernel
def added(state, cards, more):
    """Two sets without a common card, put together."""
    if not two_jokers(state):
        return cards | more
    number = bits.size(cards & BOTH) + bits.size(more & BOTH)
    return ((cards | more) & ~BOTH) | jokers(number)


@kernel
def removed(state, cards, some):
    """A set without the cards of another one, of which it need not hold all."""
    if not two_jokers(state):
        return cards & ~some
    number = max(0, bits.size(cards & BOTH) - bits.size(some & BOTH))
    return (cards & ~some & ~BOTH) | jokers(number)


def together(record: Any, cards: Any, more: Any) -> np.uint64:
    """`added` for callers in Python, with sets of any type of integer."""
    return np.uint64(added(record, np.uint64(cards), np.uint64(more)))


def without(record: Any, cards: Any, some: Any) -> np.uint64:
    """`removed` for callers in Python, with sets of any type of integer."""
    return np.uint64(removed(record, np.uint64(cards), np.uint64(some)))


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

"""Cards without suits: their text, and hands packed as counts by rank.

Suits never matter in Dou Dizhu. A hand is one `uint64` of fifteen 4-bit counts, rank 0 in the
lowest bits. Counts never exceed 4, so the top bit of every nibble is free to guard a subtraction,
and "this hand contains those cards" is one operation on the whole hand.
"""

from collections import Counter

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import kernel

RANKS = "3456789TJQKA2SB"
"""The fifteen ranks of Dou Dizhu, low to high: S and B are the small and the big joker."""

DECK = np.uint64(sum((1 if rank in "SB" else 4) << 4 * i for i, rank in enumerate(RANKS)))
"""All 54 cards: four of each rank up to 2, one of each joker."""

GUARD = np.uint64(0x888888888888888)
NIBBLE = np.uint64(15)
EACH = np.uint64(0x111111111111111)
"""One card of each rank."""


def pack(text: str) -> np.uint64:
    """The hand of the rank letters in `text`, in any order.

    Raises:
        ValueError: A letter is not a rank, or a rank occurs more often than in the deck.
    """
    counts = Counter(text)
    for letter, count in counts.items():
        if letter not in RANKS:
            raise ValueError(f"{letter!r} is not a card; cards are {RANKS}")
        if count > (1 if letter in "SB" else 4):
            raise ValueError(f"{count} cards {letter!r} in {text!r}: more than the deck holds")
    return np.uint64(sum(count << 4 * RANKS.index(letter) for letter, count in counts.items()))


def unpack(hand: int | np.uint64) -> str:
    """The rank letters of a packed hand, low to high."""
    return "".join(letter * (int(hand) >> 4 * i & 15) for i, letter in enumerate(RANKS))


@kernel
def contains(hand, cards):
    """Whether every card of `cards` is in `hand` (both packed)."""
    return ((hand | GUARD) - cards) & GUARD == GUARD


@kernel
def at_least(hand, number):
    """The ranks with at least `number` (1 to 4) cards in a packed hand, packed as one card each."""
    ones, twos, fours = hand, hand >> np.uint64(1), hand >> np.uint64(2)
    if number == 1:
        ranks = ones | twos | fours
    elif number == 2:
        ranks = twos | fours
    elif number == 3:
        ranks = ones & twos | fours
    else:
        ranks = fours
    return ranks & EACH


@kernel
def count(hand, rank):
    """The number of cards of a rank in a packed hand."""
    return np.int64((hand >> np.uint64(4 * rank)) & NIBBLE)


@kernel
def one(rank):
    """The packed hand of a single card."""
    return np.uint64(1) << np.uint64(4 * rank)


@kernel
def size(hand):
    """The number of cards in a packed hand."""
    ones, twos, fours = hand, hand >> np.uint64(1), hand >> np.uint64(2)
    return bits.size(ones & EACH) + 2 * bits.size(twos & EACH) + 4 * bits.size(fours & EACH)


@kernel
def draw_card(hand, rng):
    """The rank of a random card of a packed hand."""
    place = np.int64(rng.random() * size(hand))
    rank = 0
    while place >= count(hand, rank):
        place -= count(hand, rank)
        rank += 1
    return rank

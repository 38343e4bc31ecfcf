"""Cards without suits: their text, and hands packed as counts by rank.

A hand is one `uint64` of fifteen 4-bit counts, rank 0 in the lowest bits. Hands are added and
subtracted as numbers. Counts never exceed 4, so the highest bit of every count is free, and
`contains` compares all ranks by one subtraction.
"""

from collections import Counter

import numpy as np

from closedhand.core import bits
from closedhand.core.checks import InputError
from closedhand.core.numba.jit import kernel

RANKS = "3456789TJQKA2SB"
"""The fifteen ranks of Dou Dizhu, low to high: S and B are the small and the big joker."""

DECK = np.uint64(sum((1 if rank in "SB" else 4) << 4 * i for i, rank in enumerate(RANKS)))
"""All 54 cards: four of each rank up to 2, one of each joker."""

GUARD = np.uint64(0x888888888888888)
"""The highest bit of every count."""
NIBBLE = np.uint64(15)
EACH = np.uint64(0x111111111111111)
"""One card of each rank."""
SHIFTS = np.arange(0, 64, 4, dtype=np.uint64)
"""Shifts, uint64 [16], to the fifteen counts and to the four unused bits above them."""


def pack(text: str, name: str = "") -> np.uint64:
    """Pack rank letters in any order.

    Raises:
        InputError: A letter is no rank, or occurs too often; the message begins with `name`.
    """
    counts = Counter(text)
    at = name and f"{name}: "
    for letter, count in counts.items():
        if letter not in RANKS:
            raise InputError(f"{at}{letter!r} is not a card; cards are {RANKS}")
        if count > (1 if letter in "SB" else 4):
            raise InputError(f"{at}{count} cards {letter!r} in {text!r}: more than the deck holds")
    return np.uint64(sum(count << 4 * RANKS.index(letter) for letter, count in counts.items()))


def unpack(hand: int | np.uint64) -> str:
    """Write a packed hand as rank letters, low to high."""
    return "".join(letter * (int(hand) >> 4 * i & 15) for i, letter in enumerate(RANKS))


def by_rank(hands: np.ndarray | np.uint64) -> np.ndarray:
    """Unpack hands to the number of cards of each rank, int64 [..., 16]; the last is unused."""
    return (np.asarray(hands)[..., np.newaxis] >> SHIFTS & NIBBLE).astype(np.int64)


@kernel
def contains(hand, cards):
    """Return whether every card of `cards` is in `hand` (both packed)."""
    # With its guard bit, worth 8, a count stays at 4 or more after the subtraction, so that no rank
    # borrows from the next. The bit remains set if the hand has at least as many cards.
    return ((hand | GUARD) - cards) & GUARD == GUARD


@kernel
def at_least(hand, number):
    """Return the ranks with at least `number` (1 to 4) cards, packed as one card each."""
    # Adding 8 - number sets the highest bit of a count that is at least `number`.
    reached = hand + EACH * np.uint64(8 - number)
    return (reached >> np.uint64(3)) & EACH


@kernel
def count(hand, rank):
    """Return the number of cards of a rank in a packed hand."""
    return np.int64((hand >> np.uint64(4 * rank)) & NIBBLE)


@kernel
def one(rank):
    """Return one card of a rank, packed."""
    return np.uint64(1) << np.uint64(4 * rank)


@kernel
def size(hand):
    """Return the number of cards in a packed hand."""
    ones, twos, fours = hand, hand >> np.uint64(1), hand >> np.uint64(2)
    return bits.size(ones & EACH) + 2 * bits.size(twos & EACH) + 4 * bits.size(fours & EACH)


@kernel
def bytes_of_counts(hand):
    """Return a uint64 whose bytes are the numbers of cards of a hand's eight lowest ranks."""
    # Move the upper half of the counts to the upper 32 bits, and so on within the halves.
    word = hand & np.uint64(0xFFFFFFFF)
    word = (word | (word << np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    word = (word | (word << np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    return (word | (word << np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)


@kernel
def draw_card(hand, rng):
    """Draw a random card of a packed hand, which must not be empty; return its rank."""
    place = np.int64(rng.random() * size(hand))
    rank = 0
    while place >= count(hand, rank):
        place -= count(hand, rank)
        rank += 1
    return rank

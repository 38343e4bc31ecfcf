"""The tables of Chinese Poker: the strength of every hand, and all arrangements of thirteen cards.

Tables of all hands of five and of three cards have the **strength** of each, a number that is
greater for a better hand. The index of a hand, its **place**, follows from its cards (`place_of`).
Trips, full houses and quads are distinguished by their main rank only, since no two players can
hold them of the same rank. That leaves 6,331 strengths of five cards and 455 of three.

An arrangement assigns the positions 0 to 12 of a hand sorted high to low. Sets of five positions
have the ids 0 to 1,286 and sets of three 0 to 285, both in lexicographic order. The arrangement
`56 * back + k` has the set of five with the id `back`. Its front is number `k`, from 0, of the 56
sets of three of the eight other positions.
"""

from bisect import bisect_left
from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np

from closedhand.core.layout import record_type
from closedhand.core.numba.jit import kernel

RANKS = "23456789TJQKA"
SUITS = "cdhs"
CARDS = tuple(rank + suit for rank in RANKS for suit in SUITS)
"""Text of every card by its id, 4 * rank + suit."""

HIGH, PAIR, TWO_PAIR, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)

PATTERNS = {
    (1, 1, 1, 1, 1): HIGH,
    (2, 1, 1, 1): PAIR,
    (2, 2, 1): TWO_PAIR,
    (3, 1, 1): TRIPS,
    (3, 2): FULL_HOUSE,
    (4, 1): QUADS,
    (1, 1, 1): HIGH,
    (2, 1): PAIR,
    (3,): TRIPS,
}
"""Category by the numbers of cards of equal rank, descending; straights and flushes aside."""

MAIN_RANK_DECIDES = (TRIPS, FULL_HOUSE, QUADS)
WHEEL = (12, 3, 2, 1, 0)
"""A2345, the lowest straight."""

FRONT, MIDDLE, BACK = range(3)
PARTS = ("front", "middle", "back")
SIZES = (3, 5, 5)

HAND = 13
FIVES, THREES = comb(HAND, 5), comb(HAND, 3)
SPLITS = comb(HAND - 3, 5) // 2
"""Number of ways to split the ten cards outside the front into two hands of five."""
FRONTS = comb(HAND - 5, 3)
ARRANGEMENTS = FIVES * FRONTS

STRENGTHS = (455, 6331, 6331)
"""Number of distinct strengths in the front, middle and back."""

Key = tuple[int, ...]
"""A hand's category, then the ranks that decide in it (0 deuce to 12 ace): greater is stronger."""


def key(ranks: tuple[int, ...], flush: bool) -> Key:
    """Return the key of five or three cards of these ranks; `flush`: five of one suit."""
    groups = sorted(((n, rank) for rank, n in Counter(ranks).items()), reverse=True)
    category = PATTERNS[tuple(n for n, _ in groups)]
    main = tuple(rank for _, rank in groups)
    if category in MAIN_RANK_DECIDES:
        return category, main[0]
    if len(ranks) == 5 and category == HIGH:
        if main == WHEEL or main[0] - main[4] == 4:
            top = main[1] if main == WHEEL else main[0]
            return STRAIGHT_FLUSH if flush else STRAIGHT, top
        if flush:
            category = FLUSH
    return category, *main


@cache
def keys(size: int) -> tuple[Key, ...]:
    """List the keys of all hands of five or three cards; the index of a key is its strength."""
    return tuple(sorted({found for both in keys_of_ranks(size).values() for found in both}))


@cache
def keys_of_ranks(size: int) -> dict[tuple[int, ...], tuple[Key, ...]]:
    """Map `size` ranks, high to low, to their key; five different ranks also to a flush's key."""
    found = {}
    for ranks in combinations_with_replacement(range(12, -1, -1), size):
        different = len(set(ranks))
        if different > 1 or size == 3:
            flushes = (False, True) if different == size == 5 else (False,)
            found[ranks] = tuple(key(ranks, flush) for flush in flushes)
    return found


FORMS = {
    TWO_PAIR: "{0}{0}-{1}{1}-{2}",
    TRIPS: "{0}{0}{0}-x-y",
    STRAIGHT: "{0} straight",
    FLUSH: "{0}{1}{2}{3}{4} flush",
    FULL_HOUSE: "{0}{0}{0}-xx",
    QUADS: "{0}{0}{0}{0}-x",
    STRAIGHT_FLUSH: "{0} straight flush",
}
"""Formats of names by category; names of high cards and pairs list all ranks instead."""


def name(strength: Key) -> str:
    """Write a key as in the table of P. Hankin's blog post.

    Examples:
        >>> name((HIGH, 2, 1, 0)), name((PAIR, 4, 12)), name((TWO_PAIR, 6, 5, 12))
        ('4-3-2', '66-A', '88-77-A')
        >>> name((STRAIGHT, 3)), name((FLUSH, 5, 3, 2, 1, 0)), name((FULL_HOUSE, 12))
        ('5 straight', '75432 flush', 'AAA-xx')
    """
    category, *ranks = strength
    first, *others = texts = [RANKS[rank] for rank in ranks]
    if category in FORMS:
        return FORMS[category].format(*texts)
    return "-".join((2 * first if category == PAIR else first, *others))


@cache
def names(part: int) -> tuple[str, ...]:
    """List the names of all strengths of a part, weakest first; front trips without `-x-y`."""
    found = [name(strength) for strength in keys(SIZES[part])]
    return tuple(text.removesuffix("-x-y") if part == FRONT else text for text in found)


ROYALTIES = {
    (FRONT, TRIPS): 3,
    (MIDDLE, FULL_HOUSE): 2,
    (MIDDLE, QUADS): 8,
    (MIDDLE, STRAIGHT_FLUSH): 10,
    (BACK, QUADS): 4,
    (BACK, STRAIGHT_FLUSH): 5,
}
"""Points that each opponent pays, by part and category."""

TABLES = record_type(
    [
        ("binomial", "i4", (52, 6)),  # [n, k]: the binomial coefficient C(n, k)
        ("five", "i2", comb(52, 5)),  # the strength of every hand of five cards, by place
        ("three", "i2", comb(52, 3)),  # the strength of every hand of three cards, by place
        ("floor", "i2", STRENGTHS[FRONT]),  # by front strength: the least legal middle strength
        ("top", "i1", STRENGTHS[BACK]),  # by strength: highest rank of a high card; else 13
        ("royalties", "i2", (3, STRENGTHS[BACK])),  # points, by part and strength
        ("positions", "i1", (ARRANGEMENTS, HAND)),  # of the back, then the middle, then the front
        ("middle", "u2", ARRANGEMENTS),  # the id of the middle, a set of five positions
        ("front", "u2", ARRANGEMENTS),  # the id of the front, a set of three positions
        ("splits", "u2", (THREES, SPLITS, 2)),  # by front, ids of both halves of the rest
    ]
)


@kernel
def place_of(tables, cards):
    """Return the place of a hand of five or three cards (ids high to low) in its table."""
    # The combinatorial number system: before the hands of k cards with the highest card c come all
    # C(c, k) hands of lower cards.
    place = 0
    size = len(cards)
    for i in range(size):
        place += tables.binomial[cards[i], size - i]
    return place


def hands(size: int) -> np.ndarray:
    """List all hands of a size in the order of their places, cards high to low, int8 [size, n]."""
    cards = np.arange(52, dtype=np.int8)[None]
    for _ in range(size - 1):
        # A hand with the lowest card c is continued by each of the c cards below it.
        lower = cards[-1].astype(np.int64)
        starts = np.repeat(np.cumsum(lower) - lower, lower)
        following = (np.arange(len(starts)) - starts).astype(np.int8)
        cards = np.concatenate([np.repeat(cards, lower, axis=1), following[None]])
    return cards


def strengths_of(size: int) -> np.ndarray:
    """List the strengths of all hands of five or three cards by their places, int16 [n]."""
    # The ranks of a hand, read as digits in base 13, are its code: the index in `of_flush` if all
    # cards have one suit, else in `by_ranks`. Threes have no flush, so both agree.
    number_of = {key: number for number, key in enumerate(keys(size))}
    by_ranks, of_flush = np.zeros((2, 13**size), np.int16)
    for ranks, found in keys_of_ranks(size).items():
        code = sum(rank * 13 ** (size - 1 - i) for i, rank in enumerate(ranks))
        by_ranks[code], of_flush[code] = number_of[found[0]], number_of[found[-1]]
    cards = hands(size)  # [size, n]
    code = np.zeros(cards.shape[1], np.int32)
    for each in cards:
        code = 13 * code + each // 4
    suited = (cards % 4 == cards[0] % 4).all(axis=0)
    return np.where(suited, of_flush[code], by_ranks[code])


@cache
def build() -> np.record:
    """Build all tables, a record of `TABLES`."""
    tables = np.zeros(1, TABLES)[0]
    tables.binomial[:] = [[comb(n, k) for k in range(6)] for n in range(52)]
    tables.five[:], tables.three[:] = strengths_of(5), strengths_of(3)
    tables.top[:] = [ranks[0] if category == HIGH else 13 for category, *ranks in keys(5)]
    tables.floor[:] = [bisect_left(keys(5), strength) for strength in keys(3)]
    for part, size in enumerate(SIZES):
        points = [ROYALTIES.get((part, strength[0]), 0) for strength in keys(size)]
        tables.royalties[part, : len(points)] = points
    fill_arrangements(tables)
    return tables


def fill_arrangements(tables: np.record) -> None:
    """Write the fields `positions`, `middle`, `front` and `splits`."""
    fives = np.array(list(combinations(range(HAND), 5)))
    threes = np.array(list(combinations(range(HAND), 3)))
    of_mask = np.zeros(1 << HAND, np.int16)  # id of a set, by its positions as bits
    for positions in (fives, threes):
        of_mask[(1 << positions).sum(axis=1)] = range(len(positions))
    # `others`, [FIVES, 8]: the eight positions outside each back. `chosen`, [56, 3], and `left`,
    # [56, 5]: the 56 ways to divide these into a front and a middle, as indices 0 to 7.
    held = (fives[:, :, None] == np.arange(HAND)).any(axis=1)
    others = np.nonzero(~held)[1].reshape(FIVES, HAND - 5)
    chosen = np.array(list(combinations(range(HAND - 5), 3)))
    left = np.array([[i for i in range(HAND - 5) if i not in front] for front in chosen])
    front, middle = others[:, chosen].reshape(-1, 3), others[:, left].reshape(-1, 5)
    tables.positions[:] = np.concatenate([np.repeat(fives, FRONTS, axis=0), middle, front], axis=1)
    tables.middle[:] = of_mask[(1 << middle).sum(axis=1)]
    tables.front[:] = of_mask[(1 << front).sum(axis=1)]
    backs = np.repeat(np.arange(FIVES), FRONTS)
    # Either half of the ten cards may be the back; take each pair of halves once.
    once = np.flatnonzero(backs < tables.middle)
    once = once[np.argsort(tables.front[once], kind="stable")]
    tables.splits[:] = np.stack([backs, tables.middle], axis=1)[once].reshape(THREES, SPLITS, 2)

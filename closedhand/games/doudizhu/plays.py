"""Every play of Dou Dizhu as a row of a table, built from a preset's kicker rule.

There are 309 main groups, in the order of the DeepRocket paper's Table 3 (by category, then length,
then rank). Every group owns a contiguous range of flat action ids, one for each choice of kickers,
in ascending order. The flat action space, the paper's 309 policy outputs and the kicker sub-steps
are three readings of this table.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

from closedhand.games.doudizhu.counts import unpack


class Category(NamedTuple):
    """One row of Table 3.

    Attributes:
        name: Name of the category.
        copies: Number of cards of each main rank.
        lengths: Possible numbers of consecutive main ranks.
        highest: Highest main rank, as an index into `RANKS`.
        kickers: Number of kickers for each main rank of the group.
        unit: Number of cards in one kicker: 1 for a solo, 2 for a pair.
        lowest: Lowest main rank.
    """

    name: str
    copies: int
    lengths: range
    highest: int
    kickers: int = 0
    unit: int = 1
    lowest: int = 0


ACE, TWO, SMALL_JOKER, BIG_JOKER = 11, 12, 13, 14

CATEGORIES = (
    Category("solo", 1, range(1, 2), BIG_JOKER),
    Category("solo chain", 1, range(5, 13), ACE),
    Category("pair", 2, range(1, 2), TWO),
    Category("pair chain", 2, range(3, 11), ACE),
    Category("trio", 3, range(1, 2), TWO),
    Category("trio chain", 3, range(2, 7), ACE),
    Category("trio+solo", 3, range(1, 2), TWO, 1, 1),
    Category("trio chain+solos", 3, range(2, 6), ACE, 1, 1),
    Category("trio+pair", 3, range(1, 2), TWO, 1, 2),
    Category("trio chain+pairs", 3, range(2, 5), ACE, 1, 2),
    Category("four+dual solo", 4, range(1, 2), TWO, 2, 1),
    Category("four+dual pair", 4, range(1, 2), TWO, 2, 2),
    Category("bomb", 4, range(1, 2), TWO),
    Category("rocket", 1, range(2, 3), BIG_JOKER, lowest=SMALL_JOKER),
    Category("pass", 0, range(0, 1), BIG_JOKER),
)

GROUPS = 309
PASS_GROUP = 308

FAMILIES = 38
BOMB, ROCKET, PASS_FAMILY = 35, 36, 37

GROUP = np.dtype(
    (
        np.record,
        [
            ("need", "u8"),  # the main cards, packed
            ("first", "i4"),  # flat ids of the group: first <= id < end
            ("end", "i4"),
            ("family", "i4"),
            ("ranks", "i4"),  # the main ranks, as bits
            ("kickers", "i4"),  # number of kickers
            ("unit", "i4"),  # cards in each kicker
        ],
    )
)

FAMILY = np.dtype(
    (
        np.record,
        [
            ("within", "u8"),  # ranks that may be main ranks, packed as one card each
            ("first", "i4"),  # its groups, by ascending rank: first <= group < end
            ("end", "i4"),
            ("category", "i4"),
            ("copies", "i4"),
            ("length", "i4"),
            ("rank", "i4"),  # the lowest main rank of its first group
            ("longer", "i4"),  # number of later families, of longer chains, in its category
        ],
    )
)
"""The groups of one category and length: a group beats those before it in its family."""


MOST_PLAYS = 27_472

PLAYS = np.dtype(
    (
        np.record,
        [
            ("number", "i4"),  # number of plays, including the pass, which is last
            ("need", "u8", MOST_PLAYS),  # all cards of each play, packed
            ("group", "i4", MOST_PLAYS),  # the main group of each play
            ("groups", GROUP, GROUPS),
            ("families", FAMILY, FAMILIES),
        ],
    )
)
"""The table of a preset: one record, since kernels pass on a record, unlike an array, for free."""


Kickers = tuple[int, ...]


def distinct_solos(main: range, number: int) -> Iterator[Kickers]:
    """Solo kickers of different ranks, never both jokers."""
    for kickers in combinations([r for r in range(15) if r not in main], number):
        if not {SMALL_JOKER, BIG_JOKER} <= set(kickers):
            yield kickers


def repeated_solos(main: range, number: int) -> Iterator[Kickers]:
    """Solo kickers, up to three of a rank, never both jokers."""
    ranks = [r for r in range(15) if r not in main]
    for kickers in combinations_with_replacement(ranks, number):
        jokers = kickers.count(SMALL_JOKER) + kickers.count(BIG_JOKER)
        if jokers < 2 and all(kickers.count(r) < 4 for r in kickers):
            yield kickers


def repeated_solos_beside(main: range, number: int) -> Iterator[Kickers]:
    """As `repeated_solos`, but without three of a rank that would lengthen the chain."""
    neighbours = {main[0] - 1, main[-1] + 1} & set(range(ACE + 1))
    for kickers in repeated_solos(main, number):
        if all(kickers.count(r) < 3 for r in neighbours):
            yield kickers


class Preset(NamedTuple):
    """The differences between the plays of programs and papers."""

    solos: Callable[[range, int], Iterator[Kickers]]
    fours: bool = True
    bidding: bool = False


PRESETS = {
    "deeprocket": Preset(distinct_solos),
    "rlcard": Preset(repeated_solos_beside),
    "openspiel": Preset(repeated_solos, fours=False, bidding=True),
}


def kicker_sets(preset: Preset, category: Category, main: range) -> list[Kickers]:
    """The kicker ranks of each play of a main group, ascending; `()` for a play without kickers."""
    number = category.kickers * len(main)
    if number == 0:
        return [()]
    if category.copies == 4 and not preset.fours:
        return []
    if category.unit == 2:
        return list(combinations([r for r in range(TWO + 1) if r not in main], number))
    return list(preset.solos(main, number))


def main_ranks(category: Category, length: int) -> list[range]:
    """The consecutive main ranks of every group of a category and length, by rank."""
    if length == 0:
        return [range(0)]
    last = category.highest - length + 1
    return [range(rank, rank + length) for rank in range(category.lowest, last + 1)]


def cards_of(main: range, category: Category, kickers: Kickers) -> int:
    """The cards of a play, packed."""
    return sum(category.copies << 4 * r for r in main) + sum(
        category.unit << 4 * r for r in kickers
    )


@cache
def build(preset: str) -> np.record:
    """The table of a preset, given by its name in `PRESETS`."""
    need: list[int] = []
    group_of: list[int] = []
    groups: list[tuple[int, ...]] = []
    families: list[tuple[int, ...]] = []
    for index, category in enumerate(CATEGORIES):
        within = sum(1 << 4 * r for r in range(category.lowest, category.highest + 1))
        for length in category.lengths:
            first_group = len(groups)
            for main in main_ranks(category, length):
                first = len(need)
                kickers = kicker_sets(PRESETS[preset], category, main)
                need += [cards_of(main, category, choice) for choice in kickers]
                group_of += [len(groups)] * len(kickers)
                groups.append(
                    (
                        cards_of(main, category, ()),
                        first,
                        len(need),
                        len(families),
                        sum(1 << r for r in main),
                        category.kickers * length,
                        category.unit,
                    )
                )
            families.append(
                (
                    within,
                    first_group,
                    len(groups),
                    index,
                    category.copies,
                    length,
                    category.lowest,
                    category.lengths.stop - 1 - length,
                )
            )
    plays = np.zeros(1, PLAYS)[0]
    plays.number = len(need)
    plays.need[: len(need)] = need
    plays.group[: len(need)] = group_of
    plays.groups[:] = groups
    plays.families[:] = families
    return plays


@cache
def texts(preset: str) -> tuple[str, ...]:
    """The notation of every play: main cards, then kickers, as in the paper's records ("3334").

    In presets with repeated kickers, a play whose cards can also be read as another play has a `+`
    before its kickers ("333444555+666").
    """
    plays = build(preset)
    need = plays.need[: plays.number].tolist()
    shared = {cards for cards, times in Counter(need).items() if times > 1}
    result = []
    for cards, g in zip(need, plays.group.tolist(), strict=False):
        main = int(plays.groups[g].need)
        plus = "+" if cards in shared and cards != main else ""
        result.append(unpack(main) + plus + unpack(cards - main))
    return (*result[:-1], "PASS")

"""Every play of Dou Dizhu as a row of a table, built from a preset's kicker rule.

A play is a **main group** and its **kickers**: 333 and the 4 in 3334. The **main ranks** are those
of the main group. There are 309 main groups, in the order of the DeepRocket paper's Table 3 (by
category, then length, then rank); the shuttles of `botzone` follow. Without sub-steps every group
owns a contiguous range of action ids, one for each choice of kickers, in ascending order.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

import numpy as np

from closedhand.core.layout import record_type
from closedhand.games.doudizhu.counts import RANKS, unpack


class Category(NamedTuple):
    """A row of the DeepRocket paper's Table 3, or chains of fours."""

    name: str
    term: str  # the name that players give its plays
    copies: int  # number of cards of each main rank
    lengths: range  # possible numbers of consecutive main ranks
    highest: int  # highest main rank, as an index into `RANKS`
    kickers: int = 0  # number of kickers for each main rank of the group
    unit: int = 1  # number of cards in one kicker: 1 for a solo, 2 for a pair
    lowest: int = 0  # lowest main rank, also an index


ACE, TWO, SMALL_JOKER, BIG_JOKER = 11, 12, 13, 14

CATEGORIES = (
    Category("solo", "single", 1, range(1, 2), BIG_JOKER),
    Category("solo chain", "chain", 1, range(5, 13), ACE),
    Category("pair", "pair", 2, range(1, 2), TWO),
    Category("pair chain", "chain of pairs", 2, range(3, 11), ACE),
    Category("trio", "three of a kind", 3, range(1, 2), TWO),
    Category("trio chain", "plane", 3, range(2, 7), ACE),
    Category("trio+solo", "three with a single", 3, range(1, 2), TWO, 1, 1),
    Category("trio chain+solos", "plane with wings", 3, range(2, 6), ACE, 1, 1),
    Category("trio+pair", "three with a pair", 3, range(1, 2), TWO, 1, 2),
    Category("trio chain+pairs", "plane with wings", 3, range(2, 5), ACE, 1, 2),
    Category("four+dual solo", "four with two singles", 4, range(1, 2), TWO, 2, 1),
    Category("four+dual pair", "four with two pairs", 4, range(1, 2), TWO, 2, 2),
    Category("bomb", "bomb", 4, range(1, 2), TWO),
    Category("rocket", "rocket", 1, range(2, 3), BIG_JOKER, lowest=SMALL_JOKER),
    Category("pass", "", 0, range(0, 1), BIG_JOKER),
)

SHUTTLES = (
    Category("bomb", "shuttle", 4, range(2, 6), ACE),
    Category("four+dual solo", "shuttle with singles", 4, range(2, 4), ACE, 2, 1),
    Category("four+dual pair", "shuttle with pairs", 4, range(2, 3), ACE, 2, 2),
)
"""Chains of fours, which only `botzone` has, each in the category of a single four. Their groups
and families follow those of the pass, so that all presets number the others alike; their plays
come before the pass."""

GROUPS = 309
"""Number of main groups without the shuttles, but with the pass."""
PASS_GROUP = 308
"""The main group of the pass, after all others but the shuttles."""
ALL_GROUPS = GROUPS + 70
"""Number of main groups with the shuttles."""

FAMILIES = 38
"""Number of families without the shuttles; a family is the groups of one category and length."""
BOMB, ROCKET, PASS_FAMILY = 35, 36, 37
"""Families of bombs, rocket and pass; the first two beat all earlier families, and shuttles."""
ALL_FAMILIES = FAMILIES + 7
"""Number of families with the shuttles."""

GROUP = record_type(
    [
        ("need", "u8"),  # the main cards, packed
        ("first", "i4"),  # ids of its plays: first <= id < end
        ("end", "i4"),
        ("family", "i4"),
        ("ranks", "i4"),  # the main ranks, as bits
        ("kickers", "i4"),  # number of kickers
        ("unit", "i4"),  # cards in each kicker
    ]
)

FAMILY = record_type(
    [
        ("within", "u8"),  # ranks that may be main ranks, packed as one card each
        ("first", "i4"),  # its groups, by ascending rank: first <= group < end
        ("end", "i4"),
        ("category", "i4"),  # index into `CATEGORIES`
        ("copies", "i4"),  # cards of each main rank
        ("length", "i4"),  # number of main ranks
        ("rank", "i4"),  # the lowest main rank of its first group
        ("longer", "i4"),  # number of later families, of longer chains, in its category
    ]
)
"""The groups of one category and length: a group beats those before it in its family."""

STANDING = record_type(
    [
        ("family", "i4"),  # the first family that can beat it; `BOMB`: only bombs and the rocket
        ("then", "i4"),  # the second such family: `BOMB` if there is none
        ("above", "i4"),  # only groups after this one beat the play
        ("least", "i4"),  # the least strength of plays with kickers that beat the play
    ]
)
"""What beats a play. The first `ALL_GROUPS` standings are those of the groups, by id: later groups
of the same family beat a group, whatever the kickers. The standings of shuttles have only bombs and
the rocket; `rules.follows` adds the shuttles that beat a shuttle."""

STANDINGS = ALL_GROUPS + 40
"""Room for standings: one for each group, and those of `douzero`, where kickers count."""

MOST_PLAYS = 34_324
"""Number of plays of the preset with the most, `botzone`; all presets' arrays have this length."""

PLAYS = record_type(
    [
        ("need", "u8", MOST_PLAYS),  # all cards of each play, packed
        ("number", "i4"),  # number of plays, including the pass, which is last
        ("group", "u2", MOST_PLAYS),  # the main group of each play
        ("standing", "i4", MOST_PLAYS),  # index into `standings` of each play
        ("strength", "i4", MOST_PLAYS),  # the highest rank with exactly three cards, or 0
        ("shuttles", "i4"),  # whether there are shuttles
        ("groups", GROUP, ALL_GROUPS),
        ("families", FAMILY, ALL_FAMILIES),
        ("standings", STANDING, STANDINGS),
    ]
)

Kickers = tuple[int, ...]


class Deck(NamedTuple):
    """The cards of a game and their division."""

    cards: str  # all cards, as letters of `RANKS`
    hand: int  # number of cards dealt to each player
    players: int = 3  # 2 or 3
    aside: int = 0  # number of cards set aside face down, in a game of two

    @property
    def public(self) -> int:
        """Number of public cards, which the landlord gets."""
        return len(self.cards) - self.players * self.hand - self.aside


WHOLE = Deck(4 * RANKS[:13] + RANKS[13:], 17)


class Preset(NamedTuple):
    """The plays and the deck of a program, a paper or a variant."""

    alike: int = 1  # most solo kickers of one rank
    both_jokers: bool = False  # whether both jokers may be kickers of one play
    no_trio_above: bool = False  # whether three kickers of the rank above are barred
    no_trio_below: range = range(0)  # lengths for which three of the rank below are barred too
    fours: bool = True  # whether four cards of a rank may take kickers
    bidding: bool = False  # whether an auction is part of the program's game
    robbing: bool = False  # whether the auction is by calling and robbing
    by_cards: bool = False  # what beats a play depends on its cards: `set_standings_by_cards`
    shuttles: bool = False  # whether there are chains of fours (see `SHUTTLES`)
    forced: bool = False  # whether the first seat is the landlord, at stake 0, if all pass
    spring: bool = False  # whether the spring is part of the program's game
    deck: Deck = WHOLE


PRESETS = {
    "deeprocket": Preset(),
    "rlcard": Preset(alike=3, no_trio_above=True, no_trio_below=range(1, 6)),
    "openspiel": Preset(alike=3, fours=False, bidding=True),
    # Each set of cards is one play: three trios and three cards of a neighbouring rank are only a
    # chain of four. If a set makes several chains of four or five trios, only the highest exists.
    "douzero": Preset(
        alike=4, both_jokers=True, no_trio_above=True, no_trio_below=range(3, 4), by_cards=True
    ),
    "botzone": Preset(both_jokers=True, bidding=True, shuttles=True, forced=True, spring=True),
    "mini": Preset(deck=Deck(4 * "3456" + "SB", 5)),
    "tiny": Preset(deck=Deck("33344455SB", 3)),
    "two_players": Preset(bidding=True, robbing=True, deck=Deck(4 * RANKS[2:13] + "SB", 17, 2, 9)),
}


def solo_kickers(preset: Preset, main: range, number: int) -> Iterator[Kickers]:
    """Iterate over the choices of `number` solo kickers that a preset allows beside main ranks."""
    lengthening: list[int] = []
    if preset.no_trio_above and main[-1] < ACE:  # chains end at the ace
        lengthening.append(main[-1] + 1)
    if len(main) in preset.no_trio_below:
        lengthening.append(main[0] - 1)
    others = [r for r in range(15) if r not in main]
    choices = combinations if preset.alike == 1 else combinations_with_replacement
    for kickers in choices(others, number):
        jokers = kickers.count(SMALL_JOKER), kickers.count(BIG_JOKER)
        if max(jokers) > 1 or (sum(jokers) > 1 and not preset.both_jokers):
            continue
        most = max(map(kickers.count, kickers))
        if most <= preset.alike and all(kickers.count(r) != 3 for r in lengthening):
            yield kickers


def kicker_sets(preset: Preset, category: Category, main: range) -> list[Kickers]:
    """List the kickers of each play of a main group, as ascending ranks; `()` for no kickers."""
    number = category.kickers * len(main)
    if number == 0:
        return [()]
    if category.copies == 4 and not preset.fours:
        return []
    if category.unit == 2:
        return list(combinations([r for r in range(TWO + 1) if r not in main], number))
    return list(solo_kickers(preset, main, number))


def mains_of(category: Category, length: int) -> list[range]:
    """List the main ranks of every group of a category and length, by rank."""
    if length == 0:
        return [range(0)]
    last = category.highest - length + 1
    return [range(rank, rank + length) for rank in range(category.lowest, last + 1)]


def cards_of(main: range, category: Category, kickers: Kickers) -> int:
    """Return the cards of main ranks and kickers, packed."""
    units = sum(category.unit << 4 * r for r in kickers)
    return sum(category.copies << 4 * r for r in main) + units


@cache
def build(preset: str) -> np.record:
    """Build the table of a preset, a record of `PLAYS`, by its name in `PRESETS`."""
    names = [category.name for category in CATEGORIES]
    need: list[int] = []
    group_of: list[int] = []
    groups: list[tuple[int, ...]] = []  # rows of `GROUP`
    families: list[tuple[int, ...]] = []  # rows of `FAMILY`
    for category in CATEGORIES + (SHUTTLES if PRESETS[preset].shuttles else ()):
        within = sum(1 << 4 * r for r in range(category.lowest, category.highest + 1))
        for length in category.lengths:
            first_group, f = len(groups), len(families)
            for main in mains_of(category, length):
                first, ranks = len(need), sum(1 << r for r in main)
                kickers = kicker_sets(PRESETS[preset], category, main) if main else []
                need += [cards_of(main, category, choice) for choice in kickers]
                group_of += [len(groups)] * len(kickers)
                cards, number = cards_of(main, category, ()), category.kickers * length
                groups.append((cards, first, len(need), f, ranks, number, category.unit))
            place, longer = names.index(category.name), category.lengths.stop - 1 - length
            shape = (category.copies, length, category.lowest, longer)
            families.append((within, first_group, len(groups), place, *shape))
    # The pass is the last play, after the shuttles.
    groups[PASS_GROUP] = (0, len(need), len(need) + 1, *groups[PASS_GROUP][3:])
    need.append(0)
    group_of.append(PASS_GROUP)
    plays = np.zeros(1, PLAYS)[0]
    plays.number = len(need)
    plays.need[: len(need)] = need
    plays.group[: len(need)] = group_of
    plays.shuttles = len(groups) > GROUPS
    plays.groups[: len(groups)] = groups
    plays.families[: len(families)] = families
    plays.standing[: len(need)] = group_of
    plays.strength[: len(need)] = [top_trio(cards) for cards in need]
    for g, group in enumerate(plays.groups):
        shuttle = group.family > PASS_FAMILY
        plays.standings[g] = (BOMB, BOMB, -1, 0) if shuttle else (group.family, BOMB, g, 0)
    if PRESETS[preset].by_cards:
        set_standings_by_cards(plays)
    return plays


def top_trio(cards: int) -> int:
    """Return the highest rank of which packed cards hold exactly three; 0 if there is none."""
    return max((r for r in range(TWO + 1) if cards >> 4 * r & 15 == 3), default=0)


def set_standings_by_cards(plays: np.record) -> None:
    """Set the standings of chains of trios with solos as DouZero 1.1.0's environment does.

    That environment gets the cards of a play and derives its category from them:

    - The strength of a chain of trios with solos is its highest trio, even one of kickers:
      666777888+9TJ does not beat 333444555+KKK, and 333444555+KKK beats 666777888+9TJ.
    - A chain of four trios may also beat a chain of three with solos, as three of its cards count
      as kickers. The next player then has to beat a chain of four.
    - A chain of four or five trios has no category in DouZero if three or four of its kickers have
      one rank, so only bombs and the rocket beat it.
    """
    chains = {(int(f.category), int(f.length)): i for i, f in enumerate(plays.families)}
    names = [category.name for category in CATEGORIES]
    trios, with_solos = names.index("trio chain"), names.index("trio chain+solos")
    fours = plays.families[chains[trios, 4]]
    found: dict[tuple[int, ...], int] = {}
    for length in (3, 4, 5):
        family = chains[with_solos, length]
        first, end = plays.families[family].first, plays.families[family].end
        for play in range(plays.groups[first].first, plays.groups[end - 1].end):
            kickers = int(plays.need[play]) - int(plays.groups[plays.group[play]].need)
            strength = int(plays.strength[play])
            if length > 3 and any(kickers >> 4 * r & 15 >= 3 for r in range(TWO + 1)):
                standing = (BOMB, BOMB, -1, 0)
            elif length == 3:
                # The chain of four `fours.first + r` has the lowest rank r, its highest trio r + 3.
                # So those after r = strength - 3 are stronger: all of them if r is negative.
                above = int(fours.first) + min(max(strength - 3, -1), ACE - 3)
                standing = (chains[trios, 4], family, above, strength + 1)
            else:
                standing = (family, BOMB, int(first) - 1, strength + 1)
            plays.standing[play] = found.setdefault(standing, ALL_GROUPS + len(found))
    for standing, index in found.items():
        plays.standings[index] = standing


def category_of(plays: np.record, group: int) -> tuple[Category, int]:
    """Return the category of a main group, of `CATEGORIES` or `SHUTTLES`, and its length."""
    shapes = [(each, length) for each in CATEGORIES + SHUTTLES for length in each.lengths]
    return shapes[plays.groups[group].family]


@cache
def texts(preset: str) -> tuple[str, ...]:
    """Write every play: main cards, then kickers, as in the paper's records ("3334").

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

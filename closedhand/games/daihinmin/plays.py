"""The actions of Daihinmin: 2,421 plays and the pass, and the cards that each needs.

Three or four players hold more cards and have 184 plays more, with ids after the pass: kaidan of
12 to 14 cards. With two jokers the plays that contain both follow, in the same order of families.

A card is a number, 4 x rank + suit, with ranks 0 to 12 for 3 to 2 and suits c d h s; the joker is
52. Two jokers cannot be distinguished: one of them in a set is card 52, both are 52 and 53. A set
of cards is a `uint64` with one bit per card. A higher bit is also a better card for taxes.

Plays are ordered by **family** (singles, groups of 2 to 5 equal ranks, kaidan: runs of a suit of 3
to 11 cards), then by their lowest rank. Kernels compute the ids of a family from their order:

- singles: the number of the card, so that an id also names a card in the exchange;
- groups: for every rank the same `SHAPES`, the suits and the place of the joker;
- kaidan: first those with the joker below the 3, by suit; then, by lowest rank and suit, the one
  without a joker and those with the joker in each place from the first on; last those with the
  joker above the 2.
"""

from functools import cache
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.layout import record_type
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.state import PLAYERS, reader, two_jokers

RANKS = "3456789TJQKA2"
SUITS = "cdhs"
CARDS = (*(rank + suit for rank in RANKS for suit in SUITS), "*")
"""Text of every card; the joker is a star."""
TWO_JOKERS = (*CARDS, "*")
"""Text of every card in a deck with two jokers."""
NUM_RANKS, NUM_CARDS, JOKER = 13, 53, 52
DIAMOND_THREE, SPADE_THREE = CARDS.index("3d"), CARDS.index("3s")
FIVE_SPOT, SIX, SEVEN, EIGHT, TEN, JACK = map(RANKS.index, "5678TJ")
ALL_SUITS = 15
DECK = np.uint64(2**NUM_CARDS - 1)
JOKER_BIT = np.uint64(1 << JOKER)
SECOND_BIT = np.uint64(2 << JOKER)
"""The second joker of a set that holds both."""
BOTH = JOKER_BIT | SECOND_BIT

SHORTEST, LONGEST_KAIDAN = 3, 11
"""Lengths of kaidan: at most 11 cards, the largest hand of five players in the first trick."""
MOST_KAIDAN = NUM_RANKS + 1
"""Length of the longest possible kaidan: all ranks, and the joker below or above them."""
FIVE = 5
FIRST_KAIDAN = 5
"""The family of the shortest kaidan, after singles and groups of 2, 3, 4 and 5."""
FAMILIES = FIRST_KAIDAN + LONGEST_KAIDAN - SHORTEST + 1
"""Number of families; longer kaidan, which only three or four players have, come after them."""
NO_JOKER = -9
"""Rank that the joker stands for in a play without a joker; -1 is the rank below the 3."""

MOST_CARDS = (13, 20)
"""Maximum number of hidden cards of a player, for five or six players, then for fewer; the daifugo
may have as many in the exchange. Cards given after a seven are open."""


def _shapes(size: int, *jokers: int) -> list[tuple[int, tuple[int, ...]]]:
    """List the shapes of groups of a size that have a number of jokers in `jokers`.

    A shape has the bits of the suits of the natural cards, and the bit of the suit that each joker
    stands for, 0 for the fifth card.
    """
    suits = [1 << suit for suit in range(4)]
    return [
        (sum(own), stands)
        for n in jokers
        for own in combinations(suits, size - n)
        for stands in combinations([s for s in suits if s not in own] + [0] * (size == FIVE), n)
    ]


SHAPES = {size: _shapes(size, 0, 1) for size in range(2, FIVE + 1)}
MOST_SHAPES = max(map(len, SHAPES.values()))

PASS = 2421
NUM_ACTIONS = PASS + 1


def _table_type(actions: int, families: int, most_cards: int, jokers: int) -> np.dtype:
    """Return the data type of a table of plays, by the numbers of plays, families and jokers."""
    fields: list[tuple[Any, ...]] = [
        ("need", "u8", actions),  # the cards of each play, the joker as itself
        ("family", "i1", actions),
        ("low", "i1", actions),  # lowest rank; -1: joker below the 3, or pass; 13: lone joker
        ("high", "i1", actions),  # highest rank; 13: joker above the 2, or lone joker; -1: pass
        ("suits", "i1", actions),  # bits; the joker has the suit it stands for
        ("stands", "i1", actions),  # rank that the joker stands for, or NO_JOKER
        ("joker_suit", "i1", actions),  # bit of the suit it stands for; 0 for none
        ("length", "i1", actions),  # number of cards
        ("eight", "i1", actions),  # whether it covers an 8
        ("revolts", "i1", actions),  # whether it is a revolution
        ("first", "i4", families + 1),  # id of the first play of each family
        # By size of the group, joker in hand or not, and suits of a rank in hand: the number of
        # possible shapes, then the shapes, as indices into `SHAPES[size]`.
        ("options", "i1", (FIVE + 1, 2, 16, 1 + MOST_SHAPES)),
        # Binomial coefficients by n and k, for drawing hidden hands.
        ("binomial", "f8", (NUM_CARDS + 1, most_cards + 1)),
    ]
    if jokers > 1:
        fields += [
            ("second", "i1", actions),  # `stands` of the second joker
            ("second_suit", "i1", actions),  # `joker_suit` of the second joker
            ("both", "i4", families + 1),  # id of the first play with both jokers, by family
        ]
    return record_type(fields)


class Play(NamedTuple):
    """A play as a row of the table."""

    need: int
    family: int
    low: int
    high: int
    suits: int
    stands: int = NO_JOKER
    joker_suit: int = 0
    second: int = NO_JOKER
    second_suit: int = 0


JOKERS = (0, int(JOKER_BIT), int(BOTH))
"""The sets of 0 to 2 jokers."""


def _singles() -> list[Play]:
    own = [Play(1 << card, 0, card // 4, card // 4, 1 << card % 4) for card in range(JOKER)]
    # A lone joker stands for no card; it is above every rank.
    return [*own, Play(JOKERS[1], 0, NUM_RANKS, NUM_RANKS, 0)]


def _groups(size: int, *jokers: int) -> list[Play]:
    if jokers == (2,) and size == 2:  # the pair of jokers, which stand for no cards
        return [Play(JOKERS[2], 1, NUM_RANKS, NUM_RANKS, 0)]
    return [
        Play(
            own << 4 * rank | JOKERS[len(stands)], size - 1, rank, rank, own | sum(stands),
            *(part for suit in stands for part in (rank, suit)),
        )
        for rank in range(NUM_RANKS)
        for own, stands in _shapes(size, *jokers)
    ]  # fmt: skip


def _kaidan(length: int, *jokers: int) -> list[Play]:
    """List kaidan of a length, in the order of ids, with a number of jokers in `jokers`.

    Ranks go from -1, below the 3, to 13, above the 2: only a joker, in `places`, stands there.
    """
    return [
        Play(
            sum(1 << 4 * rank + suit for rank in ranks if rank not in places) | JOKERS[number],
            FIRST_KAIDAN + length - SHORTEST, ranks[0], ranks[-1], 1 << suit,
            *(part for rank in places for part in (rank, 1 << suit)),
        )
        for ranks in (range(low, low + length) for low in range(-1, NUM_RANKS + 2 - length))
        for suit in range(4)
        for number in jokers
        for places in combinations(ranks, number)
        if {-1, NUM_RANKS}.isdisjoint({*ranks} - {*places})
    ]  # fmt: skip


def cards_in(cards: int | np.uint64) -> list[str]:
    """List the text of every card of a set, low to high."""
    return [card for i, card in enumerate(TWO_JOKERS) if int(cards) >> i & 1]


def cards_text(cards: int | np.uint64) -> str:
    """Write the cards of a set: `3c3d*`."""
    return "".join(cards_in(cards))


def sizes_dealt(players: int, jokers: int = 1) -> tuple[int, ...]:
    """Return the numbers of cards dealt to the players in seat order, from the daifugo on."""
    cards = JOKER + jokers
    return tuple((cards + players - 1 - seat) // players for seat in range(players))


def build(players: int = PLAYERS, jokers: int = 1) -> np.record:
    """Build the table of all plays, a record of `_table_type`, by numbers of players and jokers."""
    return _build(players < PLAYERS, jokers)


@cache
def _build(few: bool, jokers: int) -> np.record:
    """Build the table; `few`: for three or four players, who may hold longer kaidan."""
    longest = MOST_KAIDAN if few else LONGEST_KAIDAN
    sizes, lengths = range(2, FIVE + 1), range(SHORTEST, longest + 1)
    families = [_singles()]
    families += [_groups(size, 0, 1) for size in sizes]
    families += [_kaidan(length, 0, 1) for length in lengths]
    plays: list[Play | None] = [play for family in families[:FAMILIES] for play in family]
    plays.append(None)  # the pass
    plays += [play for family in families[FAMILIES:] for play in family]
    usual, both = len(plays), list[list[Play]]()  # `both`: plays with two jokers, by family
    if jokers > 1:
        both = [[], *(_groups(size, 2) for size in sizes), *(_kaidan(n, 2) for n in lengths)]
    plays += [play for family in both for play in family]
    table = np.zeros(1, _table_type(len(plays), len(families), MOST_CARDS[few], jokers))[0]
    for name in _columns(table):
        table[name][:] = [getattr(play, name, 0) for play in plays]
    table.length[:] = [play.need.bit_count() if play else 0 for play in plays]
    table.family[PASS] = table.low[PASS] = table.high[PASS] = -1
    table.eight[:] = (table.low <= EIGHT) & (table.high >= EIGHT)
    table.revolts[:] = table.length >= np.where(table.family >= FIRST_KAIDAN, 5, 4)
    table.first[:] = np.cumsum([0, *map(len, families)])
    # The longer kaidan of some variants come after the pass: their ids are 1 higher.
    table.first[FAMILIES:] += len(families) > FAMILIES
    if both:
        table.both[:] = usual + np.cumsum([0, *map(len, both)])
    for size, shapes in SHAPES.items():
        for joker in range(2):
            for suits in range(16):
                found = [
                    i
                    for i, (own, stands) in enumerate(shapes)
                    if not own & ~suits and len(stands) <= joker
                ]
                table.options[size, joker, suits, : 1 + len(found)] = [len(found), *found]
    cards, numbers = map(range, table.binomial.shape)
    table.binomial[:] = [[comb(n, k) for k in numbers] for n in cards]
    return table


def _columns(table: np.record) -> tuple[str, ...]:
    """List the fields of `Play` that a table has."""
    return tuple(name for name in Play._fields if name in (table.dtype.names or ()))


def _text(play: Play) -> str:
    """Write a play: its cards, with a star after each card that a joker stands for."""
    if not play.need & ~int(BOTH):
        return "*" * play.need.bit_count()
    own = [(card // 4, card % 4, "") for card in range(JOKER) if play.need >> card & 1]
    jokers = ((play.stands, play.joker_suit), (play.second, play.second_suit))
    own += [(rank, suit.bit_length() - 1, "*") for rank, suit in jokers if suit]
    names = ["_" if not 0 <= rank < NUM_RANKS else RANKS[rank] for rank, _, _ in sorted(own)]
    cards = [n + SUITS[suit] + star for n, (_, suit, star) in zip(names, sorted(own), strict=True)]
    has_fifth = any(rank != NO_JOKER and not suit for rank, suit in jokers)
    return "".join(cards) + ("+*" if has_fifth else "")


@cache
def texts(players: int = PLAYERS, jokers: int = 1) -> tuple[str, ...]:
    """Return the text of every action id, for a number of players and of jokers."""
    table = build(players, jokers)
    rows = zip(*(table[name].tolist() for name in _columns(table)), strict=True)
    return tuple(_text(Play(*row)) if row[0] else "PASS" for row in rows)


NO_PLAY = -2
"""Id in place of a play that the table lacks. It differs from -1, which means no play to beat."""

first_of_both = reader("both", NO_PLAY)
"""Function of a table and a family: the id of the first play with two jokers in this family or, if
this has none, in a later one; `NO_PLAY` for a table without such plays."""
_second_rank = reader("second", NO_JOKER)
_second_suit = reader("second_suit", 0)


@kernel
def second_joker(plays, play):
    """Return rank and suit bit that a play's second joker stands for; else `NO_JOKER` and 0."""
    return int(_second_rank(plays, play)), int(_second_suit(plays, play))


@kernel
def is_pair_of_jokers(rules, action):
    """Return whether a play is the pair of jokers, the only one of its family with both."""
    return two_jokers(rules.plays) and action == first_of_both(rules.plays, 1)

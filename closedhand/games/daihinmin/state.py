"""The state of Daihinmin, field by field, and the rules as kernels take them.

Players keep their numbers when seats change. Actions are the ids of `plays.py`; sets of cards are
bits of a `uint64`, as in `cards.py`.
"""

from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.layout import record_type
from closedhand.core.numba import linking

PLAYERS = 5
"""Number of players of the competition, the default."""
CLASSES = ("daifugo", "fugo", "heimin", "hinmin", "daihinmin")
TITLES = {3: (0, 2, 4), 4: (0, 1, 3, 4), 5: (0, 1, 2, 3, 4), 6: (0, 1, 2, 2, 3, 4)}
"""Titles, indices into `CLASSES`, by number of players and place."""
FEWEST, MOST = min(TITLES), max(TITLES)
MOST_PASSES = 20
LONGEST = 1102
"""Upper bound on the actions of a round, rounded up so that the following fields need no padding.

There are at most 1,091: 53 plays, fewer than 20 passes before each and after the last, a last pass,
three picks, and a gift or a pass after four 7s and four 10s. A second joker adds no play, since the
last player keeps a card.
"""
NOBODY = -1
"""Number for a player who does not exist, and place of a player who is not out."""
HIDDEN = -1
"""Entry of the history for a card given back that the observer does not know."""


@cache
def _type_of(players: int, giving: bool, jokers: int) -> np.dtype:
    """Return the type of states; `giving`: whether cards are given or discarded after plays."""
    pairs = 1 if players < 4 else 2  # pairs of players who exchange cards
    # The fields of optional rules come first. A kernel that Numba compiled for one type also takes
    # records that begin with all fields of this type. So the first fields of all types have to
    # differ in name or shape.
    fields: list[tuple[Any, ...]] = []
    if jokers > 1:  # the two jokers cannot be distinguished
        fields += [("spent", "u8", players)]  # cards got after a seven, then played or discarded
    if giving:  # `seven_give` or `ten_discard`
        fields += [
            ("shown", "u8", players),  # cards got after a seven and still held, which all have seen
            ("away", "u8", players),  # cards of the player's own hand that were given after a seven
            ("due", "i2"),  # number of cards that the player to act may still give or discard
            ("least", "i2"),  # the lowest card that may be given or discarded next
            ("back", "i4"),  # whether a jack has turned the order of the ranks in this trick
        ]
    fields += [
        # Sets of cards, one bit per card:
        ("hands", "u8", players),  # held; 0 if a view hides them
        ("played", "u8", players),  # played in this round
        ("trick", "u8", players),  # played in this trick
        ("taxed", "u8", pairs),  # paid by daihinmin and hinmin
        ("returned", "u8", pairs),  # given back to them, or chosen for that so far
        ("seed", "u8"),  # seed of all chance events to come
        ("history", "i2", LONGEST),  # all actions of the round
        ("moves", "i4"),  # number of actions so far in the round
        ("player", "i4"),  # the player to act
        ("target", "i4"),  # the play to beat, -1 for the player who leads
        ("owner", "i4"),  # who made the play to beat, or leads
        ("leader", "i4"),  # who led the first trick, -1 in the exchange
        ("left", "i4", players),  # number of cards left
        ("places", "i4", players),  # 0 for the first player out, -1 for those not out
        ("out", "i4"),  # number of players out
        ("passed", "i4"),  # bits of the players who cannot play on in this trick
        ("passes", "i4"),  # number of passes since the last play
        ("lock", "i4"),  # bits of the suits that have to be played, 0 for any
        ("revolution", "i4"),  # whether low ranks beat high ones in this trick
        ("classes", "i4", players),  # places of the last round, -1 in a round without classes
        ("seats", "i4", players),  # the players in seat order
        ("next", "i4", players),  # the next player in the order of play, by player
        ("round_number", "i4"),  # counted from 0
        ("points", "i4", players),  # points of the rounds that are over
    ]
    return record_type(fields)


STATE = _type_of(PLAYERS, False, 1)


def by_type(choose: Callable[..., Callable[..., Any]]) -> Callable[..., Any]:
    """Decorate a function that returns the code to run for a record, by the record's `dtype` alone.

    The result is a function with the same arguments that runs this code, in Python and in kernels.
    Numba calls `choose` with types, which know no values: its decision is a constant in a kernel.
    """

    @wraps(choose)
    def call(record: Any, *others: Any) -> Any:
        return choose(record, *others)(record, *others)

    linking.overload(call)(choose)
    return call


def reader(field: str, missing: Any) -> Callable[..., Any]:
    """Make a function of a record that returns a field, or `missing` if there is no such field.

    It works in Python and in kernels. A field that is a number is converted to the type of
    `missing`. For a field that is an array, the function has a second argument, the index.
    """
    kind = type(missing)

    def read(record, *index):
        if field not in record.dtype.names:
            return lambda record, *index: missing
        if index:
            return lambda record, *index: record[field][index[0]]
        return lambda record, *index: kind(record[field])

    return by_type(read)


def writer(field: str) -> Callable[..., None]:
    """Make a function of a record and a value that writes a field, if there is such a field.

    With an index before the value, the function writes that entry of a field that is an array.
    """

    def write(record, *given):
        def whole(record, *given):
            record[field] = given[0]

        def part(record, *given):
            record[field][given[0]] = given[1]

        if field not in record.dtype.names:
            return lambda record, *given: None
        return whole if len(given) == 1 else part

    return by_type(write)


@by_type
def two_jokers(record):
    """Return whether a state, or a table of plays, is of a game with two jokers."""
    found = not {"spent", "second"}.isdisjoint(record.dtype.names)
    return lambda record: found


def by_players(table: Mapping[int, tuple[int, ...]]) -> Callable[[Any], Any]:
    """Make a function of a state that returns `table[number of players]`; constant in kernels."""

    def find(state):
        found = table[state.dtype["hands"].shape[0]]
        return lambda state: found

    return by_type(find)


@by_type
def empty_states(state, number):
    """Create an uninitialised array of states of the type of `state`, also in kernels."""
    dtype = state.dtype
    return lambda state, number: np.empty(number, dtype)


titles_of = by_players(TITLES)
"""Function that returns the titles by place for the players of a state, a row of `TITLES`."""


class Rules(NamedTuple):
    """The rules, with plays as actions; see `card_sets.py` for the other form of actions."""

    kernels = "closedhand.games.daihinmin.game"

    plays: np.record  # all plays, from `plays.build`
    options: np.record  # a record of `game.OPTIONS_TYPE`

    @property
    def has_gifts(self) -> bool:
        """Whether cards are given after sevens, or discarded after tens."""
        return bool(self.options.seven_give or self.options.ten_discard)

    @property
    def has_house(self) -> bool:
        """Whether observations have the part `house`, for house rules."""
        options = self.options
        return bool(options.jack_back or options.six_reverse or options.capital_fall)

    @property
    def state_type(self) -> np.dtype:
        """The data type of states."""
        return _type_of(int(self.options.players), self.has_gifts, int(self.options.jokers))

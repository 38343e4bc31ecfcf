"""The state of Daihinmin, field by field, and the options of its rules.

Players keep their numbers when seats change; `seats` lists the players in seat order. Actions are
the ids of `plays.py`. Sets of cards are bits of a `uint64`, as in `cards.py`.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.layout import record_type
from closedhand.core.numba import linking

PLAYERS = 5
"""Number of players of the competition, the default."""
TITLES = {3: (0, 2, 4), 4: (0, 1, 3, 4), 5: (0, 1, 2, 3, 4), 6: (0, 1, 2, 2, 3, 4)}
"""By number of players and place: the title, 0 daifugo, 1 fugo, 2 heimin, 3 hinmin, 4 daihinmin."""
FEWEST, MOST = min(TITLES), max(TITLES)
MOST_PASSES = 20
LONGEST = 1102
"""Upper bound on the actions of a round: 53 plays, fewer than 20 passes after each, three picks.

A second joker adds no play, since the last player keeps a card. The bound is rounded up so that the
following fields of a state need no padding.
"""
NOBODY = -1
"""In place of a player who does not exist, or of the place of a player who is not out."""
HIDDEN = -1
"""Entry of the history for a card given back that the observer does not know."""


def pairs_of(players: int) -> int:
    """Return the number of pairs who exchange cards: one of three players, else two."""
    return 1 if players < 4 else 2


def _fields(players: int) -> list[tuple[Any, ...]]:
    return [
        # Sets of cards, one bit per card:
        ("hands", "u8", players),  # held
        ("played", "u8", players),  # played in this round
        ("trick", "u8", players),  # played in this trick
        ("taxed", "u8", pairs_of(players)),  # paid by daihinmin and hinmin
        ("returned", "u8", pairs_of(players)),  # given back to them, or chosen for that so far
        ("seed", "u8"),  # seed of all chance events to come
        ("history", "i2", LONGEST),  # all actions of the round
        ("moves", "i4"),  # number of actions
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
        ("classes", "i4", players),  # places of the last round, -1 in a round without
        ("seats", "i4", players),  # the players in seat order
        ("next", "i4", players),  # the next player in the order of play, by player
        ("round_number", "i4"),  # counted from 0
        ("points", "i4", players),  # points of the rounds that are over
    ]


def _giving_fields(players: int) -> list[tuple[Any, ...]]:
    """List the further fields of games with `seven_give` or `ten_discard`."""
    return [
        ("shown", "u8", players),  # cards got after a seven and still held, which all have seen
        ("away", "u8", players),  # cards of the player's own hand that were given after a seven
        ("due", "i2"),  # number of cards that the player to act may still give or discard
        ("least", "i2"),  # the lowest one
        ("back", "i4"),  # whether a jack has turned the order of the ranks in this trick
    ]


def _joker_fields(players: int) -> list[tuple[Any, ...]]:
    """List the further fields of games with two jokers, which cannot be distinguished."""
    return [("spent", "u8", players)]  # cards got after a seven, and played or discarded


@cache
def _type_of(players: int, giving: bool, jokers: int) -> np.dtype:
    # The further fields come first. Numba accepts a record whose first fields are those of another
    # type in kernels compiled for that type, so the first fields of all types have to differ in
    # name or shape.
    fields = _joker_fields(players) if jokers > 1 else []
    fields += _giving_fields(players) if giving else []
    return record_type(fields + _fields(players))


STATE = _type_of(PLAYERS, False, 1)
GIVING_STATE = _type_of(PLAYERS, True, 1)


def two_jokers(record: Any) -> bool:
    """Return whether a state, or a table of plays, belongs to a game with two jokers.

    In kernels the result is a constant, since it depends on the type of the record alone.
    """
    return not {"spent", "second"}.isdisjoint(record.dtype.names)


@linking.overload(two_jokers)
def _two_jokers(record):
    if {"spent", "second"}.isdisjoint(record.fields):
        return lambda record: False
    return lambda record: True


def by_players(table: Mapping[int, tuple[int, ...]]) -> Callable[[Any], Any]:
    """Make a function that looks up a tuple of numbers by the number of players of a state.

    In kernels its result is a constant, since it depends on the type of the state alone.
    """

    def find(state: Any) -> Any:
        return table[len(state["hands"])]

    @linking.overload(find)
    def _find(state):  # pyright: ignore[reportUnusedFunction]
        found = table[state.fields["hands"].type.shape[0]]
        return lambda state: found

    return find


def empty_states(state: Any, number: int) -> Any:
    """Create an uninitialised array of states of the type of `state`, also in kernels."""
    return np.empty(number, state.dtype)


@linking.overload(empty_states)
def _empty_states(state, number):
    players, giving = state.fields["hands"].type.shape[0], "due" in state.fields
    dtype = _type_of(players, giving, 1 + ("spent" in state.fields))
    return lambda state, number: np.empty(number, dtype)


titles_of = by_players(TITLES)
"""Titles by place, a row of `TITLES`, for the number of players of a state."""


OPTIONS_TYPE = record_type(
    [
        (name, "i4")
        for name in (
            "players",
            "jokers",
            "rounds",
            "seat_period",
            "class_period",
            "ranked",  # whether the first round has classes
            "exchange",
            "kaidan",
            "joker_edges",
            "revolution",
            "eight_stop",
            "lock",
            "joker_unlocks",
            "spade_three",
            "overplay",
            "lead_pass",
            "jack_back",
            "five_skip",
            "six_reverse",
            "capital_fall",
            "seven_give",
            "ten_discard",
            "pass_limit",
            "forbidden_finish",
            "number_lock",
            "illegal_pass",  # whether an illegal action counts as a pass
        )
    ]
)
"""The options of a game as numbers."""


class Rules(NamedTuple):
    """The rules of the flat game.

    Attributes:
        plays: Table of all plays (`plays.build`).
        options: Options, a record of `OPTIONS_TYPE`.
    """

    kernels = "closedhand.games.daihinmin.game"

    plays: np.record
    options: np.record


def state_type(options: np.record) -> np.dtype:
    """Return the data type of states under some options, a record of `OPTIONS_TYPE`."""
    giving = bool(options.seven_give or options.ten_discard)
    return _type_of(int(options.players), giving, int(options.jokers))

"""Tables of protocol 20070: conversion of cards, plays and the game's status to bytes and back.

A table is 8 x 15 numbers, int32 big-endian, row by row; single numbers are int32 big-endian too.

- Rows 0 to 4 are called **cells** here. Rows 0 to 3 are the suits S H D C, and columns 1 to 13 the
  ranks 3 to 2; columns 0 and 14 can hold only the joker. 1 is a card, 2 the joker.
- A joker in a hand is at row 4, column 1. A joker in a play is in the cell of the card that it
  stands for, in row 4 as the fifth card of a group, and alone anywhere in rows 0 to 3.
- Rows 5 to 7 are the `Status`. The end of row 5, called **margin** here, and row 7 mean nothing.
  Servers repeat what clients write there. All tables but a round's first question have the margin
  of the latest answer to a turn. A table that shows what a turn did has row 7 of the play to beat.
"""

import struct
from functools import cache
from typing import NamedTuple

import numpy as np

from closedhand.games.daihinmin import plays
from closedhand.games.daihinmin.plays import JOKER, NO_JOKER, PASS
from closedhand.games.daihinmin.state import PLAYERS

PROTOCOL = 20070
ROWS, COLUMNS, CARD_ROWS = 8, 15, 5
TABLE = 4 * ROWS * COLUMNS
CELLS = 4 * CARD_ROWS * COLUMNS
"""Sizes of a table and of its cells in bytes."""
NUMBER = struct.Struct(">i")
ACCEPTED, REJECTED = NUMBER.pack(9), NUMBER.pack(8)
"""Replies of the server to the player who acted."""
GOES_ON, ROUND_OVER, MATCH_OVER = range(3)
"""The server sends one of these numbers after every turn."""
LONGEST_NAME = 9
"""Number of characters that the server keeps of a client's name."""
NOTHING = bytes(CELLS)
"""The cells of a pass."""
MARGIN_AT, MARGIN = 4 * (5 * COLUMNS + 8), 4 * (COLUMNS - 8)
"""Offset and size of the margin in bytes."""
LAST_ROW = 4 * 7 * COLUMNS
"""Offset of row 7 in bytes."""
NO_MARGIN, NO_LAST_ROW = bytes(MARGIN), bytes(TABLE - LAST_ROW)
BLANK = bytes(TABLE)
IN_EXCHANGE = 6
"""Value of `Status.player` during the exchange."""


class Status(NamedTuple):
    """Rows 5 to 7 of a table, field by field; `margin` comes before `left` in the table."""

    exchange: int = 0  # 1 in the first table of a round, before the exchange
    to_give: int = 0  # number of cards that the recipient has to give back
    my_turn: int = 0  # 1 if the recipient is to act
    player: int = 0  # the player to act, or `IN_EXCHANGE`
    empty: int = 0  # 1 if the next play leads a trick
    eleven_back: int = 0  # 1 if a jack has turned the order of ranks until the end of the trick
    revolution: int = 0  # 1 if there is a revolution, whatever a jack does to the order
    lock: int = 0  # 1 if the suits are locked
    left: tuple[int, ...] = (0,) * PLAYERS  # number of cards in each hand, by player
    classes: tuple[int, ...] = (0,) * PLAYERS  # by player, 0: daifugo; all 0 before they are known
    seats: tuple[int, ...] = (0,) * PLAYERS  # the players in the order of play
    margin: bytes = NO_MARGIN  # the end of row 5
    last_row: bytes = NO_LAST_ROW  # row 7

    def pack(self) -> bytes:
        """Pack the rows into the bytes of a table after its cells."""
        flags = map(int, self[:8])  # without the compiler some are booleans of NumPy
        numbers = (*self.left, *self.classes, *self.seats)
        return _STATUS.pack(*flags, self.margin, *numbers, self.last_row)


_STATUS = struct.Struct(f">8i{MARGIN}s15i{TABLE - LAST_ROW}s")
_TURN = struct.Struct(">2i")


def read_status(table: bytes) -> Status:
    """Read the status of a table."""
    numbers = _STATUS.unpack_from(table, CELLS)
    left, classes, seats = (numbers[start : start + PLAYERS] for start in (9, 14, 19))
    return Status._make((*numbers[:8], left, classes, seats, numbers[8], numbers[24]))


def margin_of(table: bytes) -> bytes:
    """Return the margin of an answer as the server repeats it: negative numbers become 0."""
    margin = table[MARGIN_AT : MARGIN_AT + MARGIN]
    if margin == NO_MARGIN:
        return margin
    return np.maximum(np.frombuffer(margin, ">i4"), 0).astype(">i4").tobytes()


def turn_of(table: bytes) -> tuple[int, bool]:
    """Return the player to act in a table, and whether the recipient is that player."""
    mine, player = _TURN.unpack_from(table, CELLS + 8)
    return player, mine == 1


def _put(cells: bytearray, row: int, column: int, value: int) -> None:
    """Write a number below 256: its value is the last of the four big-endian bytes."""
    cells[4 * (COLUMNS * row + column) + 3] = value


def hand_cells(cards: int) -> bytes:
    """Convert a hand, a set of bits by card id, to cells."""
    cells = bytearray(CELLS)
    for card in range(JOKER):
        if cards >> card & 1:
            # Card ids are 4 * rank + suit with the suits C D H S: rows have them reversed.
            _put(cells, 3 - card % 4, 1 + card // 4, 1)
    if cards >> JOKER & 1:
        _put(cells, 4, 1, 2)
    return bytes(cells)


def held_cards(cells: bytes) -> int | None:
    """Read a set of bits by card id, as `hand_cells` writes it; the joker may be in any cell.

    None if a cell holds another value, or there are two jokers.
    """
    cards = 0
    numbers = np.frombuffer(cells, ">i4", CARD_ROWS * COLUMNS)
    for place in np.flatnonzero(numbers).tolist():
        row, column = divmod(place, COLUMNS)
        if numbers[place] == 2 and not cards >> JOKER:  # not a second joker: its bit is the highest
            cards |= 1 << JOKER
        elif numbers[place] == 1 and row < 4 and 1 <= column <= plays.NUM_RANKS:
            cards |= 1 << 4 * (column - 1) + 3 - row
        else:
            return None
    return cards


@cache
def play_cells(play: int) -> bytes:
    """Convert a play, by its id, or the pass to cells; a lone joker goes to row 0, column 0."""
    if play == PASS:
        return NOTHING
    table = plays.build()
    cells = bytearray(hand_cells(int(table.need[play]) & ~(1 << JOKER)))
    stands, suit = int(table.stands[play]), int(table.joker_suit[play])
    if play == JOKER:  # the play id of a single card is its card id
        _put(cells, 0, 0, 2)
    elif stands != NO_JOKER:  # `suit` is a bit, C D H S from the lowest; 0: a fifth card, row 4
        _put(cells, 4 - suit.bit_length() if suit else 4, 1 + stands, 2)
    return bytes(cells)


def read_play(cells: bytes) -> int | None:
    """Read the id of a play or the pass, whoever holds its cards; None if cells show neither."""
    return _plays_by_cells().get(cells)


def shows_cards(cells: bytes) -> bool:
    """Return whether any cell holds a card or the joker; cells without any are a pass."""
    numbers = np.frombuffer(cells, ">i4", CARD_ROWS * COLUMNS)
    return bool(((numbers == 1) | (numbers == 2)).any())


@cache
def _plays_by_cells() -> dict[bytes, int]:
    """Map cells to the ids of plays and the pass; a lone joker may lie anywhere in rows 0 to 3."""
    found = {play_cells(play): play for play in range(PASS + 1)}
    for row in range(4):
        for column in range(COLUMNS):
            cells = bytearray(CELLS)
            _put(cells, row, column, 2)
            found[bytes(cells)] = JOKER
    return found


def profile(name: str) -> bytes:
    """Make the first table of a client, with up to 14 characters of `ascii_name`."""
    text = ascii_name(name)[: COLUMNS - 1].encode()
    rows = [PROTOCOL, *bytes(COLUMNS - 1), *text.ljust(COLUMNS, b"\0")]
    return struct.pack(f">{len(rows)}i", *rows).ljust(TABLE, b"\0")


def read_profile(table: bytes) -> str | None:
    """Read the name in a profile, up to `LONGEST_NAME` characters; None for another table."""
    numbers = np.frombuffer(table, ">u4", 2 * COLUMNS)
    if numbers[0] != PROTOCOL:
        return None
    codes = numbers[COLUMNS:].clip(max=127).astype(np.uint8).tobytes()  # 127 is not visible
    return ascii_name(codes.partition(b"\0")[0][:LONGEST_NAME].decode())


def ascii_name(name: str) -> str:
    """Replace all but visible ASCII characters of a name by `_`; an empty name becomes `_`."""
    return "".join(c if "!" <= c <= "~" else "_" for c in name) or "_"

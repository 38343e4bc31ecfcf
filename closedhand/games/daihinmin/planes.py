"""A player's observation: binary planes.

`observation` is indexed `[plane, row, column]`. Rows 0-3 are the suits c d h s, and row 4 is for
the joker only. Columns 1-13 are the ranks 3 to 2; columns 0 (below the 3) and 14 (above the 2) are
for the joker only. A joker that stands for no card, in a hand or alone on the table, is at [4, 14].
Players are in seat order, starting with the observer. A plane marked "full" is all 1 if the
statement holds, else all 0.

| plane | contents |
|---|---|
| 0 | the observer's hand |
| 1 | the play to beat, with the joker in the place that it stands for |
| 2 | the joker of that play; as the fifth card of a group in row 4, in the column of its rank |
| 3 | cards that the observer has not seen |
| 4-8 | cards played in this round, by player |
| 9 | cards that the observer gave away in the exchange, if known |
| 10 | cards that the observer got in the exchange, if known |
| 11-15 | cards played in this trick, by player |
| 16-20 | number of cards left, by player: as many cells, row by row |
| 21-25 | full: the player has passed in this trick or is out, and cannot play on |
| 26-30 | class, by player: row 0 for the daifugo to row 4 for the daihinmin; 0 without classes |
| 31 | full: a lock is on |
| 32 | the rows of the suits of the lock |
| 33 | full: revolution |
| 34-38 | full: the player made the play to beat, or leads |
| 39 | full: there is no play to beat, and no exchange |
| 40 | full: cards are being exchanged |
"""

import numpy as np

from closedhand.core import bits
from closedhand.core.kernel import kernel
from closedhand.games.daihinmin.exchange import has_exchange, is_complete, loser, winner
from closedhand.games.daihinmin.hidden import unseen
from closedhand.games.daihinmin.plays import JOKER, JOKER_BIT, NO_JOKER
from closedhand.games.daihinmin.state import PLAYERS

ROWS, COLUMNS = 5, 15
CELLS = ROWS * COLUMNS
HAND, TABLE, TABLE_JOKER, UNSEEN = range(4)
PLAYED, GIVEN, GOT, TRICK, LEFT, PASSED, CLASS = 4, 9, 10, 11, 16, 21, 26
LOCK, LOCK_SUITS, REVOLUTION, OWNER, LEAD, EXCHANGE = 31, 32, 33, 34, 39, 40
PLANES = 41
SHAPES = {"observation": (PLANES, ROWS, COLUMNS)}


@kernel
def observe(rules, state, player, out):
    """Write the planes."""
    out[:] = 0
    draw_cards(out, HAND, state.hands[player])
    draw_cards(out, UNSEEN, unseen(state, player))
    if has_exchange(rules, state):
        draw_exchange(state, player, out)
    other = np.int64(player)
    for i in range(PLAYERS):
        draw_cards(out, PLAYED + i, state.played[other])
        draw_cards(out, TRICK + i, state.trick[other])
        fill(out, LEFT + i, 0, state.left[other])
        if state.passed & (1 << other):
            fill(out, PASSED + i, 0, CELLS)
        if state.classes[other] >= 0:
            fill(out, CLASS + i, COLUMNS * state.classes[other], COLUMNS)
        if state.owner == other and state.leader >= 0:
            fill(out, OWNER + i, 0, CELLS)
        other = np.int64(state.next[other])
    if state.target >= 0:
        draw_table(rules, state, out)
    elif state.leader >= 0:
        fill(out, LEAD, 0, CELLS)
    else:
        fill(out, EXCHANGE, 0, CELLS)
    if state.lock:
        fill(out, LOCK, 0, CELLS)
        for suit in range(4):
            if state.lock & (1 << suit):
                fill(out, LOCK_SUITS, COLUMNS * suit, COLUMNS)
    if state.revolution:
        fill(out, REVOLUTION, 0, CELLS)


@kernel
def fill(out, plane, first, number):
    """Mark consecutive cells of a plane."""
    start = plane * CELLS + first
    out[start : start + number] = 1


@kernel
def draw_cards(out, plane, cards):
    """Mark the cards of a set."""
    first = plane * CELLS + 1
    if cards & JOKER_BIT:
        out[first + CELLS - 2] = 1
        cards &= ~JOKER_BIT
    while cards:
        card = bits.lowest(cards)
        out[first + card % 4 * COLUMNS + card // 4] = 1
        cards &= cards - np.uint64(1)


@kernel
def draw_table(rules, state, out):
    """Draw the play to beat."""
    cards = rules.plays.need[state.target]
    draw_cards(out, TABLE, cards if state.target == JOKER else cards & ~JOKER_BIT)
    if cards & JOKER_BIT:
        cell = CELLS - 1
        stands = np.int64(rules.plays.stands[state.target])
        if stands != NO_JOKER:
            suit = np.int64(rules.plays.joker_suit[state.target])
            cell = (bits.lowest(suit) if suit else 4) * COLUMNS + 1 + stands
        out[TABLE * CELLS + cell] = 1
        out[TABLE_JOKER * CELLS + cell] = 1


@kernel
def draw_exchange(state, player, out):
    """Draw the cards that the observer knows to have given and got."""
    for pair in range(2):
        if player == winner(state, pair):
            draw_cards(out, GIVEN, state.returned[pair])
        elif player == loser(state, pair):
            draw_cards(out, GIVEN, state.taxed[pair])
            if is_complete(state, pair):
                draw_cards(out, GOT, state.returned[pair])

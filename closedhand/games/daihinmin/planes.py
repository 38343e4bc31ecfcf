"""A player's observation: binary planes.

`observation` is indexed `[plane, row, column]`. Rows 0-3 are the suits c d h s, and row 4 is for
the joker only. Columns 1-13 are the ranks 3 to 2; columns 0 (below the 3) and 14 (above the 2) are
for the joker only. A joker that stands for no card, in a hand or alone on the table, is at [4, 14];
the second of two such jokers is at [4, 0]. Players are in the order of play, starting with the
observer (usually seat order). A plane marked "full" is all 1 if its statement holds, else 0.

| plane | contents |
|---|---|
| 0 | the observer's hand |
| 1 | the play to beat, with the joker in the place that it stands for |
| 2 | the joker of that play; as the fifth card of a group in row 4, in the column of its rank |
| 3 | cards that are neither in the observer's hand nor played |
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

These are the planes of five players. With another number of players each of the planes by player
occurs as often as there are players, in this order; the rows of the classes stay those of daifugo,
fugo, heimin, hinmin and daihinmin.

With `jack_back`, `six_reverse` or `capital_fall` there is a second part, `house`, of two numbers
and one for each player: 0 a jack has reversed the order of the ranks until the trick ends (plane 33
shows the order in force); 1 the order of play is reversed, and with it that of the players here;
from 2 the player was the daifugo and has fallen. With `seven_give` or `ten_discard` two parts
follow: `giving`, the number of cards that the player to act may still give or discard, and `shown`,
a plane for each player with the cards that it got after a seven and still holds.
"""

from collections import namedtuple
from itertools import accumulate

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.exchange import seen_in_exchange
from closedhand.games.daihinmin.hidden import unseen
from closedhand.games.daihinmin.plays import BOTH, JOKER_BIT, NO_JOKER, SECOND_BIT, second_joker
from closedhand.games.daihinmin.seven_ten_rules import due_of, shown_by
from closedhand.games.daihinmin.state import TITLES, Rules, by_players, titles_of
from closedhand.games.daihinmin.tricks import is_back, is_reversed

ROWS, COLUMNS = 5, 15
CELLS = ROWS * COLUMNS
HAND, TABLE, TABLE_JOKER, UNSEEN, PLAYED = range(5)
BACK, REVERSED, FALLEN = range(3)  # indices in `house`; from `FALLEN` on by player

Places = namedtuple(
    "Places",
    "given got trick left passed classes lock lock_suits revolution owner lead exchange planes",
)
"""First plane of each kind after those of `PLAYED`, and number of planes."""

PLACES = {
    n: Places(*accumulate((1, 1, n, n, n, n, 1, 1, 1, n, 1, 1), initial=PLAYED + n)) for n in TITLES
}
places_of = by_players(PLACES)
"""Function that returns the `Places` for the players of a state."""


def shapes(rules: Rules) -> dict[str, tuple[int, ...]]:
    """Return name and shape of each part of an observation."""
    players = int(rules.options.players)
    parts: dict[str, tuple[int, ...]] = {"observation": (PLACES[players].planes, ROWS, COLUMNS)}
    if rules.has_house:
        parts["house"] = (FALLEN + players,)
    if rules.has_gifts:
        parts |= {"giving": (1,), "shown": (players, ROWS, COLUMNS)}
    return parts


@kernel
def observe(rules, state, player, out):
    """Write the planes, then the parts of optional rules, to `out`, which is all zero."""
    at = places_of(state)
    draw_cards(out, HAND, state.hands[player])
    draw_cards(out, UNSEEN, unseen(state, player))
    given, got = seen_in_exchange(rules, state, player)
    draw_cards(out, at.given, given)
    draw_cards(out, at.got, got)
    other = np.int64(player)
    for i in range(len(state.hands)):
        draw_cards(out, PLAYED + i, state.played[other])
        draw_cards(out, at.trick + i, state.trick[other])
        fill(out, at.left + i, 0, state.left[other])
        if state.passed & (1 << other):
            fill(out, at.passed + i, 0, CELLS)
        if state.classes[other] >= 0:
            title = titles_of(state)[state.classes[other]]
            fill(out, at.classes + i, COLUMNS * title, COLUMNS)
        if state.owner == other and state.leader >= 0:
            fill(out, at.owner + i, 0, CELLS)
        other = np.int64(state.next[other])
    if state.target >= 0:
        draw_table(rules, state, out)
    elif state.leader >= 0:
        fill(out, at.lead, 0, CELLS)
    else:
        fill(out, at.exchange, 0, CELLS)
    if state.lock:
        fill(out, at.lock, 0, CELLS)
        for suit in range(4):
            if state.lock & (1 << suit):
                fill(out, at.lock_suits, COLUMNS * suit, COLUMNS)
    if state.revolution:
        fill(out, at.revolution, 0, CELLS)
    size = at.planes * CELLS
    after = size + write_house(rules, state, player, out[size:])
    if rules.options.seven_give + rules.options.ten_discard:
        out[after] = due_of(state)
        # `next` is a circle: after the loop above, `other` is the observer again.
        for i in range(len(state.hands)):
            draw_cards(out[after + 1 :], i, shown_by(state, other))
            other = np.int64(state.next[other])


@kernel
def write_house(rules, state, player, out):
    """Write the part `house` and return its size; 0 if observations do not have it."""
    options = rules.options
    if options.jack_back + options.six_reverse + options.capital_fall == 0:
        return np.int64(0)
    out[BACK] = is_back(rules, state)
    out[REVERSED] = is_reversed(state)
    if options.capital_fall and state.out < len(state.hands):
        other = np.int64(player)
        for i in range(len(state.hands)):
            # While a round runs, only a fallen daifugo is out with cards left. Its place does not
            # show this: forbidden finishes get the last places too.
            out[FALLEN + i] = state.places[other] >= 0 and state.left[other] > 0
            other = np.int64(state.next[other])
    return np.int64(FALLEN + len(state.hands))


@kernel
def fill(out, plane, first, number):
    """Mark `number` consecutive cells of a plane from its cell `first` on."""
    start = plane * CELLS + first
    out[start : start + number] = 1


@kernel
def draw_cards(out, plane, cards):
    """Mark the cards of a set in a plane."""
    # Column 0 is for the joker, so the 3 of a suit is in column 1. A joker has the last cell of the
    # plane, [4, 14], and a second one the first cell of the same row, [4, 0].
    first = plane * CELLS + 1
    if cards & JOKER_BIT:
        out[first + CELLS - 2] = 1
        if cards & SECOND_BIT:
            out[first + CELLS - COLUMNS - 1] = 1
        cards &= ~BOTH
    while cards:
        card = bits.lowest(cards)
        out[first + card % 4 * COLUMNS + card // 4] = 1
        cards &= cards - np.uint64(1)


@kernel
def draw_table(rules, state, out):
    """Draw the planes `TABLE` and `TABLE_JOKER` of the play to beat."""
    cards = rules.plays.need[state.target]
    draw_cards(out, TABLE, cards & ~BOTH)
    if cards & JOKER_BIT:
        stands = np.int64(rules.plays.stands[state.target])
        draw_joker(out, stands, np.int64(rules.plays.joker_suit[state.target]), CELLS - 1)
    if cards & SECOND_BIT:
        stands, suit = second_joker(rules.plays, state.target)
        draw_joker(out, stands, suit, CELLS - COLUMNS)


@kernel
def draw_joker(out, stands, suit, alone):
    """Draw a joker of the play to beat; if it stands for no card, at the cell `alone`."""
    cell = alone
    if stands != NO_JOKER:
        # Suit 0 is the fifth card of a group, in row 4. Rank -1, below the 3, is in column 0.
        cell = (bits.lowest(suit) if suit else 4) * COLUMNS + 1 + stands
    out[TABLE * CELLS + cell] = 1
    out[TABLE_JOKER * CELLS + cell] = 1

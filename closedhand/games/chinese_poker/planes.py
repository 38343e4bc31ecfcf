"""A player's observation: binary planes of cards, and a short status vector.

`observation` is indexed `[plane, suit, rank]`, with suits in the order c d h s and ranks from the
deuce to the ace. With n players there are 1 + 3n planes:

| plane | cards |
|---|---|
| 0 | the observer's hand |
| 1, 2, 3 | the observer's back, middle and front; with sub-steps the back as soon as it is chosen |
| 4, 5, 6 | back, middle and front of the next player, and so on round the table |

The other players' boards are all 0 until every hand is set.

The status vector holds 4 numbers: 0 the observer's seat, 1 the number of players, 2 the number of
hands set, 3 whether the observer has chosen a back but not yet a front.
"""

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.games.chinese_poker.plays import FRONTS, HAND
from closedhand.games.chinese_poker.rules import over
from closedhand.games.chinese_poker.state import DECK, UNSET, Rules

BOARD = 3
"""Number of planes of a board."""
STATUS = 4


def shapes(rules: Rules) -> dict[str, tuple[int, ...]]:
    """Return name and shape of each part of an observation."""
    return {"observation": (1 + BOARD * rules.players, 4, 13), "status": (STATUS,)}


@kernel
def observe(rules, state, player, out):
    """Write the planes, then the status vector, to `out`, which is all zero."""
    for card in state.hands[player]:
        out[place(0, card)] = 1
    for i in range(rules.players):
        seat = (player + i) % rules.players
        first = 1 + BOARD * i
        if seat == player or over(rules, state):
            if state.history[seat] != UNSET:
                draw(rules, state, seat, state.history[seat], HAND, first, out)
            elif state.backs[seat] != UNSET:
                draw(rules, state, seat, state.backs[seat] * FRONTS, 5, first, out)
    status = out[(1 + BOARD * rules.players) * DECK :]
    status[0] = player
    status[1] = rules.players
    status[2] = state.moves
    status[3] = state.backs[player] != UNSET and state.history[player] == UNSET


@kernel
def draw(rules, state, seat, arrangement, cards, first, out):
    """Mark a seat's back (`cards` is 5) or whole board (13) in the planes from `first` on."""
    for i in range(cards):
        card = state.hands[seat, rules.tables.positions[arrangement, i]]
        out[place(first + i // 5, card)] = 1


@kernel
def place(plane, card):
    """Return the index in `out` of a card in a plane."""
    card = np.int64(card)
    return plane * DECK + card % 4 * 13 + card // 4

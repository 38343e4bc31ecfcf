"""A player's observation: one binary plane of cards and betting, and a short status vector.

The plane is indexed `[row, column]`. In the rows of cards the columns are kinds of cards, weakest
first; in the rows of betting they are the actions fold, check, call, raise (further columns stay
0):

| row | UH-Leduc (8 x 8) | standard (10 x 6) |
|---|---|---|
| the observer's own card | 0 | 0 |
| the flop, all 0 in phase 1 | 1 | 1 |
| the actions of phase 1, in order | 2-4 | 2-5 |
| the actions of phase 2, in order | 5-7 | 6-9 |

S acts first in both phases and the players take turns, so the rows also show who acted: the plane
holds the whole betting history (perfect recall).

The status vector holds 4 numbers: 0 the observer's seat (0 is S, 1 is T), 1 the phase, 2 the
observer's bet, 3 the opponent's bet.
"""

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.core.numba.simd import write_bytes
from closedhand.games.leduc.state import FLOP, Rules, revealed

STATUS = 4
FIRST_ACTION = 2


def shapes(rules: Rules) -> dict[str, tuple[int, ...]]:
    """Return name and shape of each part of an observation."""
    rows = FIRST_ACTION + 2 * int(rules.tables.longest)
    return {"observation": (rows, int(rules.tables.kinds)), "status": (STATUS,)}


@kernel
def observe(rules, state, player, out):
    """Write the plane, then the status vector, to `out`, which is all zero."""
    columns = rules.tables.kinds
    out[state.cards[player]] = 1
    write_flop(rules, state, out[columns:])
    write_actions(rules, state, columns, out[FIRST_ACTION * columns :])
    at = rules.tables.nodes[state.node]
    status = out[(FIRST_ACTION + 2 * rules.tables.longest) * columns :]
    status[0] = player
    status[1] = at.phase
    status[2] = at.bets[player]
    status[3] = at.bets[1 - player]


@kernel
def write_flop(rules, state, out):
    """Mark the flop's kind in `out`, nothing in phase 1."""
    known = np.int64(revealed(rules, state))
    out[known * state.cards[FLOP]] = known  # without a branch, which would be hard to predict


@kernel
def write_actions(rules, state, width, out):
    """Mark each action so far in its own row of `width` cells; phase 2 begins at row `longest`."""
    taken = rules.tables.nodes[state.node].taken
    for turn in range(2 * rules.tables.longest):
        write_bytes(out, turn * width, taken[turn])

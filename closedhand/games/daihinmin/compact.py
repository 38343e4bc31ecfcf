"""With `compact=True` an action is a set of cards, and the place of the joker is determined.

Where the cards leave a choice, the joker is placed as follows. In a group it stands for the first
suit, in the order c d h s, with which the play makes or keeps a lock, or else for the first with
which the play is legal. In a kaidan without a gap it stands at the stronger end if that is legal,
or else at the other end. There are 1,951 sets and the pass.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from closedhand.core import contract
from closedhand.core.kernel import kernel
from closedhand.games.daihinmin import plays
from closedhand.games.daihinmin.legality import can_play
from closedhand.games.daihinmin.plays import NUM_PLAYS, NUM_RANKS, PASS

SETS = 1951
ACTIONS = SETS + 1
MOST_READINGS = 4

TABLES = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("set_of", "i2", plays.NUM_ACTIONS),  # compact id of each play
                ("readings", "i2", (ACTIONS, MOST_READINGS)),  # plays of each id; -1 for none
            ],
            align=True,
        ),
    )
)


@cache
def sets() -> tuple[int, ...]:
    """The cards of every compact action but the pass, in the order of their first plays."""
    return tuple(dict.fromkeys(plays.build().need[:NUM_PLAYS].tolist()))


@cache
def build() -> np.record:
    """The table of all sets."""
    ids = {cards: i for i, cards in enumerate(sets())}
    tables = np.zeros(1, TABLES)[0]
    tables.readings[:] = -1
    for play, cards in enumerate(plays.build().need[:NUM_PLAYS].tolist()):
        i = ids[cards]
        tables.set_of[play] = i
        readings = tables.readings[i]
        readings[np.argmax(readings < 0)] = play
    tables.set_of[PASS] = SETS
    tables.readings[SETS, 0] = PASS
    return tables


class Rules(NamedTuple):
    """The flat rules and the table of sets."""

    kernels = "closedhand.games.daihinmin.compact"

    flat: Any
    tables: np.record


@kernel
def legal(rules, state, out):
    """Write the ids of the legal sets, ascending; return their number."""
    n = 0
    for k in range(contract.legal(rules.flat, state, out)):
        chosen = rules.tables.set_of[out[k]]
        # Plays of one set are not adjacent: insert the set unless it is there already.
        i = n
        while i > 0 and out[i - 1] > chosen:
            i -= 1
        if i == 0 or out[i - 1] != chosen:
            for j in range(n, i, -1):
                out[j] = out[j - 1]
            out[i] = chosen
            n += 1
    return n


@kernel
def is_legal(rules, state, action, ids):
    """Whether `action`, any integer, is legal now."""
    if action < 0 or action >= ACTIONS:
        return False
    return contract.is_legal(rules.flat, state, reading(rules, state, action), ids)


@kernel
def admit(rules, state, action, ids):
    """The set that a submitted action, any integer, counts as; -1 if it is refused."""
    if action < 0 or action >= ACTIONS:
        return -1
    play = contract.admit(rules.flat, state, reading(rules, state, action), ids)
    return rules.tables.set_of[play] if play >= 0 else -1


@kernel
def reading(rules, state, action):
    """The play that a set stands for: the preferred one of the legal plays, or else its first."""
    best, most = np.int64(rules.tables.readings[action, 0]), -1
    if best == PASS or rules.tables.readings[action, 1] < 0:
        return best
    flat = rules.flat
    for i in range(MOST_READINGS):
        play = np.int64(rules.tables.readings[action, i])
        if play >= 0 and can_play(flat, state, play):
            low, high = np.int64(flat.plays.low[play]), np.int64(flat.plays.high[play])
            if low < high:
                worth = NUM_RANKS - high if state.revolution else 1 + low
            else:
                suits = flat.plays.suits
                worth = int(state.target >= 0 and suits[play] == suits[state.target])
            if worth > most:
                best, most = play, worth
    return best


@kernel
def play(rules, state, action):
    """Apply a legal action, and determine the next player to act."""
    contract.play(rules.flat, state, reading(rules, state, action))


@kernel
def payoff(rules, state, player):
    """The points of a player as soon as they are certain."""
    return contract.payoff(rules.flat, state, player)

"""With `actions="card_sets"` an action is a set of cards, not a play as in the **flat** game.

If the cards leave a choice, the joker stands for a card as follows:

- In a group it stands for the first suit, in the order c d h s, with which the play makes or keeps
  a lock, or else for the first suit with which the play is legal.
- In a kaidan without a gap it stands at the stronger end if that is legal, or else at the other.

There are 1,951 sets and the pass; three or four players have 160 more, with ids after the pass.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from closedhand.core import contract
from closedhand.core.layout import record_type
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin import plays
from closedhand.games.daihinmin.legality import can_play
from closedhand.games.daihinmin.plays import NUM_RANKS, PASS
from closedhand.games.daihinmin.state import PLAYERS

MOST_READINGS = 4
"""Columns for the plays of one set; three are used, as a joker beside one card has three suits."""


@cache
def sets(players: int = PLAYERS) -> tuple[int, ...]:
    """Return the cards of every action, in the order of their first plays; 0 for the pass."""
    return tuple(dict.fromkeys(plays.build(players).need.tolist()))


@cache
def build(players: int) -> np.record:
    """Build the table of all sets, a record of the fields below, for a number of players."""
    need, ids = plays.build(players).need, {cards: i for i, cards in enumerate(sets(players))}
    fields = [
        ("set_of", "i2", len(need)),  # set of each play
        ("readings", "i2", (len(ids), MOST_READINGS)),  # plays of each id; -1 for none
    ]
    tables = np.zeros(1, record_type(fields))[0]
    tables.readings[:] = -1
    for play, cards in enumerate(need.tolist()):
        tables.set_of[play] = ids[cards]
        readings = tables.readings[ids[cards]]
        readings[np.argmax(readings < 0)] = play
    return tables


class Rules(NamedTuple):
    """The rules of the flat game, and the table of sets from `build`."""

    kernels = "closedhand.games.daihinmin.card_sets"

    flat: Any
    tables: np.record


@kernel
def legal(rules, state, out):
    """Write the ids of the legal sets, ascending; return their number."""
    n = 0
    for k in range(contract.legal(rules.flat, state, out)):
        chosen = rules.tables.set_of[out[k]]
        # Plays of one set are not adjacent: insert the set in order unless it is there already.
        # Position k of `out` is read before anything is written there, since n <= k.
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
    """Return whether `action`, any integer, is legal now."""
    if action < 0 or action >= len(rules.tables.readings):
        return False
    return contract.is_legal(rules.flat, state, reading(rules, state, action), ids)


@kernel
def admit(rules, state, action, ids):
    """Return the set that a submitted action, any integer, counts as; -1 if it is refused."""
    if action < 0 or action >= len(rules.tables.readings):
        return -1
    play = contract.admit(rules.flat, state, reading(rules, state, action), ids)
    return rules.tables.set_of[play] if play >= 0 else -1


@kernel
def reading(rules, state, action):
    """Return the id of the set's best legal play, or of its first play if none is legal."""
    best, most = np.int64(rules.tables.readings[action, 0]), -1
    if best == PASS or rules.tables.readings[action, 1] < 0:
        return best
    flat = rules.flat
    for i in range(MOST_READINGS):
        play = np.int64(rules.tables.readings[action, i])
        if play >= 0 and can_play(flat, state, play):
            # A kaidan is worth more the stronger its end is, a group if it makes or keeps a lock.
            # `low` is -1 for a joker below the 3, `high` 13 for one above the 2: `worth` is >= 0.
            # `target` is -1 on a lead. Of plays of equal worth the first is kept.
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
def next_step(rules, view, play, ids):
    """Return the id of a play's set, or of the pass if the play is illegal now."""
    return np.int64(rules.tables.set_of[play if can_play(rules.flat, view, play) else PASS])


@kernel
def play(rules, state, action):
    """Apply a legal action, and determine the next player to act."""
    contract.play(rules.flat, state, reading(rules, state, action))


@kernel
def features(rules, state, player, out):
    """Write the flat game's compact observation."""
    contract.features(rules.flat, state, player, out)


@kernel
def payoff(rules, state, player):
    """Return the points of a player as soon as they are certain; NaN before."""
    return contract.payoff(rules.flat, state, player)

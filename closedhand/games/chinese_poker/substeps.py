"""Chinese Poker in sub-steps: first the back, then the front.

There are 1,343 actions: the 1,287 sets of five positions for the back, then, for the front, the 56
sets of three of the eight positions left; the remaining cards are the middle. A back is legal only
if some front completes it. The other players learn only that a hand is set.

The **flat** game is the one without sub-steps. There the arrangement of back b and front k has the
id `FRONTS * b + k`; here the front k has the id `FIRST_FRONT + k`.
"""

from typing import NamedTuple

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.games.chinese_poker import features as compact, rules as flat
from closedhand.games.chinese_poker.plays import FIVES, FRONTS, PARTS, THREES
from closedhand.games.chinese_poker.state import UNSET, Rules as FlatRules
from closedhand.games.chinese_poker.validity import valid

__all__ = ["features", "is_legal", "legal", "next_step", "play", "valid"]

FIRST_FRONT = FIVES
ACTIONS = FIVES + FRONTS


class Rules(NamedTuple):
    """The rules of the game in sub-steps."""

    kernels = "closedhand.games.chinese_poker.substeps"

    flat: FlatRules


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions, ascending; return their number."""
    hand, chosen = state.hands[state.player], state.backs[state.player]
    n = 0
    if chosen != UNSET:
        parts = np.empty(len(PARTS), np.int64)
        for k in range(FRONTS):
            if flat.evaluate(rules.flat, hand, FRONTS * chosen + k, parts) or rules.flat.fouls:
                out[n] = FIRST_FRONT + k
                n += 1
        return n
    tables = rules.flat.tables
    fives, threes = np.empty(FIVES, np.int16), np.empty(THREES, np.int16)
    flat.strengths(rules.flat, hand, fives, threes)
    for i in range(THREES):
        threes[i] = tables.floor[threes[i]]  # now the weakest middle that the front allows
    for back in range(FIVES):
        fits = rules.flat.fouls
        if not fits and not flat.is_hopeless(rules.flat, hand, fives[back]):
            # Try the weakest front first, the last arrangement of the back: it usually fits.
            arrangement = FRONTS * (back + 1) - 1
            while not fits and arrangement >= FRONTS * back:
                middle = fives[tables.middle[arrangement]]
                fits = fives[back] >= middle and middle >= threes[tables.front[arrangement]]
                arrangement -= 1
        if fits:
            out[n] = back
            n += 1
    return n


@kernel
def is_legal(rules, state, action, ids):
    """Return whether `action`, any integer, is legal now; `ids` is scratch space."""
    chosen = state.backs[state.player]
    if chosen != UNSET:
        arrangement = FRONTS * chosen + action - FIRST_FRONT
        known = FIRST_FRONT <= action < ACTIONS
        return known and flat.is_legal(rules.flat, state, arrangement, ids)
    if not 0 <= action < FIVES:
        return False
    # A back is legal if one of its arrangements is; try the weakest front, the last one, first.
    for arrangement in range(FRONTS * (action + 1) - 1, FRONTS * action - 1, -1):
        if flat.is_legal(rules.flat, state, arrangement, ids):
            return True
    return False


@kernel
def play(rules, state, action):
    """Choose the back, or set the hand by choosing the front."""
    if action < FIRST_FRONT:
        state.backs[state.player] = action
    else:
        back = state.backs[state.player]
        flat.play(rules.flat, state, FRONTS * back + action - FIRST_FRONT)


@kernel
def next_step(rules, view, play, ids):
    """Return the next sub-step towards `play`, a flat id; see `closedhand.core.batch_agent`."""
    if view.backs[view.player] == UNSET:
        return play // FRONTS
    return FIRST_FRONT + play % FRONTS


@kernel
def features(rules, state, player, out):
    """Write the flat game's compact observation, which shows a chosen back."""
    compact.features(rules.flat, state, player, out)

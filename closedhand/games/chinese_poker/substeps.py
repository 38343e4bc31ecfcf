"""Chinese Poker in sub-steps: first the back, then the front.

1,343 actions: the 1,287 sets of five positions for the back, then the 56 sets of three of the eight
positions that are left for the front; the middle is what remains. A back is legal only where some
front completes it. The others see no difference: they learn that a hand is set, and not how.
"""

from typing import NamedTuple

import numpy as np

from closedhand.games.chinese_poker import planes, rules as flat
from closedhand.games.chinese_poker.plays import FIVES, FRONTS, THREES
from closedhand.games.kernel import kernel

FIRST_FRONT = FIVES
ACTIONS = FIVES + FRONTS


class Rules(NamedTuple):
    """The rules of the flat game."""

    kernels = "closedhand.games.chinese_poker.substeps"

    flat: flat.Rules


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions, ascending; return how many."""
    hand, chosen = state.hands[state.player], state.backs[state.player]
    fives, threes = np.empty(FIVES, np.int16), np.empty(THREES, np.int16)
    flat.strengths(rules.flat, hand, fives, threes)
    n = 0
    if chosen != flat.UNSET:
        for k in range(FRONTS):
            if fits(rules, chosen, k, fives, threes):
                out[n] = FIRST_FRONT + k
                n += 1
        return n
    for back in range(FIVES):
        if has_front(rules, hand, back, fives, threes):
            out[n] = back
            n += 1
    return n


@kernel
def is_legal(rules, state, action, ids):
    """Whether an action is legal now."""
    if flat.over(rules.flat, state):
        return False
    hand, chosen = state.hands[state.player], state.backs[state.player]
    fives, threes = np.empty(FIVES, np.int16), np.empty(THREES, np.int16)
    flat.strengths(rules.flat, hand, fives, threes)
    if chosen != flat.UNSET:
        front = action - FIRST_FRONT
        return 0 <= front < FRONTS and fits(rules, chosen, front, fives, threes)
    return 0 <= action < FIVES and has_front(rules, hand, action, fives, threes)


@kernel
def has_front(rules, hand, back, fives, threes):
    """Whether some front makes a legal arrangement with a back."""
    if flat.is_hopeless(rules.flat, hand, back, fives[back]) and not rules.flat.fouls:
        return False
    # From the weakest front up: the first tries mostly fit.
    for k in range(FRONTS - 1, -1, -1):
        if fits(rules, back, k, fives, threes):
            return True
    return False


@kernel
def fits(rules, back, k, fives, threes):
    """Whether the k-th front of a back makes a legal arrangement."""
    if rules.flat.fouls:
        return True
    arrangement = FRONTS * back + k
    middle = fives[rules.flat.tables.middle[arrangement]]
    front = threes[rules.flat.tables.front[arrangement]]
    return flat.in_order(rules.flat, fives[back], middle, front)


@kernel
def play(rules, state, action):
    """Choose the back, or set the hand with the front."""
    if action < FIRST_FRONT:
        state.backs[state.player] = action
    else:
        back = state.backs[state.player]
        flat.play(rules.flat, state, FRONTS * back + action - FIRST_FRONT)


@kernel
def observe(rules, state, player, out):
    """Write the flat game's observation, which shows the back that is chosen."""
    planes.observe(rules.flat, state, player, out)

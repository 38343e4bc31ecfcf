"""Exact search of Dou Dizhu endgames with open hands: the winner when few cards remain."""

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.state import SEATS, STATE
from closedhand.search.alpha_beta import UNKNOWN, solve

MOST_CARDS = 12
"""Maximum number of cards in all hands together."""
DEEPEST = 40
"""Room for the positions of a line of play, the maximum depth of `solve`. Twelve cards allow 12
plays and two passes after each but the last: 34 actions."""
MOST_NODES = 2_000
"""Maximum number of positions searched."""
MOST_ACTIONS = 400
"""Room for the legal actions of a hand of so few cards. A search over hands finds at most 63: four
of a kind and eight solos in a row. The last 308 places are scratch space of `legal`."""


@kernel
def winner(policy, rules, state, player):
    """Return `WON` or `LOST` for the side of `player`, or `UNKNOWN` beyond the limits above."""
    if state.left[0] + state.left[1] + state.left[2] > MOST_CARDS:
        return UNKNOWN
    states = np.empty(DEEPEST, STATE)
    actions = np.empty((DEEPEST, MOST_ACTIONS), np.int32)
    states[0] = state
    friends = 1 << np.int64(state.landlord)
    if player != state.landlord:
        friends ^= (1 << SEATS) - 1
    return solve(policy, rules, states, actions, player, friends, 0.0, MOST_NODES)[0]

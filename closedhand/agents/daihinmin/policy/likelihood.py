"""Likelihood of the other players' past actions under a policy."""

import numpy as np

from closedhand.core.contract import dispatched
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin import rules as flat
from closedhand.games.daihinmin.plays import NUM_ACTIONS

FLATTENING = 0.3
"""Exponent that flattens the likelihood of the plays in a determinisation."""
LEAST_LOGARITHM = -5.0
"""Lower bound of the log-probability of one play."""


@dispatched()
def log_probability(policy, rules, state, action, ids, scores) -> float:
    """Return the log-probability that the player to act chooses an action, limited below.

    `ids` and `scores` are scratch space, int32 and float64 [NUM_ACTIONS].
    """
    ...


@kernel
def plausibility(policy, rules, state, player, ids):
    """Return the likelihood of the other players' past actions under the policy.

    It is flattened, as real players differ from the policy.
    """
    if state.leader < 0:
        return 1.0
    moves = np.int64(state.moves)
    scores = np.empty(NUM_ACTIONS)
    log_likelihood = 0.0
    flat.rewind(state)
    while state.moves < moves:
        action = np.int64(state.history[state.moves])
        if state.player != player:
            log_likelihood += log_probability(policy, rules, state, action, ids, scores)
        flat.play(rules, state, action)
    return np.exp(FLATTENING * log_likelihood)

"""Training of the light policy in self-play by policy gradient.

`closedhand train daihinmin --algorithm playouts` does this in every step:

1. Play rounds with the policy at all seats, half of them with an exchange.
2. Sum over all players the gradient of the log-likelihood of the player's decisions, times the
   player's points less the mean of 3 (REINFORCE; Williams, 1992).
3. Take a step of Adam (`learning/policy_gradient.py`).
"""

import numpy as np

from closedhand.agents.daihinmin.policy import light_policy
from closedhand.agents.daihinmin.policy.light_policy import FEATURES, MOST_FEATURES
from closedhand.agents.daihinmin.policy.shared import options, seen_cards_of
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.core.registry import make_game
from closedhand.games.daihinmin import rules as flat
from closedhand.games.daihinmin.plays import NUM_ACTIONS
from closedhand.games.daihinmin.state import PLAYERS, STATE
from closedhand.learning.policy_gradient import Task, draw

MEAN = 3.0
"""Mean points of a round over all players."""
ROUNDS, PIECE = 4096, 512
"""Rounds in a step, and rounds that a thread plays at a time."""


@kernel
def play_rounds(rules, policy, states, rng, ids, gradient):
    """Deal and play a round in each state; add the policy gradient to `gradient` [FEATURES]."""
    traces = np.zeros((PLAYERS, FEATURES))
    scores = np.empty(NUM_ACTIONS)
    features = np.empty(MOST_FEATURES, np.int64)
    points = np.empty(PLAYERS)
    for i in range(len(states)):
        state = states[i]
        flat.deal(rules, state, seed_in_kernel(rng))
        traces[:] = 0.0
        while not flat.over(rules, state):
            action = decide(rules, policy, state, rng, ids, scores, features, traces)
            flat.play(rules, state, action)
        flat.returns(rules, state, points)
        for player in range(PLAYERS):
            for f in range(FEATURES):
                gradient[f] += (points[player] - MEAN) * traces[player, f]


@kernel
def decide(rules, policy, state, rng, ids, scores, features, traces):
    """Draw as `light_policy.choose`; add the log-probability's gradient to the player's trace."""
    n = options(rules, state, ids)
    if n == 1 or state.leader < 0:
        return np.int64(ids[0])
    total = light_policy.score_all(policy, rules, state, ids, n, scores)
    chosen = draw(scores, n, total, rng)
    seen = seen_cards_of(state)
    for k in range(n):
        share = (1.0 if k == chosen else 0.0) - scores[k] / total
        for f in range(light_policy.describe(rules, state, seen, np.int64(ids[k]), features)):
            traces[state.player, features[f]] += share
    return np.int64(ids[chosen])


def gradient(weights: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Compute the gradient [FEATURES] of piece `number`; rounds of odd pieces have an exchange."""
    game = make_game("daihinmin", classes=("none", "random")[number % 2])
    sums = np.zeros(FEATURES)
    ids = np.empty(NUM_ACTIONS, np.int32)
    play_rounds(game.rules, light_policy.policy_of(weights), np.zeros(PIECE, STATE), rng, ids, sums)
    return sums


TASK = Task(FEATURES, ROUNDS, PIECE, gradient)

"""Tuning of the weights of `decompose` in duplicate self-play.

`closedhand train doudizhu --algorithm decompose` does this in every step:

1. Play every deal several times. The policy plays all seats; plays are drawn by softmax.
2. Compare the result of a game with the other games of the same deal, as in a duplicate match. The
   luck of the deal cancels out. A game counts as won or lost, without bombs.
3. Add up the gradients of the log-likelihoods of all decisions, each times the player's advantage,
   the payoff less the mean payoff of the deal's other games (REINFORCE; Williams, 1992).
4. Take a step of Adam (`learning/policy_gradient.py`).
"""

import numpy as np

from closedhand.agents.doudizhu.decompose.agent import CANDIDATES, list_plays, policy_of, weigh
from closedhand.agents.doudizhu.decompose.features import FEATURES, MOST_FEATURES
from closedhand.agents.doudizhu.decompose.partition import MOST_NODES, NODE, ROWS
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.core.registry import make_game
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.state import STATE
from closedhand.learning.policy_gradient import Task, draw, exponentials

TABLES = 4
"""Games per deal."""
GAMES, PIECE = 8192, 1024
"""Games per step, and per piece of a step that one thread plays."""


@kernel
def play_deals(rules, policy, state, deals, rng, ids, gradient):
    """Play `deals` deals, each `TABLES` times; add the result to `gradient`, float64 [FEATURES]."""
    traces = np.zeros((TABLES, FEATURES))
    won = np.empty(TABLES)
    for _ in range(deals):
        seed = seed_in_kernel(rng)
        traces[:] = 0.0
        for table in range(TABLES):
            flat.deal(rules, state, seed)
            trace_game(rules, policy, state, rng, ids, traces[table])
            won[table] = 1.0 if state.left[state.landlord] == 0 else 0.0
        for table in range(TABLES):
            # The landlord's payoff, 1 or -1, less the mean payoff of the deal's other games.
            gain = 2.0 * (won[table] * TABLES - won.sum()) / (TABLES - 1)
            if gain != 0.0:
                for f in range(FEATURES):
                    gradient[f] += gain * traces[table, f]


@kernel
def trace_game(rules, policy, state, rng, ids, trace):
    """Play a dealt game to its end, sampling; add its gradient to `trace`, float64 [FEATURES].

    The gradient is that of the log-likelihood of the landlord's decisions, less that of the
    peasants'. Plays without a choice add nothing.
    """
    plays = np.empty(CANDIDATES, np.int64)
    sums = np.empty(CANDIDATES)
    features = np.empty((CANDIDATES, MOST_FEATURES), np.int64)
    numbers = np.empty(CANDIDATES, np.int64)
    nodes = np.empty(MOST_NODES, NODE)
    costs = np.empty((ROWS, 15), np.int64)
    while not flat.over(rules, state):
        n, k = list_plays(rules, state, ids, costs, nodes, plays)
        if k < 0:
            weigh(policy, rules, state, plays, n, costs, nodes, sums, features, numbers)
            total = exponentials(sums, n)
            k = draw(sums, n, total, rng)
            # A peasant's gain is the landlord's loss.
            side = 1.0 if state.player == state.landlord else -1.0
            for i in range(n):
                share = side * ((1.0 if i == k else 0.0) - sums[i] / total)
                for f in range(numbers[i]):
                    trace[features[i, f]] += share
        flat.play(rules, state, plays[k])


def gradient(weights: np.ndarray, number: int, rng: np.random.Generator) -> np.ndarray:
    """Play a piece of self-play; return its gradient, float64 [FEATURES]. `number` is unused."""
    game = make_game("doudizhu")
    sums = np.zeros(FEATURES)
    ids = np.empty(game.num_actions, np.int32)
    state = np.zeros(1, STATE)[0]
    deals = PIECE // TABLES
    play_deals(game.rules, policy_of(weights), state, deals, rng, ids, sums)
    return sums


TASK = Task(FEATURES, GAMES, PIECE, gradient)

"""Training of the pattern policy in self-play by policy gradient with a critic.

`closedhand train daihinmin --algorithm policy` does this in every step:

1. Play rounds with actions drawn by softmax. In half of them the policy of `light_policy.py` and
   the agent `default` take some seats.
2. The advantage of a decision is the player's points in the round minus those that the linear
   critic expects in the situation (`critic.py`).
3. Add the gradient of the decision's log-likelihood times the advantage, and the gradient of the
   critic's squared error.
4. Take a step of Adam for policy and critic (`learning/policy_gradient.py`); average the weights.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.daihinmin.default import admitted
from closedhand.agents.daihinmin.policy import light_policy, pattern_policy
from closedhand.agents.daihinmin.policy.critic import MOST_REASONS, WEIGHTS, reasons
from closedhand.agents.daihinmin.policy.patterns import FEATURES, MOST_FEATURES
from closedhand.agents.daihinmin.policy.shared import options
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.core.registry import make_game
from closedhand.games.daihinmin import rules as flat
from closedhand.games.daihinmin.plays import NUM_ACTIONS
from closedhand.games.daihinmin.state import PLAYERS, STATE
from closedhand.learning.policy_gradient import Task, draw, exponentials

ROUNDS, PIECE = 1024, 256
"""Rounds in a step, and rounds that a thread plays at a time."""
RATE, SLOWER, AVERAGING = 0.01, 1000.0, 9
"""Settings `rate`, `slower` and `averaging` of the `Task`."""
MIXED = 0.5
"""Share of the rounds in which other agents take seats."""
NEGLIGIBLE = 1e-4
"""Size below which the derivative of the log-probability by an action's logit is left out."""

MOST_DECISIONS, MOST_ENTRIES = 1024, 1 << 19
"""Room in a `Log` for decisions and for entries; later decisions are not learned from."""
SELF, LIGHT, DEFAULT = 0, 1, 2
"""Players at a seat: the policy itself, the light policy, or `default`."""


class Log(NamedTuple):
    """The decisions of a round: arrays by entry [MOST_ENTRIES], or by decision [MOST_DECISIONS]."""

    entries: np.ndarray  # by entry: a feature of one of the actions at a decision
    shares: np.ndarray  # derivative of the decision's log-probability by the weight of each entry
    ends: np.ndarray  # index after the last entry of each decision
    players: np.ndarray  # player of each decision
    values: np.ndarray  # the critic's value
    reasons: np.ndarray  # features of the critic, [decision, MOST_REASONS]
    numbers: np.ndarray  # number of features of the critic


@kernel
def play_rounds(rules, policy, others, critic, states, rng, log, ids, gradient):
    """Play a round in each state, and add its gradient to `gradient`, float64 [WEIGHTS].

    `others` is the light policy, `critic` has the critic's weights, float32, and `ids` is scratch.
    """
    points = np.empty(PLAYERS)
    kinds = np.zeros(PLAYERS, np.int64)
    for i in range(len(states)):
        state = states[i]
        flat.deal(rules, state, seed_in_kernel(rng))
        seat_others(kinds, rng)
        n = 0
        while not flat.over(rules, state):
            kind = kinds[state.player]
            if kind == SELF:
                action, n = decide(rules, policy, critic, state, rng, log, ids, n)
            elif kind == LIGHT:
                action = np.int64(light_policy.choose(others, rules, state, rng, ids))
            else:
                action = admitted(rules, state, ids)
            flat.play(rules, state, action)
        flat.returns(rules, state, points)
        learn(log, n, points, gradient)


@kernel
def seat_others(kinds, rng):
    """Write a random player of each seat to `kinds`, int64 [PLAYERS]; at least one is `SELF`."""
    kinds[:] = SELF
    if rng.random() < MIXED:
        kept = np.int64(rng.random() * PLAYERS)
        for player in range(PLAYERS):
            if player != kept:
                drawn = rng.random()
                if drawn < 0.3:
                    kinds[player] = DEFAULT
                elif drawn < 0.5:
                    kinds[player] = LIGHT


@kernel
def decide(rules, policy, critic, state, rng, log, ids, n):
    """Draw as `pattern_policy.choose`; log a choice as decision `n`; return action, next `n`."""
    number = options(rules, state, ids)
    if number == 1:
        return np.int64(ids[0]), n
    scores = np.empty(number)
    features, numbers = pattern_policy.judge(policy, rules, state, ids, number, scores)
    total = exponentials(scores, number)
    chosen = draw(scores, number, total, rng)
    end = log.ends[n - 1] if n > 0 else 0
    # A full log only loses decisions: the round goes on with the same draws.
    if n == MOST_DECISIONS or end + 2 * number * MOST_FEATURES > MOST_ENTRIES:
        return np.int64(ids[chosen]), n
    for k in range(number):
        # Derivative of the log-probability of `chosen` by logit k.
        share = np.float32((1.0 if k == chosen else 0.0) - scores[k] / total)
        if -NEGLIGIBLE < share < NEGLIGIBLE:
            continue
        for negative in range(2):
            for f in range(numbers[k, negative]):
                log.entries[end] = features[k, negative, f]
                log.shares[end] = -share if negative else share
                end += 1
    log.ends[n] = end
    log.players[n] = state.player
    log.numbers[n] = reasons(rules, state, log.reasons[n])
    log.values[n] = 3.0  # the mean of the points 5 to 1, to which the critic adds its weights
    for f in range(log.numbers[n]):
        log.values[n] += critic[log.reasons[n, f] - FEATURES]
    return np.int64(ids[chosen]), n + 1


@kernel
def learn(log, n, points, gradient):
    """Add the gradient of a round of `n` decisions that ended with `points`."""
    for i in range(n - 1, -1, -1):
        advantage = points[log.players[i]] - log.values[i]
        for e in range(log.ends[i - 1] if i > 0 else 0, log.ends[i]):
            gradient[log.entries[e]] += advantage * log.shares[e]
        for f in range(log.numbers[i]):
            gradient[log.reasons[i, f]] += advantage


def gradient(
    weights: np.ndarray, number: int, rng: np.random.Generator, rounds: int = PIECE
) -> np.ndarray:
    """Compute the gradient [WEIGHTS] of piece `number`; every fourth piece has no exchange."""
    game = make_game("daihinmin", classes=("none", "random")[number % 4 > 0])
    sums = np.zeros(WEIGHTS)
    log = Log(
        np.empty(MOST_ENTRIES, np.int32),
        np.empty(MOST_ENTRIES, np.float32),
        np.zeros(MOST_DECISIONS, np.int64),
        np.empty(MOST_DECISIONS, np.int64),
        np.empty(MOST_DECISIONS),
        np.empty((MOST_DECISIONS, MOST_REASONS), np.int32),
        np.empty(MOST_DECISIONS, np.int64),
    )
    ids = np.empty(NUM_ACTIONS, np.int32)
    play_rounds(
        game.rules, pattern_policy.policy_of(weights[:FEATURES]), light_policy.load(),
        weights[FEATURES:].astype(np.float32), np.zeros(rounds, STATE), rng, log, ids, sums,
    )  # fmt: skip
    return sums


TASK = Task(WEIGHTS, ROUNDS, PIECE, gradient, RATE, SLOWER, averaging=AVERAGING)

"""The pattern policy: a softmax over sums of weights of the features of `patterns.py`.

1. List the legal actions without a leader's pass. A play of the whole hand is always made.
2. Collect the situation of the player to act (`situation.py`), and the features of every action.
3. The logit of an action is the sum of the weights of its positive features, less the sum for its
   negative ones (`judge`).
4. Playouts draw an action by softmax (`choose`); the agent takes the likeliest one (`decide`).

Cards to give back in the exchange are chosen in the same way. The agent `policy` does not search.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from closedhand.agents.agent import PlayAgent
from closedhand.agents.daihinmin.limits import check_known
from closedhand.agents.daihinmin.policy import patterns
from closedhand.agents.daihinmin.policy.critic import WEIGHTS
from closedhand.agents.daihinmin.policy.patterns import FEATURES, MOST_FEATURES
from closedhand.agents.daihinmin.policy.shared import options, seen_cards_of
from closedhand.agents.daihinmin.policy.situation import situation_of
from closedhand.core import batch
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, files_of
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import Rules, kernel
from closedhand.games.daihinmin.plays import NUM_ACTIONS
from closedhand.learning.policy_gradient import (
    draw,
    exponentials,
    read_weights,
    shipped_weights,
    weights_record,
)

ARRAY = "average"
"""Name of the averaged weights in a checkpoint."""


class Policy(NamedTuple):
    """The pattern policy."""

    kernels = "closedhand.agents.daihinmin.policy.pattern_policy"

    table: np.record  # weights of the features, `weights_record`


@kernel
def judge(policy, rules, state, ids, n, logits):
    """Write the logits of the first `n` actions of `ids` to `logits`, float64 [n or more].

    Returns the indices of their positive and negative features, int32 [n, 2, MOST_FEATURES], and
    the numbers of these, int64 [n, 2]; see `patterns.describe`.
    """
    features, numbers = np.empty((n, 2, MOST_FEATURES), np.int32), np.empty((n, 2), np.int64)
    weights = policy.table.weights
    if state.leader < 0:
        seen = seen_cards_of(state)
        for k in range(n):
            action = np.int64(ids[k])
            numbers[k, 0], numbers[k, 1] = patterns.describe_gift(state, seen, action, features[k])
    else:
        here = situation_of(rules, state)
        for k in range(n):
            action, out = np.int64(ids[k]), features[k]
            numbers[k, 0], numbers[k, 1] = patterns.describe(rules, state, here, action, n, out)
    for k in range(n):
        logit = np.float32(0.0)
        for f in range(numbers[k, 0]):
            logit += weights[features[k, 0, f]]
        for f in range(numbers[k, 1]):
            logit -= weights[features[k, 1, f]]
        logits[k] = logit
    return features, numbers


@kernel
def logits_of(policy, rules, state, ids, n):
    """Compute the logits of the first `n` actions of `ids`, float64 [n]."""
    logits = np.empty(n)
    judge(policy, rules, state, ids, n, logits)
    return logits


@kernel
def score_all(policy, rules, state, ids, n, scores):
    """Write exp(logit - greatest logit) of the first `n` actions to `scores`; return the sum."""
    judge(policy, rules, state, ids, n, scores)
    return exponentials(scores, n)


def likeliest(
    policy: Policy, rules: Rules, view: State, ids: np.ndarray, far: float
) -> tuple[np.ndarray, np.ndarray]:
    """List the actions, int32 [n], with logits at most `far` below the greatest one, in id order.

    Also return their logits minus the greatest one, float64 [n]. `ids` is scratch space, int32
    [num_actions].
    """
    number = options(rules, view, ids)
    logits = logits_of(policy, rules, view, ids, number)
    ahead = logits - logits.max()
    kept = ahead >= -far
    return ids[:number][kept], ahead[kept]


@kernel
def choose(policy, rules, state, rng, ids):
    """Draw an action by softmax."""
    n = options(rules, state, ids)
    if n == 1:
        return np.int64(ids[0])
    scores = np.empty(n)
    total = score_all(policy, rules, state, ids, n, scores)
    return np.int64(ids[draw(scores, n, total, rng)])


@kernel
def decide(policy, rules, view, ids):
    """Choose the action of the greatest probability."""
    n = options(rules, view, ids)
    if n == 1:
        return np.int64(ids[0])
    return np.int64(ids[np.argmax(logits_of(policy, rules, view, ids, n))])


@kernel
def worthwhile(policy, rules, state, out):
    """Write the actions that the policy chooses from; return their number."""
    return options(rules, state, out)


def policy_of(weights: np.ndarray) -> Policy:
    """Make the policy of weights [FEATURES]; weights of the critic may follow them."""
    return Policy(weights_record(weights[:FEATURES]))


def load(path: str | None = None) -> Policy:
    """Load the policy from a checkpoint; None: the package's. Other files are an `InputError`."""
    if path is None:
        return policy_of(shipped_weights("daihinmin_policy", WEIGHTS, ARRAY))
    return policy_of(read_weights(Path(path), WEIGHTS, ARRAY))


@kernel
def write_probabilities(policy, rules, views, ids, shares):
    """Write the policy's probabilities in views, states [n], to `shares`, float64 [n, NUM_ACTIONS].

    They are 0 for actions that `options` leaves out, such as a pass that leads a trick. `ids` is
    scratch space, int32 [NUM_ACTIONS].
    """
    shares[:] = 0.0
    scores = np.empty(NUM_ACTIONS)
    for i in range(len(views)):
        n = options(rules, views[i], ids)
        total = score_all(policy, rules, views[i], ids, n, scores)
        for k in range(n):
            shares[i, ids[k]] = scores[k] / total


class PolicyAgent(PlayAgent):
    """Agent that plays the likeliest action of the pattern policy."""

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return the softmax, float64 [n, num_actions]; an `InputError` refuses invalid views."""
        views = batch.prepared(self.game, views)
        shares = np.empty((len(views), NUM_ACTIONS))
        write_probabilities(self.whole, self.game.flat.rules, views, self._ids, shares)
        if self.game.flat is self.game:
            return shares
        sets = np.zeros((len(views), self.game.num_actions))
        np.add.at(sets.T, self.game.rules.tables.set_of, shares.T)  # sums over the plays of a set
        return sets


@described(lambda game, argument: Traits(files_of(argument), microseconds=5.0, steady=True))
def make_policy(game: Game, seed: int, argument: str | None) -> PolicyAgent:
    """Make the agent `policy`, or `policy:FILE` with weights that training saved.

    Raises:
        InputError: The file holds no such weights, or the game has other rules (`check_known`).
    """
    check_known(game, "policy")
    return PolicyAgent(game, str(AgentSpec("policy", {}, argument)), load(argument))

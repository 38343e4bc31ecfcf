"""The light policy: a softmax over sums of weights of at most ten features of an action.

1. Take the only action, or one that empties the hand, at once (`settled`).
2. Describe every legal action by **features**, indices into one vector of weights: the kind and
   strength of the play, the sets that it breaks up, the cards that it leaves (`describe`).
3. Add up the weights of each action's features, and draw an action by softmax (`choose`).

Weights are fitted in self-play (`light_training.py`). Of the others' cards the policy uses only
the set of all unseen ones. Its playouts are about four times as fast as those of the pattern
policy (`pattern_policy.py`).
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from closedhand.agents.daihinmin.policy.shared import (
    KINDS,
    STAGES,
    answers,
    form_of,
    kind_of,
    options,
    seen_cards_of,
    settled,
    stage,
    without_idle_pass,
)
from closedhand.core import bits
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin import rules as flat
from closedhand.games.daihinmin.cards import bit, ranks_between
from closedhand.games.daihinmin.legality import legal
from closedhand.games.daihinmin.plays import (
    JOKER,
    JOKER_BIT,
    NUM_ACTIONS,
    NUM_RANKS,
    PASS,
    SPADE_THREE,
    is_pair_of_jokers,
)
from closedhand.games.daihinmin.tricks import stops
from closedhand.learning.policy_gradient import draw, read_weights, shipped_weights, weights_record

STRENGTHS = 15
"""Number of strengths: a joker at the weak end of a kaidan, the thirteen ranks, jokers alone."""
MOST_WEAK, MOST_STRONG = 5, 3
FORMS = (MOST_WEAK + 1) * (MOST_STRONG + 1)
"""Number of forms of a hand, see `form_of`."""

# First index of each type of feature. The comments name what the type is indexed by, the slowest
# index first, and after a colon the condition of the feature.
PLAY = 0  # lead or follow, kind, strength, stage
RIVALS = PLAY + 2 * KINDS * STRENGTHS * STAGES  # lead or follow, kind, `rivals` (0 to 3)
FORM = RIVALS + 2 * KINDS * 4  # lead or follow, whether nothing beats it, form of the rest
SPLIT = FORM + 2 * 2 * FORMS  # strength, cards of the play's rank in hand before and after
TORN = SPLIT + STRENGTHS * 16  # kind (0 to 3): a group splits a kaidan
WITH_JOKER = TORN + 4  # kind, stage: the play contains the joker
WITH_EIGHT = WITH_JOKER + KINDS * STAGES  # lead or follow, stage: an 8 that ends the trick
LOCKING = WITH_EIGHT + 2 * STAGES  # `rivals` (0 to 3): the play starts a lock
REVOLTING = LOCKING + 4  # stage: the play starts a revolution
PASSING = REVOLTING + STAGES  # kind and strength to beat, stage
PASSING_STAGE = PASSING + KINDS * STRENGTHS * STAGES  # stage, stage of the owner
PASSING_FORM = PASSING_STAGE + STAGES * STAGES  # form of the hand
OVER_OWN = PASSING_FORM + FORMS  # pass or play, kind: the trick is the player's own
FEATURES = OVER_OWN + 2 * KINDS
MOST_FEATURES = 10
"""Maximum number of features of one action."""

FLATTENING = 0.3
"""Exponent of a likelihood, below 1 because real players differ from the policy."""
LEAST_LOGARITHM = -5.0
"""Lower bound of the log-probability of one play."""


class Policy(NamedTuple):
    """The light policy."""

    kernels = "closedhand.agents.daihinmin.policy.light_policy"

    table: np.record  # weights of the features, `weights_record`


@kernel
def choose(policy, rules, state, rng, ids):
    """Draw an action by softmax, or take the one of `settled`: in the exchange always the first."""
    n = legal(rules, state, ids)
    k = settled(rules, state, ids, n)  # faster than `options`, which rewrites `ids`
    if k >= 0:
        return np.int64(ids[k])
    n = without_idle_pass(state, ids, n)
    scores = np.empty(n)
    total = score_all(policy, rules, state, ids, n, scores)
    return np.int64(ids[draw(scores, n, total, rng)])


@kernel
def score_all(policy, rules, state, ids, n, scores):
    """Write the scores of the first `n` actions of `ids`, float64 [>= n]; return their total.

    A score is the exponential of a logit. Divided by the total it is the action's probability.
    """
    features = np.empty(MOST_FEATURES, np.int64)
    seen = seen_cards_of(state)
    total = 0.0
    for k in range(n):
        score = 0.0
        for f in range(describe(rules, state, seen, np.int64(ids[k]), features)):
            score += policy.table.weights[features[f]]
        scores[k] = np.exp(score)
        total += scores[k]
    return total


@kernel
def log_probability(policy, rules, state, action, ids, scores):
    """Return the log-probability of an action of the player to act, at least `LEAST_LOGARITHM`.

    `ids` and `scores` are scratch space, int32 and float64 [NUM_ACTIONS].
    """
    n = options(rules, state, ids)
    if n == 1:
        return 0.0 if ids[0] == action else LEAST_LOGARITHM
    total = score_all(policy, rules, state, ids, n, scores)
    for k in range(n):
        if ids[k] == action:
            return max(np.log(scores[k] / total), LEAST_LOGARITHM)
    return LEAST_LOGARITHM


@kernel
def log_likelihood(policy, rules, state, player, least, rng, ids):
    """Return the log-likelihood of the others' past actions, times `FLATTENING`, and 0: no guess.

    See `closedhand.search.particles.log_likelihood`. The exchange is not rated.
    """
    found = 0.0
    if state.leader < 0:
        return found, 0
    moves = np.int64(state.moves)
    scores = np.empty(NUM_ACTIONS)
    flat.rewind(state)
    while state.moves < moves:
        action = np.int64(state.history[state.moves])
        if state.player != player:
            found += log_probability(policy, rules, state, action, ids, scores)
        flat.play(rules, state, action)
    return FLATTENING * found, 0


@kernel
def strength_of(rules, play, revolution):
    """Return the strength of a play: its weakest rank in the current order, from 0 to 14."""
    if play == JOKER or is_pair_of_jokers(rules, play):
        return STRENGTHS - 1
    return NUM_RANKS - rules.plays.high[play] if revolution else 1 + rules.plays.low[play]


@kernel
def rivals(rules, others, play, revolution):
    """Count the ranks, or kaidan, of unseen cards that beat a play, at most 3; ignore locks."""
    if play == JOKER:  # beaten by the 3 of spades alone, which counts as 3
        return 3 if others & bit(SPADE_THREE) else 0
    return min(3, answers(rules, others, play, revolution))


@kernel
def describe(rules, state, seen, action, features):
    """Write the features of an action to `features`, int [MOST_FEATURES]; return their number."""
    # Indices are in mixed radix: the comments beside `PLAY` and the others name the digits.
    player = state.player
    revolution = state.revolution
    now = stage(seen.left)
    if action == PASS:
        kind = kind_of(rules, state.target)
        strength = strength_of(rules, state.target, revolution)
        features[0] = PASSING + (kind * STRENGTHS + strength) * STAGES + now
        features[1] = PASSING_STAGE + now * STAGES + stage(state.left[state.owner])
        features[2] = PASSING_FORM + form_of(seen, seen.hand, MOST_WEAK, MOST_STRONG)
        if state.owner != player:
            return 3
        features[3] = OVER_OWN + kind
        return 4
    plays = rules.plays
    need = plays.need[action]
    follow = 1 if state.target >= 0 else 0
    kind = kind_of(rules, action)
    beating = rivals(rules, seen.others, action, revolution)
    sure = 1 if beating == 0 or stops(rules, action) else 0
    strength = strength_of(rules, action, revolution)
    features[0] = PLAY + ((follow * KINDS + kind) * STRENGTHS + strength) * STAGES + now
    features[1] = RIVALS + (follow * KINDS + kind) * 4 + beating
    form = form_of(seen, seen.hand & ~need, MOST_WEAK, MOST_STRONG)
    features[2] = FORM + (follow * 2 + sure) * FORMS + form
    n = 3
    if need & JOKER_BIT:
        features[n] = WITH_JOKER + kind * STAGES + now
        n += 1
    if kind < 4 and action != JOKER and not is_pair_of_jokers(rules, action):
        rank = np.int64(plays.low[action])
        equal = seen.hand & ranks_between(rank, rank)
        behind = bits.size(equal & ~need)
        features[n] = SPLIT + strength * 16 + (bits.size(equal) - 1) * 4 + min(behind, 3)
        n += 1
        if need & seen.kaidan:
            features[n] = TORN + kind
            n += 1
    if stops(rules, action):
        features[n] = WITH_EIGHT + follow * STAGES + now
        n += 1
    if follow:
        if not state.lock and plays.suits[action] == plays.suits[state.target]:
            features[n] = LOCKING + beating
            n += 1
        if state.owner == player:
            features[n] = OVER_OWN + KINDS + kind
            n += 1
    if plays.revolts[action]:
        features[n] = REVOLTING + now
        n += 1
    return n


@kernel
def worthwhile(policy, rules, state, out):
    """Write all legal actions except a leader's pass, which gains nothing; return their number."""
    return without_idle_pass(state, out, legal(rules, state, out))


def policy_of(weights: np.ndarray) -> Policy:
    """Make the policy of weights [FEATURES]."""
    return Policy(weights_record(weights))


def load(path: str | None = None) -> Policy:
    """Load a checkpoint's policy; None: the package's. An `InputError` refuses other files."""
    if path is None:
        return policy_of(shipped_weights("daihinmin_playouts", FEATURES))
    return policy_of(read_weights(Path(path), FEATURES))

"""Who else sits at the table: the policy by which `search` weighs particles and plays them on.

Each other player has one of four styles, equally likely a priori: he plays as `decompose` does,
exactly or roughly, as `rule` does, or anyhow. The likelihood of a determinisation is that of the
mixture of styles for what was played, and whether a player is a `rule` is drawn from the posterior
of his style there. In playouts such a player plays like `rule`, everybody else like `decompose`.
"""

from typing import NamedTuple

import numpy as np

from closedhand.baselines.doudizhu import rule
from closedhand.baselines.doudizhu.decompose import agent as decompose
from closedhand.baselines.doudizhu.decompose.agent import CANDIDATES, Policy, consider
from closedhand.baselines.doudizhu.search.endgame import winner
from closedhand.baselines.learning.policy_gradient import exponentials
from closedhand.core.kernel import kernel
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.counts import draw_card, one
from closedhand.games.doudizhu.rules import SEATS
from closedhand.search.exact import UNKNOWN, WON
from closedhand.search.playout import playout

EXACT, ROUGH, RULE, ANYHOW = range(4)
SLIP = 0.02
"""Probability that a player of any style makes any of his plays instead."""
MOST_CARDS = 3
"""Most cards that change hands in a proposal."""


class Styles(NamedTuple):
    """The policy.

    Attributes:
        decompose: Its policy.
        like_rule: Who plays like `rule`: the bit of each such seat.
    """

    kernels = "closedhand.baselines.doudizhu.search.styles"

    decompose: Policy
    like_rule: int


@kernel
def choose(policy, rules, state, rng, ids):
    """The play of who sits there."""
    if policy.like_rule >> np.int64(state.player) & 1:
        # It draws by a hash of its hand, which nobody else could foresee.
        return np.int64(ids[np.int64(rng.random() * rule.options(rules, state, ids))])
    return np.int64(decompose.choose(policy.decompose, rules, state, rng, ids))


@kernel
def evaluate(policy, rules, state, player, guess, rng, ids):
    """What a full state is worth if a game is won or lost: told exactly when few cards remain.

    The guess is who plays like `rule`.
    """
    known = winner(policy.decompose, rules, state, player)
    if known == UNKNOWN:
        return playout(Styles(policy.decompose, guess), rules, state, player, rng, ids)
    return 1.0 if known == WON else -1.0


@kernel
def log_likelihood(policy, rules, state, player, least, rng, ids):
    """How likely the others would have played as they did, and who plays like `rule`.

    See `closedhand.search.particles.log_likelihood`. Which kickers somebody played does not count.
    """
    if state.landlord < 0:
        return 0.0, 0
    plays = np.empty(CANDIDATES, np.int64)
    sums = np.empty(CANDIDATES)
    chances = np.empty(ANYHOW + 1)
    by_style = np.zeros((SEATS, ANYHOW + 1))
    by_seat = np.full(SEATS, log_sum_exp(by_style[player]))
    moves = np.int64(state.moves)
    flat.rewind(state)
    while state.moves < moves:
        seat = np.int64(state.player)
        action = np.int64(state.history[state.moves])
        if seat != player:
            n, k = consider(policy.decompose, rules, state, ids, plays, sums)
            if n > 1:
                chances_of(rules, state, ids, plays, sums, n, k, action, chances)
                for style in range(ANYHOW + 1):
                    chance = (1.0 - SLIP) * chances[style] + SLIP / n
                    by_style[seat, style] += np.log(chance)
                by_seat[seat] = log_sum_exp(by_style[seat])
                if by_seat.sum() < least:
                    return -np.inf, 0
        flat.play(rules, state, action)
    guess = 0
    for seat in range(SEATS):
        posterior = by_style[seat, RULE] - by_seat[seat]
        if seat != player and np.log(rng.random()) < posterior:
            guess |= 1 << seat
    return by_seat.sum(), guess


@kernel
def log_sum_exp(logarithms):
    """The logarithm of the sum of exponentials."""
    most = logarithms.max()
    return most + np.log(np.exp(logarithms - most).sum())


@kernel
def chances_of(rules, state, ids, plays, sums, n, settled, action, chances):
    """Write how likely each style makes the main group of an action, by what `consider` wrote."""
    group = rules.plays.group
    played = group[action]
    chances[:] = 0.0
    chances[ANYHOW] = 1.0 / n
    options = rule.options(rules, state, ids)
    for i in range(options):
        chances[RULE] += (group[ids[i]] == played) / options
    if settled >= 0:
        chances[EXACT] = chances[ROUGH] = group[plays[settled]] == played
        return
    chances[EXACT] = group[plays[np.argmax(sums[:n])]] == played
    total = exponentials(sums, n)
    for k in range(n):
        if group[plays[k]] == played:
            chances[ROUGH] = sums[k] / total


@kernel
def propose(policy, rules, state, player, rng):
    """Let a few hidden cards of the other two change hands, but no public one of the landlord."""
    first, second = (player + 1) % SEATS, (player + 2) % SEATS
    known = flat.known_public(state) if player != state.landlord else np.uint64(0)
    kept = known if first == state.landlord else np.uint64(0)
    a = state.hands[first] - kept
    b = state.hands[second] - (known - kept)
    if a and b:
        for _ in range(1 + np.int64(rng.random() * MOST_CARDS)):
            i, j = draw_card(a, rng), draw_card(b, rng)
            a = a - one(i) + one(j)
            b = b - one(j) + one(i)
        state.hands[first] = a + kept
        state.hands[second] = b + (known - kept)

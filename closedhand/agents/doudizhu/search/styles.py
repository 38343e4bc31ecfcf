"""Opponent model of `search`: the policy that weights particles and plays them out.

1. Each other player has one of four styles, equally likely a priori: exactly like `decompose`,
   roughly like `decompose` (drawn by softmax), like `rule` (if `Styles.knows_rule`), or uniformly
   random. In every style some plays are random (`SLIP`).
2. The likelihood of a determinisation is that of the play so far under the mixture of styles.
3. Draw for each other player whether the style is `rule`, by the posterior in the determinisation.
4. In playouts these players play like `rule`, all others like `decompose`. Bids and other words
   before the landlord leads come from the bid module `fitted`; the likelihood ignores them.
5. When few cards remain, solve the open hands exactly instead of a playout (`winner`).
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.doudizhu import rule
from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.decompose import agent as decompose
from closedhand.agents.doudizhu.decompose.agent import CANDIDATES, Policy, consider
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.auction import is_opening
from closedhand.games.doudizhu.counts import draw_card, one
from closedhand.games.doudizhu.hidden import known_landlord
from closedhand.games.doudizhu.state import SEATS, STATE
from closedhand.learning.policy_gradient import exponentials
from closedhand.search.alpha_beta import UNKNOWN, WON, solve
from closedhand.search.playout import playout

EXACT, ROUGH, RULE, ANYHOW = range(4)
SLIP = 0.02
"""Probability that a player of any style makes a uniformly random play."""
MOST_EXCHANGED = 3
"""Maximum number of cards that each hand exchanges in a proposal."""
MOST_CARDS = 12
"""Maximum number of cards in all hands together for an exact solution."""
DEEPEST = 40
"""Room for the positions of a line of play, the maximum depth of `solve`. Twelve cards allow 12
plays and two passes after each but the last: 34 actions."""
MOST_NODES = 2_000
"""Maximum number of positions searched."""
MOST_ACTIONS = 400
"""Room for legal actions of a hand of `MOST_CARDS`. A search over hands finds at most 63: four
of a kind and eight solos in a row. The last 308 entries are scratch space of `rules.legal`."""


class Styles(NamedTuple):
    """The policy of playouts."""

    kernels = "closedhand.agents.doudizhu.search.styles"

    decompose: Policy
    like_rule: int  # seats that play like `rule`, bit i for seat i
    knows_rule: bool  # whether other players may have the style of `rule`
    solves: bool = True  # whether endings are solved, which needs payoffs of 1 and -1

    def varied(self) -> "Styles":
        """Return the policy with plays drawn by softmax, so that playouts of open hands differ."""
        return self._replace(decompose=self.decompose._replace(sampled=True))


@kernel
def choose(policy, rules, state, rng, ids):
    """Choose a word, or a flat play in the style of the player to act."""
    if is_opening(rules, state):
        return np.int64(choose_bid(rules, state))
    if policy.like_rule >> np.int64(state.player) & 1:
        # `rule` draws by a hash of its hand. Here the draw is random, as for a player who does
        # not know the hand.
        return np.int64(ids[np.int64(rng.random() * rule.options(rules, state, ids))])
    return np.int64(decompose.choose(policy.decompose, rules, state, rng, ids))


@kernel
def winner(policy, rules, state, player):
    """Return `WON` or `LOST` for the side of `player`, or `UNKNOWN` beyond the module's limits."""
    if state.left[0] + state.left[1] + state.left[2] > MOST_CARDS:
        return UNKNOWN
    states = np.empty(DEEPEST, STATE)
    actions = np.empty((DEEPEST, MOST_ACTIONS), np.int32)
    states[0] = state
    friends = 1 << np.int64(state.landlord)
    if player != state.landlord:
        friends ^= (1 << SEATS) - 1
    return solve(policy, rules, states, actions, player, friends, 0.0, MOST_NODES)[0]


@kernel
def evaluate(policy, rules, state, player, guess, rng, ids):
    """Return the payoff of a full state: exact with few cards left, else by a playout.

    `guess` has the seats that play like `rule`, as for `Styles.like_rule`.
    """
    known = winner(policy.decompose, rules, state, player) if policy.solves else UNKNOWN
    if known == UNKNOWN:
        guessed = Styles(policy.decompose, guess, policy.knows_rule, policy.solves)
        return playout(guessed, rules, state, player, rng, ids)
    return 1.0 if known == WON else -1.0


@kernel
def log_likelihood(policy, rules, state, player, least, rng, ids):
    """Compute the log-likelihood of the others' plays, and draw the seats that play like `rule`.

    See `closedhand.search.particles.log_likelihood`, whose guess is the bit set of these seats. The
    choice of kickers is ignored.
    """
    # `by_style` has a log-likelihood for each seat and style, `by_seat` its `log_sum_exp` by seat.
    # Both stay constant for `player` itself. The styles' prior, a constant factor, is left out.
    if is_opening(rules, state):
        return 0.0, 0
    plays = np.empty(CANDIDATES, np.int64)
    sums = np.empty(CANDIDATES)
    chances = np.empty(ANYHOW + 1)
    by_style = np.zeros((SEATS, ANYHOW + 1))
    if not policy.knows_rule:
        by_style[:, RULE] = -np.inf
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
    """Return the logarithm of the sum of the exponentials of `logarithms`."""
    most = logarithms.max()
    return most + np.log(np.exp(logarithms - most).sum())


@kernel
def chances_of(rules, state, ids, plays, sums, n, settled, action, chances):
    """Write to `chances`, by style, the probability that a player chooses an action's main group.

    It is float64 [ANYHOW + 1]. `plays`, `sums`, `n` and `settled` are the results of `consider` in
    `state`, before the action; `sums` is overwritten.
    """
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
    """Exchange a few hidden cards of the other two players; known cards stay with the landlord."""
    if is_opening(rules, state):
        return
    # The landlord's `known` cards stay: `kept` are those in the first hand, the rest in the second.
    first, second = (player + 1) % SEATS, (player + 2) % SEATS
    known = known_landlord(rules, state) if player != state.landlord else np.uint64(0)
    kept = known if first == state.landlord else np.uint64(0)
    a = state.hands[first] - kept
    b = state.hands[second] - (known - kept)
    if a and b:
        for _ in range(1 + np.int64(rng.random() * MOST_EXCHANGED)):
            i, j = draw_card(a, rng), draw_card(b, rng)
            a = a - one(i) + one(j)
            b = b - one(j) + one(i)
        state.hands[first] = a + kept
        state.hands[second] = b + (known - kept)

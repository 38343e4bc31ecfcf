"""Opponent model of `policy-search`: the policy that weights particles and plays them out.

1. Each other player has one of two styles: like `default`, the sample client of the competition, or
   unlike it. A player like `default` makes the choice of `default` apart from rare slips, so that
   its actions are informative about its hand. A player unlike `default` makes this choice about as
   often as `policy`, `kou`, `min-sets`, `trick-ender` and `monte-carlo` do (`LOG_CHANCES`).
2. The likelihood of a determinisation is that of the others' plays in this round under the mixture
   of both styles.
3. Draw the style of each player from its posterior in the determinisation.
4. In playouts players like `default` play as `default` does, all others as `policy`.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.daihinmin import default
from closedhand.agents.daihinmin.policy import pattern_policy
from closedhand.core import bits, contract
from closedhand.core.layout import record_type
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin import rules as flat
from closedhand.games.daihinmin.hidden import deal_weight, draw_exchanges_again, known
from closedhand.games.daihinmin.legality import beats_table, is_next
from closedhand.games.daihinmin.plays import PASS
from closedhand.games.daihinmin.state import LONGEST, PLAYERS, empty_states
from closedhand.games.daihinmin.tricks import is_number_locked

LIKE, UNLIKE = range(2)
# Cases of a decision, by the action of `default` and that of the player: both pass; `default`
# passes and the player plays; the same play; another play; `default` plays and the player passes.
BOTH_PASS, PLAYS, SAME, ANOTHER, PASSES = range(5)
LOG_CHANCES = np.log([[0.98, 0.007, 0.98, 0.007, 0.007], [0.95, 0.02, 0.55, 0.1, 0.16]])
"""Log-probabilities of the cases by style, LIKE and UNLIKE.

In the first two cases of a row `default` passes, in the other three it plays. The second row has
frequencies measured for other agents, whose hands were known. A play other than that of `default`
is assumed to be one of three, so that its frequency is divided by three.
"""
MOST_CARDS = 2
"""Maximum number of cards that two hands exchange in a proposal."""


DECISION = record_type(
    [
        ("later", "u8"),  # set of cards that the player has played from this decision on
        ("player", "i4"),
        ("action", "i4"),
        ("target", "i4"),  # as in a state
        ("lock", "i4"),
        ("revolution", "i4"),
        ("number_locked", "i4"),
    ]
)
"""A decision of another player in this round; the last four fields are of the state before it."""


class Styles(NamedTuple):
    """Policy of the search for the player to act in a view."""

    kernels = "closedhand.agents.daihinmin.policy.styles"

    policy: pattern_policy.Policy
    odds: np.ndarray  # log-odds, before this round, of being like `default`, float64 [PLAYERS]
    past: np.ndarray  # the others' decisions in the round, `DECISION` [LONGEST]
    number: np.ndarray  # number of decisions in `past`, int64 [1]


def styles_of(policy: pattern_policy.Policy) -> Styles:
    """Make the policy of a search, with even odds and without past decisions."""
    past = np.zeros(LONGEST, DECISION)
    return Styles(policy, np.zeros(PLAYERS), past, np.zeros(1, np.int64))


@kernel
def evaluate(policy, rules, state, player, guess, rng, ids):
    """Play a full state on; return the payoff of `player`.

    `guess` is the bit set of the players like `default`. `player` takes the pattern policy's
    likeliest actions; players unlike `default` draw theirs.
    """
    payoff = contract.payoff(rules, state, player)
    while np.isnan(payoff):
        acting = np.int64(state.player)
        if acting == player:
            action = pattern_policy.decide(policy.policy, rules, state, ids)
        elif guess >> acting & 1:
            action = default.admitted(rules, state, ids)
        else:
            action = pattern_policy.choose(policy.policy, rules, state, rng, ids)
        contract.play(rules, state, action)
        payoff = contract.payoff(rules, state, player)
    return payoff


@kernel
def look_back(rules, view, player, past, rng):
    """Write the decisions of the others in this round to `past`; return their number."""
    if view.leader < 0:  # in the exchange nobody has played yet
        return 0
    # A replay needs hands that hold the plays: draw some, and go back to the first lead. Nothing
    # that is noted depends on the cards drawn.
    moves, n = np.int64(view.moves), 0
    states = empty_states(view, 1)
    states[0] = view
    state = states[0]
    contract.redeal(rules, state, player, rng)
    flat.rewind(state)
    while state.moves < moves:
        action = np.int64(state.history[state.moves])
        if state.player != player:
            past[n].player, past[n].action = state.player, action
            past[n].target, past[n].lock = state.target, state.lock
            past[n].revolution = state.revolution
            past[n].number_locked = is_number_locked(rules, state)
            n += 1
        flat.play(rules, state, action)
    later = np.zeros(PLAYERS, np.uint64)
    for i in range(n - 1, -1, -1):
        later[past[i].player] |= rules.plays.need[past[i].action]
        past[i].later = later[past[i].player]
    return n


@kernel
def log_likelihood(policy, rules, state, player, least, rng, ids):
    """Compute the log-likelihood of the others' plays; draw the guess, players like `default`.

    The guess is a set of players as bits, see `closedhand.search.particles.log_likelihood`. Cards
    given in the exchange are ignored.
    """
    # `chances` start as the prior, log(sigmoid(odds)) and log(1 - sigmoid(odds)). The hand at a
    # past decision is the present one with the cards played since. A determinisation whose
    # likelihood falls below `least` is given up.
    chances = np.empty((PLAYERS, 2))
    chances[:, LIKE] = -np.log1p(np.exp(-policy.odds))
    chances[:, UNLIKE] = -np.log1p(np.exp(policy.odds))
    for i in range(policy.number[0]):
        then = policy.past[i]
        acting, action = np.int64(then.player), np.int64(then.action)
        expected = expected_of(rules, then, state.hands[acting] | then.later)
        case = compare(expected, action)
        chances[acting, LIKE] += LOG_CHANCES[LIKE, case]
        chances[acting, UNLIKE] += LOG_CHANCES[UNLIKE, case]
        if expected != action and of_either(chances) < least:
            return -np.inf, 0
    guess = 0
    for other in range(PLAYERS):
        if other != player:
            posterior = chances[other, LIKE] - np.logaddexp(
                chances[other, LIKE], chances[other, UNLIKE]
            )
            if np.log(rng.random()) < posterior:
                guess |= 1 << other
    return of_either(chances), guess


@kernel
def expected_of(rules, then, hand):
    """Return `default`'s action from `hand` at the decision `then`; an illegal play is a pass."""
    expected = np.int64(default.choose_play(rules, then, hand))
    if then.target < 0 or expected == PASS:
        return expected
    # A kaidan whose joker is too low counts as a pass, and so does a play against a number lock.
    beats = beats_table(rules, then, expected)
    if beats and then.number_locked:
        beats = is_next(rules, then, expected)
    return expected if beats else PASS


@kernel
def of_either(chances):
    """Sum the players' log-likelihoods under the mixture of both styles."""
    total = 0.0
    for player in range(PLAYERS):
        total += np.logaddexp(chances[player, LIKE], chances[player, UNLIKE])
    return total


@kernel
def compare(expected, action):
    """Return the case of `LOG_CHANCES` for an action where `default` would choose `expected`."""
    if expected == PASS:
        return BOTH_PASS if action == PASS else PLAYS
    if action == expected:
        return SAME
    return PASSES if action == PASS else ANOTHER


@kernel
def propose(policy, rules, state, player, rng):
    """Exchange one or two unknown cards of two other players, drawn at random.

    Keep the change with probability min(1, new / old `deal_weight`) (Metropolis), so that deals
    stay as frequent as `redeal` draws them. Before the first trick all cards are dealt again.
    """
    if state.leader < 0:
        contract.hide(rules, state, player)
        contract.redeal(rules, state, player, rng)
        return
    one, two = draw_player(state, player, player, rng), player
    if one != player:
        two = draw_player(state, player, one, rng)
    if one == player or two == player:
        return
    first, second = state.hands[one], state.hands[two]
    weight = deal_weight(rules, state, player)
    fixed, pinned = known(rules, state, player, one), known(rules, state, player, two)
    for _ in range(1 + np.int64(rng.random() * MOST_CARDS)):
        if state.hands[one] & ~fixed and state.hands[two] & ~pinned:
            cards = draw_bit(state.hands[one] & ~fixed, rng)
            cards |= draw_bit(state.hands[two] & ~pinned, rng)
            state.hands[one] ^= cards
            state.hands[two] ^= cards
    if rng.random() * weight < deal_weight(rules, state, player):
        draw_exchanges_again(rules, state, player, rng)
    else:
        state.hands[one], state.hands[two] = first, second


@kernel
def draw_player(state, player, other, rng):
    """Draw a player with cards who is neither `player` nor `other`; `player` if there is none."""
    # Reservoir sampling: the k-th candidate replaces the drawn one with probability 1 / k.
    drawn, found = player, 0
    for each in range(PLAYERS):
        if each != player and each != other and state.left[each] > 0:
            found += 1
            if rng.random() * found < 1.0:
                drawn = each
    return drawn


@kernel
def draw_bit(cards, rng):
    """Draw a card of a set at random; return it as a set."""
    for _ in range(np.int64(rng.random() * bits.size(cards))):
        cards &= cards - np.uint64(1)
    return cards & (~cards + np.uint64(1))

"""Values a few turns ahead: the policy with which `search` looks ahead by `value-net`.

A determinisation is played on by `value-net` in all seats until the player is to choose again; the
value of the best choice then, as the network sees it without the hidden cards, takes the place of
the rest of the playout. So a simulation costs a few decisions, its result is far less random than
that of a whole game, and the player does not choose by cards that it cannot see.

Determinisations are weighted as in `search` (`search/styles.py`), without the style of `rule`.
"""

from typing import NamedTuple

import numpy as np

from closedhand.baselines.doudizhu.search import styles
from closedhand.baselines.doudizhu.search.endgame import winner
from closedhand.baselines.doudizhu.search.styles import Styles
from closedhand.baselines.doudizhu.value_net.agent import Policy, make_space, rate
from closedhand.baselines.doudizhu.value_net.network import probability
from closedhand.core import contract
from closedhand.core.kernel import kernel
from closedhand.games.doudizhu import rules as flat
from closedhand.search.exact import UNKNOWN, WON


class Lookahead(NamedTuple):
    """The policy of a search.

    Attributes:
        styles: Opponent model that weighs the determinisations.
        values: Policy `value-net`.
        turns: Choices of the player at the last of which the value is taken.
        temperature: Others choose in proportion to exp(value / temperature); 0: the best play.
    """

    kernels = "closedhand.baselines.doudizhu.value_net.lookahead"

    styles: Styles
    values: Policy
    turns: int
    temperature: float


@kernel
def evaluate(policy, rules, state, player, guess, rng, ids):
    """The value of a full state, from -1 to 1: exact when few cards remain, else as above."""
    known = winner(policy.styles.decompose, rules, state, player)
    if known != UNKNOWN:
        return 1.0 if known == WON else -1.0
    space = make_space()
    turns = policy.turns
    while True:
        payoff = contract.payoff(rules, state, player)
        if not np.isnan(payoff):
            return payoff
        n, k, _ = rate(policy.values, rules, state, ids, space)
        own = state.player == player
        if k < 0:
            k = np.argmax(space.values[:n])
            if own:
                turns -= 1
                if turns == 0:
                    return 2.0 * probability(space.values[k]) - 1.0
            elif policy.temperature > 0.0:
                k = drawn(space.values, n, policy.temperature, rng)
        flat.play(rules, state, space.plays[k])


@kernel
def drawn(values, n, temperature, rng):
    """The index of a play that is drawn in proportion to exp(value / temperature)."""
    most = values[:n].max()
    total = 0.0
    for i in range(n):
        total += np.exp((values[i] - most) / temperature)
    mark = rng.random() * total
    for i in range(n):
        mark -= np.exp((values[i] - most) / temperature)
        if mark < 0.0:
            return i
    return n - 1


@kernel
def log_likelihood(policy, rules, state, player, least, rng, ids):
    """As in `search/styles.py`."""
    return styles.log_likelihood(policy.styles, rules, state, player, least, rng, ids)


@kernel
def propose(policy, rules, state, player, rng):
    """As in `search/styles.py`."""
    styles.propose(policy.styles, rules, state, player, rng)

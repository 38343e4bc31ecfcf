"""Playouts by `value-net`: the policy of the simulations of `value-search` and `policy-search`.

1. If a determinisation has few cards left, solve it exactly with open hands.
2. Otherwise `value-net` plays all seats to the end. Every seat chooses by its own view, so no
   simulated player uses hidden cards. The searching player takes the action of the greatest value.
   The others draw in proportion to exp(value / temperature), as real players differ from the
   network.
3. Mix the result of the game with the network's values of the player's later decisions (an
   eligibility trace, as in `self_play.py`). These values depend less on luck.

Determinisations are weighted as in `search` (`search/styles.py`), without the style of `rule`.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.doudizhu.search import styles
from closedhand.agents.doudizhu.search.endgame import winner
from closedhand.agents.doudizhu.search.styles import Styles
from closedhand.agents.doudizhu.value_net.agent import Policy, make_space, rate
from closedhand.agents.doudizhu.value_net.network import probability
from closedhand.core import contract
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import rules as flat
from closedhand.learning.policy_gradient import draw, exponentials
from closedhand.search.alpha_beta import UNKNOWN, WON

SIMULATION = 90.0
"""Order of magnitude of the time of a simulation, in microseconds."""
TEMPERATURE = 0.5
"""Temperature of the other players' choices, in log-odds."""
TRACE = 0.9
"""Weight of the game after a later decision of the player; the decision's value has 1 - this."""


class Playouts(NamedTuple):
    """The policy of playouts."""

    kernels = "closedhand.agents.doudizhu.value_net.playouts"

    styles: Styles  # opponent model that weights the determinisations
    values: Policy
    temperature: float  # of the other players' choices, in log-odds


def playouts_by(values: Policy) -> Playouts:
    """Make the policy of a search whose simulations a value network plays."""
    return Playouts(Styles(values.prior, 0, knows_rule=False), values, TEMPERATURE)


@kernel
def evaluate(policy, rules, state, player, guess, rng, ids):
    """Return the value of a full state, -1 to 1: exact with few cards left, else by a playout."""
    known = winner(policy.styles.decompose, rules, state, player)
    if known != UNKNOWN:
        return 1.0 if known == WON else -1.0
    # Each value that the network gives at a decision of `player` takes the share 1 - TRACE of the
    # remaining weight, `rest`, and the end of the game takes all that remains (as in TD(lambda)).
    space = make_space()
    payoff = contract.payoff(rules, state, player)
    total, rest = 0.0, 1.0
    while np.isnan(payoff):
        n, k, _ = rate(policy.values, rules, state, ids, space)
        if k < 0 and state.player == player:
            k = np.argmax(space.values[:n])
            total += rest * (1.0 - TRACE) * (2.0 * probability(space.values[k]) - 1.0)
            rest *= TRACE
        elif k < 0:
            weights = space.values[:n] / policy.temperature
            k = draw(weights, n, exponentials(weights, n), rng)
        flat.play(rules, state, space.plays[k])
        payoff = contract.payoff(rules, state, player)
    return total + rest * payoff


@kernel
def log_likelihood(policy, rules, state, player, least, rng, ids):
    """Compute the log-likelihood as `search/styles.py` does."""
    return styles.log_likelihood(policy.styles, rules, state, player, least, rng, ids)


@kernel
def propose(policy, rules, state, player, rng):
    """Exchange cards as `search/styles.py` does."""
    styles.propose(policy.styles, rules, state, player, rng)

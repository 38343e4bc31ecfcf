"""Playouts: a state played on by a policy inside kernels, until a player's payoff is certain.

A **policy** is to playouts what a game is to kernels: a NamedTuple of numbers and tables whose
class names in `kernels` the module that defines for it the functions that a search uses.
"""

from typing import NamedTuple

import numpy as np

from closedhand.core import contract
from closedhand.core.contract import dispatched
from closedhand.core.kernel import kernel


@dispatched
def choose(policy, rules, state, rng, ids):
    """A legal action of the player to act, who may look at the whole state.

    `ids` is scratch space, int32 [num_actions].
    """


@dispatched
def plausibility(policy, rules, state, player, ids):
    """How likely what `player` has seen would be, were `state` the truth; up to a factor.

    May change `state`.
    """


class Uniform(NamedTuple):
    """The policy that plays uniformly random legal actions, and finds all worlds equally likely."""

    kernels = "closedhand.search.uniform"


@kernel
def playout(policy, rules, state, player, rng, ids):
    """Play on until the payoff of `player` is certain; return it."""
    payoff = contract.payoff(rules, state, player)
    while np.isnan(payoff):
        contract.play(rules, state, choose(policy, rules, state, rng, ids))
        payoff = contract.payoff(rules, state, player)
    return payoff


@kernel
def playouts(policy, rules, states, player, rng, num_actions, out):
    """Play every state on, in place; write the payoffs of `player` into `out`, float64 [n]."""
    ids = np.empty(num_actions, np.int32)
    for i in range(len(states)):
        out[i] = playout(policy, rules, states[i], player, rng, ids)

"""Policy of playouts from the auction: bids by the module `fitted`, plays as `decompose`."""

from typing import NamedTuple

from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.decompose import agent as decompose
from closedhand.agents.doudizhu.decompose.agent import Policy
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.auction import is_opening


class Bidding(NamedTuple):
    """The policy.

    Attributes:
        decompose: Policy of the plays.
    """

    kernels = "closedhand.agents.doudizhu.search.auction"

    decompose: Policy


@kernel
def choose(policy, rules, state, rng, ids):
    """Choose a word or a play of the player to act."""
    if is_opening(rules, state):
        return choose_bid(rules, state)
    return decompose.choose(policy.decompose, rules, state, rng, ids)

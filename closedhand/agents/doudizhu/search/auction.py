"""Policy of playouts from the auction on: bids by the module `fitted`, plays as `styles.py`."""

from typing import NamedTuple

from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.search import styles
from closedhand.agents.doudizhu.search.styles import Styles
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.auction import is_opening
from closedhand.search.playout import playout


class Bidding(NamedTuple):
    """Policy that bids by `choose_bid` and plays cards by `styles`."""

    kernels = "closedhand.agents.doudizhu.search.auction"

    styles: Styles

    def varied(self) -> "Bidding":
        """Return the policy with varied plays."""
        return Bidding(self.styles.varied())


@kernel
def choose(policy, rules, state, rng, ids):
    """Choose a word or a play of the player to act."""
    if is_opening(rules, state):
        return choose_bid(rules, state)
    return styles.choose(policy.styles, rules, state, rng, ids)


@kernel
def evaluate(policy, rules, state, player, guess, rng, ids):
    """Return the payoff of a playout; `guess` is the bit set of the seats that play like `rule`."""
    guessed = Styles(policy.styles.decompose, guess, policy.styles.knows_rule)
    return playout(Bidding(guessed), rules, state, player, rng, ids)


@kernel
def log_likelihood(policy, rules, state, player, least, rng, ids):
    """Compute the log-likelihood of the plays by `styles`; words count as equally likely."""
    return styles.log_likelihood(policy.styles, rules, state, player, least, rng, ids)


@kernel
def propose(policy, rules, state, player, rng):
    """Exchange hidden cards as `styles.propose` does, once there is a landlord."""
    if not is_opening(rules, state):
        styles.propose(policy.styles, rules, state, player, rng)

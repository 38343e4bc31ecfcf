"""The uniformly random policy of playouts."""

from closedhand.core import contract
from closedhand.core.numba.jit import Ids, Integer, Policy, Rng, Rules, State, kernel


@kernel
def choose(policy: Policy, rules: Rules, state: State, rng: Rng, ids: Ids) -> Integer:
    """Draw a uniformly random legal action."""
    return contract.random_action(rules, state, rng, ids)


@kernel
def plausibility(policy: Policy, rules: Rules, state: State, player: Integer, ids: Ids) -> float:
    """Return the same plausibility for every determinisation."""
    return 1.0

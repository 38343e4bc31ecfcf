"""The uniformly random policy of playouts."""

from closedhand.core import contract
from closedhand.core.numba.jit import Ids, Integer, Policy, Rng, Rules, State, kernel


@kernel
def choose(policy: Policy, rules: Rules, state: State, rng: Rng, ids: Ids) -> Integer:
    """Draw a uniformly random legal action."""
    return contract.random_action(rules, state, rng, ids)


@kernel
def log_likelihood(
    policy: Policy, rules: Rules, state: State, player: Integer, least: float, rng: Rng, ids: Ids
) -> tuple[float, Integer]:
    """Return the same for every determinisation; see `particles.log_likelihood`."""
    return 0.0, 0

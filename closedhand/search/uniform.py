"""The uniformly random policy of playouts."""

from closedhand.core import contract
from closedhand.core.kernel import kernel

__all__ = ["choose", "plausibility"]


@kernel
def choose(policy, rules, state, rng, ids):
    """A uniformly random legal action."""
    return contract.random_action(rules, state, rng, ids)


@kernel
def plausibility(policy, rules, state, player, ids):
    """The same for every world."""
    return 1.0

"""The policy of the last legal action."""

from typing import Any, NamedTuple

from closedhand.core import contract
from closedhand.core.numba.jit import Integer, kernel


class Extreme(NamedTuple):
    """Another module has one of the same name, with the same field."""

    kernels = "support_policy_last"

    number: int


@kernel
def decide(policy: Any, rules: Any, view: Any, ids: Any) -> Integer:
    return ids[contract.legal(rules, view, ids) - 1]

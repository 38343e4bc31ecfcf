"""The policy of the first legal action."""

from typing import Any, NamedTuple

from closedhand.core import contract
from closedhand.core.numba.jit import Integer, kernel


class Extreme(NamedTuple):
    """Another module has one of the same name, with the same field."""

    kernels = "support_policy_first"

    number: int


@kernel
def decide(policy: Any, rules: Any, view: Any, ids: Any) -> Integer:
    contract.legal(rules, view, ids)
    return ids[0]

"""A policy of an action that no game has."""

from typing import Any, NamedTuple

from closedhand.core.numba.jit import kernel


class Stray(NamedTuple):
    """It has no parameters."""

    kernels = "support_policies"


@kernel
def decide(policy: Any, rules: Any, view: Any, ids: Any) -> int:
    return -1

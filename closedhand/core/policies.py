"""Agents inside kernels: policies that decide without returning to Python.

A policy is a NamedTuple of numbers and tables. Its class attribute `kernels` names the module that
defines `decide`, as the class of a game's rules names the module of the game. Envs play an agent
inside the kernel of a step if its attribute `kernel_policy` is a policy.

A policy that draws random numbers holds a stream of `closedhand.core.stream`. Its module defines
`with_stream(policy, stream)`, which returns the policy with another stream. Batches of games use
the stream of each game, so that no game depends on another.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import numpy as np
from numba import types

from closedhand.core.contract import dispatched
from closedhand.core.numba import linking
from closedhand.core.numba.jit import Ids, Integer, Policy, Rules, State, kernel, with_distinct_name
from closedhand.core.stream import Streams

Policies = tuple[Policy, ...]


@dispatched()
def decide(policy: Policy, rules: Rules, view: State, ids: Ids) -> Integer:
    """Choose an action of the player to act, whose view this is.

    `ids` is scratch space, int32, with room for all actions of the game and of the flat game.
    """
    ...


@kernel
def decide_all(policy: Policy, rules: Rules, views: np.ndarray, ids: Ids, actions: Ids) -> None:
    """Do `decide`, with its `ids`, for every view, states [n]; write `actions`, integers [n]."""
    for i in range(len(views)):
        actions[i] = decide(policy, rules, views[i], ids)


def decide_by(
    policies: Policies, k: Integer, streams: Streams | None, i: Integer, rules: Rules, view: State,
    ids: Ids,
) -> Integer:  # fmt: skip
    """Do `decide` of the policy number `k` in game `i`, in Python and inside kernels.

    The policy draws from `streams[i]`, or from its own stream if there are no `streams`.
    """
    policy = policies[int(k)]
    module = import_module(policy.kernels)
    if streams is not None and hasattr(module, "with_stream"):
        policy = module.with_stream(policy, streams[i])
    return decide(policy, rules, view, ids)


@linking.overload(decide_by)
def _decide_by(policies: Any, k: Any, streams: Any, i: Any, rules: Any, view: Any, ids: Any) -> Any:
    """Choose the code of `decide_by` by the Numba types of its arguments."""

    def by_none(
        policies: Any, k: Any, streams: Any, i: Any, rules: Any, view: Any, ids: Any
    ) -> Any:
        return np.int64(-1)  # never called, but compiled: the recursion below ends in it

    if not len(policies):
        return by_none
    module = import_module(policies[0].instance_class.kernels)
    with_stream: Any = getattr(module, "with_stream", None)
    draws = bool(with_stream) and not isinstance(streams, types.NoneType)

    # One function for each case, as a shared one that returns the policy would copy its tables.
    # Numba indexes a tuple of several types only by constants: recursion needs only index 0.
    def as_it_is(
        policies: Any, k: Any, streams: Any, i: Any, rules: Any, view: Any, ids: Any
    ) -> Any:
        if k == 0:
            return np.int64(decide(policies[0], rules, view, ids))
        return decide_by(policies[1:], k - 1, streams, i, rules, view, ids)

    def drawing(
        policies: Any, k: Any, streams: Any, i: Any, rules: Any, view: Any, ids: Any
    ) -> Any:
        if k == 0:
            return np.int64(decide(with_stream(policies[0], streams[i]), rules, view, ids))
        return decide_by(policies[1:], k - 1, streams, i, rules, view, ids)

    def of_one_class(
        policies: Any, k: Any, streams: Any, i: Any, rules: Any, view: Any, ids: Any
    ) -> Any:
        return np.int64(decide(policies[k], rules, view, ids))

    def of_one_drawing(
        policies: Any, k: Any, streams: Any, i: Any, rules: Any, view: Any, ids: Any
    ) -> Any:
        return np.int64(decide(with_stream(policies[k], streams[i]), rules, view, ids))

    if isinstance(policies, types.UniTuple):
        return of_one_drawing if draws else of_one_class
    return drawing if draws else as_it_is


def policy_of(agent: Any) -> Policy | None:
    """Return the `kernel_policy` of an agent; None if it has none or may decide differently.

    It may decide differently if several of its classes, or a class and the object itself, define
    `act` or `act_batch`: then one overrides the method whose decisions the policy makes.
    """
    policy = getattr(agent, "kernel_policy", None)
    layers = [getattr(agent, "__dict__", {}), *map(vars, type(agent).__mro__)]
    if not isinstance(getattr(policy, "kernels", None), str) or sum(map(_decides, layers)) > 1:
        return None
    return with_distinct_name(policy)


def _decides(layer: Mapping[str, Any]) -> bool:
    """Return whether an object or a class defines `act` or `act_batch`, and neither abstractly."""
    found = [layer[name] for name in ("act", "act_batch") if name in layer]
    if layer.get("_is_protocol"):  # such as `Agent`, whose methods are empty
        return False
    return bool(found) and not any(getattr(each, "__isabstractmethod__", False) for each in found)

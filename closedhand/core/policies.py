"""Agents inside kernels: policies that decide without a way back to Python.

A policy is to an agent what the rules are to a game: a NamedTuple of numbers and tables whose class
names in `kernels` the module that defines `decide`. An agent that has one as `kernel_policy` is
played by the envs within the step of their user.
"""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numba import extending, types
from numpy.typing import NDArray

from closedhand.core.contract import dispatched
from closedhand.core.kernel import Ids, Integer, Policy, Rules, State, States, kernel

Policies = tuple[Policy, ...]
"""Policies of any classes, for kernels."""


Mark = NDArray[np.void]
"""Tells a kernel of which classes the policies beside it are; see `mark_of`."""


def _label(cls: type[Any]) -> str:
    """A name that no other class has."""
    own = "" if cls.__module__ != "__main__" else f"#{id(cls)}"  # it may be defined again
    return f"{cls.__module__}{own}.{cls.__qualname__}"


def _named_by_module(init: Any) -> Any:
    """The constructor of a Numba type of named tuples, with the class's module in its name.

    Numba names compiled functions by the types of their arguments, and these by the class alone.
    Two functions for classes of one name and with fields of the same types, such as two agents'
    policies, could have the same symbol, and one be called in place of the other.
    """

    def named(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        self.name = f"{_label(self.instance_class)}:{self.name}"

    return named


_KINDS: tuple[Any, ...] = (types.NamedTuple, types.NamedUniTuple)
for _kind in _KINDS:
    _kind.__init__ = _named_by_module(_kind.__init__)


def mark_of(*policies: Policy) -> Mark:
    """An empty array whose dtype names the classes of policies and of the policies within them.

    Numba chooses the compiled code of a call from Python by the fields of tuples, not by their
    classes. A kernel that is called with policies therefore takes their mark as well, and ignores
    it: dtypes are told apart.
    """
    labels = [_label(cls) for policy in policies for cls in _classes_in(policy)]
    return np.zeros(0, [(f"{i} {label}", np.int8) for i, label in enumerate(labels)])


def _classes_in(value: Any) -> Iterator[type[Any]]:
    """The classes of a named tuple and of those within it."""
    if isinstance(value, tuple):
        yield type(cast(Any, value))
        for each in cast(tuple[Any, ...], value):
            yield from _classes_in(each)


@dispatched
def decide(policy: Policy, rules: Rules, view: State, ids: Ids) -> Integer:
    """Choose an action of the player to act, whose view this is.

    `ids` is scratch space, int32, with room for every action of the game and of its flat form.
    """
    ...


@kernel
def decide_all(
    policy: Policy, mark: Mark, rules: Rules, views: States, ids: Ids, actions: Ids
) -> None:
    """`decide` for every view, into `actions`; `mark` is that of the policy."""
    for i in range(len(views)):
        actions[i] = decide(policy, rules, views[i], ids)


def decide_as(policies: Policies, k: Integer, rules: Rules, view: State, ids: Ids) -> Integer:
    """`decide` of the policy number `k`; in Python and inside kernels."""
    return decide(policies[int(k)], rules, view, ids)


@extending.overload(decide_as)
def _decide_as(policies: Any, k: Any, rules: Any, view: Any, ids: Any) -> Any:
    if isinstance(policies, types.UniTuple):

        def of_one_class(policies: Any, k: Any, rules: Any, view: Any, ids: Any) -> Any:
            return np.int64(decide(policies[k], rules, view, ids))

        return of_one_class
    return _one_of(0, len(policies))


def _one_of(i: int, number: int) -> Any:
    """`decide_as` from policy `i` on: constants alone index policies of several classes."""

    def this(policies: Any, k: Any, rules: Any, view: Any, ids: Any) -> Any:
        return np.int64(decide(policies[i], rules, view, ids))

    if i == number - 1:
        return this
    others = extending.register_jitable(_one_of(i + 1, number))

    def this_or_other(policies: Any, k: Any, rules: Any, view: Any, ids: Any) -> Any:
        if k == i:
            return np.int64(decide(policies[i], rules, view, ids))
        return others(policies, k, rules, view, ids)

    return this_or_other


def policy_of(agent: Any) -> Policy | None:
    """The policy by which an agent decides; None if it decides in Python.

    That is also so for an agent of a derived class, or an object, with an `act` of its own.
    """
    policy = getattr(agent, "kernel_policy", None)
    if not isinstance(getattr(policy, "kernels", None), str):
        return None
    for layer in (getattr(agent, "__dict__", {}), *map(vars, type(agent).__mro__)):
        if "kernel_policy" in layer:
            return policy
        if "act" in layer or "act_batch" in layer:
            return None
    return policy

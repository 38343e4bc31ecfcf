"""Copies of objects that hold arrays."""

import copy
from typing import Any, cast

import numpy as np


def _holds_read_only(value: Any) -> bool:
    """Return whether a value is a read-only array, or a tuple or a list that holds one."""
    if isinstance(value, np.ndarray):
        return not value.flags.writeable
    return isinstance(value, tuple | list) and any(map(_holds_read_only, cast(list[Any], value)))


class OwnArrays:
    """Mixin of objects that write to their arrays, also if they are unpickled.

    A program that pickles arrays apart from their objects, as Ray does, unpickles them read-only,
    in memory that others share. Kernels do not check that, and would write to it.
    """

    def __setstate__(self, state: dict[str, Any]) -> None:
        if any(map(_holds_read_only, state.values())):
            # All in one go, since objects inside may share arrays. What refers to this object
            # keeps doing so.
            state = copy.deepcopy(state, {id(self): self})
        self.__dict__.update(state)

"""Copies of objects that hold arrays."""

import copy
from typing import Any, cast

import numpy as np


def _holds_read_only(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return not value.flags.writeable
    return isinstance(value, tuple | list) and any(map(_holds_read_only, cast(list[Any], value)))


class OwnArrays:
    """Mixin for classes whose objects write to their arrays: unpickling copies read-only ones.

    A program that pickles arrays apart from their objects, as Ray does, unpickles them read-only,
    in shared memory. Kernels do not check this, and would write to the shared memory.
    """

    def __setstate__(self, state: dict[str, Any]) -> None:
        if any(map(_holds_read_only, state.values())):
            # Copied together, since members may share arrays; the memo keeps references to `self`.
            state = copy.deepcopy(state, {id(self): self})
        self.__dict__.update(state)

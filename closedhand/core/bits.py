"""Sets of numbers from 0 to 63 as the bits of a `uint64`; each function is one instruction.

Numba does not expose these instructions. Under `NUMBA_DISABLE_JIT` the plain functions are used.
"""

from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from closedhand.core.numba.linking import overload


def _instruction(name: str, *flags: bool) -> Any:
    """Make a function of a `uint64` that is one instruction of LLVM, by its name and flags."""

    @intrinsic
    def instruction(typing: Any, bits: Any) -> Any:
        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            constants = [context.get_constant(types.boolean, flag) for flag in flags]
            return getattr(builder, name)(arguments[0], *constants)

        return types.uint64(types.uint64), build

    return instruction


_trailing_zeros = _instruction("cttz", False)
_leading_zeros = _instruction("ctlz", False)
_population = _instruction("ctpop")


def lowest(bits: Any) -> Any:
    """Return the smallest number in a set, which must not be empty."""
    return (int(bits) & -int(bits)).bit_length() - 1


def highest(bits: Any) -> Any:
    """Return the largest number in a set, which must not be empty."""
    return int(bits).bit_length() - 1


def size(bits: Any) -> Any:
    """Return the number of elements of a set."""
    return int(bits).bit_count()


# The function that an overload returns must repeat its annotated signature: a lambda cannot.


@overload(lowest)
def _lowest(bits: Any) -> Any:
    def in_kernel(bits: Any) -> Any:
        return np.int64(_trailing_zeros(np.uint64(bits)))  # pyright: ignore

    return in_kernel


@overload(highest)
def _highest(bits: Any) -> Any:
    def in_kernel(bits: Any) -> Any:
        return 63 - np.int64(_leading_zeros(np.uint64(bits)))  # pyright: ignore

    return in_kernel


@overload(size)
def _size(bits: Any) -> Any:
    def in_kernel(bits: Any) -> Any:
        return np.int64(_population(np.uint64(bits)))  # pyright: ignore

    return in_kernel

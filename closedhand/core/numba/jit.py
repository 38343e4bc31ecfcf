"""The one way to compile: `kernel` turns a plain function into a cached Numba function.

It is `numba.njit(cache=True, nogil=True, error_model="numpy")` with three additions: a cache that
notices more changes than Numba's (`closedhand.core.numba.cache`), the linking of compiled kernels
into their callers (`closedhand.core.numba.linking`), and a line on stderr before the first
compilation. With `NUMBA_DISABLE_JIT=1` in the environment kernels remain plain Python functions,
slow but accessible to a debugger.
"""

import os
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from closedhand.core.numba.cache import SOURCES, Cache, PartCache, has_name
from closedhand.core.numba.fast_call import PLAIN
from closedhand.core.numba.linking import Whole
from closedhand.core.numba.notices import warn_that_nothing_is_kept

F = TypeVar("F", bound=Callable[..., Any])
Tuple = TypeVar("Tuple")

# Types for the signatures of kernels: Numba ignores them, readers and pyright do not.
Rules = Any
"""Tables and options of a game, a NamedTuple of its own; kernels are compiled for its class."""
Policy = Any
"""Numbers and tables of a policy (`closedhand.core.policies`), a NamedTuple as for `Rules`."""
State = np.record
"""One NumPy structured record. A batch is an array of them, `state.copy()` is a clone."""
States = np.ndarray[Any, np.dtype[Any]]
Integer = int | np.integer[Any]
"""A player, an action id or a count; kernels take NumPy's integers as well as Python's."""
Ids = NDArray[np.integer[Any]]
"""Action ids."""
Seats = NDArray[np.integer[Any]]
"""A seat for each game."""
Indices = NDArray[np.integer[Any]]
"""Indices of games in a batch."""
Seeds = NDArray[np.uint64]
"""Seeds of deals, see `draw_seed`."""
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Planes = NDArray[np.int8]
"""Observations."""
Masks = NDArray[np.int8]
"""1 where an action is legal, or where a game is chosen, else 0."""
Statuses = NDArray[np.int8]
"""Status of each game, see `closedhand.core.status`."""
Flag = bool | None
"""A flag; None stands for False and lets the compiler leave out the code for True."""
Rng = np.random.Generator


def kernel(function: F) -> F:
    """Compile a function of records, arrays and numbers on first use; cache it on disk."""
    return _compile(function)


def inlined(function: F) -> F:
    """Compile as `kernel` does, for small functions that are called in loops.

    The function's code replaces every call before LLVM optimises the caller. That may save a fifth
    of a loop's time, or double the time: measure both.
    """
    return _compile(function, inline="always")


def _compile(function: F, **options: Any) -> F:
    # Wrappers for C are never called here and take a tenth of the time of a compilation.
    options |= {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    if PLAIN:
        return function
    whole: Any = Whole(function, options=options)
    if os.path.exists(function.__code__.co_filename):
        SOURCES.note(function.__module__)
        try:
            whole._cache, whole.part._cache = Cache(function), PartCache(function)
        except (RuntimeError, OSError) as error:
            warn_that_nothing_is_kept(str(error))
    return whole


def with_distinct_name(value: Tuple) -> Tuple:
    """Give the classes of a named tuple and of its inner ones distinct names; return the value.

    Numba would confuse two games' rules, or two policies, whose class names and fields are equal.
    """
    cls: Any = type(value)
    if hasattr(cls, "_fields"):
        # A class defined in a function or notebook can be redefined under one name.
        own = "" if has_name(cls) else f"#{id(cls)}"
        cls.__name__ = f"{cls.__module__}.{cls.__qualname__}{own}"
        for each in cast(Any, value):
            with_distinct_name(each)
    return value


def draw_seed(rng: Rng) -> np.uint64:
    """Make the seed of a deal, uint64, 1 to 2^53, from one draw of `rng`."""
    return np.uint64(1 + rng.random() * 2.0**53)


seed_in_kernel = kernel(draw_seed)
"""`draw_seed` for kernels; from Python the plain function is quicker."""

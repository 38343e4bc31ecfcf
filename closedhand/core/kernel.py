"""The one way to compile: `kernel` turns a plain function into a cached Numba function.

It is `numba.njit(cache=True, nogil=True)` with three additions. A cached binary is thrown away when
*any* source file of the package has changed (Numba itself looks at one file only, although a
kernel contains the code of everything it calls). A cache that knows games or policies of another
program is no error. And the first compilation in a process says on stderr what the pause is for.

With `NUMBA_DISABLE_JIT=1` in the environment every kernel stays the plain Python function that it
was: slow, and open to a debugger.
"""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import event
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

# Types for the signatures of kernels: Numba ignores them, readers and pyright do not.
Rules = Any
"""Tables and options of a game, a NamedTuple of its own; kernels are compiled for its class."""
Policy = Any
"""What a search plays by, a NamedTuple of its own; kernels are compiled for its class."""
State = np.record
"""One NumPy structured record. A batch is an array of them, `state.copy()` is a clone."""
States = np.ndarray[Any, np.dtype[Any]]
"""A batch of states."""
Integer = int | np.integer[Any]
"""A player, an action id or a count; kernels take NumPy's integers as well as Python's."""
Ids = NDArray[np.integer[Any]]
"""Action ids, indices or seats."""
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Planes = NDArray[np.int8]
"""Observations and action masks."""
Rng = np.random.Generator

PACKAGE = Path(__file__).parent.parent


def _stamp_sources() -> bytes:
    """A digest of name, time and size of every source file of the package."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(PACKAGE.rglob("*.py")):
        stat = path.stat()
        digest.update(f"{path.relative_to(PACKAGE)} {stat.st_mtime_ns} {stat.st_size}".encode())
    return digest.digest()


_STAMP = _stamp_sources()


class _Announcement(event.Listener):
    """Prints one line when the first kernel of this process is compiled, not loaded."""

    done = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__
        if not self.done and module.startswith("closedhand"):
            self.done = True
            print(
                "closedhand: compiling kernels for their first use; "
                "this takes some seconds, once, and is cached",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        pass


event.register("numba:compile", _Announcement())  # pyright: ignore[reportUnknownMemberType]


def kernel(function: F) -> F:
    """Compile `function` on first use, without the GIL, cached on disk.

    Args:
        function: A plain function over records, arrays and numbers.

    Returns:
        The compiled function, or `function` itself under `NUMBA_DISABLE_JIT=1`.
    """
    return _compile(function)


def inlined(function: F) -> F:
    """`kernel` for a small function that writes to an array and is called often.

    Its code is put in the place of every call: a call would count a reference to the array, which
    takes longer than a few writes.
    """
    return _compile(function, inline="always")


def _compile(function: F, **options: Any) -> F:
    dispatcher: Any = numba.njit(cache=True, nogil=True, error_model="numpy", **options)(function)
    cache = getattr(dispatcher, "_cache", None)
    if cache is not None:
        file = cache._cache_file
        file._source_stamp = _STAMP
        file._load_index = _forgiving(file._load_index)
    return dispatcher


def _forgiving(load: Callable[[], dict[Any, str]]) -> Callable[[], dict[Any, str]]:
    """Let an index count as empty that names classes which only another program defines."""

    def load_index() -> dict[Any, str]:
        try:
            return load()
        except (ImportError, AttributeError):
            return {}

    return load_index


def draw_seed(rng: Rng) -> np.uint64:
    """The seed of a deal, uint64 and not 0, from one draw of `rng`."""
    return np.uint64(1 + rng.random() * 2.0**53)


seed_in_kernel = kernel(draw_seed)
"""`draw_seed` for kernels; from Python the plain function is quicker."""

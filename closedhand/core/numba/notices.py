"""The two messages about compilation: it takes place, and its result cannot be cached.

Each is shown once in a process, the first one only for kernels of this package.
"""

import sys
import warnings
from collections.abc import Iterable
from typing import Any

HOME = __name__.partition(".")[0]
"""Name of this package, the first part of the names of its modules."""

announced = False
"""Whether the first compilation has been announced, or need not be."""

_warned = False


def announce_compilation(module: str | None, types: Iterable[Any] = ()) -> None:
    """Announce on stderr that the first kernel is compiled, which takes a while.

    `types` are the Numba types of the kernel's arguments; the line names the package of the rules
    or policy among them. `module` is the kernel's module; None: a function made by `exec`.
    """
    global announced
    if announced or (module or "").partition(".")[0] != HOME:
        return
    announced = True
    modules = [each.instance_class.__module__ for each in types if hasattr(each, "instance_class")]
    what = f" of {modules[0].rpartition('.')[0] or modules[0]}" if modules else ""
    once = "in every process" if _warned else "once for each new use of a game"
    print(
        f"closedhand: compiling kernels{what}: some seconds, {once}; "
        "`closedhand compile` does all of a game ahead",
        file=sys.stderr,
        flush=True,
    )


def warn_that_nothing_is_kept(reason: str) -> None:
    """Warn that compiled kernels are not kept."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"compiled kernels are not kept, so that every process compiles its own: {reason}; "
            "name a writable folder in NUMBA_CACHE_DIR",
            RuntimeWarning,
            stacklevel=2,
        )

"""The one way to compile: `kernel` turns a plain function into a cached Numba function.

It is `numba.njit(cache=True, nogil=True)` with two additions: a cache that notices more changes
than Numba's, and a line on stderr that explains the pause of a first compilation.

**The cache.** A compiled kernel contains the code of everything that it calls, and through the
classes of its arguments (see `contract.dispatched`) that may be code of several packages. Numba
checks only the function's own file. Here a binary is loaded only if name, time and size of every
source file are unchanged in

- this package,
- the package of the function,
- the package of every NamedTuple class in the signature (`Rules`, policies, and those within
  them), and that of the module which the class names in `kernels`,
- and each package whose kernels one of those modules imports.

A package here is everything below a top-level package, or the one file of a top-level module.
Signatures that name classes of other packages have an index file of their own for each set of
packages: a change in one of them discards only what was compiled for it, and a lookup imports only
the packages involved.

Code typed at a prompt or in a notebook cannot be checked and is compiled in every process, and so
is everything for a class that is defined in `__main__` or within a function. A change is not
noticed in code that is not a kernel and comes from any further package, such as a constant imported
from a file beside a script: delete the cache, or turn the files into a package.

With `NUMBA_DISABLE_JIT=1` in the environment every kernel remains a plain Python function: slow,
but accessible to a debugger.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
# Numba's caches, from which ours derive, have no types.

import hashlib
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import event, sigutils
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])

HOME = __name__.partition(".")[0]
"""The package whose code every kernel may contain."""

# Types for the signatures of kernels: Numba ignores them, readers and pyright do not.
Rules = Any
"""Tables and options of a game, a NamedTuple of its own; kernels are compiled for its class."""
Policy = Any
"""Numbers and tables of a search's policy, a NamedTuple of its own; kernels are compiled for its
class."""
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


class _Sources:
    """Digests of the sources of packages, each taken when its first kernel is defined.

    A file that is edited later has no effect until its module is reloaded.
    """

    def __init__(self) -> None:
        self._digests: dict[str, bytes | None] = {}
        self._specs: dict[str, Any] = {}

    def note(self, module: str) -> None:
        """Take the digest for a module that is being imported; again if it is being reloaded."""
        spec = getattr(sys.modules.get(module), "__spec__", None)
        if self._specs.setdefault(module, spec) is not spec:
            self._specs[module] = spec
            self._digests.pop(_root(module), None)
        self.digest(_root(module))

    def digest(self, root: str) -> bytes | None:
        """The digest of a top-level package or module; None if its sources cannot be found."""
        if root not in self._digests:
            self._digests[root] = _digest(sys.modules.get(root))
        return self._digests[root]


def _digest(module: ModuleType | None) -> bytes | None:
    """A digest of name, time and size of all source files of a package, or of a module's file."""
    folders = getattr(module, "__path__", None)
    file = getattr(module, "__file__", None)
    if folders is not None:
        paths = sorted(path for folder in folders for path in _sources_below(folder))
    else:
        paths = [file] if file else []
    digest = hashlib.sha256(numba.__version__.encode())
    try:
        for path in paths:
            stat = os.stat(path)
            digest.update(f"{path} {stat.st_mtime_ns} {stat.st_size}\n".encode())
    except OSError:
        return None
    return digest.digest() if paths else None


def _sources_below(folder: str) -> Iterator[str]:
    for path, _, files in os.walk(folder):
        for file in files:
            if file.endswith(".py"):
                yield os.path.join(path, file)


def _root(module: str) -> str:
    """The top-level package or module of a module, by its name."""
    # Under `python -m` the spec knows the real name of `__main__`.
    spec = getattr(sys.modules.get(module), "__spec__", None)
    return (spec.name if spec else module).partition(".")[0]


def _roots(modules: Iterable[str]) -> set[str]:
    """The packages, except `HOME`, whose code the kernels of some modules may contain."""
    queue, seen = list(modules), set[str]()
    while queue:
        module = queue.pop()
        if module not in seen and _root(module) != HOME:
            seen.add(module)
            queue += _imported(module)
    return {_root(module) for module in seen}


def _imported(module: str) -> Iterator[str]:
    """The modules whose kernels a module has among its globals."""
    try:
        names = vars(import_module(module))
    except ImportError:
        return
    for value in list(names.values()):
        if isinstance(value, Dispatcher):
            yield value.py_func.__module__
        elif isinstance(value, ModuleType):
            if any(isinstance(inner, Dispatcher) for inner in vars(value).values()):
                yield value.__name__
        elif isinstance(value, type) and isinstance(getattr(value, "kernels", None), str):
            yield from _modules(value)


def _modules(cls: Any) -> list[str]:
    """The modules whose code a kernel may contain through an argument of a class."""
    kernels = getattr(cls, "kernels", None)
    return [cls.__module__, kernels] if isinstance(kernels, str) else [cls.__module__]


def _classes(arguments: Iterable[Any]) -> Iterator[Any]:
    """The classes of all named tuples among the Numba types of arguments, and within them."""
    for argument in arguments:
        if hasattr(argument, "instance_class"):
            yield argument.instance_class
        # Tuples of any kind.
        yield from _classes(getattr(argument, "types", ()))


def _has_name(cls: Any) -> bool:
    """Whether an index can name a class so that another process finds the same one."""
    try:
        found = attrgetter(cls.__qualname__)(sys.modules[cls.__module__])
    except (KeyError, AttributeError):
        return False
    return found is cls and cls.__module__ != "__main__"


class _Index(IndexDataCacheFile):
    """Numba's index, which counts as empty if it cannot be read.

    It names the classes of all arguments, and an old one may name some that are gone or moved.
    """

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except (ImportError, AttributeError, DeprecationWarning):
            return {}


class _Cache(FunctionCache):
    """Numba's cache of a function, with an index for each set of packages in signatures."""

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        return super()._load_overload(sig, target_context) if self._open(sig) else None

    def _save_overload(self, sig: Any, data: Any) -> None:
        if self._open(sig):
            super()._save_overload(sig, data)

    def _open(self, sig: Any) -> bool:
        """Choose the index for a signature; return whether it can be cached at all."""
        classes = set(_classes(sigutils.normalize_signature(sig)[0]))
        own = _roots([self._py_func.__module__])
        others = sorted(_roots(name for cls in classes for name in _modules(cls)) - own)
        digests = [_SOURCES.digest(root) for root in [HOME, *sorted(own), *others]]
        stamp = hashlib.sha256()
        for digest in digests:
            if digest is None:
                return False
            stamp.update(digest)
        if not all(map(_has_name, classes)):
            return False
        name = self._impl.filename_base
        if others:
            name += "." + hashlib.sha256(" ".join(others).encode()).hexdigest()[:12]
        self._cache_file = _Index(self._cache_path, name, stamp.digest())
        return True


_SOURCES = _Sources()


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


event.register("numba:compile", _Announcement())


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

    Its code replaces every call: a call would count a reference to the array, which takes longer
    than a few writes.
    """
    return _compile(function, inline="always")


def _compile(function: F, **options: Any) -> F:
    dispatcher: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    if dispatcher is not function and os.path.exists(function.__code__.co_filename):
        _SOURCES.note(function.__module__)
        # Without a writable folder there is no cache.
        with suppress(RuntimeError):
            dispatcher._cache = _Cache(function)
    return dispatcher


def draw_seed(rng: Rng) -> np.uint64:
    """The seed of a deal, uint64 and not 0, from one draw of `rng`."""
    return np.uint64(1 + rng.random() * 2.0**53)


seed_in_kernel = kernel(draw_seed)
"""`draw_seed` for kernels; from Python the plain function is quicker."""

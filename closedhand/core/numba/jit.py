"""The one way to compile: `kernel` turns a plain function into a cached Numba function.

It is `numba.njit(cache=True, nogil=True)` with two additions: a cache that notices more changes
than Numba's, and a line on stderr that explains the pause of a first compilation.

**The cache.** A compiled kernel contains the code of everything that it calls, and through the
classes of its arguments (see `contract.dispatched`) that may be code of several packages. Numba
checks only the function's own file. Here a binary is loaded only if name, time and size are
unchanged for every source file that its code may come from. The search for them begins with

- the module of the function,
- the module of every NamedTuple class in the signature (`Rules`, policies, and those within
  them), and that which the class names in `kernels`.

Within this package these modules count, with all modules of it that they import, directly or not.
Of other packages everything counts: all that is below a top-level package, or the one file of a
top-level module, for each package of those modules and each whose kernels one of them imports;
then all of this package counts too. Signatures that name classes of other modules have an index
file of their own for each set of them: a change discards only what was compiled for it, and a
lookup imports only the packages involved.

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
import pickle
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from itertools import chain
from operator import attrgetter
from types import ModuleType
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config, event, sigutils
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numpy.typing import NDArray

from closedhand.core.numba.linking import Whole, context_of_parts, is_closed

F = TypeVar("F", bound=Callable[..., Any])
Tuple = TypeVar("Tuple")

HOME = __name__.partition(".")[0]
"""The package whose code every kernel may contain."""

_FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
"""The folder of `HOME`."""

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
    """Times and sizes of source files, taken when the first kernel of a package is defined.

    A file that is edited later has no effect until its module is reloaded.
    """

    def __init__(self) -> None:
        self._files: dict[str, dict[str, str]] = {}
        self._specs: dict[str, Any] = {}
        self._imports: dict[str, set[str]] = {}

    def note(self, module: str) -> None:
        """Look at the files for a module that is being imported; again if it is being reloaded."""
        spec = getattr(sys.modules.get(module), "__spec__", None)
        if self._specs.setdefault(module, spec) is not spec:
            self._specs[module] = spec
            self._imports.clear()
            self._files.pop(_root(module), None)
        self.files(_root(module))

    def files(self, root: str) -> dict[str, str]:
        """Time and size of the files of a top-level package or module; empty if not known."""
        if root not in self._files:
            self._files[root] = _files(sys.modules.get(root))
        return self._files[root]

    def closure(self, modules: Iterable[str]) -> dict[str, str]:
        """Time and size of the files of modules of `HOME` and of all that they import from it."""
        files = self.files(HOME)
        queue, seen = list(map(_path, modules)), set[str]()
        while queue:
            path = queue.pop()
            if path in files and path not in seen:
                seen.add(path)
                if path not in self._imports:
                    self._imports[path] = self._read(path)
                queue += self._imports[path]
        return {path: files[path] for path in sorted(seen)}

    def _read(self, path: str) -> set[str]:
        """The files that a file of `HOME` imports; all of them if it is not the file noted."""
        files = self.files(HOME)
        try:
            if _state(path) != files[path]:
                return set(files)
            with open(path, encoding="utf-8") as file:
                return set(map(_path, _imports(file.read())))
        except OSError:
            return set(files)


_IMPORT = re.compile(rf"^\s*from ({HOME}[\w.]*) import (\([^)]*\)|.*)|\"({HOME}\.[\w.]+)\"", re.M)
"""An import from `HOME`, or one of its modules by name, as in `kernels = "…"`."""


def _imports(source: str) -> Iterator[str]:
    """What may be the name of a module of `HOME` that a source imports or names."""
    for package, names, text in _IMPORT.findall(source):
        yield package or text
        yield from (f"{package}.{name}" for name in re.findall(r"\w+", names))


def _path(module: str) -> str:
    """The file where a module of `HOME` stands if there is one."""
    path = os.path.join(_FOLDER, *module.split(".")[1:])
    return os.path.join(path, "__init__.py") if os.path.isdir(path) else path + ".py"


def _files(module: ModuleType | None) -> dict[str, str]:
    """Time and size of all source files of a package, or of a module's file, by path."""
    folders = getattr(module, "__path__", None)
    file = getattr(module, "__file__", None)
    if folders is not None:
        paths = sorted(path for folder in folders for path in _sources_below(folder))
    else:
        paths = [file] if file else []
    try:
        return {path: _state(path) for path in paths}
    except OSError:
        return {}


def _state(path: str) -> str:
    """Time and size of a file."""
    stat = os.stat(path)
    return f"{stat.st_mtime_ns} {stat.st_size}"


def _sources_below(folder: str) -> Iterator[str]:
    for path, _, files in os.walk(folder):
        for file in files:
            if file.endswith(".py"):
                yield os.path.join(path, file)


def _name(module: str) -> str:
    """The name of a module under which it can be imported."""
    # Under `python -m` the spec knows the real name of `__main__`.
    spec = getattr(sys.modules.get(module), "__spec__", None)
    return spec.name if spec else module


def _root(module: str) -> str:
    """The top-level package or module of a module, by its name."""
    return _name(module).partition(".")[0]


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
    """Numba's index and binaries, each behind a digest: what is damaged counts as not there."""

    def _load_index(self) -> Any:
        # Reading imports the modules of all arguments' classes, which may be gone, or fail anyhow.
        try:
            stamp, overloads = self._read(self._index_path)
        except Exception:
            return {}
        return overloads if stamp == self._source_stamp else {}

    def _save_index(self, overloads: Any) -> None:
        self._write(self._index_path, (self._source_stamp, overloads))

    def _load_data(self, name: str) -> Any:
        return self._read(self._data_path(name))

    def _save_data(self, name: str, data: Any) -> None:
        self._write(self._data_path(name), data)

    def _read(self, path: str) -> Any:
        with open(path, "rb") as file:
            digest, data = file.read(_SEAL), file.read()
        if digest != _seal(data):
            raise OSError(f"{path} is damaged, or of another version")
        return pickle.loads(data)

    def _write(self, path: str, content: Any) -> None:
        data = self._dump(content)
        with self._open_for_write(path) as file:
            file.write(_seal(data) + data)


_SEAL = 32


def _seal(data: bytes) -> bytes:
    """The digest, `_SEAL` bytes, of a file of this version of Numba; other versions' do not fit."""
    return hashlib.sha256(numba.__version__.encode() + data).digest()


class _Cache(FunctionCache):
    """Numba's cache of a function, with an index for each set of packages in signatures."""

    suffix = ""

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        return super()._load_overload(sig, target_context) if self._open(sig) else None

    def _save_overload(self, sig: Any, data: Any) -> None:
        try:
            if is_closed(data) and self._open(sig):
                super()._save_overload(sig, data)
        except OSError as error:
            _warn(str(error))

    def _open(self, sig: Any) -> bool:
        """Choose the index for a signature; return whether it can be cached at all."""
        classes = set(_classes(sigutils.normalize_signature(sig)[0]))
        own = _name(self._py_func.__module__)
        named = {name for cls in classes for name in _modules(cls)}
        roots = _roots([own])
        others = sorted(_roots(named) - roots)
        if roots or others:
            groups = [_SOURCES.files(root) for root in [HOME, *sorted(roots), *others]]
        else:
            known = _SOURCES.closure([own])
            others = sorted(name for name in named if _path(name) not in known)
            groups = [_SOURCES.closure([own, *others])]
        if not all(groups) or not all(map(_has_name, classes)):
            return False
        stamp = hashlib.sha256(numba.__version__.encode())
        for path, state in chain.from_iterable(group.items() for group in groups):
            stamp.update(f"{path} {state}\n".encode())
        name = self._impl.filename_base + self.suffix
        if others:
            name += "." + hashlib.sha256(" ".join(others).encode()).hexdigest()[:12]
        self._cache_file = _Index(self._cache_path, name, stamp.digest())
        return True


class _PartCache(_Cache):
    """The cache of a function as part of others."""

    suffix = ".part"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return super().load_overload(sig, context_of_parts(target_context))


_SOURCES = _Sources()
_warned = False


def _warn(reason: str) -> None:
    """Say once that compiled kernels are not kept, and why."""
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(
            f"compiled kernels are not kept, so that every process compiles its own: {reason}; "
            "name a writable folder in NUMBA_CACHE_DIR",
            RuntimeWarning,
            stacklevel=2,
        )


class _Announcement(event.Listener):
    """Prints one line when the first kernel of this process is compiled, not loaded."""

    done = False

    def on_start(self, event: Any) -> None:
        module = event.data["dispatcher"].py_func.__module__
        if not self.done and _root(module) == HOME:
            self.done = True
            once = "in every process" if _warned else "once, and is cached"
            print(
                "closedhand: compiling kernels for their first use; "
                f"this takes some seconds, {once}",
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
    # The wrappers for C, which nobody calls, take a tenth of the time of a compilation.
    options |= {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    if config.DISABLE_JIT:  # pyright: ignore[reportAttributeAccessIssue]
        return function
    whole: Any = Whole(function, options=options)
    if os.path.exists(function.__code__.co_filename):
        _SOURCES.note(function.__module__)
        try:
            whole._cache, whole.part._cache = _Cache(function), _PartCache(function)
        except (RuntimeError, OSError) as error:
            _warn(str(error))
    return whole


def with_distinct_name(value: Tuple) -> Tuple:
    """Give the class of a named tuple, and of those in it, a name of its own; return the value.

    Numba chooses compiled code by the names and fields of classes. So the rules of two games, or
    two policies, that are called alike and have like fields would be taken for one another.
    """
    cls: Any = type(value)
    if hasattr(cls, "_fields"):
        # A class of a function or notebook may be defined again.
        own = "" if _has_name(cls) else f"#{id(cls)}"
        cls.__name__ = f"{cls.__module__}.{cls.__qualname__}{own}"
        for each in cast(Any, value):
            with_distinct_name(each)
    return value


def draw_seed(rng: Rng) -> np.uint64:
    """The seed of a deal, uint64 and not 0, from one draw of `rng`."""
    return np.uint64(1 + rng.random() * 2.0**53)


seed_in_kernel = kernel(draw_seed)
"""`draw_seed` for kernels; from Python the plain function is quicker."""

"""Compiled kernels on disk: a binary is loaded only if its source files are unchanged.

A compiled kernel contains the code of everything that it calls, also in other packages, by the
classes of its arguments (see `contract.dispatched`). Numba checks only the function's own file.
Here the name, time and size of every source file that the code may come from are checked:

1. Collect the module of the function, the module of every NamedTuple class in the signature
   (`Rules`, policies, and tuples within them), and the module that the class names in `kernels`.
2. If all these modules are of closedhand, take their files, and all files of closedhand that they
   import, directly or not.
3. Otherwise take all files of closedhand, of the other modules' packages (or a module's one file),
   and of packages whose kernels these modules import, directly or not.

Signatures whose classes add the same modules or packages share an index file. So a change discards
only the binaries that depend on it, and a lookup imports only these.

Code typed at a prompt or in a notebook, and every kernel for a class that is defined there, in
`__main__` or within a function, is compiled in every process. A change of code that is no kernel
and comes from a further package, such as a constant imported from a file beside a script, is not
noticed: delete the cache, or turn the files into a package.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false
# Numba's caches, from which ours derive, have no types.

import hashlib
import os
import pickle
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from itertools import chain
from operator import attrgetter
from types import ModuleType
from typing import Any

import numba

from closedhand.core.numba.linking import context_of_parts, is_closed
from closedhand.core.numba.notices import HOME, warn_that_nothing_is_kept
from closedhand.core.numba.private import Dispatcher, FunctionCache, IndexDataCacheFile, sigutils

_FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))


class Sources:
    """Times and sizes of source files, taken when the first kernel of a package is defined.

    A file that is edited later has no effect until its module is reloaded. After that no binary of
    the package is loaded or stored: other modules may still hold the package's older code.
    """

    def __init__(self) -> None:
        self._files: dict[str, dict[str, str]] = {}
        self._specs: dict[str, Any] = {}
        self._imports: dict[str, set[str]] = {}

    def note(self, module: str) -> None:
        """Note the files of the package of a module that is being imported or reloaded."""
        spec = getattr(sys.modules.get(module), "__spec__", None)
        root = root_of(module)
        files = self.files(root)
        if self._specs.setdefault(module, spec) is not spec:
            self._specs[module] = spec
            if files != _files(sys.modules.get(root)):
                self._files[root] = {}

    def files(self, root: str) -> dict[str, str]:
        """Return time and size of the files of a top-level package or module; empty if unknown."""
        if root not in self._files:
            self._files[root] = _files(sys.modules.get(root))
        return self._files[root]

    def closure(self, modules: Iterable[str]) -> dict[str, str]:
        """Return time and size, by path, of modules of `HOME` and of all that they import there."""
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
        """Return the files that a file of `HOME` imports; all files of `HOME` if it has changed."""
        files = self.files(HOME)
        try:
            if state_of(path) != files[path]:
                return set(files)
            with open(path, encoding="utf-8") as file:
                return set(map(_path, _imports(file.read())))
        except OSError:
            return set(files)


_IMPORT = re.compile(rf"^\s*from ({HOME}[\w.]*) import (\([^)]*\)|.*)|\"({HOME}\.[\w.]+)\"", re.M)
"""An import from `HOME`, or one of its modules by name, as in `kernels = "…"`."""


def _imports(source: str) -> Iterator[str]:
    """Iterate over texts in a source that may name a module of `HOME`."""
    for package, names, text in _IMPORT.findall(source):
        yield package or text
        yield from (f"{package}.{name}" for name in re.findall(r"\w+", names))


def _path(module: str) -> str:
    """Return the path of a module of `HOME`, which need not exist."""
    path = os.path.join(_FOLDER, *module.split(".")[1:])
    return os.path.join(path, "__init__.py") if os.path.isdir(path) else path + ".py"


def _files(module: ModuleType | None) -> dict[str, str]:
    """Return time and size of all source files of a package, or of a module's file, by path."""
    folders = getattr(module, "__path__", ())
    file = getattr(module, "__file__", None)
    paths = {file} if file else set[str]()
    for folder, _, names in chain.from_iterable(map(os.walk, folders)):
        paths.update(os.path.join(folder, name) for name in names if name.endswith(".py"))
    found: dict[str, str] = {}
    for path in sorted(paths):
        # An editor's lock may be a link to nothing: what cannot be found cannot be imported either.
        with suppress(OSError):
            found[path] = state_of(path)
    return found


def state_of(path: str) -> str:
    """Return time and size of a file, as a text to compare."""
    stat = os.stat(path)
    return f"{stat.st_mtime_ns} {stat.st_size}"


def _name(module: str) -> str:
    # Under `python -m` the spec knows the real name of `__main__`.
    spec = getattr(sys.modules.get(module), "__spec__", None)
    return spec.name if spec else module


def root_of(module: str) -> str:
    """Return the name of the top-level package or module of a module."""
    return _name(module).partition(".")[0]


def _roots(modules: Iterable[str]) -> set[str]:
    """Return the packages, except `HOME`, whose code the kernels of some modules may contain."""
    queue, seen = list(modules), set[str]()
    while queue:
        module = queue.pop()
        if module not in seen and root_of(module) != HOME:
            seen.add(module)
            queue += _imported(module)
    return {root_of(module) for module in seen}


def _imported(module: str) -> Iterator[str]:
    """Iterate over the modules whose kernels a module has among its globals."""
    try:
        names = vars(import_module(module))
    except (ImportError, ValueError):
        return
    for value in list(names.values()):
        if isinstance(value, Dispatcher):
            # A function made by `exec` may have no module, and no file to check. The empty name
            # keeps every kernel that may call it out of the cache.
            yield value.py_func.__module__ or ""
        elif isinstance(value, ModuleType):
            if any(isinstance(inner, Dispatcher) for inner in vars(value).values()):
                yield value.__name__
        elif isinstance(value, type) and isinstance(getattr(value, "kernels", None), str):
            yield from _modules(value)


def _modules(cls: Any) -> list[str]:
    """List the modules whose code a kernel may contain through an argument of a class."""
    kernels = getattr(cls, "kernels", None)
    return [cls.__module__, kernels] if isinstance(kernels, str) else [cls.__module__]


def classes_of(arguments: Iterable[Any]) -> Iterator[Any]:
    """Iterate over the classes of all named tuples among the Numba types of arguments."""
    for argument in arguments:
        if hasattr(argument, "instance_class"):
            yield argument.instance_class
        # Any tuple may hold named tuples.
        yield from classes_of(getattr(argument, "types", ()))


def has_name(cls: Any) -> bool:
    """Return whether another process finds the class under its module and name."""
    try:
        found = attrgetter(cls.__qualname__)(sys.modules[cls.__module__])
    except (KeyError, AttributeError):
        return False
    return found is cls and cls.__module__ != "__main__"


def sources_of(module: str, kinds: Iterable[Any]) -> tuple[dict[str, str], list[str]]:
    """Find the source files whose code a kernel of a module may contain.

    Return time and size of each file by path, empty if a file is unknown; and those packages, or
    modules of `HOME`, that only `kinds`, the Numba types of the kernel's arguments, bring in.
    """
    classes = set(classes_of(kinds))
    own = _name(module)
    named = {name for cls in classes for name in _modules(cls)}
    roots = _roots([own])
    others = sorted(_roots(named) - roots)
    if roots or others:
        groups = [SOURCES.files(root) for root in [HOME, *sorted(roots), *others]]
    else:
        known = SOURCES.closure([own])
        others = sorted(name for name in named if _path(name) not in known)
        groups = [SOURCES.closure([own, *others])]
    if not all(groups):
        return {}, others
    return dict(chain.from_iterable(group.items() for group in groups)), others


class _Index(IndexDataCacheFile):
    """Numba's index and binaries, each after a digest: a damaged file counts as missing.

    A binary is stored with its key and the stamp of its sources, and counts as missing if one of
    them differs: if two processes save at once, the index of one may name a binary of the other.
    """

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (self._source_stamp, key, data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        return found[2] if found is not None and found[:2] == (self._source_stamp, key) else None

    def _load_index(self) -> Any:
        # Reading imports the modules of all arguments' classes, which may be missing or fail.
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
    """Compute the digest of a file, `_SEAL` bytes; it differs between versions of Numba."""
    return hashlib.sha256(numba.__version__.encode() + data).digest()


class Cache(FunctionCache):
    """Numba's cache of a function, with an index for each set of packages in signatures."""

    suffix = ""

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super()._load_overload(sig, target_context) if self._open(sig) else None
        if found is not None:
            # Free the function's LLVM code: callers link its `linking.Part` instead.
            found.library._shared_module = None
        return found

    def _save_overload(self, sig: Any, data: Any) -> None:
        try:
            if is_closed(data) and self._open(sig):
                super()._save_overload(sig, data)
        except OSError as error:
            warn_that_nothing_is_kept(str(error))

    def _open(self, sig: Any) -> bool:
        """Open the index for a signature; return whether the signature can be cached at all."""
        kinds = sigutils.normalize_signature(sig)[0]
        files, others = sources_of(self._py_func.__module__, kinds)
        if not files or not all(map(has_name, classes_of(kinds))):
            return False
        stamp = hashlib.sha256(numba.__version__.encode())
        for path, state in files.items():
            stamp.update(f"{path} {state}\n".encode())
        name = self._impl.filename_base + self.suffix
        if others:
            name += "." + hashlib.sha256(" ".join(others).encode()).hexdigest()[:12]
        self._cache_file = _Index(self._cache_path, name, stamp.digest())
        return True


class PartCache(Cache):
    """The cache of the `linking.Part` of a function."""

    suffix = ".part"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load the code of a signature into `context_of_parts`."""
        return super().load_overload(sig, context_of_parts(target_context))


SOURCES = Sources()

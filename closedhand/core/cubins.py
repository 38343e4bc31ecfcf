"""Compiled kernels of GPUs: found in a folder, or else compiled by numba-cuda into `kept()`.

Nothing here touches Numba: `closedhand.core.numba.gpu`, which compiles, is imported if need be.

A file is valid for the sources that it was compiled from, the types of its arguments, and one
architecture. So a machine with a GPU needs no compiler for what another one has compiled: name the
folder in `CLOSEDHAND_CUBINS`.
"""

# pyright: reportUnknownArgumentType=false, reportUnknownMemberType=false
# pyright: reportUnknownVariableType=false
# Arguments of kernels are of any type.

import hashlib
import json
import os
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from closedhand.core.checks import InputError
from closedhand.core.files import write_atomically

FORMAT = 1
"""Version of the format of the files."""
FOLDER = "CLOSEDHAND_CUBINS"
"""The environment variable that names a folder of compiled kernels."""
MAGIC = b"closedhand cubin\n"
HOME = __name__.partition(".")[0]
SHARED_FOLDERS = ("core", "games")
"""Folders of this package whose code every kernel may contain."""


class Cubin(NamedTuple):
    """A compiled kernel.

    Attributes:
        name: Name of the kernel.
        image: A cubin, or PTX that the driver is to assemble.
        stack: Bytes of stack of a thread, -1 for PTX.
        spills: Bytes that did not fit the registers, -1 for PTX.
        registers: Registers of a thread, -1 for PTX.
        grows: Whether it makes arrays of variable length on the stack.
    """

    name: str
    image: bytes
    stack: int
    spills: int
    registers: int
    grows: bool


def cubin(name: str, arguments: tuple[Any, ...], arch: str) -> Cubin:
    """Load a kernel for arguments like these from a folder, or compile it.

    Args:
        name: One of `closedhand.core.numba.gpu.entries.ENTRIES`.
        arguments: Values like the arguments: records, tuples, numbers, and arrays in the memory of
            the CPU, of which only types and numbers of axes matter.
        arch: Architecture, such as `sm_90`.

    Raises:
        InputError: It is in no folder and there is no compiler, or it does not compile.
    """
    given = os.environ.get(FOLDER)
    for folder in [Path(given), kept()] if given else [kept()]:
        path = folder / file_name(name, arguments, arch)
        if path.is_file():
            return _read(path, name)
    return compile_to(kept(), name, arguments, arch)


def file_name(name: str, arguments: tuple[Any, ...], arch: str) -> str:
    """Return the file name of a kernel; arguments as for `cubin`."""
    return f"{name}.{arch}.{_key(name, arguments, arch)}.cubin"


def compile_to(folder: Path, name: str, arguments: tuple[Any, ...], arch: str) -> Cubin:
    """Compile a kernel into a folder, even if it is there already; the rest is as for `cubin`."""
    if find_spec("numba_cuda") is None:
        raise InputError(
            f"the kernel {name} is not compiled for {arch} yet, and the compiler is missing: "
            f"pip install 'closedhand[gpu]', or name a folder of compiled kernels in {FOLDER}"
        )
    from closedhand.core.numba.gpu.compiler import compile_function
    from closedhand.core.numba.gpu.entries import ENTRIES

    found: Cubin = compile_function(ENTRIES[name], arguments, arch, name)
    about = {key: value for key, value in found._asdict().items() if key not in ("name", "image")}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name(name, arguments, arch)
    write_atomically(path, MAGIC + json.dumps(about).encode() + b"\n" + found.image)
    return found


def _read(path: Path, name: str) -> Cubin:
    content = path.read_bytes()
    if not content.startswith(MAGIC):
        raise InputError(f"{path} holds no compiled kernel")
    about, _, image = content[len(MAGIC) :].partition(b"\n")
    return Cubin(name, image, **json.loads(about))


def kept() -> Path:
    """Return the folder of the kernels that this user has compiled."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base, "closedhand", "cubins")


def _key(name: str, arguments: tuple[Any, ...], arch: str) -> str:
    """Return a digest of everything that a compiled kernel depends on."""
    modules = sorted(set(_modules(arguments)))
    parts = [str(FORMAT), name, arch, *kinds(arguments), *map(_sources, _folders(modules))]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]


def kinds(value: Any) -> Iterator[str]:
    """Describe the type of an argument, part by part."""
    if isinstance(value, tuple):
        parts = cast(tuple[Any, ...], value)
        cls = type(parts)
        yield f"{cls.__module__}.{cls.__qualname__}("
        for part in parts:
            yield from kinds(part)
        yield ")"
    elif isinstance(value, np.ndarray | np.generic):
        array: NDArray[Any] = np.asarray(cast(Any, value))
        axes = f"[{array.ndim}] " if isinstance(value, np.ndarray) else ""
        yield f"{axes}{layout(array.dtype)}"
    else:
        yield type(value).__name__


def layout(dtype: np.dtype[Any]) -> str:
    """List the fields, offsets and shapes of a type."""
    base, shape = dtype.subdtype or (dtype, ())
    if base.fields is None:
        return f"{base.str}{shape}"
    fields = ", ".join(
        f"{name}@{offset} {layout(kind)}" for name, (kind, offset, *_) in base.fields.items()
    )
    return f"{{{fields}; {base.itemsize}}}{shape}"


def _modules(value: Any) -> Iterator[str]:
    """List the modules of the classes of an argument, and of their kernels."""
    if isinstance(value, tuple):
        parts = cast(tuple[Any, ...], value)
        if type(parts) is not tuple:
            yield type(parts).__module__
        kernels = getattr(parts, "kernels", None)
        if isinstance(kernels, str):
            yield kernels
        for part in parts:
            yield from _modules(part)


def _folders(modules: list[str]) -> list[Path]:
    """List the folders, or files, whose sources a kernel of some modules may contain."""
    places = {_place(f"{HOME}.{folder}") for folder in SHARED_FOLDERS}
    for module in modules:
        parts = module.split(".")
        # Of this package one folder, of other packages all.
        places.add(_place(".".join(parts[:2]) if parts[0] == HOME else parts[0]))
    return sorted(places)


def _place(module: str) -> Path:
    file = Path(str(import_module(module).__file__))
    return file.parent if file.name == "__init__.py" else file


@cache
def _sources(place: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
        digest.update(f"{file.relative_to(place.parent)}\n".encode() + file.read_bytes())
    return digest.hexdigest()

"""Compiled kernels of GPUs: found in a folder, or else compiled by numba-cuda into `kept()`.

Only compilation needs numba-cuda. A file is valid for the sources that it was compiled from, the
types of the kernel's arguments, and one architecture. So a machine with a GPU can use the kernels
that another machine has compiled: name their folder in `CLOSEDHAND_CUBINS`.
"""

import hashlib
import json
import os
import warnings
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

from numba import typeof  # pyright: ignore[reportUnknownVariableType]

from closedhand.core.checks import InputError
from closedhand.core.files import cache_folder, write_atomically
from closedhand.core.numba.cache import classes_of, sources_of, state_of
from closedhand.core.reading import read_content

FOLDER = "CLOSEDHAND_CUBINS"
MAGIC = b"closedhand cubin\n"


class Cubin(NamedTuple):
    """A compiled kernel.

    Attributes:
        image: A cubin, or PTX that the driver is to assemble.
        stack: Bytes of stack of a thread, -1 for PTX.
        spills: Bytes of register spills of a thread, -1 for PTX.
        registers: Registers of a thread, -1 for PTX.
        grows: Whether the kernel makes arrays of variable length on the stack.
    """

    name: str
    image: bytes
    stack: int
    spills: int
    registers: int
    grows: bool


def cubin(name: str, arguments: tuple[Any, ...], arch: str) -> Cubin:
    """Load a kernel for arguments like these from `CLOSEDHAND_CUBINS` or `kept()`, or compile it.

    It only warns if a compiled kernel cannot be written to `kept()`.

    Args:
        name: One of `closedhand.core.numba.gpu.entries.ENTRIES`.
        arguments: Examples of the kernel's arguments: the same types, arrays in the CPU's memory.
        arch: Architecture, such as `sm_90`.

    Raises:
        InputError: The kernel is in no folder and there is no compiler, it does not compile, some
            of its code is in no source file, or its compiled file is damaged.
    """
    given, file = os.environ.get(FOLDER), file_name(name, arguments, arch)
    folders = [Path(given)] if given else []
    with suppress(InputError):  # there may be no home folder
        folders.append(kept())
    for folder in folders:
        if os.path.isfile(folder / file):  # unlike `is_file` it never raises
            return _read(folder / file, name)
    found = _compiled(name, arguments, arch)
    try:
        _write(kept() / file, found)
    except InputError as error:
        warnings.warn(f"the kernel {name} is compiled, but not kept: {error}", stacklevel=2)
    return found


def compile_to(folder: Path, name: str, arguments: tuple[Any, ...], arch: str) -> Cubin:
    """Compile a kernel into a folder, even if it is there; arguments and errors as for `cubin`.

    A `WriteError` says that the file cannot be written.
    """
    found = _compiled(name, arguments, arch)
    _write(folder / file_name(name, arguments, arch), found)
    return found


def _compiled(name: str, arguments: tuple[Any, ...], arch: str) -> Cubin:
    if find_spec("numba_cuda") is None:
        raise InputError(
            f"the kernel {name} is not compiled for {arch} yet, and the compiler is missing: "
            f"pip install 'closedhand[gpu]', or name a folder of compiled kernels in {FOLDER}"
        )
    from closedhand.core.numba.gpu.compiler import compile_function
    from closedhand.core.numba.gpu.entries import ENTRIES

    return compile_function(ENTRIES[name], arguments, arch, name)


def _write(path: Path, found: Cubin) -> None:
    about = {key: value for key, value in found._asdict().items() if key not in ("name", "image")}
    write_atomically(path, MAGIC + json.dumps(about).encode() + b"\n" + found.image)


def _read(path: Path, name: str) -> Cubin:
    about, _, image = read_content(path).removeprefix(MAGIC).partition(b"\n")
    try:
        return Cubin(name, image, **json.loads(about))
    except (ValueError, TypeError):
        raise InputError(f"{path} holds no compiled kernel, or is damaged") from None


def kept() -> Path:
    """Return the folder of the kernels that this user has compiled; errors of `cache_folder`."""
    return cache_folder() / "cubins"


def file_name(name: str, arguments: tuple[Any, ...], arch: str) -> str:
    """Return the file name of a kernel, with a digest of sources and types; see `cubin`."""
    kinds: list[Any] = [typeof(each) for each in arguments]
    files, _ = sources_of(__name__, kinds)  # all that this module imports: kernels, compiler
    if not files:
        raise InputError(
            f"the kernel {name} has parts that are in no file, or were reloaded: it cannot be kept"
        )
    # Numba's name of a type has the class without its module: two modules may share a class name.
    classes = [f"{each.__module__}.{each.__qualname__}" for each in classes_of(kinds)]
    parts = [name, arch, *map(str, kinds), *classes, *starmap(_digest, files.items())]
    digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:20]
    return f"{name}.{arch}.{digest}.cubin"


@cache
def _digest(path: str, imported: str) -> str:
    """Return a digest of a source file without its path, which may differ between machines.

    `imported` is `state_of` the file at its import; a file that has changed since is refused.
    """
    if state_of(path) != imported:
        raise InputError(f"{path} has changed since its import: start a new process")
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()

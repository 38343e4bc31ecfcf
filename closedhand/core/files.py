"""Files: reading bytes, text, JSON and arrays, and atomic writing."""

import errno
import io
import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np

from closedhand.core.game import InputError

SHIPPED = Path(__file__).parent.parent / "data"
"""Folder of the files that ship with the package."""


def read_content(path: Path, most: int | None = None) -> bytes:
    """The bytes of a regular file, for whatever is made from one file.

    Args:
        path: Path of the file.
        most: Maximum size in bytes.

    Raises:
        InputError: There is no such file, it is a folder or a device, cannot be read, or is larger.
    """
    try:
        about = os.stat(path)
        if stat.S_ISDIR(about.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if not stat.S_ISREG(about.st_mode):
            raise InputError(f"cannot read {path}: it is no regular file")
        if most is not None and about.st_size > most:
            raise InputError(f"{path} has {about.st_size:,} bytes, more than {most:,}")
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError as error:  # a path with a null character
        raise InputError(f"cannot read {str(path)!r}: {error}") from None


def reason_of(error: Exception) -> str:
    """The first line of an error's message, or its type where it has no message."""
    return str(error).partition("\n")[0] or type(error).__name__


def within(path: Path, name: str) -> Path:
    """The file `name` in a folder; a path that is no folder itself."""
    return path / name if os.path.isdir(path) else path


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a file with their numbers from 1, without blank lines and `#` comments."""
    try:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                line = line.strip()
                if line and not line.startswith("#"):
                    yield number, line
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InputError(f"cannot read {path}: {reason}") from None


def read_json(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty if there is no such file, or no JSON object in it."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return cast(dict[str, Any], data) if isinstance(data, dict) else {}


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of an npz file.

    Raises:
        InputError: The file cannot be read, or is damaged.
    """
    content = read_content(path)
    try:
        with np.load(io.BytesIO(content), allow_pickle=False) as data:
            return dict(data)
    except Exception as error:  # a damaged file fails in a dozen ways: zip, zlib, header, shape
        raise InputError(f"{path} is no npz file, or damaged: {type(error).__name__}") from None


def write_arrays(path: Path, arrays: Mapping[str, Any]) -> None:
    """Write arrays as a compressed npz file.

    Raises:
        InputError: The file cannot be written.
    """
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    write_atomically(path, buffer.getvalue())


def write_atomically(path: Path, content: str | bytes) -> None:
    """Write a file via a temporary one beside it, so that a crash leaves no partial file.

    Raises:
        InputError: The file cannot be written.
    """
    path = Path(path)
    part = path.parent / f"{path.name}.{os.getpid()}.part"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_bytes(content if isinstance(content, bytes) else content.encode())
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from None

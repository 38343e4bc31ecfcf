"""Read files within limits: bytes, text, JSON and arrays.

For any path, functions that read return data or raise an `InputError` that names the file and the
fault: it is missing, no regular file, unreadable, too large, damaged, or of another format.
"""

import errno
import gzip
import hashlib
import io
import math
import os
import stat
import zipfile
import zlib
from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np

from closedhand.core.checks import InputError, prefixed, shown
from closedhand.core.parsing import parse_json
from closedhand.core.text import reason_of

MOST_LINE = 2**20
"""Maximum number of bytes in a line of text."""
MOST_TEXT = 2**26
"""Maximum number of bytes of a text that is read as a whole, such as JSON."""
MOST_DATA = 2**28
"""Maximum number of bytes of arrays and networks, and of unpacked data."""
LIMITS = "CLOSEDHAND_LIMITS"
"""Environment variable with a factor by which these limits are multiplied."""
MOST_FACTOR = 1e9
SHORT = 64
"""Least number of bytes that a line of packed text counts for: an empty line takes time, too."""

GZIP = b"\x1f\x8b"
ZIP = b"PK\3\4"


class TooLarge(InputError):
    """A file, or data in it, beyond a limit of reading."""


def limit(most: int) -> int:
    """Multiply a limit, such as `MOST_DATA`, by the factor in the environment.

    Raises:
        InputError: The factor is not a positive number of at most `MOST_FACTOR`.
    """
    given = os.environ.get(LIMITS, "1")
    try:
        factor = float(given)
    except ValueError:
        factor = math.nan
    if not 0 < factor <= MOST_FACTOR:
        form = f"a positive number of at most {MOST_FACTOR:g}"
        raise InputError(f"{LIMITS} is {form}, not {shown(given)}")
    return int(most * factor)


def beyond(path: Path | str, what: str, most: int) -> TooLarge:
    """Make the error for data beyond `limit(most)`; `what` is a phrase such as `it has`."""
    allowed = limit(most)
    size = f"{allowed >> 20} MiB" if allowed >= 2**20 else f"{allowed:,} bytes"
    return TooLarge(
        f"{path}: {what} more than {size}; --limits 10 or {LIMITS}=10 allow ten times as much"
    )


@contextmanager
def reading(path: Path | str) -> Generator[None]:
    """Turn errors while a file is opened and read into an `InputError`."""
    try:
        yield
    except InputError:
        raise
    except (OSError, EOFError, ValueError, zlib.error) as error:  # ValueError: an impossible path
        raise InputError(f"cannot read {path}: {reason_of(error)}") from None


def read_content(path: Path | str, most: int = MOST_DATA) -> bytes:
    """Read the bytes of a regular file whose size is within a limit."""
    with reading(path), _opened(path, most) as file:
        return file.read()


def checksum(*paths: Path | str) -> str:
    """Compute a checksum of the contents of files in this order, without paths: 16 hex digits."""
    content = b"".join(map(read_content, paths))
    return hashlib.sha256(content).hexdigest()[:16]


def _opened(path: Path | str, most: int | None = None) -> io.BufferedReader:
    """Open a regular file within a limit; a pipe is refused, since it cannot be read twice."""
    about = os.stat(path)
    if stat.S_ISDIR(about.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(about.st_mode):
        raise InputError(f"cannot read {path}: it is not a regular file")
    if most is not None and about.st_size > limit(most):
        raise beyond(path, "it has", most)
    return open(path, "rb")


def filled_lines(path: Path | str) -> Iterator[tuple[int, str]]:
    """Iterate over the nonblank lines of a UTF-8 text or its gzip: number from 1, stripped line."""
    longest, most, size = limit(MOST_LINE), limit(MOST_DATA), 0
    with reading(path), _opened(path) as file:
        is_packed = file.peek(len(GZIP)).startswith(GZIP)
        text = gzip.GzipFile(fileobj=file) if is_packed else file
        for number, line in enumerate(iter(partial(text.readline, longest + 1), b""), 1):
            size += max(len(line), SHORT)
            if is_packed and size > most:
                raise beyond(path, f"at {SHORT} bytes or more a line it unpacks to", MOST_DATA)
            if len(line) > longest and not line.endswith(b"\n"):
                raise beyond(f"{path}, line {number}", "the line has", MOST_LINE)
            try:
                # The first line may begin with a byte order mark.
                filled = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError:
                raise InputError(f"{path}, line {number}: this is not UTF-8 text") from None
            if filled:
                yield number, filled


def first_line(path: Path | str) -> str:
    """Return the first line of `filled_lines`; empty if there is none, or if it cannot be read."""
    try:
        return next(filled_lines(path), (0, ""))[1]
    except InputError:
        return ""


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """Iterate over the `filled_lines` of a file, except comments, which begin with `#`."""
    return ((number, line) for number, line in filled_lines(path) if not line.startswith("#"))


def load_json(path: Path) -> Any:
    """Read the JSON value in a file."""
    content = read_content(path, MOST_TEXT)
    try:
        with prefixed(str(path)):
            return parse_json(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None


def read_json(path: Path) -> dict[str, Any]:
    """Read the JSON object in a file; empty if there is no such file or object.

    A file that is too large or cannot be opened raises an error, so that callers do not replace it.
    """
    with reading(path):
        if not os.path.lexists(path):
            return {}
    content = read_content(path, MOST_TEXT)
    try:
        data = parse_json(content.decode("utf-8-sig"))
    except ValueError:
        return {}
    return cast(dict[str, Any], data) if isinstance(data, dict) else {}


def read_arrays(path: Path, only: Collection[str] | None = None) -> dict[str, np.ndarray]:
    """Read the arrays of an npz file by name: all, or those named in `only` that it has."""
    content = read_content(path)
    try:
        check_unpacked(path, content)
        with np.load(io.BytesIO(content), allow_pickle=False) as data:
            arrays = {name: data[name] for name in data if only is None or name in only}
    except InputError:
        raise
    except Exception as error:  # errors of zip, zlib, header or shape
        fault = type(error).__name__
        raise InputError(f"{path} is not an npz file, or is damaged: {fault}") from None
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"{path} is not an npz file: {name} is not an array")
    return arrays


def check_unpacked(path: Path | str, content: bytes) -> None:
    """Check that a zip, such as an npz file or one of PyTorch, is not too large.

    Raises:
        InputError: It unpacks to more than `limit(MOST_DATA)`.
        zipfile.BadZipFile: It is not a zip, or is damaged.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        size = sum(member.file_size for member in packed.infolist())
    if size > limit(MOST_DATA):
        raise beyond(path, "it unpacks to", MOST_DATA)


def check_arrays(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Check that arrays have the types and shapes of `wanted`, by name, and contain no NaN.

    Texts and bytes (uint8 [n]) may have another length.

    Raises:
        InputError: An array is missing, has another type or shape, or contains NaN.
    """
    for name, like in wanted.items():
        if name not in found:
            raise InputError(f"it lacks {name!r}")
        array, like = np.asarray(found[name]), np.asarray(like)
        forms = [(each.dtype, each.shape) for each in (array, like)]
        if like.dtype.kind == "U" or (like.dtype == np.uint8 and like.ndim == 1):
            forms = [(each.dtype.kind, each.ndim) for each in (array, like)]
        if forms[0] != forms[1]:
            raise InputError(f"{name} is {forms[0]}, not {forms[1]}")
        if array.dtype.kind == "f" and np.isnan(array).any():
            raise InputError(f"{name} contains NaN")


def json_in(arrays: Mapping[str, Any], name: str) -> Any:
    """Parse the JSON text in the array `name`; an `InputError` says if it is absent or not JSON."""
    if name not in arrays:
        raise InputError(f"it lacks {name!r}")
    return parse_json(str(arrays[name]))

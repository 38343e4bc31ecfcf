"""Kinds of files that commands write, and tests that recognise them.

A command replaces a file only by one of the same kind (`files.refuse_foreign`).
"""

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from closedhand.core.game import InputError
from closedhand.core.parsing import parse_json
from closedhand.core.reading import TooLarge, read_json

MARK = "closedhand"
"""Text in a file that names this package as its origin."""
HEAD = 2**16
"""Number of bytes, at one end of a file, in which a mark or a header is looked for."""
COMMENT = f"<!-- {MARK} -->"
"""Last line of a report in Markdown; it is not shown."""
GENERATOR = f'<meta name="generator" content="{MARK}">'


class FileKind(NamedTuple):
    """A kind of file."""

    text: str  # name of such a file in messages, such as `the results of a match`
    holds: Callable[[Path], bool]  # whether a nonempty file is of this kind; may raise any error


def holds(kind: FileKind, path: Path) -> bool:
    """Return whether a file, which is not empty, is of a kind; False if it cannot be read.

    Raises:
        TooLarge: The file exceeds a limit of reading; it may be of the kind nevertheless.
    """
    try:
        return kind.holds(path)
    except TooLarge:
        raise
    except (InputError, OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return False


def _head(path: Path) -> bytes:
    with open(path, "rb") as file:
        return file.read(HEAD)


def object_with(*keys: str) -> Callable[[Path], bool]:
    """Make a function that returns whether a file is a JSON object with all of these keys."""
    return lambda path: set(keys) <= read_json(path).keys()


def arrays_with(*names: str) -> Callable[[Path], bool]:
    """Make a function that returns whether a file is an npz file with all of these arrays."""

    def check(path: Path) -> bool:
        with zipfile.ZipFile(path) as archive:
            return {f"{name}.npy" for name in names} <= set(archive.namelist())

    return check


def begun(text: str) -> Callable[[Path], bool]:
    """Make a function that returns whether a file begins with a text."""
    return lambda path: _head(path).startswith(text.encode())


def marked(*marks: str) -> Callable[[Path], bool]:
    """Make a function that returns whether the first `HEAD` bytes of a file hold one of `marks`."""
    return lambda path: any(mark.encode() in _head(path) for mark in marks)


def _ends_with_comment(path: Path) -> bool:
    return path.read_bytes().rstrip().endswith(COMMENT.encode())


def _is_part(path: Path) -> bool:
    return set(read_json(path)) in ({"settings", "result"}, {"settings", "begun"})


def _is_record(path: Path) -> bool:
    with open(path, encoding="utf-8") as file:
        first: Any = parse_json(file.readline(HEAD))
    return isinstance(first, dict) and {"game", "actions"} <= first.keys()


def _is_network(path: Path) -> bool:
    with open(path, "rb") as file:
        # Safetensors: the length of the header, then the header. At most 4 MiB of it are read.
        size = int.from_bytes(file.read(8), "little")
        header: Any = parse_json(file.read(min(size, HEAD**2 // 2**10)).decode())
        return MARK in header["__metadata__"]


def _is_torch_file(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        return any(name.endswith("/data.pkl") for name in archive.namelist())


def _is_shard(path: Path) -> bool:
    data = path.read_bytes()[-HEAD:]
    return data.endswith(b"PAR1") and MARK.encode() in data


MATCH = FileKind("the results of a match", object_with("game", "deals", "pairs"))
LEAGUE = FileKind("the results of a league", object_with("game", "rounds", "results", "points"))
SOLUTION = FileKind("the result of a solver", object_with("game", "algorithm", "curve"))
PART = FileKind("a part of a reproduction", _is_part)
HISTORY = FileKind("the history of a training", object_with("settings", "seconds", "history"))
STRATEGY = FileKind("a strategy", arrays_with("keys", "rows", "actions", "probabilities", "about"))
CHECKPOINT = FileKind("a checkpoint", arrays_with("settings", "seconds", "history"))
TORCH_CHECKPOINT = FileKind("a checkpoint of PyTorch", _is_torch_file)
NETWORK = FileKind("a network", _is_network)
SHARD = FileKind("a shard of games", _is_shard)
DEALS = FileKind("a file of deals", begun("# deals of "))
RECORDS = FileKind("records of games", _is_record)
PICTURE = FileKind("a picture of this program", marked(f"Software\0{MARK}"))
DRAWING = FileKind("a drawing of this program", marked(f"<dc:title>{MARK}</dc:title>"))
PAGE = FileKind("a page of this program", marked(GENERATOR))
REPORT = FileKind("a report of this program", _ends_with_comment)

"""Files that a browser sends: for a moment in a folder of their own, for the readers of files."""

import base64
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from closedhand.core.game import InputError


def decoded(data: str, name: str) -> bytes:
    """The content of what comes as base64.

    Args:
        data: The text.
        name: What it is, for the message.

    Raises:
        InputError: It is not base64.
    """
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:  # also where it is not ASCII
        raise InputError(f"{name} is not base64") from None


@contextmanager
def uploaded(data: str) -> Iterator[Path]:
    """The path of a file while it is read; messages of errors name it `the file`.

    Args:
        data: The file in base64.

    Raises:
        InputError: It is not base64, or its reader refuses it.
    """
    with written(decoded(data, "the file")) as path:
        yield path


@contextmanager
def written(content: bytes) -> Iterator[Path]:
    """As `uploaded`, of bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "upload"
        path.write_bytes(content)
        try:
            yield path
        except InputError as error:
            reason = str(error).replace(f"{path}, ", "").replace(str(path), "the file")
            raise InputError(reason) from None

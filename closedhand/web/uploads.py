"""Files that a browser sends: for a moment in a folder of their own, for the readers of files."""

import base64
import binascii
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from closedhand.core.game import InputError


@contextmanager
def uploaded(data: str) -> Iterator[Path]:
    """The path of a file while it is read; messages of errors name it `the file`.

    Args:
        data: The file in base64.

    Raises:
        InputError: It is not base64, or its reader refuses it.
    """
    try:
        content = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise InputError("the file is not base64") from None
    with written(content) as path:
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

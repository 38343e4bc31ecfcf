"""Files that a browser sends, written to a temporary folder for functions that read files."""

import base64
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from closedhand.core.game import InputError


def decoded(data: str, name: str) -> bytes:
    """Decode base64; any other text is an `InputError` about `name`."""
    try:
        return base64.b64decode(data, validate=True)
    except ValueError:  # also raised for text that is not ASCII
        raise InputError(f"{name} is not base64") from None


@contextmanager
def written(content: bytes) -> Iterator[Path]:
    """Provide the path of a file with `content`; `InputError`s in the block call it `the file`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "upload"
        path.write_bytes(content)
        try:
            yield path
        except InputError as error:
            reason = str(error).replace(f"{path}, ", "").replace(str(path), "the file")
            raise InputError(reason) from None

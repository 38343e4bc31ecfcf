"""Files of PyTorch, and checkpoints with tensors."""

import io
from pathlib import Path
from typing import Any

import torch

from closedhand.core.files import write_atomically
from closedhand.core.game import InputError
from closedhand.core.reading import ZIP, check_unpacked, read_content
from closedhand.core.run import ABOUT, Format
from closedhand.core.text import reason_of


def load_tensors(path: Path | str, content: bytes) -> Any:
    """Load tensors and plain values that `torch.save` wrote as `content`; no code is run.

    Raises:
        InputError: The content unpacks to more than `closedhand.core.reading.MOST_DATA`.
        Exception: It is damaged, or of another kind.
    """
    if content.startswith(ZIP):
        check_unpacked(path, content)
    return torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)


def _write(path: Path, state: dict[str, Any], about: dict[str, Any]) -> None:
    buffer = io.BytesIO()
    torch.save({**about, **state}, buffer)
    write_atomically(path, buffer.getvalue())


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    state = read_checkpoint(path)
    about = {key: state.pop(key) for key in ABOUT if key in state}
    return state, about


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Read a dict of tensors and plain values that `torch.save` wrote; no code is run.

    Raises:
        InputError: The file cannot be read, is too large, or is of another kind.
    """
    content = read_content(path)
    try:
        return dict(load_tensors(path, content))
    except Exception as error:
        raise InputError(f"cannot resume {path}: {reason_of(error)}") from None


TORCH = Format(_write, _read)
"""Format of PyTorch's checkpoint files."""

"""Checkpoints of learners that hold tensors."""

import io
from pathlib import Path
from typing import Any

import torch

from closedhand.core.files import write_atomically
from closedhand.core.game import InputError
from closedhand.core.run import ABOUT, Format
from closedhand.core.text import reason_of


def _write(path: Path, about: dict[str, Any], state: dict[str, Any]) -> None:
    buffer = io.BytesIO()
    torch.save({**about, **state}, buffer)
    write_atomically(path, buffer.getvalue())


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    state = read_checkpoint(path)
    return {key: state.pop(key) for key in ABOUT if key in state}, state


def read_checkpoint(path: Path) -> dict[str, Any]:
    """Read a dict of tensors and plain values that `torch.save` wrote; no code is run.

    Raises:
        InputError: The file cannot be read, or holds something else.
    """
    try:
        return dict(torch.load(path, map_location="cpu", weights_only=True))
    except Exception as error:
        raise InputError(f"cannot resume {path}: {reason_of(error)}") from None


TORCH = Format(_write, _read)
"""Format of PyTorch's checkpoint files."""

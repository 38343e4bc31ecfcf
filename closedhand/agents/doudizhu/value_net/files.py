"""Files of the networks of `value-net`: npz with one byte per weight of the first layer."""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.agents.doudizhu.value_net.network import SHAPES, Net
from closedhand.core.checks import InputError, prefixed
from closedhand.core.files import SHIPPED, within, write_arrays
from closedhand.core.parsing import Kind, check_fields, whole
from closedhand.core.reading import check_arrays, json_in, read_arrays

SHARES = {"win": 0.06, "score": 0.03}
"""By objective, the factor with which the sum of weights in `decompose` enters the value of a play:
the log-odds to win for `win`, points per peasant at a stake of 1 for `score`."""
NUMBERS = ("steps", "games", "samples")
"""Counts of the training in the description of a network."""
OBJECTIVE = Kind("win or score", "objectives", lambda value: value in list(SHARES))
DESCRIPTION = {"objective": OBJECTIVE, **dict.fromkeys(NUMBERS, whole(0, 2**53 - 1))}
"""Kinds of the values in the description of a network, for `check_fields`."""
NAME = "value-net.npz"
"""Name of the network in a folder of `closedhand train`, beside the checkpoint of the training."""
FINEST = 127
"""Greatest integer that encodes a weight (int8); each row has one factor for all its weights."""


def _packed(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Encode rows of weights as int8, with a factor for each row, float32."""
    factors = (np.abs(rows).max(axis=-1) / FINEST).astype(np.float32)
    # A row of zeros has the factor 0, which must not become a divisor.
    inverse = np.divide(1, factors, out=np.zeros_like(factors), where=factors > 0)
    return np.rint(rows * inverse[..., None]).astype(np.int8), factors


def _unpacked(packed: np.ndarray, factors: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore", invalid="ignore"):  # damaged; `read` refuses it
        return packed * factors[..., None]


def save(path: Path, net: Net, about: Mapping[str, Any]) -> None:
    """Write a network with its first layer rounded; an `InputError` if `path` is not writable.

    Its description, `about`, has JSON values, among them the `objective` and the `NUMBERS`.
    """
    arrays: dict[str, np.ndarray] = {"dense": net.dense}
    for name in ("inputs", "plays"):
        arrays[name], arrays[f"{name}_factors"] = _packed(getattr(net, name))
    write_arrays(path, arrays, {"about": about})


def read(path: Path) -> tuple[Net, dict[str, Any]]:
    """Read a network, its first layer expanded to float32, and its description; see `save`.

    Raises:
        InputError: The file cannot be read, or holds something else.
    """
    arrays = read_arrays(path)
    with prefixed(f"{path} is not a network of value-net"):
        check_arrays(
            arrays,
            {
                "inputs": np.empty(SHAPES.inputs, np.int8),
                "inputs_factors": np.empty(SHAPES.inputs[:-1], np.float32),
                "plays": np.empty(SHAPES.plays, np.int8),
                "plays_factors": np.empty(SHAPES.plays[:-1], np.float32),
                "dense": np.empty(SHAPES.dense, np.float32),
            },
        )
        about = json_in(arrays, "about")
        check_fields(about, "its description", DESCRIPTION)
        rows = {
            name: _unpacked(arrays[name], arrays[f"{name}_factors"]) for name in ("inputs", "plays")
        }
        net = Net(**rows, dense=arrays["dense"])
        if not all(np.isfinite(part).all() for part in net):
            raise InputError("it has numbers that are not finite")
    return net, about


def load(path: str | None, objective: str) -> tuple[Net, dict[str, Any]]:
    """Load the network of a file or folder, or the package's for `objective`, as `read` does."""
    if path is None:
        return _shipped(objective)
    return read(within(Path(path), NAME))


@cache
def _shipped(objective: str) -> tuple[Net, dict[str, Any]]:
    return read(SHIPPED / f"doudizhu_value_{objective}.npz")


def files_of(path: str | None) -> tuple[Path, ...]:
    """Find the file that an agent's argument, a file or folder, names; `()` if there is none."""
    file = None if path is None else within(Path(path), NAME)
    # Unlike Path.is_file, os.path.isfile returns false for a name that is too long.
    return (file,) if file is not None and os.path.isfile(file) else ()

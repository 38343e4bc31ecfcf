"""Copy weights of networks and moments of optimisers out of these objects, and back.

Checkpoints and other processes get them as arrays, files of PyTorch as tensors.
"""

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from closedhand.core.files import write_atomically
from closedhand.core.game import InputError
from closedhand.core.reading import ZIP, check_unpacked, read_content
from closedhand.core.run import ABOUT, Format
from closedhand.core.text import reason_of

Weights = Mapping[str, np.ndarray]
"""Weights of a network by name."""


def load_weights(network: torch.nn.Module, weights: Weights) -> None:
    """Copy weights into a network."""
    tensors = {name: torch.from_numpy(each.copy()) for name, each in weights.items()}
    network.load_state_dict(tensors)


def arrays_of(name: str, module: torch.nn.Module) -> dict[str, np.ndarray]:
    """Copy the tensors of a module; their names begin with `name`."""
    return {f"{name}.{key}": each.cpu().numpy().copy() for key, each in module.state_dict().items()}


@torch.no_grad()
def restore_module(module: torch.nn.Module, name: str, state: Weights) -> None:
    """Copy the result of `arrays_of`, possibly rounded by `half`, into a module.

    Raises:
        ValueError, KeyError: An array has another shape, is not finite, or is missing.
    """
    for key, each in module.state_dict().items():
        array = whole(state[f"{name}.{key}"])
        if array.shape != tuple(each.shape) or not np.isfinite(array).all():
            raise ValueError("weights")
        each.copy_(torch.from_numpy(array.astype(np.float32)))


Moments = dict[int, dict[str, torch.Tensor]]
"""Moments of an optimiser, by the number of the weight and by name."""


def moments_of(optimiser: torch.optim.Optimizer) -> dict[str, np.ndarray]:
    """Copy an optimiser's moments to arrays named `optimiser.NUMBER.NAME`, by number of weight."""
    return {
        f"optimiser.{i}.{key}": each.cpu().numpy().copy()
        for i, moments in optimiser.state_dict()["state"].items()
        for key, each in moments.items()
    }


MOMENTS = {"step", "exp_avg", "exp_avg_sq"}
"""Names of Adam's statistics of each weight; `step` is a single number."""


def _weights_of(optimiser: torch.optim.Optimizer) -> list[torch.Tensor]:
    return [each for group in optimiser.param_groups for each in group["params"]]


def moments_in(optimiser: torch.optim.Optimizer, state: Weights) -> Moments:
    """Read the results of `moments_of` from the state of a learner, which also has `counts`.

    Raises:
        ValueError: The moments do not fit Adam and the shapes of the weights (PyTorch would read
            and write beyond their ends), or are missing although the learner has learned.
    """
    weights = _weights_of(optimiser)
    moments: Moments = {}
    for name in (name for name in state if name.startswith("optimiser.")):
        _, i, key = name.split(".")
        array, shape = whole(state[name]), () if key == "step" else tuple(weights[int(i)].shape)
        if array.dtype != np.float32 or array.shape != shape or not np.isfinite(array).all():
            raise ValueError("moments")
        moments.setdefault(int(i), {})[key] = torch.from_numpy(array.copy())
    _, decisions, *_ = state["counts"]
    if any(each.keys() != MOMENTS for each in moments.values()) or (decisions and not moments):
        raise ValueError("moments")
    return moments


def set_moments(optimiser: torch.optim.Optimizer, moments: Moments) -> None:
    """Copy moments into an optimiser; those that are not given become 0.

    The optimiser's tensors are changed in place, as CUDA graphs read them at fixed addresses.
    """
    for i, weight in enumerate(_weights_of(optimiser)):
        held, given = optimiser.state[weight], moments.get(i, {})
        for key in held.keys() - given.keys():
            held[key].zero_()
        for key, each in given.items():
            held.setdefault(key, each.to(weight.device, copy=True)).copy_(each)


@torch.no_grad()
def add_to_average(average: torch.nn.Module, network: torch.nn.Module, updates: int) -> None:
    """Move averaged weights towards those of `network`; after update 1 both are equal."""
    # Polynomial-decay averaging (Shamir and Zhang, 2013): about the last tenth of the updates
    # counts, for any length of the training.
    share = 9 / (updates + 8)
    for mean, new in zip(average.parameters(), network.parameters(), strict=True):
        mean.lerp_(new, share)


def half(array: np.ndarray) -> np.ndarray:
    """Round float32 to bfloat16, its bits as uint16; leave other dtypes, and arrays of one item."""
    if array.dtype != np.float32 or array.size < 2:
        return array
    return torch.from_numpy(array).bfloat16().view(torch.int16).numpy().view(np.uint16)


def whole(array: np.ndarray) -> np.ndarray:
    """Convert a result of `half` back, to the precision of bfloat16."""
    if array.dtype != np.uint16:
        return array
    return (array.astype(np.uint32) << 16).view(np.float32)


def load_tensors(path: Path | str, content: bytes) -> Any:
    """Load tensors and plain values that `torch.save` wrote as `content`; no code is run.

    Raises:
        InputError: The content unpacks to more than `closedhand.core.reading.MOST_DATA`.
        Exception: The content is damaged, or of another kind.
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

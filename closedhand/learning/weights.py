"""Weights of networks as data: safetensors files with a JSON description.

No code in such a file is run. Before the first tensor is read:

1. Check the description against a schema with limits.
2. Build the described network without memory.
3. Check names, shapes and types of the tensors against it.

A file can therefore take little more memory than its own size.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from reprlib import repr as shortened
from typing import Any, TypeVar

import safetensors.torch
import torch
from torch import nn

from closedhand.core.files import write_atomically
from closedhand.core.game import InputError
from closedhand.core.parsing import Kind, parse_json
from closedhand.core.reading import read_content
from closedhand.core.text import reason_of

METADATA = "closedhand"
"""The key of the description, JSON, in a file's metadata."""
MOST_HEADER = 2**20
"""Maximum size of a file's header, in bytes."""
TYPES = ("F32", "F16", "BF16")
"""Types of tensors, as safetensors names them, that weights may have."""

WORD = Kind(
    "a text of at most 100 characters", "such texts", lambda x: isinstance(x, str) and len(x) <= 100
)

Network = TypeVar("Network", bound=nn.Module)


def save(path: Path, tensors: Mapping[str, torch.Tensor], about: Mapping[str, Any]) -> None:
    """Write the weights of a network, its `state_dict()`, and its description, JSON values."""
    plain = {name: each.cpu().contiguous() for name, each in tensors.items()}
    write_atomically(path, safetensors.torch.save(plain, {METADATA: json.dumps(about)}))


def load(
    path: Path, schema: Mapping[str, Kind], build: Callable[[dict[str, Any]], Network]
) -> tuple[Network, dict[str, Any]]:
    """Read a network from a file that `save` wrote, and its description.

    `schema` has the kind of each value by key; a description must have exactly these keys.
    `build` makes the network of a checked description, or raises an `InputError`.

    Raises:
        InputError: The file cannot be read, is no network, or holds one that cannot be used.
    """
    content = read_content(path)
    try:
        header = _header(content)
        about = _description(header, schema)
        with torch.device("meta"):  # shapes without memory
            expected = build(about).state_dict()
        _compare(header, expected)
        tensors = safetensors.torch.load(content)
        for name, tensor in tensors.items():
            if not torch.isfinite(tensor).all():
                raise InputError(f"the tensor {name} has numbers that are not finite")
        with torch.random.fork_rng(devices=[]):  # building draws weights: keep PyTorch's generator
            network = build(about)
        network.load_state_dict(tensors)
    except InputError as error:
        raise InputError(f"{path} is not a network for this use: {error}") from None
    except Exception as error:  # safetensors, JSON and torch raise many kinds
        raise InputError(f"{path} is not a network, or is damaged: {reason_of(error)}") from None
    return network, about


def check_finite(shares: torch.Tensor) -> torch.Tensor:
    """Return a network's outputs; raise an `InputError` if large weights make any not finite."""
    if not torch.isfinite(shares).all():
        raise InputError("a network has weights so large that it computes no probabilities")
    return shares


def _header(content: bytes) -> dict[str, Any]:
    """Read metadata, and type and shape of every tensor."""
    size = int.from_bytes(content[:8], "little")
    if len(content) < 8 or size > min(MOST_HEADER, len(content) - 8):
        raise InputError("it does not begin like a safetensors file, or is cut off")
    header = parse_json(content[8 : 8 + size].decode())
    if not isinstance(header, dict):
        raise InputError("its header is not a table of tensors")
    return header


def _description(header: Mapping[str, Any], schema: Mapping[str, Kind]) -> dict[str, Any]:
    metadata = header.get("__metadata__")
    if not isinstance(metadata, dict) or METADATA not in metadata:
        raise InputError("it does not say which network it is; closedhand did not write it")
    about = parse_json(metadata[METADATA])
    if not isinstance(about, dict) or set(about) != set(schema):
        raise InputError("it is a network of another kind")
    for key, kind in schema.items():
        if not kind.holds(about[key]):
            raise InputError(f"{key} is {kind.name}, not {shortened(about[key])}")
    return about


def _compare(header: Mapping[str, Any], expected: Mapping[str, torch.Tensor]) -> None:
    names = set(header) - {"__metadata__"}
    if names != set(expected):
        some = sorted(names ^ set(expected))[0]
        raise InputError(f"the tensor {shortened(some)} is missing, or should not be there")
    for name, tensor in expected.items():
        kind, shape = header[name]["dtype"], header[name]["shape"]
        if kind not in TYPES or shape != list(tensor.shape):
            found = f"{shortened(kind)} {shortened(shape)}"
            known = " or ".join(TYPES)
            raise InputError(f"the tensor {name} is {found}, not {known} {list(tensor.shape)}")

"""Policy and kicker networks modelled on the DeepRocket paper (sections 4.2 and 4.3).

1. Encode the view as binary planes (`games/doudizhu/planes.py`).
2. Apply convolutions, each followed by ReLU.
3. Apply one fully connected layer, and a softmax over the legal outputs.

A third network of this form, for bids, is in `bidding/network.py`. The paper states only that the
policy network has ten convolutions of 512 filters, the kicker network five, and that "different
strides are used in each layer". The size `paper` is one interpretation. It strides over the rows
only, which shrink to one: 19, 10, 5, 3, 1 in the policy network. `small`, of 96 filters (48 for
bids), and `wide`, of 144, are for two CPU cores: their first convolution takes all rows of the
planes at once, and the others work on a line of the 15 ranks. With `strides=True` they have the
layers of `paper`, but keep their number of filters; the network for bids has no such form.

There are two additions to the paper:

- Skip connections bridge pairs of convolutions that keep their shape. Without them (`skips=False`)
  ten convolutions learn slowly.
- The policy network also takes the status vector, as the paper's planes lack the role and the cards
  left to the others. It enters one-hot as a bias of the first convolution, which is equivalent to
  additional constant planes.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn

from closedhand.core.files import write_atomically
from closedhand.core.game import InputError
from closedhand.core.parsing import OPTIONS, TRUTH
from closedhand.core.reading import read_json
from closedhand.games.doudizhu import planes, substeps
from closedhand.games.doudizhu.plays import GROUPS
from closedhand.learning import weights

MOST_LEFT = 20  # the most cards of a player
MOST_BOMBS = 3
"""Greatest number of bombs that is encoded; more count as this number."""
CHUNK = 256
"""Rows of a forward pass of `probabilities`, which stay in the CPU cache."""
ROLES = 3
STATUS_INPUTS = ROLES + 3 * (MOST_LEFT + 1) + MOST_BOMBS + 1


class Layer(NamedTuple):
    """A convolution over ranks (x) and rows (y); its tuples are (x, y)."""

    filters: int
    kernel: tuple[int, int]
    stride: tuple[int, int] = (1, 1)
    padding: tuple[int, int] = (1, 1)


class Kind(NamedTuple):
    """Inputs, outputs and sizes of a kind of network."""

    shape: tuple[int, int, int]  # ranks, rows and channels of the planes
    outputs: int
    sizes: dict[str, tuple[Layer, ...]]  # convolutions by the name of the size


def on_a_line(rows: int, filters: int, lines: int) -> tuple[Layer, ...]:
    """List convolutions for two CPU cores: one over all rows, then `lines` over the ranks."""
    line = Layer(filters, (3, 1), padding=(1, 0))
    return (Layer(filters, (1, rows), padding=(0, 0)), *[line] * lines)


SQUARE = Layer(512, (3, 3))
HALVING = SQUARE._replace(stride=(1, 2))
LAST_ROWS = SQUARE._replace(stride=(1, 3), padding=(1, 0))
LINE = Layer(512, (3, 1), padding=(1, 0))

KINDS = {
    "policy": Kind(
        (planes.RANKS, planes.ROWS, planes.PLANES),
        GROUPS,
        {
            # The rows of the planes shrink: 19, 10, 5, 3, 1.
            "paper": (
                *(HALVING, HALVING, SQUARE, SQUARE, HALVING),
                *(SQUARE, SQUARE, LAST_ROWS, LINE, LINE),
            ),
            "small": on_a_line(planes.ROWS, 96, 9),
            "wide": on_a_line(planes.ROWS, 144, 9),
        },
    ),
    "kicker": Kind(
        (planes.RANKS, substeps.ROWS, substeps.CHANNELS),
        substeps.FIRST_BID - GROUPS,
        {
            # The rows of the planes shrink: 9, 5, 3, 1.
            "paper": (HALVING, HALVING, LAST_ROWS, LINE, LINE),
            "small": on_a_line(substeps.ROWS, 96, 4),
        },
    ),
    "bid": Kind((planes.RANKS, planes.ROWS, 1), 1, {"small": on_a_line(planes.ROWS, 48, 4)}),
}

CONFIG = {
    "kind": weights.WORD,
    "size": weights.WORD,
    "status": TRUTH,
    "roles": TRUTH,
    "skips": TRUTH,
    "strides": TRUTH,
    "provenance": OPTIONS,
}
"""Schema of a network's description in its file: the arguments of `Network`, and provenance."""


def layers_of(kind: Kind, size: str, strides: bool) -> tuple[Layer, ...]:
    """List the convolutions of a network; errors are those of `Network`."""
    if size not in kind.sizes:
        raise InputError(f"no size {size!r}; there are {', '.join(kind.sizes)}")
    if strides == (size == "paper"):
        return kind.sizes[size]
    if not strides:
        raise InputError(f"the size {size} has strides; without them there is small")
    if "paper" not in kind.sizes:
        raise InputError("this network has no strides")
    filters = kind.sizes[size][0].filters
    return tuple(layer._replace(filters=filters) for layer in kind.sizes["paper"])


def bridged(layers: tuple[Layer, ...]) -> list[int]:
    """List the indices of convolutions after which a skip connection over two layers ends."""
    ends: list[int] = []
    for i in range(2, len(layers)):
        # After the first, all convolutions without strides keep the shape of their input.
        if layers[i - 1].stride == layers[i].stride == (1, 1) and i - 1 not in ends:
            ends.append(i)
    return ends


class Network(nn.Module):
    """One of the networks; `config` has the arguments of `__init__`, for `load`."""

    def __init__(
        self,
        kind: str,
        size: str = "small",
        status: bool | None = None,
        roles: bool = False,
        skips: bool = True,
        strides: bool | None = None,
    ) -> None:
        """Build an untrained network.

        Args:
            kind: `policy`, `kicker` or `bid`.
            size: `small`, `wide` (policy network only) or `paper`; a bid network is `small`.
            status: Whether the status vector is an input; None: for the policy network only, as the
                planes of kickers encode role and cards left.
            roles: Whether each role has its own fully connected layer (the paper's section 6).
            skips: Whether pairs of convolutions are bridged by skip connections.
            strides: Whether convolutions have strides; None: only in the size `paper`.

        Raises:
            InputError: The kind or the size is unknown, or `strides` does not suit them.
        """
        super().__init__()
        if kind not in KINDS:
            raise InputError(f"no network {kind!r}; there are {', '.join(KINDS)}")
        self.kind = KINDS[kind]
        status = kind == "policy" if status is None else status
        strides = size == "paper" if strides is None else strides
        layers = layers_of(self.kind, size, strides)
        self.config: dict[str, Any] = dict(
            kind=kind, size=size, status=status, roles=roles, skips=skips, strides=strides
        )
        ranks, rows, channels = self.kind.shape
        self.convolutions = nn.ModuleList()
        for layer in layers:
            self.convolutions.append(
                nn.Conv2d(channels, layer.filters, layer.kernel, layer.stride, layer.padding)
            )
            channels = layer.filters
            rows = (rows + 2 * layer.padding[1] - layer.kernel[1]) // layer.stride[1] + 1
        self.skips = frozenset(bridged(layers) if skips else [])
        for i in self.skips:
            # At first a bridged pair adds nothing, so that a deep stack learns from the first step.
            nn.init.zeros_(self.convolutions[i].weight)  # type: ignore[arg-type]
            nn.init.zeros_(self.convolutions[i].bias)  # type: ignore[arg-type]
        filters = layers[0].filters
        self.bias = nn.Linear(STATUS_INPUTS, filters, bias=False) if status else None
        heads = ROLES if roles else 1
        self.head = nn.Linear(channels * ranks * rows, heads * self.kind.outputs)
        # CPUs and tensor cores are both fastest with the channels last, the order of the planes.
        self.to(memory_format=torch.channels_last)  # type: ignore[call-overload]

    def forward(
        self, planes: torch.Tensor, status: torch.Tensor, mask: torch.Tensor
    ) -> torch.Tensor:
        """Compute logits, float32 [n, outputs], for a softmax; minus infinity for illegal outputs.

        The planes are int8 [n, ranks * rows * channels], the status vectors int8 [n, 10] (see
        `games/doudizhu/planes.py`), and the mask of legal outputs is bool [n, outputs].
        """
        x = planes.view(-1, *self.kind.shape).permute(0, 3, 1, 2)
        x = x.to(self.head.weight.dtype, memory_format=torch.channels_last)
        x = self.convolutions[0](x)
        if self.bias is not None:
            x = x + self.bias(one_hot(status).to(x.dtype))[:, :, None, None]
        x = torch.relu(x)
        before = x
        for i in range(1, len(self.convolutions)):
            if i + 1 in self.skips:
                before = x
            x = self.convolutions[i](x)
            x = torch.relu(x + before if i in self.skips else x)
        logits = self.head(x.flatten(1)).float()
        if self.config["roles"]:
            role = status[:, :ROLES].argmax(1)
            logits = logits.view(-1, ROLES, self.kind.outputs)
            logits = logits[torch.arange(len(role), device=role.device), role]
        return logits.masked_fill(~mask, -torch.inf)


def one_hot(status: torch.Tensor) -> torch.Tensor:
    """Encode role, cards left and bombs of status vectors as one-hot, bool [n, 70]."""
    left = status[:, 3:6, None] == torch.arange(MOST_LEFT + 1, device=status.device)
    bombs = status[:, 9:10].clamp(max=MOST_BOMBS)
    bombs = bombs == torch.arange(MOST_BOMBS + 1, device=status.device)
    return torch.cat([status[:, :ROLES].bool(), left.flatten(1), bombs], 1)


def probabilities(
    network: Network, planes: np.ndarray, status: np.ndarray, mask: np.ndarray
) -> np.ndarray:
    """Compute all probabilities, float32 [n, outputs]; an `InputError` if they are not finite."""
    out = np.empty(mask.shape, np.float32)
    with torch.inference_mode():
        for begin in range(0, len(mask), CHUNK):
            piece = slice(begin, begin + CHUNK)
            inputs = (torch.from_numpy(each[piece]) for each in (planes, status, mask))
            out[piece] = weights.check_finite(torch.softmax(network(*inputs), 1)).numpy()
    return out


def save(path: Path, network: Network, provenance: dict[str, Any]) -> None:
    """Save a network and its provenance, JSON values; an `InputError` if `path` is not writable."""
    weights.save(path, network.state_dict(), {**network.config, "provenance": provenance})


def load(path: Path, kind: str) -> tuple[Network, dict[str, Any]]:
    """Load a network of a kind for use, and its provenance; see `save`.

    Raises:
        InputError: The file is missing, or does not hold a network of that kind.
    """

    def build(about: dict[str, Any]) -> Network:
        if about["kind"] != kind:
            raise InputError(f"it is a {about['kind']} network, not a {kind} network")
        return Network(**{key: about[key] for key in about if key != "provenance"})

    network, about = weights.load(path, CONFIG, build)
    return network.eval(), about["provenance"]


class Result(NamedTuple):
    """The result of a training."""

    path: Path  # of the network
    history: list[dict[str, Any]]  # checks, as in `history.json`
    interrupted: bool  # by Ctrl-C


def write_history(out: Path, kind: str, checks: list[dict[str, Any]]) -> None:
    """Write the checks of a kind of training into `history.json`; other kinds are kept."""
    path = out / "history.json"
    history = {**read_json(path), kind: checks}
    write_atomically(path, json.dumps(history, indent=1) + "\n")

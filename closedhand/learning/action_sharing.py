"""Weights that actions share by the parts of their texts.

A game may have thousands of actions, most of which are legal once in many games. A layer with a row
of weights for each action learns most rows slowly.

1. Split the text of an action into parts: `3h3s` has two 3s, a heart and a spade.
2. In training a layer also has a row for every part. The weights of an action are the sum of its
   own row and the rows of its parts.
3. For agents, store the sums: their networks are ordinary ones.
"""

from collections import Counter
from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize

from closedhand.core.game import Game


def spelling(game: Game) -> torch.Tensor | None:
    """Number the parts of every action: each character of its text with its count, and the length.

    The result is int64, a row for each action, padded with the number of different parts; None if
    there are at least as many parts as actions.
    """
    numbers: dict[tuple[str, int], int] = {}
    found: list[list[int]] = []
    for action in range(game.num_actions):
        text = game.text(action)
        parts = [*sorted(Counter(text).items()), ("", len(text))]
        found.append([numbers.setdefault(part, len(numbers)) for part in parts])
    if len(numbers) >= game.num_actions:
        return None
    # At least one row is padded: its padding tells `_Sum` the number of different parts.
    lengths = sorted(map(len, found))
    most = max(lengths[0] + 1, lengths[-1])
    return torch.tensor([row + [len(numbers)] * (most - len(row)) for row in found])


def share(layers: Iterable[nn.Linear], parts: torch.Tensor) -> None:
    """Let layers with a row per action share rows, at first 0, by the result of `spelling`."""
    for layer in layers:
        parametrize.register_parametrization(layer, "weight", _Sum(parts, layer.in_features))


def plain(network: nn.Module, names: Iterable[str]) -> dict[str, Any]:
    """Collect weights by name, views where possible; those of actions include the shared rows."""
    with torch.no_grad():
        return {name: attrgetter(name)(network).detach().numpy() for name in names}


class _Sum(nn.Module):
    """Parametrisation of rows: the own rows of actions plus the rows of their parts."""

    parts: torch.Tensor

    def __init__(self, parts: torch.Tensor, width: int) -> None:
        super().__init__()
        number = int(parts.max())
        self.rows = nn.EmbeddingBag(number + 1, width, mode="sum", padding_idx=number)
        nn.init.zeros_(self.rows.weight)
        self.register_buffer("parts", parts, persistent=False)

    def forward(self, own: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = own + self.rows(self.parts)
        return found

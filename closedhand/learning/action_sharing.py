"""Weights that actions share by the parts of their texts.

A game may have thousands of actions, most of them rarely legal. A layer with a row of weights for
each action learns most rows slowly.

1. A part of an action's text is a character with its count, or the length: `3h3s` has two 3s, one
   h, one s and the length 4.
2. In training a layer also has a row for every part. The weights of an action are the sum of its
   own row and the rows of its parts.
3. Agents get the sums, so that their networks have no parts.
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
    """Number the parts of every action from 0; None unless there are fewer parts than actions.

    The result is int64 [actions, n]; the number of different parts fills short rows.
    """
    numbers: dict[tuple[str, int], int] = {}
    found: list[list[int]] = []
    for action in range(game.num_actions):
        text = game.text(action)
        parts = [*sorted(Counter(text).items()), ("", len(text))]
        found.append([numbers.setdefault(part, len(numbers)) for part in parts])
    if len(numbers) >= game.num_actions:
        return None
    # `_Sum` reads the number of different parts from a filled row: at least one row is short.
    lengths = sorted(map(len, found))
    most = max(lengths[0] + 1, lengths[-1])
    return torch.tensor([row + [len(numbers)] * (most - len(row)) for row in found])


def share(layers: Iterable[nn.Linear], parts: torch.Tensor) -> None:
    """Add rows for `parts`, by `spelling`, to layers with a row per action; the new ones are 0."""
    for layer in layers:
        parametrize.register_parametrization(layer, "weight", _Sum(parts, layer.in_features))


def plain(network: nn.Module, names: Iterable[str]) -> dict[str, Any]:
    """Return weights by name as arrays: the sums where rows are shared, else views of tensors."""
    with torch.no_grad():
        return {name: attrgetter(name)(network).detach().numpy() for name in names}


class _Sum(nn.Module):
    """Parametrisation of a layer's weight: the rows of actions plus the rows of their parts."""

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

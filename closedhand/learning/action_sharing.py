"""Weights that actions share: what is learned of an action serves those that are written alike.

A game may have thousands of actions, most of which are legal once in many games, and a layer with a
row of weights for each of them learns most rows slowly. The text of an action says what it is made
of: `3h3s` has two 3s, a heart and a spade. While it learns, a layer has a row for every such part,
too, and that of an action is the sum of its own and those of its parts. Agents take the sums: their
networks are plain ones.
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
    """The parts of every action: each character of its text with its number, and the length.

    Returns:
        int64 [actions, most], filled up with the number of different parts; None if there are no
        fewer parts than actions, so that there is nothing to share.
    """
    numbers: dict[tuple[str, int], int] = {}
    found: list[list[int]] = []
    for action in range(game.num_actions):
        text = game.text(action)
        parts = [*sorted(Counter(text).items()), ("", len(text))]
        found.append([numbers.setdefault(part, len(numbers)) for part in parts])
    if len(numbers) >= game.num_actions:
        return None
    most = max(map(len, found))
    return torch.tensor([row + [len(numbers)] * (most - len(row)) for row in found])


def share(layers: Iterable[nn.Linear], parts: torch.Tensor) -> None:
    """Let actions share weights, which are 0 at first.

    Args:
        layers: Layers with a `weight` that has a row for every action.
        parts: The parts of every action; see `spelling`.
    """
    for layer in layers:
        parametrize.register_parametrization(layer, "weight", _Sum(parts, layer.in_features))


def plain(network: nn.Module, names: Iterable[str]) -> dict[str, Any]:
    """The weights of a network, the sums where actions share some.

    Args:
        network: The network.
        names: The names of the weights of the same network without sharing.
    """
    with torch.no_grad():
        return {name: attrgetter(name)(network).detach().numpy() for name in names}


class _Sum(nn.Module):
    """The rows of actions, for their own rows."""

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

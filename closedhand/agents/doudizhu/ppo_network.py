"""The network that `ppo.py` trains, and the file that agents play it from.

The file, `model.safetensors`, holds the part of the network that chooses actions and a description
of it. Reading it takes PyTorch, but not the library that trained it, and runs no code from it.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn

from closedhand.core.game import Game, InputError
from closedhand.learning import weights

WIDTH = 96
"""Number of filters of each convolution."""
FEATURES = 256
"""Number of outputs of the shared layers."""
HIDDEN = (128,)
"""Units of the layers between these outputs and the actions."""
SCALE = 20.0
"""Flat parts of an observation, such as the status vector, are divided by this."""
KIND = "ppo"
CONFIG = {
    "kind": weights.word,
    "game": weights.word,
    "actions": weights.number(1, 10**6),
    "parts": weights.items(weights.word, 10),
    "width": weights.number(1, 1024),
    "features": weights.number(1, 4096),
    "hidden": weights.items(weights.number(1, 4096), 4),
    "provenance": weights.table,
}
"""What a file says of its network."""


def add_layers(
    module: Any, shapes: Mapping[str, tuple[int, ...]], width: int, features: int
) -> None:
    """Give a module the shared layers: convolutions along the 15 ranks, then one connected layer.

    Every row of every plane is a channel.

    Args:
        module: Module that gets `parts`, `flats`, `convolutions` and `head`.
        shapes: Shapes of the parts of an observation, in the order in which the layers take them.
        width: Number of filters of each convolution.
        features: Number of outputs.
    """
    parts = [name for name, shape in shapes.items() if len(shape) == 3]
    flats = [name for name, shape in shapes.items() if len(shape) == 1]
    channels = sum(shapes[name][1] * shapes[name][2] for name in parts)
    ranks = shapes[parts[0]][0]
    module.convolutions = nn.Sequential(
        nn.Conv1d(channels, width, 1),
        nn.ReLU(),
        nn.Conv1d(width, width, 3, padding=1),
        nn.ReLU(),
        nn.Conv1d(width, width, 3, padding=1),
        nn.ReLU(),
        nn.Flatten(),
    )
    status = sum(shapes[name][0] for name in flats)
    module.head = nn.Sequential(nn.Linear(width * ranks + status, features), nn.ReLU())
    module.parts, module.flats = parts, flats


def features_of(module: Any, observations: Mapping[str, torch.Tensor]) -> torch.Tensor:
    """The outputs of the layers of `add_layers`, float32 [n, features].

    Args:
        module: Module with the layers.
        observations: Parts of the observations, float32 [n, ...].
    """
    lines = [observations[name].flatten(2).transpose(1, 2) for name in module.parts]
    status = [observations[name] / SCALE for name in module.flats]
    return module.head(torch.cat([module.convolutions(torch.cat(lines, 1)), *status], 1))


class Actor(nn.Module):
    """The part of the trained network that chooses actions."""

    def __init__(
        self,
        shapes: Mapping[str, tuple[int, ...]],
        actions: int,
        width: int = WIDTH,
        features: int = FEATURES,
        hidden: Sequence[int] = HIDDEN,
    ) -> None:
        """Build an untrained network.

        Args:
            shapes: Shapes of the parts of an observation, in the order in which it takes them.
            actions: Number of actions.
            width: Number of filters of each convolution.
            features: Number of outputs of the shared layers.
            hidden: Units of the layers between these and the actions.
        """
        super().__init__()
        add_layers(self, shapes, width, features)
        layers: list[nn.Module] = []
        for inputs, outputs in zip((features, *hidden), hidden, strict=False):
            layers += [nn.Linear(inputs, outputs), nn.Tanh()]
        self.policy = nn.Sequential(*layers)
        self.action = nn.Linear((features, *hidden)[-1], actions)

    def forward(self, observations: Mapping[str, torch.Tensor]) -> torch.Tensor:
        """Logits of all actions, legal or not, float32 [n, actions].

        Args:
            observations: Parts of the observations, any numbers [n, ...].
        """
        floats = {name: part.float() for name, part in observations.items()}
        return self.action(self.policy(features_of(self, floats)))


def load(path: Path, game: Game) -> Actor:
    """Read a network for a sub-stepped game.

    Args:
        path: The file.
        game: Game that it is to play.

    Raises:
        InputError: The file cannot be read, or holds no network of this game and its actions.
    """

    def build(about: dict[str, Any]) -> Actor:
        if about["kind"] != KIND:
            raise InputError(f"it is a {about['kind']} network, not a {KIND} network")
        if about["game"] != game.name:
            raise InputError(f"it was trained in {about['game']}, not in {game.name}")
        if about["actions"] != game.num_actions:
            raise InputError(
                f"it was trained with other actions, {about['actions']} instead of "
                f"{game.num_actions} (bidding?)"
            )
        if sorted(about["parts"]) != sorted(game.shapes):
            raise InputError("it was trained with other observations")
        shapes = {name: game.shapes[name] for name in about["parts"]}
        return Actor(
            shapes, game.num_actions, about["width"], about["features"], about["hidden"]
        )  # fmt: skip

    return weights.load(path, CONFIG, build)[0].eval()

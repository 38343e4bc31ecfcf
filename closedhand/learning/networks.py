"""Networks of the deep learners, weights that actions share, and files for agents.

A game may have thousands of actions, most of them rarely legal. A layer with a row of weights for
each action learns most rows slowly, so that actions share weights by the parts of their texts:

1. A part of an action's text is a character with its count, or the length: `3h3s` has two 3s, one
   h, one s and the length 4.
2. In training a layer also has a row for every part. The weights of an action are the sum of its
   own row and the rows of its parts.
3. Agents get the sums, so that their networks have no parts.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn.utils import parametrize

from closedhand.core.game import Game, InputError
from closedhand.core.parsing import OPTIONS, Kind, is_number, list_of, whole
from closedhand.learning import weights
from closedhand.learning.features import Features, Legal

FORMAT = 1
"""Version of the file format."""
ALONE = 25
"""Time of an output computed alone, relative to its share of the time of a whole layer."""


@dataclass(frozen=True)
class Shape:
    """Numbers that describe a network."""

    kind: str  # one of `KINDS`
    inputs: int
    actions: int
    width: int  # of each hidden layer
    layers: int
    seats: tuple[int, ...]  # index of each seat's role network, all 0 with a single network


class PolicyValue(nn.Module):
    """A policy, nearly uniform before any training, and a value on shared hidden layers."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.body = hidden_layers(shape)
        self.policy = nn.Linear(shape.width, shape.actions)
        self.value = nn.Linear(shape.width, 1)
        nn.init.orthogonal_(self.policy.weight, 0.01)
        nn.init.zeros_(self.policy.bias)
        nn.init.zeros_(self.value.bias)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Compute all logits, [n, actions], of observations [n, inputs]."""
        return self.policy(self.body(observations))

    def legal(self, observations: torch.Tensor, legal: Legal) -> tuple[torch.Tensor, torch.Tensor]:
        """Compute logits of the legal actions [k], and values [n], float32."""
        hidden = self.body(observations)
        logits = outputs(self.policy, hidden, legal.rows, legal.actions)
        return logits, self.value(hidden).squeeze(1)

    def scores(self, observations: torch.Tensor, seats: torch.Tensor, legal: Legal) -> torch.Tensor:
        """Compute the logits of the legal actions, float32 [k]; `seats` has no effect."""
        return self.legal(observations, legal)[0]


class ActionValues(nn.Module):
    """Values of legal actions, by one network per role.

    The value of an action is the value of the state plus the action's advantage (dueling networks,
    Wang et al., 2016).
    """

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.seats = shape.seats
        roles = max(shape.seats, default=0) + 1
        self.roles: Any = nn.ModuleList(PolicyValue(shape) for _ in range(roles))

    def scores(self, observations: torch.Tensor, seats: torch.Tensor, legal: Legal) -> torch.Tensor:
        """Compute the values of the legal actions, float32 [k], of observations [n, inputs].

        `seats` are those of the players to act, int64 [n].
        """
        if len(self.roles) == 1:
            added, values = self.roles[0].legal(observations, legal)
            return added + values[legal.rows]
        roles = torch.tensor(self.seats)[seats]
        out = torch.zeros(len(legal.rows))
        for role, network in enumerate(self.roles):
            own = (roles == role).nonzero().squeeze(1)
            if len(own):
                places = legal.places(own)
                some = legal.take(own, places)
                added, values = network.legal(observations[own], some)
                out = out.index_copy(0, places, added + values[some.rows])
        return out


def by_action(network: nn.Module) -> list[nn.Linear]:
    """Return the layers of a network with a row of weights for every action."""
    return [module.policy for module in network.modules() if isinstance(module, PolicyValue)]


KINDS: Mapping[str, type[PolicyValue] | type[ActionValues]] = {
    "policy": PolicyValue,
    "dueling": ActionValues,
    "residual": PolicyValue,
}
"""Network of each kind; `hidden_layers` distinguishes `policy` and `residual`."""


class ResidualLayers(nn.Module):
    """Fully connected layers with rectifiers; all but the first add their input to the output."""

    def __init__(self, inputs: int, width: int, layers: int) -> None:
        super().__init__()
        self.first = nn.Linear(inputs, width)
        self.others = nn.ModuleList(nn.Linear(width, width) for _ in range(layers - 1))

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """Compute the last layer, [n, width], of inputs [n, inputs]."""
        hidden = torch.relu(self.first(seen))
        for layer in self.others:
            hidden = hidden + torch.relu(layer(hidden))
        return hidden


def hidden_layers(shape: Shape) -> nn.Module:
    """Build the hidden layers of a network by its kind: fully connected, with rectifiers."""
    if shape.kind == "residual":
        return ResidualLayers(shape.inputs, shape.width, shape.layers)
    layers: list[nn.Module] = []
    for i in range(shape.layers):
        layers += [nn.Linear(shape.width if i else shape.inputs, shape.width), nn.ReLU()]
    return nn.Sequential(*layers)


def outputs(
    layer: nn.Linear, hidden: torch.Tensor, rows: torch.Tensor, which: torch.Tensor
) -> torch.Tensor:
    """Compute the outputs of a layer with the indices `which`, int64 [k], as float32 [k].

    `rows`, int64 [k], has the row of each output in `hidden`, float32 [n, inputs].
    """
    # Above a share of 1 / `ALONE` of all outputs the whole layer is faster.
    if len(rows) * ALONE > len(hidden) * layer.out_features:
        return layer(hidden)[rows, which]
    weights = nn.functional.embedding(which, layer.weight)
    return (hidden.index_select(0, rows) * weights).sum(1) + layer.bias[which]


@contextmanager
def drawing(seed: int | None = None) -> Generator[None]:
    """Restore PyTorch's generator after drawing weights; a seed makes these reproducible."""
    with torch.random.fork_rng(devices=[]):
        if seed is not None:  # not `torch.manual_seed`, which seeds those of all GPUs as well
            torch.default_generator.manual_seed(seed)
        yield


def build(shape: Shape, seed: int | None = None) -> PolicyValue | ActionValues:
    """Build an untrained network; a seed makes its weights reproducible."""
    with drawing(seed):
        return KINDS[shape.kind](shape)


def shape_of(features: Features, kind: str, width: int, layers: int, roles: bool) -> Shape:
    """Make the shape of a network; `roles`: a network per role, unless the game is simultaneous."""
    game = features.game
    names = list(dict.fromkeys(game.roles))
    # In a simultaneous game all players are in the same position.
    alone = roles and not game.simultaneous
    seats = tuple(names.index(role) if alone else 0 for role in game.roles)
    return Shape(kind, features.inputs, features.actions, width, layers, seats)


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
    # `_Sum` takes the greatest entry for the number of parts, so at least one row must be filled.
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


CONFIG = {
    "format": whole(FORMAT, FORMAT),
    "kind": Kind(f"one of {', '.join(KINDS)}", "kinds of networks", KINDS.__contains__),
    "game": weights.WORD,
    "options": OPTIONS,
    "observation": weights.WORD,
    "inputs": whole(1, 10**6),
    "actions": whole(1, 10**6),
    "width": whole(1, 4096),
    "layers": whole(1, 16),
    "seats": list_of(whole(0, 15)),
    "temperature": Kind(
        "a number from 0 to 100", "numbers", lambda value: is_number(value) and 0 <= value <= 100
    ),
    "provenance": OPTIONS,
}
"""Schema of the description in a file; see `weights.load`."""


def save(
    path: Path,
    tensors: Mapping[str, torch.Tensor],
    shape: Shape,
    features: Features,
    temperature: float,
    provenance: Mapping[str, Any],
) -> None:
    """Write the weights and the description of a network for agents; see `weights.save`."""
    about = {
        "format": FORMAT,
        **asdict(shape),
        "game": features.game.name,
        "options": dict(features.game.options),
        "observation": features.observation,
        "temperature": temperature,
        "provenance": dict(provenance),
    }
    weights.save(path, tensors, about)


def load(path: Path, game: Game) -> tuple[Any, dict[str, Any], Features]:
    """Read a network that plays a game; return network, description and features.

    Raises:
        InputError: The file cannot be read, or holds no network for the game.
    """

    def make(about: dict[str, Any]) -> nn.Module:
        if about["game"] != game.name:
            raise InputError(f"it was trained in {about['game']}, not in {game.name}")
        features = Features(game, about["observation"])
        own = {"actions": features.actions, "inputs": features.inputs, "players": game.num_players}
        given = {**about, "players": len(about["seats"])}
        for name, number in own.items():
            if given[name] != number:
                raise InputError(f"it was trained with {given[name]} {name}, not {number}")
        fields = {key: about[key] for key in Shape.__dataclass_fields__}
        return build(Shape(**{**fields, "seats": tuple(about["seats"])}))

    network, about = weights.load(path, CONFIG, make)
    return network.eval(), about, Features(game, about["observation"])

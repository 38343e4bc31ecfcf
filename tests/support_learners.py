"""What tests of deep learners share: Kuhn poker, a game of another package, and small settings."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from closedhand import Game, make_game
from closedhand.core import registry
from closedhand.learning import agent_factory, networks
from closedhand.learning.features import Features

EXAMPLE = Path(__file__).parents[1] / "examples" / "kuhn-poker"
SMALL: dict[str, Any] = {"width": 32, "batch": 512, "minibatch": 128}
"""Settings with which an update takes milliseconds."""


def kuhn(monkeypatch: pytest.MonkeyPatch) -> Game:
    """Kuhn poker, registered for one test unless its package is installed."""
    if "kuhn" not in registry.GAMES:
        monkeypatch.syspath_prepend(EXAMPLE)
        from kuhn_poker.spec import SPEC

        monkeypatch.setitem(registry._specs, "kuhn", SPEC)
    return make_game("kuhn")


def learn(learner: Any, updates: int) -> Any:
    """The learner after some updates."""
    while learner.updates < updates:
        learner.advance(0.0)
    return learner


def untrained(game: Game, kind: str = "policy") -> tuple[Any, Features]:
    """A small network with its first weights, and what it sees."""
    features = Features(game)
    shape = networks.shape_of(features, kind, 16, 1, kind == "dueling")
    return networks.build(shape, 1), features


def write_untrained(folder: Path, game: Game) -> Path:
    """The folder, with such a network."""
    network, features = untrained(game)
    shape = networks.shape_of(features, "policy", 16, 1, False)
    networks.save(folder / agent_factory.NAME, network.state_dict(), shape, features, 1.0, {})
    return folder

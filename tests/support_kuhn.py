"""Kuhn poker, the example package, without installing it."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from closedhand import Game, make_game
from closedhand.core import registry

FOLDER = Path(__file__).parents[1] / "examples" / "kuhn-poker"
KUHN_VALUE = -1 / 18


@pytest.fixture
def kuhn(monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    """The game, registered for the time of a test."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))  # for good: the test's modules stay imported
    spec = import_module("kuhn_poker.spec").SPEC
    monkeypatch.setitem(registry._specs, spec.name, spec)
    yield make_game("kuhn")

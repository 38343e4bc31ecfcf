"""Spades, the example package of four seats without presets, without installing it."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from closedhand import Game, make_game
from closedhand.core import registry

FOLDER = Path(__file__).parents[1] / "examples" / "spades"
POINTS = "[closedhand.agents]\nspades.rule = spades.rule:make_rule\n"


@pytest.fixture
def spades(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Game]:
    """The game of 5 ranks, registered with its agent for the time of a test."""
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))  # for good: the test's modules stay imported
    spec = import_module("spades.spec").SPEC
    monkeypatch.setitem(registry._specs, spec.name, spec)
    info = tmp_path / "site" / "spades-1.0.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: spades\nVersion: 1.0.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    monkeypatch.syspath_prepend(str(info.parent))
    yield make_game("spades", ranks=5)

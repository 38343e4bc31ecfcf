"""Fixtures that several test files share; helper functions are in the support modules."""

from pathlib import Path

import pytest
from support import VARIANTS, variant_id

from closedhand import Game, make_game


@pytest.fixture(params=VARIANTS, ids=variant_id)
def game(request: pytest.FixtureRequest) -> Game:
    """Every game under every preset, flat and sub-stepped, with and without its options."""
    name, options = request.param
    return make_game(name, **options)


@pytest.fixture
def in_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder is the test's own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def own_cache(in_empty_folder: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So is the folder for what is computed once."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

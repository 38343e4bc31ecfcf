"""Games and networks that take a while: made once for all tests of this folder."""

from pathlib import Path

import pytest

from closedhand import make_game
from closedhand.agents.doudizhu.deeprocket import recorded, shards


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A shard of 120 games in which `greedy` and `rule` are drawn for the sides."""
    path = tmp_path_factory.mktemp("games")
    shards.generate(make_game("doudizhu"), ["greedy", "rule"], 120, 5, path)
    return path


@pytest.fixture(scope="session")
def games(folder: Path) -> recorded.Games:
    return recorded.read(folder)


@pytest.fixture(scope="session")
def trained(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both networks, hardly trained."""
    from closedhand.agents.doudizhu.deeprocket import supervised

    out = tmp_path_factory.mktemp("trained")
    for kind in ("policy", "kicker"):
        settings = supervised.Settings(steps=40, batch=64, threads=1, checks=2)
        supervised.train(kind, folder, out, settings)
    return out

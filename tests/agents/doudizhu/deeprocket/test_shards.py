"""Shards of recorded games."""

import signal
from pathlib import Path
from typing import Any

import pytest
from support import interrupt_at
from support_deeprocket import DOUDIZHU

from closedhand import InputError, make_game
from closedhand.agents.doudizhu.deeprocket import recorded, shards

pytest.importorskip("pyarrow")


@pytest.fixture
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "SHARD", 8)
    monkeypatch.setattr(shards, "CHUNK", 4)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_shards_do_not_depend_on_interruptions(small_shards: None, tmp_path: Path) -> None:
    agents = ["greedy", "rule"]
    whole = shards.generate(DOUDIZHU, agents, 20, 1, tmp_path / "a")
    assert [recorded.rows_of(path) for path in whole] == [8, 8, 4]

    with pytest.raises(KeyboardInterrupt):
        shards.generate(DOUDIZHU, agents, 20, 1, tmp_path / "b", progress=interrupt_at(12))
    assert list(map(recorded.rows_of, shards.shards_in(tmp_path / "b"))) == [8, 4]
    done: list[int] = []
    shards.generate(DOUDIZHU, agents, 20, 1, tmp_path / "b", progress=done.append)
    assert done[0] == 12 and done[-1] == 20
    assert contents(tmp_path / "a") == contents(tmp_path / "b")


def test_ctrl_c_after_the_last_game_of_a_shard_begins_no_other(
    small_shards: None, tmp_path: Path
) -> None:
    def press(done: int) -> None:
        if done == 8:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        shards.generate(DOUDIZHU, ["rule"], 20, 1, tmp_path, progress=press)
    assert sorted(contents(tmp_path)) == ["games-00000.parquet"]


def test_fewer_games_take_none_away(small_shards: None, tmp_path: Path) -> None:
    shards.generate(DOUDIZHU, ["rule"], 16, 1, tmp_path)
    before = contents(tmp_path)
    shards.generate(DOUDIZHU, ["rule"], 5, 1, tmp_path)
    assert contents(tmp_path) == before


def test_games_of_agents_that_the_settings_lack_are_refused(
    small_shards: None, tmp_path: Path
) -> None:
    [path] = shards.generate(DOUDIZHU, ["rule"], 4, 1, tmp_path)
    parts, settings = shards.read_begun(path, ["rule"]), recorded.settings_of(path)
    shards.write_shard(path, parts, {**settings, "agents": ["greedy"]})
    with pytest.raises(InputError, match="games of other agents than its settings name"):
        shards.read_begun(path, ["rule"])


def test_more_games_keep_the_first(small_shards: None, tmp_path: Path) -> None:
    shards.generate(DOUDIZHU, ["rule"], 10, 1, tmp_path)
    first = recorded.read(tmp_path)
    shards.generate(DOUDIZHU, ["rule"], 16, 1, tmp_path)
    assert (recorded.read(tmp_path).deals[:10] == first.deals).all()
    assert len(recorded.read(tmp_path).deals) == 16


@pytest.mark.parametrize(
    ("options", "agents", "seed", "reason"),
    [
        ({}, ["greedy", "rule"], 6, "seed 5, not 6"),
        ({}, ["greedy"], 5, "agents"),
        ({"rules": "rlcard"}, ["greedy", "rule"], 5, "options"),
        ({"bidding": True}, ["greedy"], 5, "without bidding"),
        ({"substeps": True}, ["greedy"], 5, "without substeps"),
        ({}, [], 5, "at least one agent"),
        ({"rules": "mini"}, ["greedy"], 5, "games of 54 cards: not rules=mini"),
    ],
)
def test_other_settings_are_refused(
    folder: Path, options: dict[str, Any], agents: list[str], seed: int, reason: str
) -> None:
    with pytest.raises(InputError, match=reason):
        shards.generate(make_game("doudizhu", **options), agents, 120, seed, folder)


def test_both_agents_play_both_sides_as_a_team(folder: Path, games: recorded.Games) -> None:
    of = {name: recorded.read(folder, name).seats for name in ("greedy", "rule")}
    assert (of["greedy"] ^ of["rule"] == 7).all()
    # Bit 0 the landlord, bits 1 and 2 the peasants.
    assert set(of["greedy"].tolist()) == {0, 1, 6, 7}
    assert (games.seats == 7).all()

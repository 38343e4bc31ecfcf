"""Recorded games as they are read."""

import json
from pathlib import Path

import numpy as np
import pytest
from support import SHIPPED
from support_deeprocket import DOUDIZHU, decisions

from closedhand import InputError
from closedhand.agents.doudizhu.deeprocket import pairs, recorded
from closedhand.core.records import from_state, write

pytest.importorskip("pyarrow")

PAPER = SHIPPED / "deeprocket_match.jsonl"


def test_agents_of_a_record_are_three_names(tmp_path: Path) -> None:
    state = DOUDIZHU.deal(np.random.default_rng(0))
    path = tmp_path / "games.jsonl"
    write(path, [from_state(DOUDIZHU, state, agents=("one", "two"))])
    with pytest.raises(InputError, match="record 1: agents must be 3 names"):
        recorded.read(path)


def test_text_and_shards_hold_the_same_games(games: recorded.Games, tmp_path: Path) -> None:
    records = []
    for number in range(3):
        for state, _, action in decisions(games, number):
            last = state.copy()
            DOUDIZHU.play(last, action)
        records.append(from_state(DOUDIZHU, last, ["greedy", "rule", "rule"]))
    write(tmp_path / "games.jsonl", records)
    read = recorded.read(tmp_path / "games.jsonl", "rule")
    assert (read.deals == games.deals[:3]).all()
    assert (read.offsets == games.offsets[:4]).all()
    assert (read.actions == games.actions[: read.offsets[-1]]).all()
    assert read.seats.tolist() == [6, 6, 6]


def test_the_papers_records_are_read() -> None:
    games = recorded.read(PAPER)
    assert len(games.deals) == len(PAPER.read_text().splitlines())
    assert len(pairs.index(games, "policy")) > 200


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("games.jsonl", '{"game": "leduc", "rules": {}, "seed": 1, "actions": []}', "of leduc"),
        ("games.jsonl", '{"game": "doudizhu", "rules": {"bidding": true}, "seed": 1,'
         ' "actions": []}', "without bidding"),
        ("games.jsonl", '{"game": "doudizhu", "rules": {}, "seed": 1, "actions": ["SB3"]}',
         "record 1"),
        ("games.jsonl", "\n".join(json.dumps({"game": "doudizhu", "rules": {"rules": rules},
         "seed": 1, "actions": []}) for rules in ("deeprocket", "rlcard")), "its rules differ"),
        ("games.jsonl", '{"game": "doudizhu", "rules": {"rules": "tiny"}, "seed": 1,'
         ' "actions": []}', "games.jsonl .* of 54 cards: not rules=tiny"),
        ("games.jsonl", "", "no games"),
        ("games.parquet", "no parquet", "cannot read"),
    ],
)  # fmt: skip
def test_other_files_are_refused(tmp_path: Path, name: str, text: str, reason: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=reason) as caught:
        recorded.read(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_folder_without_shards_and_an_unknown_expert(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no shards"):
        recorded.read(tmp_path)
    with pytest.raises(InputError, match="no agent 'me'"):
        recorded.read(folder, "me")

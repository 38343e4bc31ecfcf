"""Past hands are kept, taken back, cut and deleted."""

import json
import logging
from pathlib import Path

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.core.records import parse_line, replay
from closedhand.web import past_hands
from closedhand.web.past_hands import PastHands
from closedhand.web.table import Seat, Table


def played(id: str = "t", agent: str = "") -> Table:
    """A table at which a hand is over."""
    game, rng = make_game("leduc"), np.random.default_rng(0)
    table = Table(id, game, [Seat(agent=agent, name="Ann"), Seat(agent="random")], game.deal(rng))
    while not table.over:
        table.play(int(game.sample(rng, table.state)))
    return table


def test_a_hand_is_kept_with_its_record_for_its_owner_alone(tmp_path: Path) -> None:
    path, table = tmp_path / "hands.jsonl", played()
    kept = PastHands(path)
    kept.add(table)
    kept.add(table)  # a hand is listed once
    kept.add(played("other", agent="random"))  # nobody's
    (hand,) = PastHands(path).listed()
    assert (hand["occupants"], hand["persons"]) == (["Ann", "random"], [0])
    end = replay(parse_line(hand["record"]))
    assert table.game.returns(end).tolist() == hand["returns"]
    assert path.stat().st_mode & 0o077 == 0


def test_a_hand_that_others_have_begun_is_not_kept(tmp_path: Path) -> None:
    kept, table = PastHands(tmp_path / "hands.jsonl"), played()
    table.first = 1
    kept.add(table)
    assert kept.listed() == []


def test_a_hand_whose_end_is_undone_is_taken_back(tmp_path: Path) -> None:
    kept, table = PastHands(tmp_path / "hands.jsonl"), played()
    kept.add(table)
    kept.take_back(table)
    assert kept.listed() == []
    kept.add(table)
    assert len(kept.listed()) == 1
    kept.delete()
    assert kept.listed() == [] and not list(tmp_path.iterdir())


def test_hands_of_a_deal_are_told_apart_after_it_has_gone_round(tmp_path: Path) -> None:
    kept, table = PastHands(tmp_path / "hands.jsonl"), played()
    for _ in range(3):
        kept.add(table)
        table.again(same=True)
        while not table.over:
            table.play(int(table.game.legal(table.state)[0]))
    kept.add(table)
    assert [hand["returns"] for hand in kept.listed()] == [
        hand.returns for hand in reversed(table.hands)
    ]
    kept.take_back(table)
    assert [hand["turn"] for hand in kept.listed()] == [2, 1, 0]


def test_the_older_half_is_dropped_before_the_file_grows_too_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past_hands, "MOST_BYTES", 4000)
    path = tmp_path / "hands.jsonl"
    kept = PastHands(path)
    for number in range(60):
        kept.add(played(str(number)))
        assert path.stat().st_size <= 4000
    names = [int(hand["table"]) for hand in kept.listed()]
    assert names == list(range(59, 59 - len(names), -1)) and len(names) > 3


def test_a_damaged_line_is_reported_and_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    kept = PastHands(tmp_path / "hands.jsonl")
    kept.add(played("a"))
    (hand,) = kept.listed()
    with (tmp_path / "hands.jsonl").open("a") as file:
        file.write('{"table": "x"}\n{"tab\n' + "[" * 100_000 + "\n")
        file.write(json.dumps({**hand, "deal": 1, "time": float("nan")}) + "\n")
    kept.add(played("b"))
    with caplog.at_level(logging.WARNING):
        assert [hand["table"] for hand in kept.listed()] == ["b", "a"]
    assert len(caplog.records) == 4


def test_a_damaged_byte_takes_no_other_hand_with_it(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    kept = PastHands(path)
    kept.add(played("a"))
    with path.open("ab") as file:
        file.write(b"\xff\n")
    kept.add(played("b"))
    assert [hand["table"] for hand in kept.listed()] == ["b", "a"]


def test_a_line_that_was_cut_short_takes_no_other_hand_with_it(tmp_path: Path) -> None:
    path = tmp_path / "hands.jsonl"
    kept = PastHands(path)
    kept.add(played("a"))
    whole = path.read_bytes()
    for end in (1, len(whole) // 2, len(whole) - 1):  # the last one lacks the newline alone
        path.write_bytes(whole + whole.replace(b'"a"', b'"b"')[:end])
        kept.add(played("c"))
        names = [hand["table"] for hand in kept.listed()]
        assert names == (["c", "b", "a"] if end == len(whole) - 1 else ["c", "a"])


def test_a_file_that_cannot_be_cut_stops_no_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise InputError("the disk is full")

    monkeypatch.setattr(past_hands, "MOST_BYTES", 0)
    monkeypatch.setattr(past_hands, "write_atomically", refuse)
    with caplog.at_level(logging.WARNING):
        PastHands(tmp_path / "hands.jsonl").add(played())
    assert "no past hand is kept" in caplog.text

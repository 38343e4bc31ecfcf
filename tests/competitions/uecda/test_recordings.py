"""Recorded traffic: our server, fed the same answers, says the same bytes."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from support import DATA
from support_cli import run
from support_uecda import json_lines

from closedhand.competitions.uecda import comparison, recordings, wire
from closedhand.competitions.uecda.recordings import CLIENT, SERVER, Round
from closedhand.core import records
from closedhand.core.game import InputError
from closedhand.games.daihinmin import logs

TRAFFIC = DATA / "uecda_traffic.jsonl.gz"
"""60 rounds of an official server with five clients that send legal and all other tables."""


@pytest.fixture(scope="module")
def rounds() -> list[Round]:
    return list(recordings.read(TRAFFIC))


def number_of(rounds: list[Round], size: int) -> int:
    """Number of the server's messages of a size."""
    messages = (message for each in rounds for own in each for message in own)
    return sum(side == SERVER and len(data) == size for side, data in messages)


@pytest.mark.slow
def test_the_server_says_what_the_official_one_said(rounds: list[Round]) -> None:
    """Every byte of every table, but for the row of classes in mid-round."""
    found = list(comparison.compare(rounds))
    assert [each.first for each in found] == [""] * 60
    assert sum(each.different for each in found) == 0
    assert sum(each.tables for each in found) == number_of(rounds, wire.TABLE) == 87_550
    assert sum(each.size for each in found) == 480 * 87_550 + 4 * number_of(rounds, 4)
    assert 0 < sum(each.class_rows for each in found) < 87_550
    # The official server loses a card: the joker given in the cell of the king of spades.
    assert {n: each.lost for n, each in enumerate(found) if each.lost} == {21: "SK"}
    for each in found[:4]:
        assert each.values is not None
        records.replay(logs.round_record(each.values))


def test_differences_are_found(rounds: list[Round]) -> None:
    """One byte anywhere, a message less and a message more; but not in what means nothing."""
    rng = np.random.default_rng(0)
    (whole,) = comparison.compare(rounds[1:2])
    assert (whole.different, whole.first) == (0, "")
    for _ in range(8):
        client = int(rng.integers(5))
        heard = [i for i, (side, _) in enumerate(rounds[1][client]) if side == SERVER]
        place = int(rng.choice(heard[1:]))
        side, data = rounds[1][client][place]
        at = int(rng.choice([i for i in range(len(data)) if i not in range(380, 400)]))
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        assert only(rounds[1], client, place, [(side, changed)]).different == 1
        assert only(rounds[1], client, place, []).different > 0
        assert only(rounds[1], client, place, [(side, data)] * 2).different > 0
    said = only(rounds[1], 0, 2, [(SERVER, wire.NUMBER.pack(5))]).first
    assert said.startswith("to player 0 message 2: 5, ours ")


def only(messages: Round, client: int, place: int, new: list) -> comparison.Comparison:
    """The comparison of a round in which one message is replaced."""
    own = messages[client]
    changed = [*own[:place], *new, *own[place + 1 :]]
    (found,) = comparison.compare([[*messages[:client], changed, *messages[client + 1 :]]])
    return found


def test_another_answer_is_another_course(rounds: list[Round]) -> None:
    own = rounds[0][3]
    place = next(i for i, (side, data) in enumerate(own) if side == CLIENT and any(data))
    (found,) = comparison.compare(
        [[*rounds[0][:3], [*own[:place], (CLIENT, wire.BLANK), *own[place + 1 :]], rounds[0][4]]]
    )
    assert found.different and found.values is None
    assert found.first == "to player 0 message 2: 3.7 is 1, ours 0"


def test_recordings_are_read_and_exported(rounds: list[Round], tmp_path: Path) -> None:
    some = rounds[:2]
    theirs = tmp_path / "a.jsonl.gz"
    head = ['{"about": "a match", "note": "two rounds"}', '{"client": 0, "profile": []}']
    lines = [*head, *(line for n in (1, 0) for line in json_lines(some[n], n))]
    theirs.write_bytes(gzip.compress("\n".join(lines).encode()))
    assert recordings.is_recording(theirs)
    assert list(recordings.read(theirs)) == some
    result = run("records", "replay", str(theirs), "--verbose")
    assert result.exit_code == 0, result.output
    tables = number_of(some[:1], wire.TABLE)
    assert f"round 0: returns [3.0, 4.0, 1.0, 5.0, 2.0]; {tables:,} tables, " in result.stdout
    answers = sum(side == CLIENT for each in some for own in each for side, _ in own)
    # The daifugo's answer in the exchange is two entries.
    assert result.stdout.endswith(f"2 games, {answers + 1} entries, 0 errors\n")
    assert run("records", "export", str(theirs), "--out", str(tmp_path / "b.jsonl")).exit_code == 0
    assert all(each.error is None for each in records.replay_file(tmp_path / "b.jsonl"))


def whole_round(table: list[int]) -> list[str]:
    """The lines of a round in which every client gets one message."""
    return [
        json.dumps({"client": player, "round": 0, "messages": [["r", table]]})
        for player in range(5)
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"about": "a match", "note": ""}'], "no rounds"),
        (['{"client": 0, "round": 0, "messages": [["r", [2147483648]]]}'], "32 bits"),
        (['{"client": 0, "round": 0, "messages": [["r", [-2147483649]]]}'], "32 bits"),
        (whole_round([1]), "a table to every client"),
        (whole_round([0, 1, *[0] * 118]), "five hands|11 cards|seats|no hands"),
        (['{"client": 0, "messages": []}'], "client 0, round None"),
        (['{"client": 0, "profile": []}', "[1]"], "line 2: "),
        (['{"client": 7, "round": 0, "messages": []}'], "client 7"),
        (['{"client": 0, "round": 0, "messages": []}'], "round 0 lacks messages"),
        (['{"client": 0, "round": 0, "messages": {}}'], "not a list"),
        (['{"client": 0, "round": 0, "messages": [["x", [1]]]}'], "r or w"),
        (['{"client": 0, "round": 0, "messages": [[[], [1]]]}'], "r or w"),
        (['{"client": 0, "round": 0, "messages": [["r", [1.5]]]}'], "whole numbers"),
        (['{"client": 0, "round": 0, "messages": [["r", [1, 2]]]}'], "or one"),
    ],
)
def test_what_is_no_recording(lines: list[str], message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))
    with pytest.raises(InputError, match=message):
        list(comparison.compare(recordings.read(path)))
    result = run("records", "replay", str(path))
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)

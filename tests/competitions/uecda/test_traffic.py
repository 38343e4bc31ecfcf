"""Recorded traffic: our server, fed the same answers, says the same bytes."""

from collections.abc import Iterable
from itertools import islice

import numpy as np
import pytest
from support_traffic import CLIENT, SERVER, Comparison, Round, compare, read

from closedhand.competitions.uecda import wire
from closedhand.core import records
from closedhand.games.daihinmin import logs


@pytest.fixture(scope="module")
def rounds() -> list[Round]:
    """The first rounds."""
    return list(islice(read(), 4))


def number_of(rounds: Iterable[Round], size: int) -> int:
    """Number of the server's messages of a size."""
    messages = (message for each in rounds for own in each for message in own)
    return sum(side == SERVER and len(data) == size for side, data in messages)


def test_the_server_says_what_the_official_one_said(rounds: list[Round]) -> None:
    """Every byte of every table, but for the row of classes in mid-round."""
    for each, found in zip(rounds, compare(rounds), strict=True):
        tables = number_of([each], wire.TABLE)
        assert (found.first, found.different, found.tables) == ("", 0, tables)
        assert found.size == 480 * tables + 4 * number_of([each], 4)
        assert found.values is not None
        records.replay(logs.round_record(found.values))


@pytest.mark.slow
def test_the_server_says_the_same_in_all_rounds() -> None:
    rounds = list(read())
    found = list(compare(rounds))
    assert [each.first for each in found] == [""] * 60
    assert sum(each.different for each in found) == 0
    assert sum(each.tables for each in found) == number_of(rounds, wire.TABLE) == 87_550
    assert sum(each.size for each in found) == 480 * 87_550 + 4 * number_of(rounds, 4)
    assert 0 < sum(each.class_rows for each in found) < 87_550
    # The official server loses a card: the joker given in the cell of the king of spades.
    assert {n: each.lost for n, each in enumerate(found) if each.lost} == {21: "SK"}


def test_differences_are_found(rounds: list[Round]) -> None:
    """One byte anywhere, a message less and a message more; but not in what means nothing."""
    rng = np.random.default_rng(0)
    (whole,) = compare(rounds[1:2])
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


def only(messages: Round, client: int, place: int, new: list) -> Comparison:
    """The comparison of a round in which one message is replaced."""
    own = messages[client]
    changed = [*own[:place], *new, *own[place + 1 :]]
    (found,) = compare([[*messages[:client], changed, *messages[client + 1 :]]])
    return found


def test_another_answer_is_another_course(rounds: list[Round]) -> None:
    own = rounds[0][3]
    place = next(i for i, (side, data) in enumerate(own) if side == CLIENT and any(data))
    (found,) = compare(
        [[*rounds[0][:3], [*own[:place], (CLIENT, wire.BLANK), *own[place + 1 :]], rounds[0][4]]]
    )
    assert found.different and found.values is None
    assert found.first == "to player 0 message 2: 3.7 is 1, ours 0"

"""Logs of the UECda server: replayed with everything they state, made from records and back."""

import gzip
import json
import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support import DATA
from support_uecda import Log, read_log
from typer.testing import CliRunner, Result

from closedhand import InputError, make_agent, make_game
from closedhand.cli import app
from closedhand.core.records import Record, from_state, read, replay_file, write
from closedhand.games.daihinmin import logs, replaying

ROUNDS = 8


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, list(map(str, arguments)))


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """The rounds of a match, as the competition would play them."""
    game = make_game("daihinmin")
    agents = [make_agent(game, name, 3) for name in ("default", "random")]
    rng = np.random.default_rng(2)
    found, seats, classes = [], "01234", "-"
    for number in range(ROUNDS):
        if number % 3 == 0:
            seats = "".join(map(str, rng.permutation(5)))
        hands = game.deal_text(game.deal(rng)).split(";")[2:]
        # The daifugo is dealt first, and so has 11 cards.
        state = game.parse_deal(";".join([seats, classes, *hands]))
        while not game.over(state):
            agent = agents[int(state.player) % 2]
            game.play(state, agent.act(game.view(state, int(state.player))))
        found.append(from_state(game, state, [f"p{player}" for player in range(5)]))
        classes = "".join(map(str, state.places))
    return found


@pytest.fixture
def log(records: list[Record], tmp_path: Path) -> Path:
    path = tmp_path / "match.log"
    path.write_text(replaying.log_text(records))
    return path


def written(path: Path, records: list[Record]) -> Log:
    """The log of some records, which `path` then holds."""
    path.write_text(replaying.log_text(records))
    return read_log(path)


def test_a_log_replays(log: Path, records: list[Record]) -> None:
    replays = list(replay_file(log))
    assert [(each.unit, each.line, each.error) for each in replays] == [
        ("round", number, None) for number in range(ROUNDS)
    ]
    assert [each.returns for each in replays] == [record.returns for record in records]
    packed = log.with_name("match.log.gz")
    packed.write_bytes(gzip.compress(log.read_bytes()))
    result = run("records", "replay", packed)
    assert result.exit_code == 0, result.output
    entries = sum(len(record.actions) for record in records)
    assert result.stdout == f"{ROUNDS} games, {entries:,} entries, 0 errors\n"
    assert "round 7: returns" in run("records", "replay", packed, "--verbose").stdout


def test_the_command_turns_records_into_a_log_and_back(
    tmp_path: Path, log: Path, records: list[Record]
) -> None:
    first, again, back = (tmp_path / name for name in ("a.jsonl", "b.log", "c.jsonl"))
    write(first, records)
    result = run("records", "export", first, "--out", again)
    assert (result.exit_code, result.stdout) == (0, f"saved {ROUNDS} games as {again}\n")
    assert again.read_text() == log.read_text()
    assert run("records", "export", again, "--out", back).exit_code == 0
    told = [(record.deal, record.actions, record.returns, record.agents) for record in records]
    assert told == [(r.deal, r.actions, r.returns, r.agents) for r in read(back)]
    assert all(each.error is None for each in replay_file(back))
    result = run("records", "export", first, "--out", tmp_path / "d.txt")
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)


def test_rounds_of_a_match_become_rounds_of_a_log(tmp_path: Path) -> None:
    """Also those in the middle of a match, where a period of seats or classes ends."""
    options = {"rounds": 6, "class_period": 4}
    game = make_game("daihinmin", **options)
    rng = np.random.default_rng(4)
    state, found = game.deal(rng), []
    while not game.over(state):
        if state.moves == 0:
            found.append(Record(game.name, options, (), game.deal_text(state)))
        action = int(rng.choice(game.legal(state)))
        actions = (*found[-1].actions, game.text(action))
        found[-1] = Record(game.name, found[-1].rules, actions, found[-1].deal)
        game.play(state, action)
    path = tmp_path / "a.log"
    log = written(path, found)
    assert log.header["GAME_NUMBER"] == "6" and logs.SEED not in log.header
    points = [f"{each:.0f}" for each in game.returns(state)]
    assert log.rounds[-1]["points"].split() == points
    for first in range(6):
        part = written(path, found[first:])
        assert (part.first, part.rounds) == (first, log.rounds[first:])
        assert (part.header["GAME_NUMBER"], part.header["TOTAL_POINT"]) == ("6", " ".join(points))
        assert [each.error for each in replay_file(path)] == [None] * (6 - first)
        assert len(replaying.UECDA.records(path)) == 6 - first
    with pytest.raises(InputError, match=r"record 2: it is round 3 after .*, not round 2 after"):
        replaying.log_text([found[1], found[3]])


def test_a_round_with_classes_is_not_the_first(records: list[Record], tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(replaying.log_text(records[1:3]))
    assert [(each.line, each.error) for each in replay_file(path)] == [(1, None), (2, None)]
    reset = {"class_period": 1}
    with pytest.raises(InputError, match=r"record 1: the classes are [0-4]{5}, not 22222"):
        replaying.log_text([replace(records[1], rules=reset)])


@pytest.mark.parametrize("leader", [0, 4])
def test_whoever_leads_all_is_in_the_log(leader: int, tmp_path: Path) -> None:
    """Also of the players whose numbers mean something else elsewhere, and after an exchange."""
    game, rng = make_game("daihinmin"), np.random.default_rng(1)
    classes = ["41302", "04123"][leader == 4]
    while True:
        hands = game.deal_text(game.deal(rng)).split(";")[2:]
        hands.sort(key=lambda hand: "3d" in hand)
        hands = hands[-1:] + hands[:-1] if leader == 0 else hands
        with suppress(InputError):
            state = game.parse_deal(";".join(["01234", classes, *hands]))
            while not game.over(state):
                game.play(state, int(rng.choice(game.legal(state))))
            if state.leader == leader:
                break
    record = from_state(game, state, [f"p{player}" for player in range(5)])
    (values,) = written(tmp_path / "a.log", [record]).rounds
    assert values["mibun"] == classes
    plays = [entry[1:] for entry in logs.entries(values["play"])]
    assert [logs.submission(text) for text in plays] == state.history[3 : state.moves].tolist()
    assert len(logs.entries(values["change_cards"])) == 4


def swapped(text: str) -> str:
    """The first two characters the other way round."""
    return text[1] + text[0] + text[2:]


@pytest.mark.parametrize(
    ("number", "key", "change", "message"),
    [
        (1, "seat", swapped, "the seats change from"),
        (1, "mibun", swapped, "the classes are"),
        (0, "mibun", lambda text: "01234", "the classes are"),
        (1, "result", swapped, "states returns"),
        (1, "result", lambda text: "01233", "the result must be"),
        (1, "points", lambda text: "1 2 3 4 5", "the points are 1 2 3 4 5, not"),
        (1, "play", lambda text: text.replace("EE", "", 1), "is not a play"),
        (1, "play", lambda text: text[:-3] + "EE", "is not a play|returns|unfinished"),
        (1, "play", lambda text: "9" + text[1:], "is of no player"),
        (1, "play", lambda text: text[text.index("EE ") + 3 :], "it is the turn of"),
        (1, "play", lambda text: text + " 0EE", "the game is over|it is the turn of"),
        (1, "change_cards", lambda text: "NULL", "pays , not"),
        (1, "change_cards", lambda text: text.split("EE ", 1)[1], "pays , not"),
        (1, "change_cards", lambda text: text.rsplit(" ", 1)[0], "returns , not 1 cards"),
        (1, "change_cards", lambda text: text + " 00S3EE", "0 gives nothing to 0"),
        (1, "change_cards", lambda text: text + " 01KEE", "'K' is not a card"),
        (1, "points", lambda text: text[2:], "the points are"),
        (1, "palyer_cards", lambda text: text[text.index(" ") + 1 :], "there are 4 hands, not 5"),
        (
            1,
            "palyer_cards",
            lambda text: text.replace("S3", "S4"),
            "twice|every card once|hands have",
        ),
    ],
)
def test_one_mistake_is_one_error(number, key, change, message, log: Path) -> None:
    changed = read_log(log)
    changed.rounds[number][key] = change(changed.rounds[number][key])
    log.write_text(changed.text())
    errors = [each.error for each in replay_file(log) if each.error]
    assert errors[0].startswith(f"round {number}: ")
    assert re.search(message, errors[0])
    # A result is stated again by the next round's classes, seats by the next round's seats.
    assert len(errors) <= 1 + (key in ("seat", "result"))
    result = run("records", "replay", log, "--json")
    assert result.exit_code == 1
    data = json.loads(result.stdout)
    assert data["errors"] == len(errors)
    assert data["games"][number]["round"] == number
    with pytest.raises(InputError, match=rf"match\.log, round {number}: "):
        replaying.UECDA.records(log)
    result = run("records", "export", log, "--out", log.with_suffix(".jsonl"))
    assert (result.exit_code, log.with_suffix(".jsonl").exists()) == (2, False)


def test_what_is_no_log_of_rounds(tmp_path: Path, records: list[Record]) -> None:
    with pytest.raises(InputError, match="nothing to write"):
        replaying.log_text([])
    whole = records[0]
    part = Record(whole.game, whole.rules, whole.actions[:-1], whole.deal)
    with pytest.raises(InputError, match=r"record 2: .* not played to its end"):
        replaying.log_text([whole, part])
    with pytest.raises(InputError, match="one set of rules"):
        replaying.log_text([whole, Record("doudizhu", {}, (), seed=1)])
    wrong = Record(whole.game, whole.rules, ("4c", *whole.actions), whole.deal)
    with pytest.raises(InputError, match="record 1"):
        replaying.log_text([wrong])


def test_a_log_has_one_list_of_players(records: list[Record]) -> None:
    for agents in (("a", "b", "c", "d", "e"), None):
        with pytest.raises(InputError, match="record 2: its agents are not those of the first"):
            replaying.log_text([records[0], replace(records[1], agents=agents)])
    with pytest.raises(InputError, match=r"names by spaces: none is empty as in .*'a', ' ', 'c'"):
        replaying.log_text([replace(records[0], agents=("a", " ", "c", "d", "e"))])


@pytest.mark.parametrize("period", [1, 2])
def test_seats_change_at_the_end_of_a_period_only(period: int, tmp_path: Path) -> None:
    game = make_game("daihinmin", class_period=1, seat_period=period)
    rng, found = np.random.default_rng(3), []
    for seats in ("01234", "43210"):
        hands = game.deal_text(game.deal(rng)).split(";")[1:]
        state = game.parse_deal(";".join([seats, *hands]))
        while not game.over(state):
            game.play(state, game.sample(rng, state))
        found.append(from_state(game, state))
    if period == 2:
        with pytest.raises(InputError, match="record 2: the seats change from 01234 to 43210"):
            replaying.log_text(found)
        return
    path = tmp_path / "a.log"
    path.write_text(replaying.log_text(found))
    assert [each.error for each in replay_file(path)] == [None, None]


@pytest.mark.parametrize("entry", ["0", "0S3", "0xS3"])
def test_a_gift_is_to_a_player(entry: str, log: Path) -> None:
    values = read_log(log).rounds[1]
    values["change_cards"] += f" {entry}EE"
    with pytest.raises(InputError, match=f"the entry '{entry}' gives cards to no player"):
        logs.round_record(values)


def test_submissions_that_form_no_play_are_passes(log: Path, records: list[Record]) -> None:
    """Whatever the server logged of them, in place of passes."""
    rng = np.random.default_rng(1)
    junk = ["S3C6", "KxHxM2", "L5MK", "SAK2D8", "J7", "H3D4CK"]
    changed = read_log(log)
    for values in changed.rounds:
        entries = logs.entries(values["play"])
        for i in np.flatnonzero([len(entry) == 1 for entry in entries])[::3]:
            entries[i] += str(rng.choice(junk))
        values["play"] = " ".join(entry + "EE" for entry in entries)
    log.write_text(changed.text())
    replays = list(replay_file(log))
    assert [each.error for each in replays] == [None] * ROUNDS
    assert [each.record and each.record.actions for each in replays] == [
        record.actions for record in records
    ]
    for text in ("S3C", "S1", "X3", "S3 C3", "EE"):
        with pytest.raises(InputError, match="is not a play of a log"):
            logs.submission(text)


def test_a_play_that_was_other_numbers_is_a_pass(log: Path, records: list[Record]) -> None:
    """The server logs all numbers as cards; only the course of the round tells them apart."""
    game = make_game("daihinmin")
    record = records[1]
    state = game.parse_deal(record.deal or "")
    number, legal = 0, game.legal(state)
    while record.actions[number] != "PASS" or state.target < 0 or len(legal) == 1:
        game.play(state, game.parse(record.actions[number], state))
        number, legal = number + 1, game.legal(state)
    changed = read_log(log)
    entries = logs.entries(changed.rounds[1]["play"])
    entries[number - 3] += logs.play_text(int(legal[0]))
    changed.rounds[1]["play"] = " ".join(entry + "EE" for entry in entries)
    log.write_text(changed.text())
    replays = list(replay_file(log))
    assert [each.error for each in replays] == [None] * ROUNDS
    assert replays[1].record is not None and replays[1].record.actions == record.actions
    assert replaying.UECDA.records(log)[1].actions == record.actions


def overwritten(log: Path, number: int) -> None:
    """Write the end of a round's plays over its exchange, as the official server may do."""
    changed = read_log(log)
    values = changed.rounds[number]
    values["change_cards"] = values["play"][-40:].partition("EE")[2].strip()
    log.write_text(changed.text())


@pytest.mark.parametrize(
    ("number", "warning"), [(0, "a round without classes has no exchange"), (1, "it holds no")]
)
def test_plays_over_the_exchange_are_ignored(number, warning, log: Path, records) -> None:
    overwritten(log, number)
    with pytest.warns(UserWarning, match=rf"round {number}: the change_cards line .* {warning}"):
        replays = list(replay_file(log))
    assert [each.error for each in replays] == [None] * ROUNDS
    assert warning in replays[number].detail
    found = replays[number].record
    assert found is not None and found.returns == records[number].returns
    # Cards that were never played again may have been given back as well as others.
    assert found.actions[3 * number :] == records[number].actions[3 * number :]
    with pytest.warns(UserWarning):
        assert replaying.UECDA.records(log)[number].actions == found.actions


def test_no_exchange_agrees_with_the_plays(log: Path) -> None:
    overwritten(log, 1)
    changed = read_log(log)
    values = changed.rounds[1]
    values["result"] = swapped(values["result"])
    log.write_text(changed.text())
    with pytest.warns(UserWarning, match="round 1: the change_cards line is ignored"):
        (error, *_) = [each.error for each in replay_file(log) if each.error]
    assert error == (
        "round 1: the exchange is not logged, and the plays agree with no cards given back"
    )


def test_a_log_begins_at_any_round(log: Path, records: list[Record], tmp_path: Path) -> None:
    whole = read_log(log)
    for first in (1, 4):
        part = tmp_path / f"{first}.log"
        part.write_text(Log(whole.header, whole.rounds[first:], first).text())
        assert read_log(part).text() == part.read_text()
        replays = list(replay_file(part))
        assert [(each.line, each.error) for each in replays] == [
            (number, None) for number in range(first, ROUNDS)
        ]
        assert [each.returns for each in replays] == [each.returns for each in records[first:]]
        # Only the first round may have any number.
        part.write_text(part.read_text().replace(f"%{first + 1:05d}%", f"%{first + 2:05d}%"))
        with pytest.raises(InputError, match="is out of order"):
            list(replay_file(part))
        changed = Log(whole.header, [dict(each) for each in whole.rounds[first:]], first)
        changed.rounds[1]["points"] = "1 2 3 4 5"
        part.write_text(changed.text())
        assert "the points are" in str(list(replay_file(part))[1].error)
        changed.rounds[0]["points"] = "1 2 3 4"
        part.write_text(changed.text())
        assert "the points are 1 2 3 4, not 5 numbers" in str(next(replay_file(part)).error)


def test_a_log_of_forbidden_finishes(tmp_path: Path) -> None:
    """`RULE_KINSOKU` of the header, and our number lock, which the server has no name for."""
    options = {"forbidden_finish": True, "number_lock": True}
    game, rng = make_game("daihinmin", **options), np.random.default_rng(8)
    found = []
    for _ in range(6):
        state = game.deal(rng)
        while not game.over(state):
            game.play(state, game.sample(rng, state))
        record = from_state(game, state, [f"p{player}" for player in range(5)])
        found.append(record)
    path = tmp_path / "a.log"
    log = written(path, found[:1])
    assert log.header["RULE_KINSOKU"] == "YES"
    assert json.loads(log.header["OPTIONS"]) == {"number_lock": True}
    usual = make_game("daihinmin", number_lock=True)
    others = 0
    for record in found:
        path.write_text(replaying.log_text([record]))
        (each,) = replay_file(path)
        assert (each.error, each.returns) == (None, record.returns)
        state = usual.parse_deal(record.deal or "")
        for action in record.actions:
            if not usual.over(state):
                usual.play(state, usual.parse(action))
        others += tuple(usual.returns(state)) != record.returns
    assert others > 0


def test_a_card_that_the_server_lost(tmp_path: Path) -> None:
    """The joker was given in the cell of the king of spades, and took it along."""
    values = json.loads((DATA / "uecda_lost_card.json").read_text())
    assert logs.lost_cards(values) == {1: logs.cards_of("SK")}
    assert logs.given_cards("KKHK") == logs.cards_of("HKJ3")
    path = tmp_path / "a.log"
    path.write_text('%-----%OPTIONS% {"classes":"random"}\n' + logs.round_text(0, values))
    (each,) = replay_file(path)
    assert each.error is None
    with pytest.raises(InputError, match="round 0: the server lost SK"):
        replaying.UECDA.records(path)
    result = run("records", "replay", path)
    assert result.exit_code == 0 and "round 0: the server lost SK" in result.stdout
    path.write_text(path.read_text().replace("12KKHKEE", "12HKJ3EE"))
    (each,) = replay_file(path)
    assert each.error


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"players": 3}, "leave out players=3"),
        ({"players": 4, "jokers": 2}, "leave out players=4"),
        ({"players": 6}, "leave out players=6"),
        ({"jokers": 2}, "leave out jokers=2"),
    ],
)
def test_a_log_is_of_the_table_of_the_competition(options: dict, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        replaying.log_text([Record("daihinmin", options, (), seed=5)])


@pytest.mark.slow
def test_a_log_has_no_place_for_cards_that_are_given() -> None:
    game, rng = make_game("daihinmin", seven_give=True), np.random.default_rng(5)
    for _ in range(10):
        state = game.deal(rng)
        while not game.over(state):
            game.play(state, game.sample(rng, state))
        with pytest.raises(InputError, match="no place for cards that are given"):
            replaying.log_text([from_state(game, state)])

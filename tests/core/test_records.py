"""Files of records: reading, writing, and one clear error for each bad line."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support import DATA, positions

from closedhand import InputError, make_game
from closedhand.core.records import (
    NEEDED,
    OPTIONAL,
    Record,
    Replay,
    as_asked,
    from_json,
    from_state,
    read,
    replay_file,
    write,
)

GOOD = '{"game": "doudizhu", "rules": {}, "actions": [], "seed": 1}'


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ('{"game": "doudizhu"}', "lacks 'rules'"),
        ('{"game": "doudizhu", "rules": {}, "actions": [3], "seed": 1}', "is a list of texts"),
        ('{"game": "doudizhu", "rules": {}, "actions": [], "seed": -1}', "of 0 or more"),
        ('{"game": "doudizhu", "rules": {}, "actions": []}', "neither 'deal' nor 'seed'"),
        ('{"game": "doudizhu", "rules": {}, "actions": "33", "seed": 1}', "is a list of texts"),
        (GOOD.replace("doudizhu", "bridge"), "no game 'bridge'"),
        (
            GOOD.replace("{}", '{"rules": "vegas"}'),
            "rules is .* not 'vegas'",
        ),
        (GOOD.replace("[]", '["XX"]'), "action 1, XX: 'XX' is not an action"),
        (GOOD.replace("[]", '["PASS"]'), "action 1, PASS: .* is not legal"),
        (GOOD.replace('"seed"', '"returns": [6, -3, -3], "seed"'), "of an unfinished game"),
        (GOOD.replace("[]", "null"), "'actions' is a list of texts, not None"),
        (GOOD.replace("{}", "null"), "'rules' is an object, not None"),
        (GOOD.replace("{}", '{"name": "leduc"}'), "has no option 'name'"),
        (GOOD.replace("1}", "9" * 5000 + "}"), "a number of 5000 digits"),
        (GOOD.replace("1}", "1e999}"), "1e999 is too large"),
        (GOOD.replace("1}", "NaN}"), "not JSON: NaN"),
        (GOOD.replace("1}", "true}"), "'seed' is a whole number of 0 or more, not True"),
        (GOOD.replace("1}", '1, "seed": 1}'), "the key 'seed' appears twice"),
        (GOOD.replace("[]", "[" * 200_000), "nested to more than"),
        (GOOD.replace("[]", "[" * 99 + "]" * 99), "nested to more than"),
        (GOOD.replace("[]", '["\\n\\ud800"]'), r"action 1, \\n\\ud800: "),
        ("SK;HQ;SJ;raise", "is in the notation of leduc and of uh_leduc: name the game"),
        ("[1, 2]", "neither JSON nor the beginning of any game's notation"),
    ],
)
def test_bad_lines_are_told_with_their_number(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text(f"# comment\n{GOOD}\n\n{line}\n{GOOD}\n")
    replays = list(replay_file(path))
    assert [replay.line for replay in replays] == [2, 4, 5]
    assert replays[0].error is None
    assert replays[2].error is None
    error = replays[1].error
    assert error is not None
    assert error.startswith("line 4: ")
    assert "\n" not in error
    assert re.search(message, error)


def test_the_preset_asked_for_is_that_of_the_record() -> None:
    paper = make_game("daihinmin", rules="paper")
    record = from_state(paper, paper.deal(np.random.default_rng(0)))
    assert as_asked(record, "daihinmin", rules="paper") is record
    with pytest.raises(InputError, match="it was made with the option"):
        as_asked(record, "daihinmin", rules="uecda")
    uecda = make_game("daihinmin")
    record = from_state(uecda, uecda.deal(np.random.default_rng(0)))
    with pytest.raises(InputError, match="it was made with the option"):
        as_asked(record, "daihinmin", rules="paper")


@pytest.mark.parametrize("table", [np.zeros(3), np.zeros(2, "i4,i4"), np.ones(2)])
def test_rules_are_compared_with_all_their_tables(
    table: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Options that differ may lead to the same rules, which may hold tuples of tables."""
    tables = {"one": np.zeros(2), "1": np.zeros(2), "two": table}

    def flat_game(name: str, options: dict[str, str]) -> Any:
        return SimpleNamespace(options=options, rules=(7, (np.zeros(5), tables[options["ante"]])))

    monkeypatch.setattr("closedhand.core.records.flat_game", flat_game)
    record = Record("leduc", {"ante": "one"}, (), seed=1)
    assert as_asked(record, ante="1") is record
    with pytest.raises(InputError, match="it was made with the option ante=one, not ante=two"):
        as_asked(record, ante="two")


def test_a_game_of_a_log_of_other_rules_has_an_error_and_no_payoffs() -> None:
    path = DATA / "uecda.log"
    assert all(each.error is None and each.returns for each in replay_file(path))
    for each in replay_file(path, rules="paper"):
        assert each.error and each.error.startswith(f"{each.unit} {each.line}: it was made with")
        assert each.record is not None and each.returns is None


def test_a_line_of_two_games_is_of_the_named_one(tmp_path: Path) -> None:
    """Aces and two cards of a kind are in the deck of UH-Leduc alone."""
    path = tmp_path / "games.txt"
    path.write_text("SK;HQ;SJ;raise raise call raise call")
    for game, payoff in (("leduc", 9.0), ("uh_leduc", 10.0)):
        (found,) = replay_file(path, game)
        assert found.returns == (payoff, -payoff)
    for deal in ("SK;HQ;SA", "SK;HQ;HQ", "SK;sk;HQ", "SK;HQ;SK"):
        path.write_text(f"{deal};raise")
        (found,) = replay_file(path)
        assert found.record is not None and found.record.game == "uh_leduc"


def test_a_wrong_result_is_found(tmp_path: Path) -> None:
    game = make_game("doudizhu")
    *_, state = positions(game, seed=1, games=1)
    path = tmp_path / "games.jsonl"
    path.write_text(from_state(game, state).to_json().replace('"returns": [', '"returns": [1'))
    (replay,) = replay_file(path)
    assert replay.error is not None
    assert "the record states returns" in replay.error


def test_files_are_written_whole_and_read_back(tmp_path: Path) -> None:
    game = make_game("doudizhu", bidding=True, spring=True)
    records = [
        from_state(game, state, ["a", "b", "c"])
        for state in positions(game, seed=2, games=20)
        if game.over(state)
    ]
    path = tmp_path / "deep" / "games.jsonl"
    write(path, records)
    assert list(read(path)) == records
    assert [each.error for each in replay_file(path)] == [None] * 20
    assert [file.name for file in path.parent.iterdir()] == ["games.jsonl"]


def test_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot read .*nothing.jsonl: No such file"):
        list(read(tmp_path / "nothing.jsonl"))


@pytest.mark.parametrize("key", [*NEEDED, *OPTIONAL])
@pytest.mark.parametrize("value", [True, -1, 0.5, "x", [], [None], [True], {}, [[]], {"a": [1]}])
def test_every_key_has_its_kind(key: str, value: Any) -> None:
    data = {"game": "leduc", "rules": {}, "actions": [], "seed": 1, key: value}
    kind = {**NEEDED, **OPTIONAL}[key]
    if kind.holds(value):
        from_json(json.dumps(data))
    else:
        with pytest.raises(InputError, match=f"'{key}' is {kind.name}, not "):
            from_json(json.dumps(data))


def test_a_replay_notes_bad_input_and_passes_other_errors_on() -> None:
    record = Record("leduc", {}, ("FOLD",), deal="SK;HQ;HK", returns=(1.0, 1.0))
    with Replay(7, unit="round", detail="a log") as found:
        found.returns = (1.0, 1.0)
        found.replay(record)
    assert (found.record, found.returns, found.detail) == (record, None, "a log")
    assert found.error and found.error.startswith("round 7: ")
    with pytest.raises(ZeroDivisionError), Replay(8):
        _ = 1 / 0

"""Open hands on the command line."""

import json

from support_cli import assert_refused, run_to


def test_a_puzzle_shows_plays_values_and_line() -> None:
    shown = run_to(0, "endgame", "doudizhu", "--hands", "33S,4QB").stdout
    assert [line.split()[:2] for line in shown.splitlines()[1:4]] == [
        ["33", "wins"], ["3", "loses"], ["S", "loses"],
    ]  # fmt: skip
    assert "line: player_0 33, player_1 PASS, player_0 S\n" in shown
    assert "player_0 wins (+1)" in shown


def test_what_is_to_be_beaten() -> None:
    command = "endgame doudizhu --hands 345,44B,6 --turn 1 --beat 3 --json"
    data = json.loads(run_to(0, *command.split()).stdout)
    assert data["player"] == 1 and data["value"] == 1
    assert {play["text"]: play["low"] for play in data["plays"]}["B"] == 1
    assert data["line"][0] == {"player": 1, "play": data["plays"][0]["text"]}


def test_a_search_that_may_not_go_on_says_so() -> None:
    hands = "3445567899TJQKKA222S,3345667789TJJQQKAAAB"
    result = run_to(1, "endgame", "doudizhu", "--hands", hands, "--seconds", "0.05")
    assert "player_0 unknown, -1 to 1" in result.stdout


def test_any_game_by_a_deal_and_its_actions() -> None:
    command = ["endgame", "leduc", "--deal", "SK;HJ;HK", "--plays", "raise", "--json"]
    data = json.loads(run_to(0, *command).stdout)
    assert data["player"] == 1 and data["value"] == -1


def test_refusals() -> None:
    assert_refused("either --hands or --deal", "endgame", "doudizhu")
    assert_refused("builds no positions", "endgame", "leduc", "--hands", "SK,HJ")
    assert_refused(
        "action 1, 3: ", "endgame", "leduc", "--deal", "SK;HJ;HK", "--plays", "3",
    )  # fmt: skip
    assert_refused("is for --deal", "endgame", "doudizhu", "--hands", "3,4", "--plays", "3")
    deal = ("--deal", "SK;HJ;HK", "--turn", "1")
    assert_refused("are for --hands", "endgame", "leduc", *deal)
    assert_refused("a team", "endgame", "doudizhu", "--hands", "3,4", "--teams", "0,5,1")

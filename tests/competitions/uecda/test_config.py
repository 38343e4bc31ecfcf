"""The official server's configuration file, and what its switches do in matches and logs."""

import json
from pathlib import Path

import numpy as np
import pytest
from support_cli import assert_refused, run
from support_uecda import check_log, read_log

from closedhand import InputError, make_game
from closedhand.competitions.uecda.server import read_config
from closedhand.games.daihinmin import logs

OFFICIAL = """
# tndhms.cfg
WINDOW_TYPE     new_normal      # small, big, ...
GRAPH_WINDOW\tnone
GAME_NUMBER     7
FLASH_MIBUN_NUMBER 5
PORT_NUMBER 42486
RULE_KAKUMEI    YES
RULE_SHIBARI    no  # words in either case
RULE_KINSOKU    NO
RULE_KAIDAN     YES
RULE_CHANGE     YES
RULE_5TOBI      NO
rule_6revers    YES
RULE_8GIRI      YES
RULE_11BACK     YES
RULE_SEKIGAE    YES
RULE_SEKIGAE_NUM 2
PLAYER1_NAME    my name
"""


def test_rules_rounds_and_port_are_read(tmp_path: Path) -> None:
    file = tmp_path / "tndhms.cfg"
    file.write_text(OFFICIAL)
    assert read_config(file) == {
        "rounds": 7, "port": 42486,
        "class_period": 5, "revolution": True, "lock": False, "kaidan": True, "exchange": True,
        "five_skip": False, "six_reverse": True, "eight_stop": True, "jack_back": True,
        "seat_period": 2, "forbidden_finish": False,
    }  # fmt: skip
    file.write_text("RULE_KINSOKU YES")
    assert read_config(file) == {"forbidden_finish": True}
    file.write_text("RULE_SEKIGAE NO")
    assert read_config(file) == {"seat_period": logs.NEVER}
    file.write_text("")
    assert read_config(file) == {}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("RULE_7WATASHI YES", "there is no key RULE_7WATASHI"),
        ("RULE_11BACK MAYBE", "RULE_11BACK is YES or NO, not 'MAYBE'"),
        ("RULE_11BACK", "RULE_11BACK has one value, not 0"),
        ("RULE_11BACK YES NO", "RULE_11BACK has one value, not 2"),
        ("GAME_NUMBER many", "GAME_NUMBER is a whole number from 1 to 1000000, not 'MANY'"),
        ("GAME_NUMBER +5", r"GAME_NUMBER is a whole number from 1 to 1000000, not '\+5'"),
        ("GAME_NUMBER 0", "GAME_NUMBER is a whole number from 1 to 1000000, not '0'"),
        ("PORT_NUMBER 65536", "PORT_NUMBER is a whole number from 0 to 65535, not '65536'"),
    ],
)
def test_what_is_not_understood_is_refused_by_name(tmp_path: Path, line: str, message: str) -> None:
    file = tmp_path / "tndhms.cfg"
    file.write_text(f"\n{line}\n")
    with pytest.raises(InputError, match=message) as error:
        read_config(file)
    assert f"{file}, line 2: " in str(error.value) and "\n" not in str(error.value)


@pytest.mark.slow
def test_serve_follows_the_file_and_its_logs_replay(tmp_path: Path) -> None:
    file, log = tmp_path / "tndhms.cfg", tmp_path / "a.log"
    file.write_text(OFFICIAL + "RULE_5TOBI YES\nPORT_NUMBER 0\n")
    common = ["serve", "daihinmin", "--config", str(file), "--agents", "random", "--json"]
    data = json.loads(run(*common, "--log", str(log), "--option", "lock=yes").stdout)
    assert data["rounds"] == 7
    assert data["options"]["six_reverse"] and data["options"]["lock"]
    header = check_log(log, 7).header
    on = {"RULE_5TOBI", "RULE_6REVERS", "RULE_11BACK", "RULE_SHIBARI"}
    assert {key for key in on if header[key] == "YES"} == on
    assert header["FLASH_MIBUN_NUMBER"] == "5"
    assert run("records", "replay", str(log)).exit_code == 0
    assert json.loads(run(*common, "--rounds", "2").stdout)["rounds"] == 2
    assert_refused("nothing", *common, "--option", "nothing=1")


def test_a_preset_of_the_command_line_has_precedence(tmp_path: Path) -> None:
    file, log = tmp_path / "tndhms.cfg", tmp_path / "a.log"
    file.write_text("RULE_SEKIGAE_NUM 3\nRULE_SHIBARI NO\nGAME_NUMBER 1\n")
    arguments = ["--config", str(file), "--agents", "random", "--port", "0", "--rules", "paper"]
    assert run("serve", "daihinmin", *arguments, "--log", str(log)).exit_code == 0
    header = read_log(log).header
    assert (header["RULE_SEKIGAE_NUM"], header["RULE_SHIBARI"]) == ("100", "NO")


def test_what_the_protocol_cannot_say_is_refused() -> None:
    for option in ("seven_give", "ten_discard"):
        for command in (["serve", "--agents", "random"], ["join", "--agent", "random"]):
            arguments = [command[0], "daihinmin", *command[1:], "--option", f"{option}=yes"]
            assert_refused("leave out seven_give", *arguments)
        with pytest.raises(InputError, match="a log has no place for cards that are given"):
            logs.header(make_game("daihinmin", **{option: True}), ["a"] * 5)


def test_the_number_of_rounds_is_an_option_of_the_command() -> None:
    command = ("serve", "daihinmin", "--agents", "random", "--rounds", "2")
    assert_refused("leave out --option rounds=", *command, "--option", "rounds=5")


def test_the_competition_has_five_players(tmp_path: Path) -> None:
    for command in (["serve", "--agents", "random"], ["join", "--agent", "random"]):
        arguments = [command[0], "daihinmin", *command[1:], "--option", "players=4"]
        assert_refused("the competition has five players: leave out players=4", *arguments)
    with pytest.raises(InputError, match="leave out players=6"):
        logs.header(make_game("daihinmin", players=6), ["a"] * 6)
    path = tmp_path / "log"
    path.write_text('%-----%OPTIONS%{"players":3}\n')
    with pytest.raises(InputError, match="leave out players=3"):
        read_log(path).options  # noqa: B018


def test_the_rules_of_switches_change_play() -> None:
    """A six that turns the order of play, and a jack that turns that of the ranks."""
    options = logs.rules_of({"RULE_6REVERS": "YES", "RULE_11BACK": "YES", "RULE_5TOBI": "YES"})
    game = make_game("daihinmin", **options)
    hands = ("3d6cJc4d4h5d5h8cTcKcAd", "3c3h9c9d9hQcQdQhKdKh2c", "3s5c6d6h6s7cThTs2d2h2s")
    rest = "4c4s5s7d7h7s8d8h8s9s", "JdJhJsQsKsAcAhAsTd*"
    state = game.parse_deal(";".join(["01234", "-", *hands, *rest]))
    assert state.player == 0
    game.play(state, game.parse("6c"))
    assert state.player == 4
    for text in ("Jd", "5s"):
        game.play(state, game.parse(text))
    # The order of the ranks is turned, the five of player_3 skips player_2.
    assert state.player == 1
    assert {game.text(a) for a in game.legal(state)} == {"3c", "3h", "PASS"}
    assert "jack back, reversed" in game.board(state)
    assert game.valid(state) == ""
    rng = np.random.default_rng(0)
    assert game.valid(game.redeal(game.view(state, 1), 1, rng)) == ""

"""The command `play`."""

import pytest
from support_cli import run

from closedhand import make_game

DEAL = "34566789TQQQKKAA2;4456678999TJJQA2B;33345578TTJKKA22S;78J"

pytestmark = pytest.mark.usefixtures("in_empty_folder")


def test_playing_in_the_terminal() -> None:
    result = run("play", "doudizhu", "--deal", DEAL, text="?\n345678\nundo\nquit\n")
    assert result.exit_code == 0, result.output
    assert "hint: " in result.stdout
    assert "left the game" in result.stdout
    assert make_game("doudizhu").parse_deal(DEAL)["left"][0] == 20
    assert run("play", "doudizhu", "--seed", "1", text="").exit_code == 0


def test_a_game_may_be_written_with_a_hyphen() -> None:
    result = run("play", "uh-leduc", "--seed", "1", text="quit\n")
    assert result.exit_code == 0
    assert "uh_leduc against equilibrium" in result.stdout

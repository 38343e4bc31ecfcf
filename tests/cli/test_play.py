"""The command `play`."""

import pytest
from support_cli import run

from closedhand import make_game
from closedhand.cli import play

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


def test_hands_follow_each_other_with_a_score() -> None:
    result = run("play", "leduc", "--agents", "random", "--seed", "1", text="\n".join(ONE * 2))
    assert result.exit_code == 0, result.output
    assert "another hand? " in result.stdout
    assert "--seed 2" in result.stdout
    assert "score after 2 hands: player_0 " in result.stdout
    again = run(
        "play", "leduc", "--agents", "random", "--seed", "1", text="\n".join([*ONE[:-1], "n"])
    )
    assert again.exit_code == 0
    assert "--seed 2" not in again.stdout


ONE = ["fold", "check", "call"] * 6 + [""]
"""Lines that end a hand of Leduc, whatever the other does; the last one asks for another."""


def test_colours_are_for_terminals_that_have_them(monkeypatch: pytest.MonkeyPatch) -> None:
    def shown() -> str:
        with play.paper() as console, console.capture() as captured:
            console.print("player_0: 5♥5♣ [bold]")
        return captured.get()

    for name in ("NO_COLOR", "FORCE_COLOR", "TERM", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    assert shown() == "player_0: 5♥5♣ [bold]\n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    assert "\x1b[91m5♥" in shown()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[91m" not in shown()

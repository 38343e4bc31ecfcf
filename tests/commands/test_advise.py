"""`advise doudizhu` and `advise daihinmin`."""

import json

import pytest
from support_cli import assert_refused, run_to
from support_spades import spades as spades

from closedhand import Game, make_game

DOUDIZHU = (
    *("advise", "doudizhu", "3456789TTJJQKA22S", "--seat", "1", "--public", "4TB"),
    *("--simulations", "400"),
)
FLAWLESS = (*DOUDIZHU, "--plays", "44")
DAIHINMIN = (
    *("advise", "daihinmin", "3c4c4h7d8s9sTsKdAh2c", "--seat", "2", "--leader", "0"),
    *("--simulations", "400", "--dealt", "11,11,10,10,11"),
)

slow = pytest.mark.slow


@slow
def test_plays_of_dou_dizhu_with_their_chances() -> None:
    out = run_to(0, *FLAWLESS).stdout
    for text in ("TT", "wins", "95%", "behind", "4 of 4 plays", "played on by search", "public"):
        assert text in out
    assert "points" not in out
    assert max(map(len, out.splitlines())) <= 100


@slow
def test_plays_of_dou_dizhu_as_json() -> None:
    result = run_to(0, *FLAWLESS, "--json", "--seed", "3")
    assert result.stdout.count("\n") == 1
    data = json.loads(result.stdout)
    assert (data["game"], data["player"], data["agent"]) == ("doudizhu", 1, "search")
    game = make_game("doudizhu")
    view = game.view_from(1, "3456789TTJJQKA22S", ["44"], public="4TB")
    assert {play["action"] for play in data["plays"]} == set(game.legal(view).tolist())
    assert data == json.loads(run_to(0, *FLAWLESS, "--json", "--seed", "3").stdout)


def test_a_landlord_who_has_shown_his_cards_is_known() -> None:
    shown = ("--option", "open_hand=true", "--plays", "SHOW 44")
    assert_refused("shown: the landlord has shown all cards", *DOUDIZHU, *shown)
    held = "3345566789TJJQQKAB"
    data = json.loads(run_to(0, *DOUDIZHU, *shown, "--shown", held, "--json").stdout)
    assert {play["text"] for play in data["plays"]} >= {"TT", "22", "PASS"}
    assert_refused("shown: no other player has shown cards", *FLAWLESS, "--shown", held)


@slow
def test_bids_are_ranked_by_points() -> None:
    out = run_to(
        0, "advise", "doudizhu", "3456789TTJJQKA22S", "--option", "bidding=true",
        "--simulations", "400", "--plays", "BID1", "--seat", "1", "--top", "2",
    ).stdout  # fmt: skip
    assert "points" in out
    assert "2 of 3 plays" in out


@slow
def test_plays_of_daihinmin_with_their_points() -> None:
    out = run_to(0, *DAIHINMIN, "--plays", "3d 5♥", "--top", "3").stdout
    assert "points" in out
    assert "wins" not in out
    assert "3 of 8 plays" in out
    data = json.loads(run_to(0, *DAIHINMIN, "--plays", "3d,5h", "--json").stdout)
    assert data["agent"] == "monte-carlo"
    assert all(1 <= play["points"]["mean"] <= 5 for play in data["plays"])
    assert data["plays"][0]["wins"] is None


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ((*DOUDIZHU, "--plays", "44 PASS"), "it is the turn of player_2"),
        ((*DOUDIZHU,), "it is the turn of player_0"),
        ((*DOUDIZHU, "--plays", "99999"), "action 1, 99999: "),
        ((*DOUDIZHU, "--plays", "44 33 PASS"), "action 2, 33: "),
        ((*DOUDIZHU, "--plays", "44", "--agent", "rule"), "rule does not simulate"),
        ((*DOUDIZHU, "--plays", "44", "--seconds", "0"), "must be above 0"),
        (("advise", "doudizhu", "3456"), "give the public cards"),
        (("advise", "doudizhu", "345x"), "is not a card"),
        ((*DAIHINMIN[:-2], "--dealt", "11,x", "--plays", "3d"), "dealt are 5 whole numbers"),
        ((*DAIHINMIN, "--leader", "x", "--plays", "3d"), "leader is a seat"),
        ((*DAIHINMIN, "--points", "1,2", "--plays", "3d"), "one for each player, not [1, 2]"),
        ((*DOUDIZHU, "--passed", "1", "--plays", "44"), "passed deals, is at most 0"),
        ((*DAIHINMIN, "--plays", "3d 5h PASS"), "it is the turn of player_3"),
        (("advise", "daihinmin", "3c3c"), "3c appears twice"),
    ],
)
def test_what_cannot_be_advised_is_refused_in_one_line(words: tuple[str, ...], reason: str) -> None:
    assert_refused(reason, *words)


SPADES = ("advise", "spades", "AsKsQs Ah Kh", "--option", "ranks=5", "--simulations", "200")


def test_a_game_without_the_command_is_advised_too(spades: Game) -> None:
    """By the policy of its default opponent, and by any other search."""
    data = json.loads(run_to(0, *SPADES, "--seat", "1", "--plays", "bid2", "--json").stdout)
    assert (data["agent"], data["player"]) == ("search[policy=rule]", 1)
    assert {play["text"] for play in data["plays"]} == {f"bid{bid}" for bid in range(6)}
    other = ("--agent", "ismcts", "--plays", "bid2 bid0 bid0 bid0")
    data = json.loads(run_to(0, *SPADES, *other, "--json").stdout)
    assert {play["text"] for play in data["plays"]} == {"Ah", "Kh"}
    assert_refused("it is the turn of player_0", *SPADES, "--seat", "1")
    assert_refused("the agent rule does not simulate", *SPADES, "--agent", "rule")


def test_a_random_policy_plays_on_where_the_opponent_decides_in_python() -> None:
    command = ("advise", "leduc", "SK", "--plays", "raise call", "--simulations", "100", "--json")
    data = json.loads(run_to(0, *command, "--flop", "HQ").stdout)
    assert data["agent"] == "search" and len(data["plays"]) == 2
    assert_refused("give the flop", *command)

"""Exact results of open hands: of a typed position, of a game under review, and by the requests."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from support_web import serving, wired

from closedhand import make_game
from closedhand.core.game import Game, State
from closedhand.core.records import from_state
from closedhand.search import exact
from closedhand.web import open_hands
from closedhand.web.open_hands import forced, solved


def states_of(game: Game, seed: int) -> list[State]:
    """All states of a random game."""
    rng = np.random.default_rng(seed)
    states = [game.deal(rng)]
    while not game.over(states[-1]):
        state = states[-1].copy()
        game.play(state, int(rng.choice(game.legal(state))))
        states.append(state)
    return states


def test_a_typed_position_is_solved() -> None:
    """With the values of all plays; seats without a hand are left out of the line."""
    game = make_game("doudizhu")
    found = solved(game, exact.place(game, ["33S", "4QB"]), 60.0, seats=2)
    assert {each["text"]: each["low"] for each in found["plays"]} == {"33": 1, "3": -1, "S": -1}
    assert [each["text"] for each in found["line"]] == ["33", "PASS", "S"]
    assert (found["low"], found["high"], found["is_win"]) == (1, 1, True)


def test_what_the_time_leaves_open_is_unknown() -> None:
    game = make_game("doudizhu")
    found = solved(game, game.deal(np.random.default_rng(0)), 0.0)
    assert found["low"] < found["high"] and found["line"] == []


@pytest.mark.parametrize("options", [{}, {"bidding": True}])
def test_a_result_is_forced_by_the_line_that_is_shown(
    options: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever became the landlord in the auction."""
    monkeypatch.setattr(open_hands, "REVIEW", 0.5)
    game, landlords = make_game("doudizhu", **options).flat, set()
    for seed in range(6):
        states = states_of(game, seed)
        landlords.add(int(states[-1]["landlord"]))
        found = forced(game, states)
        assert len(states) - 2 in found
        for ply, each in found.items():
            state = states[ply].copy()
            for move in each["line"]:
                assert move["player"] == state["player"]
                game.play(state, move["id"])
            # The line breaks off where the time was over.
            assert game.over(state) or ply < len(states) - 4
            gains = game.returns(state)
            won = [seat for seat in range(3) if gains[seat] > 0]
            assert won in (each["winners"], [])
    assert len(landlords) == (3 if options else 1)


@pytest.mark.parametrize("name", ["chinese_poker", "daihinmin"])
def test_nothing_is_forced_at_once_or_among_many(name: str) -> None:
    game = make_game(name).flat
    assert forced(game, states_of(game, 0)) == {}


@pytest.mark.parametrize(
    ("lowest", "value", "winners"), [(0.0, 0.0, [1]), (0.0, 0.5, []), (0.0, 1.0, [0]),
                                     (-1.0, 0.0, []), (-1.0, -1.0, [1])],
)  # fmt: skip
def test_the_other_side_wins_what_the_player_loses(
    lowest: float, value: float, winners: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where a loss pays 0."""
    answer = {"player": 0, "teams": [0, 1], "low": value, "high": value, "line": [], "seconds": 0.0}
    monkeypatch.setattr(open_hands, "solved", lambda *_: answer)
    game = replace(make_game("leduc"), payoff_range=(lowest, 1.0))
    found = forced(game, states_of(game, 0))
    assert found and all(each["winners"] == winners for each in found.values())


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving() as port:
        yield port


def test_browsers_place_hands_and_ask_about_games_under_study(port: int) -> None:
    game = make_game("leduc")
    record = from_state(game, states_of(game, 0)[-1], ["a", "b"])
    with wired(port) as wire:
        hands = {"game": "doudizhu", "options": {}, "turn": 1}
        placed = wire.ask("place", hands=["33S", "4QB", ""], about=7, beat="3", by=0, **hands)
        assert [row["cards"] for row in placed["rows"] if row["seat"] == 1] == [["4", "Q", "B"]]
        found = wire.until(lambda data: data["push"] == "endgame")
        assert (found["about"], found["player"]) == (7, 1)
        assert "two or three hands" in wire.refused("place", hands=["33S"], **hands | {"turn": 0})
        assert "more cards S" in wire.refused("place", hands=["S", "S"], **hands)
        # The seats are not numbered anew.
        for empty in (["33S", "", "4QB"], ["", "33S", "4QB"]):
            answer = wire.refused("place", hands=empty, **hands)
            assert f"player_{empty.index('')} has no cards" in answer
        assert "builds no positions" in wire.refused(
            "place", game="leduc", options={}, hands=["K", "Q"], turn=0
        )
        wire.ask("replay", record=record.to_json())
        wire.ask("endgame", ply=0)
        found = wire.until(lambda data: data["push"] == "endgame" and data["about"] == 0)
        assert found["low"] == found["high"] and not found["is_win"]
        wire.ask("endgame", ply=len(record.actions))
        wire.until(lambda data: data.get("error") == "the game is over")

"""Messages to a browser reveal no card that its seat may not know."""

import json
import math
from itertools import islice

import numpy as np
import pytest
from support import examples

from closedhand import Game, make_game
from closedhand.core.game import State
from closedhand.core.registry import GAMES
from closedhand.games.daihinmin.seven_ten_rules import due_of
from closedhand.web import advice
from closedhand.web.catalogue import usual
from closedhand.web.serialization import OPEN, WATCHING, describe, seen_by

GIVEN = {
    "doudizhu": [{}, {"bidding": True}],
    "daihinmin": [{}, {"classes": "random"}, {"rounds": 2}],
    "chinese_poker": [{}, {"players": 4}],
}
TABLES = [(name, given) for name in GAMES for given in GIVEN.get(name, [{}])]


@pytest.fixture(params=TABLES, ids=str)
def game(request: pytest.FixtureRequest) -> Game:
    name, options = request.param
    return make_game(name, **options).flat


def message(game: Game, state: State, actors: list[int], seat: int) -> str:
    """The description of a position that a browser at a seat receives."""
    legal = seat >= 0 and int(state["player"]) == seat
    return json.dumps(describe(game, seen_by(game, state, seat), actors, legal))


def course(game: Game, rng: np.random.Generator):
    """The states of a random game, each with the actors of its history."""
    state, actors = game.deal(rng), []
    while not game.over(state):
        yield state, list(actors)
        actor, before = int(state["player"]), len(game.history(state))
        game.play(state, game.sample(rng, state))
        after = len(game.history(state))
        actors = [*actors, actor] if after > before else []


@pytest.mark.slow
def test_hidden_cards_change_no_message(game: Game) -> None:
    """After a redeal of the hidden cards a seat receives the same bytes."""
    rng = np.random.default_rng(20)
    tried = 0
    while tried < examples(60):
        for state, actors in course(game, rng):
            seat = int(rng.integers(game.num_players))
            other = game.redeal(game.view(state, seat), seat, rng)
            assert message(game, state, actors, seat) == message(game, other, actors, seat)
            tried += 1


def test_spectators_see_what_every_player_knows(game: Game) -> None:
    """A card is shown to spectators only if all players see it."""
    rng = np.random.default_rng(21)
    for state, actors in islice(course(game, rng), examples(20)):
        found = describe(game, seen_by(game, state, WATCHING), actors, legal=False)
        for seat in range(game.num_players):
            own = describe(game, seen_by(game, state, seat), actors, legal=False)
            for row, seen in zip(found["rows"], own["rows"], strict=True):
                shown = zip(row["cards"], seen["cards"], strict=False)
                assert all(card in ("", same) for card, same in shown)
            texts = zip(found["moves"], own["moves"], strict=True)
            assert all(move["text"] in (None, same["text"]) for move, same in texts)


def test_an_open_table_shows_all_cards() -> None:
    game = make_game("doudizhu")
    state = game.deal(np.random.default_rng(0))
    rows = describe(game, seen_by(game, state, OPEN), [], legal=False)["rows"]
    assert all("" not in row["cards"] for row in rows)
    hidden = describe(game, seen_by(game, state, WATCHING), [], legal=False)["rows"]
    assert all(card == "" for row in hidden if row["seat"] >= 0 for card in row["cards"])


def test_legal_plays_are_those_of_the_game(game: Game) -> None:
    """Cards and texts of the list lead back to the actions."""
    rng = np.random.default_rng(22)
    for state, actors in islice(course(game, rng), examples(20)):
        seat = int(state["player"])
        found = describe(game, seen_by(game, state, seat), actors, legal=True)
        assert found["number"] == len(game.legal(state))
        hand = [card for row in found["rows"] if row["seat"] == seat for card in row["cards"]]
        for action in (found["legal"] or [])[:50]:
            assert game.parse(action["text"], state) == action["id"]
            assert all(hand.count(card) >= action["cards"].count(card) for card in action["cards"])


@pytest.mark.parametrize("gives", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_who_leads_has_no_play_to_beat(gives: bool) -> None:
    """Who leads may pass as well, after all have passed, an eight, or the play of one now out.

    So may who hands on cards after a seven, which its owner does not have to beat.
    """
    game, rng = make_game("daihinmin", seven_give=gives).flat, np.random.default_rng(6)
    leads = 0
    for _ in range(2):
        for state, actors in course(game, rng):
            seat = int(state["player"])
            found = describe(game, seen_by(game, state, seat), actors, legal=True)["to_beat"]
            target = int(state["target"])
            leads += target < 0
            assert (found is None) == (target < 0 or due_of(state) > 0)
            if found:
                assert found["text"] == game.text(target, state)
                assert found["player"] == state["owner"]
    assert leads > 20


@pytest.mark.parametrize(("plays", "lies"), [("3", True), ("3 PASS", True), ("3 PASS PASS", False)])
def test_a_play_that_all_have_passed_on_is_not_to_beat(plays: str, lies: bool) -> None:
    game = make_game("doudizhu")
    actions = plays.split()
    state = game.deal(np.random.default_rng(0))
    for action in actions:
        game.play(state, game.parse(action, state))
    actors = [0, 1, 2][: len(actions)]
    seat = int(state["player"])
    found = describe(game, seen_by(game, state, seat), actors, legal=True)["to_beat"]
    assert (found is not None) == lies
    assert found is None or (found["player"], found["text"]) == (0, "3")


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_advice_is_a_function_of_the_view(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A redeal of the hidden cards changes neither chances of cards nor choices nor values."""
    monkeypatch.setattr(advice, "FIRST", 0.0)  # a round of the search, whatever the clock says
    monkeypatch.setattr(advice, "DRAWING", math.inf)
    monkeypatch.setattr(advice, "DETERMINISATIONS", 20)
    game = make_game(name).flat
    rng, opponent = np.random.default_rng(23), usual(name)
    for number, (state, _) in enumerate(course(game, rng)):
        if number not in (1, 9):
            continue
        seat = int(state["player"])
        view = game.view(state, seat)
        again = game.view(game.redeal(view, seat, rng), seat)
        for describe_view in (
            lambda seen, seat=seat: advice.card_chances(game, seen, seat, 5),
            lambda seen: advice.suggest(game, seen, opponent),
            lambda seen: next(
                advice.values(game, seen, int(game.legal(seen)[0]), 7, opponent), None
            ),
        ):
            assert json.dumps(describe_view(view)) == json.dumps(describe_view(again))


@pytest.mark.slow
def test_what_advice_is_made_of_holds_nothing_hidden(game: Game) -> None:
    """Hints and chances of cards are functions of a view, whose bytes hide all hidden cards."""
    rng = np.random.default_rng(24)
    tried = 0
    while tried < examples(400):
        for state, _ in course(game, rng):
            seat = int(state["player"])
            view = game.view(state, seat)
            again = game.view(game.redeal(view, seat, rng), seat)
            assert view.tobytes() == again.tobytes()
            tried += 1


def test_heat_maps_add_up() -> None:
    """The chances of each hidden card add up to its number."""
    game = make_game("uh_leduc")
    view = game.view(game.deal(np.random.default_rng(1)), 0)
    found = advice.card_chances(game, view, 0, 0)
    assert [each["seat"] for each in found["seats"]] == [1, -1]
    for each in found["seats"][:1]:
        assert sum(each["chances"]) == pytest.approx(1, abs=0.01)

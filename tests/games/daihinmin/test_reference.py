"""The kernels of Daihinmin against the slow statement of the rules, step by step."""

from typing import Any

import numpy as np
import pytest
from reference import daihinmin
from support import examples
from support_daihinmin import cards_of

from closedhand import Game, make_game
from closedhand.core.game import State

DAIHINMIN_OPTIONS: list[dict[str, Any]] = [
    {},
    {"classes": "random"},
    {"classes": "random", "overplay": False, "lead_pass": False},
    {"joker_edges": False, "spade_three": False, "pass_limit": 6},
    {"kaidan": False, "lock": False},
    {"eight_stop": False, "revolution": False, "joker_unlocks": False},
    {"jack_back": True},
    {"jack_back": True, "eight_stop": False, "spade_three": False},
    {"five_skip": True, "six_reverse": True},
    {"five_skip": True, "overplay": False},
    {"seven_give": True},
    {"ten_discard": True, "seven_give": True, "classes": "random"},
    {"ten_discard": True, "jack_back": True, "six_reverse": True, "overplay": False},
    {"capital_fall": True, "classes": "random"},
    {"classes": "random", "jack_back": True, "five_skip": True, "six_reverse": True,
     "capital_fall": True, "pass_limit": 6},
    {"classes": "random", "jack_back": True, "five_skip": True, "six_reverse": True,
     "capital_fall": True, "seven_give": True, "ten_discard": True},
    {"forbidden_finish": True},
    {"forbidden_finish": True, "classes": "random", "capital_fall": True, "jack_back": True},
    {"forbidden_finish": True, "seven_give": True, "ten_discard": True, "jokers": 2},
    {"number_lock": True},
    {"number_lock": True, "jack_back": True, "overplay": False, "jokers": 2, "players": 4},
    {"number_lock": True, "forbidden_finish": True, "players": 3, "lock": False},
    {"players": 3, "classes": "random"},
    {"players": 3, "capital_fall": True, "seven_give": True, "classes": "random"},
    {"players": 4, "classes": "random"},
    {"players": 6, "classes": "random", "five_skip": True, "six_reverse": True, "pass_limit": 7},
    {"jokers": 2},
    {"jokers": 2, "classes": "random", "joker_edges": False, "jack_back": True},
    {"jokers": 2, "joker_unlocks": False, "spade_three": False, "kaidan": False},
    {"jokers": 2, "players": 3, "classes": "random", "seven_give": True, "ten_discard": True},
    {"jokers": 2, "players": 4, "classes": "random", "seven_give": True, "capital_fall": True},
    {"jokers": 2, "players": 6, "classes": "random", "five_skip": True, "six_reverse": True},
]  # fmt: skip


def few_of_the_same(options: list[str], rng: np.random.Generator) -> str:
    """One of the actions; large plays are rare in random games, and are preferred."""
    return max(options, key=lambda text: (len(text) * (rng.random() < 0.3), rng.random()))


def told(reference: daihinmin.Reference) -> list[int]:
    """What the player to act is told of house rules."""
    seats, place = reference.seats, reference.seats.index(reference.player)
    fallen = [player == reference.fallen for player in seats[place:] + seats[:place]]
    return [reference.back, seats[0] != reference.first_seat, *fallen]


def assert_gifts_are_seen(game: Game, state: State, reference: daihinmin.Reference) -> None:
    """The player to act sees who holds the cards given, and how many may be handed on."""
    seen = game.observe(state, reference.player)
    assert seen["giving"].tolist() == [len(reference.owed)]
    place = reference.seats.index(reference.player)
    around = reference.seats[place:] + reference.seats[:place]
    columns, rows = "_" + daihinmin.RANKS + "_", daihinmin.SUITS + "*"
    expected = set()
    for card, holder in reference.open:
        row, column = (4, 14) if card == "*" else (rows.index(card[1]), columns.index(card[0]))
        if card == "*" and reference.open.count((card, holder)) == 2:
            expected.add((around.index(holder), 4, 0))
        expected.add((around.index(holder), row, column))
    assert {tuple(cell) for cell in np.argwhere(seen["shown"])} == expected


@pytest.mark.slow
@pytest.mark.parametrize("options", DAIHINMIN_OPTIONS, ids=str)
def test_random_rounds_of_daihinmin_agree_step_by_step(options: dict[str, Any]) -> None:
    game = make_game("daihinmin", **options)
    rng = np.random.default_rng(23)
    known = {name: value for name, value in options.items() if name not in ("classes", "players")}
    for _ in range(examples(12)):
        state = game.deal(rng)
        seats, classes, *hands = game.deal_text(state).split(";")
        reference = daihinmin.Reference(
            [cards_of(hand) for hand in hands],
            [int(player) for player in seats],
            None if classes == "-" else [int(each) for each in classes],
            **known,
        )
        try:
            while not game.over(state):
                legal = [game.text(int(action)) for action in game.legal(state)]
                assert state.player == reference.player
                assert bool(state.revolution) == (reference.revolution != reference.back)
                assert set(legal) == reference.legal()
                assert len(legal) == len(set(legal))
                if "house" in game.shapes:
                    assert game.observe(state, reference.player)["house"].tolist() == told(
                        reference
                    )
                if "giving" in game.shapes:
                    assert_gifts_are_seen(game, state, reference)
                action = few_of_the_same(legal, rng)
                game.play(state, game.parse(action))
                reference.play(action)
        except daihinmin.Stuck:
            assert game.over(state)  # the rest is ranked at random
            continue
        assert reference.over()
        assert state.places.tolist() == reference.places
        assert game.returns(state).tolist() == reference.points()

"""What people are told: reasons for every refusal, cards that add up, notation."""

import numpy as np
import pytest

from closedhand import GAMES, Game, InputError, make_game
from closedhand.core.display import face, plain, pretty, typed_action
from closedhand.core.explanations import Explanations, known_cards, notation_help, why_not

VARIANTS = {
    "doudizhu": {},
    "doudizhu in sub-steps": {"substeps": True, "bidding": True},
    "doudizhu of OpenSpiel": {"rules": "openspiel"},
    "doudizhu of DouZero": {"rules": "douzero"},
    "daihinmin": {},
    "daihinmin with sets": {"actions": "card_sets", "classes": "random"},
    "uh_leduc": {},
    "leduc": {},
    "chinese_poker": {},
    "chinese_poker in sub-steps": {"substeps": True},
}


def game_of(name: str) -> Game:
    return make_game(name.split()[0], **VARIANTS[name])


def test_every_game_of_the_package_is_tried() -> None:
    assert {name.split()[0] for name in VARIANTS} <= set(GAMES)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_every_refusal_has_a_reason(name: str) -> None:
    """Along random games, any action is legal or refused for a reason that its game knows."""
    game, rng = game_of(name), np.random.default_rng(5)
    state = game.deal(rng)
    for _ in range(60):
        if game.over(state):
            state = game.deal(rng)
        view, legal = game.view(state, int(state.player)), set(game.legal(state).tolist())
        for action in rng.integers(game.num_actions, size=30).tolist():
            told = why_not(game, view, action)
            assert (told == "") == (action in legal)
            assert "is not legal now" not in told, (game.text(action), told)
            assert "\n" not in told
        game.play(state, game.sample(rng, state))


@pytest.mark.parametrize("name", ["doudizhu", "daihinmin", "chinese_poker", "uh_leduc"])
def test_the_cards_of_a_player_add_up(name: str) -> None:
    """Own cards, those that are out and those that were not seen are the deck, at any point."""
    game, rng = game_of(name), np.random.default_rng(2)
    size = {"doudizhu": 54, "daihinmin": 53, "chinese_poker": 52, "uh_leduc": 18}[name]
    held = {"chinese_poker": 13, "uh_leduc": 1}
    state = game.deal(rng)
    while not game.over(state):
        player = int(state.player)
        view = game.view(state, player)
        seen, unseen = known_cards(game, view, player)
        own = held.get(name) or int(state["left"][player])
        assert len(seen) + len(unseen) + own == size
        game.play(state, game.sample(rng, state))


def refusal(game: Game, view: np.record, text: str) -> str:
    return why_not(game, view, game.parse(text, view))


def test_reasons_of_dou_dizhu() -> None:
    game = make_game("doudizhu")
    view = game.view_from(1, "3456789TTJJQKA22S", ["44"], public="4TB")
    assert refusal(game, view, "TT") == ""
    assert refusal(game, view, "33") == "not in your hand: 3"
    assert refusal(game, view, "KKK") == "not in your hand: KK"
    assert refusal(game, view, "2222") == "not in your hand: 22"
    assert refusal(game, view, "3") == (
        "3 (solo) cannot beat 44 (pair): it takes a higher pair, a bomb or the rocket"
    )
    view = game.view_from(1, "3456789TTJJQKA22S", ["QQ"], public="4TB")
    assert refusal(game, view, "TT") == (
        "TT does not beat QQ: it takes a higher pair, a bomb or the rocket"
    )
    view = game.view_from(0, "33334456789TTJJQKA2B", public="4TB")
    assert refusal(game, view, "PASS") == "you lead: a leader may not pass"
    view = game.view_from(1, "3333456789TTJJQKA", ["SB"], public="4TB")
    assert refusal(game, view, "3333") == "3333 does not beat SB: nothing does"
    for substeps in (False, True):
        auction = make_game("doudizhu", bidding=True, substeps=substeps)
        view = auction.view_from(1, "3333456789TTJJQKA", ["BID2"])
        assert refusal(auction, view, "BID1") == "the bid is 2 already: bid more, or PASS"
        assert refusal(auction, view, "3") == "the auction comes first: bid or PASS"


def test_reasons_of_daihinmin() -> None:
    game = make_game("daihinmin")
    hand, dealt = "3c4c4h7d8s9sTsKdAh2c", (11, 11, 10, 10, 11)
    view = game.view_from(2, hand, ["3d", "5h"], leader=0, dealt=dealt)
    assert refusal(game, view, "7c") == "not in your hand: 7c"
    assert refusal(game, view, "4c") == "4c does not beat 5h (single): it takes higher ranks"
    assert refusal(game, view, "8s9sTs") == (
        "8s9sTs (kaidan of 3) cannot beat 5h (single): it takes a single"
    )
    view = game.view_from(2, hand, ["3d", "*"], leader=0, dealt=dealt)
    assert refusal(game, view, "2c") == "only 3s beats the joker"
    view = game.view_from(2, hand, ["5d", "6d"], leader=0, dealt=dealt)
    assert refusal(game, view, "9s") == "the suits are locked: it takes d"
    state = game.parse_deal(
        "01234;41302;4c4s6h7c8c9hJdJhAs2s*;4d5d5s7h8h8sTcJcKdKs;3h3s5h7s9cThJsQcKcAc2c;"
        "3d5c6c6s7d9dTdQdQh2d2h;3c4h6d8d9sTsQsKhAdAh"
    )
    view = game.view(state, 3)
    assert refusal(game, view, "QdQh") == "this is the exchange: name one card to give"
    assert refusal(game, view, "8s") == "not in your hand: 8s"


def test_help_tells_the_rules_that_are_played() -> None:
    """Two jokers, and cards to hand on, where there are some; nothing of them elsewhere."""
    for options, told in (
        ({}, ()),
        ({"jokers": 2}, ("two jokers",)),
        ({"seven_give": True}, ("to give or discard",)),
        ({"jokers": 2, "ten_discard": True}, ("two jokers", "to give or discard")),
    ):
        game = make_game("daihinmin", **options)
        text = notation_help(game, game.deal(np.random.default_rng(1)))
        found = [each for each in ("two jokers", "to give or discard") if each in text]
        assert found == list(told)


def test_reasons_of_the_others() -> None:
    leduc = make_game("uh_leduc")
    view = leduc.view_from(1, "HQ", ["check"])
    assert refusal(leduc, view, "call") == "there is no bet to call"
    poker = make_game("chinese_poker")
    view = poker.view_from(0, "AsKs6s5s3sQhQs8c3c2hJsJd9h")
    assert "a foul" in refusal(poker, view, "2h3c5s6s8c/AsKsQhQs9h/JsJd3s")
    steps = make_game("chinese_poker", substeps=True)
    back, front = steps.parse("AsKs6s5s3s", view), steps.num_actions - 1
    assert why_not(steps, view, front) == "choose the five cards of the back now"
    steps.play(view, back)
    assert why_not(steps, view, back) == "choose the three cards of the front now"


def test_a_game_without_any_of_it_is_explained_by_examples(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    game = make_game("leduc")
    monkeypatch.setattr(type(game.notation), "explanations", Explanations())
    state = game.deal(np.random.default_rng(1))
    assert notation_help(game, state) == "Actions are written like check, raise"
    assert why_not(game, state, game.parse("call")) == "call is not legal now"
    with pytest.raises(InputError, match="does not list the cards"):
        known_cards(game, state, 0)
    while not game.over(state):
        game.play(state, game.sample(np.random.default_rng(1), state))
    assert notation_help(game, state) == ""
    assert why_not(game, state, 0) == "the game is over"


@pytest.mark.parametrize("name", VARIANTS)
def test_help_fits_a_terminal(name: str) -> None:
    game = game_of(name)
    lines = notation_help(game, game.deal(np.random.default_rng(1))).splitlines()
    assert lines
    assert max(map(len, lines)) <= 81


def test_people_see_symbols_and_may_type_them() -> None:
    assert pretty("AsKs6s5s3s/QhQs8c3c2h/JsJd9h") == "A♠K♠6♠5♠3♠/Q♥Q♠8♣3♣2♥/J♠J♦9♥"
    assert [pretty(text) for text in ("raise", "PASS", "3334", "BID1", "S", "*", "Add")] == [
        "raise", "PASS", "3334", "BID1", "S", "*", "Add",
    ]  # fmt: skip
    assert face("B").joker == "big joker" and pretty("SK") == "K♠"
    game = make_game("daihinmin")
    assert game.parse(plain("7♠8♠*9♠")) == game.parse("7s8s*9s")
    for text in map(game.text, range(game.num_actions)):
        assert plain(pretty(text)) == text
        assert typed_action(pretty(text).replace("T", "10"), game.parse) == text
    # A game may have a 10 in its actions.
    assert typed_action("bid10", {"bid10": 0}.__getitem__) == "bid10"

"""Daihinmin with two jokers, which nothing tells apart: what one joker never shows."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support import examples
from support_daihinmin import keep_only, legal_one_by_one, redealt

from closedhand import Game, InputError, make_agent, make_game
from closedhand.competitions.uecda.client import round_game
from closedhand.core.game import State
from closedhand.games.daihinmin import logs, plays
from closedhand.games.daihinmin.exchange import loser, winner
from closedhand.games.daihinmin.notation import parse_cards
from closedhand.games.daihinmin.plays import cards_in
from closedhand.games.daihinmin.rules import begin

THREE: dict[str, Any] = {"players": 3, "jokers": 2, "seven_give": True}
"""One table for the tests of few cards: kernels are compiled anew for each."""
GIVES = {"jokers": 2, "players": 4, "classes": "random", "seven_give": True, "ten_discard": True}


def position(game: Game, hands: str, led: str = "") -> State:
    """A round with hands of any cards, between slashes; the holder of 3d leads, and plays."""
    state = game.empty(1)[0]
    state.seats[:], state.classes[:] = range(game.num_players), -1
    state.hands[:] = [parse_cards(hand, 2) for hand in hands.split("/")]
    begin(game.rules, state)
    for text in led.split():
        game.play(state, game.parse(text))
    return state


def jokers_given(game: Game, rng: np.random.Generator, games: int) -> Iterator[State]:
    """Positions of random play that gives and discards jokers first, and plays them last."""
    for _ in range(games):
        state = game.deal(rng)
        while not game.over(state):
            yield state
            legal = game.legal(state)
            wanted = legal == plays.JOKER if state.due else (legal < plays.JOKER) & (legal >= 0)
            game.play(state, int(rng.choice(legal[wanted] if wanted.any() else legal)))


def names(game: Game, state: State) -> set[str]:
    return {game.text(int(action)) for action in game.legal(state)}


@pytest.mark.parametrize("players", [3, 5])
def test_plays_of_one_joker_keep_their_ids(players: int) -> None:
    usual, more = plays.texts(players), plays.texts(players, 2)
    assert more[: len(usual)] == usual and len(set(more)) == len(more)
    stars = {text.count("*") for text in more[len(usual) :]}
    assert stars == {2} and more[len(usual)] == "**"
    table = plays.build(players, 2)
    for text, need in zip(more, table.need.tolist(), strict=True):
        assert len(cards_in(need)) == (0 if text == "PASS" else need.bit_count())
    for name in ("need", "family", "low", "high", "suits", "stands", "eight", "revolts"):
        assert (table[name][: len(usual)] == plays.build(players)[name]).all()


@pytest.mark.parametrize(
    "players", [5, *(pytest.param(each, marks=pytest.mark.slow) for each in (3, 4, 6))]
)
def test_all_54_cards_are_dealt(players: int) -> None:
    game = make_game("daihinmin", players=players, jokers=2)
    state = game.deal(np.random.default_rng(players))
    cards = [card for hand in state.hands for card in cards_in(hand)]
    assert sorted(cards) == sorted(plays.TWO_JOKERS)
    assert tuple(sorted(map(int, state.left), reverse=True)) == plays.sizes_dealt(players, 2)
    assert sum(game.dtype[name].itemsize for name in game.dtype.names) == game.dtype.itemsize
    again = game.parse_deal(game.deal_text(state))
    assert again.hands.tolist() == state.hands.tolist()


@pytest.mark.parametrize(
    ("led", "reply"),
    [
        ("2c2d", "**"),  # the strongest pair
        ("3c3d 4c4d PASS 2c2d", "**"),  # even under a lock
        ("5c5d5h5s PASS PASS PASS 3c3d", "**"),  # and after a revolution
        ("6s", "*"),
        ("5s6s7s", "9s*TsJsQs*"),  # a card too many
        ("5s6s7s", "Ts*JsQs"),
        ("5s6s7s", "Ts*Js*Qs"),
        ("5s6s7s", "Js*Qs*Ks*"),  # nothing but jokers
        ("3c3d3h", "Kc*Kd*Kh"),
        ("3c3d3h", "Kc*KhKs*"),
    ],
)
def test_both_may_stand_in_one_play(led: str, reply: str) -> None:
    game = make_game("daihinmin", illegal="error", lock=True, **THREE)
    hands = "3c3d3h5c5d5h5s6s7s8s9s2c2d/4c4dJsQsKh**/9hTh"
    state = position(game, hands, led)
    assert (reply in names(game, state)) == (reply not in ("9s*TsJsQs*", "Js*Qs*Ks*"))
    assert names(game, position(game, hands, "6s *")) == {"PASS"}
    if reply == "**":
        game.play(state, game.parse("**"))
        assert names(game, state) == {"PASS"} and state.lock == 0
        for _ in range(2):
            game.play(state, game.parse("PASS"))
        assert state.player == state.owner == 1


def test_a_kaidan_with_two_jokers_revolts_and_a_group_may_have_five_cards() -> None:
    game = make_game("daihinmin", illegal="error", **THREE)
    found = names(game, position(game, "3d8c8h8s9c**/4c4d/5h"))
    assert {"8c8d*8h8s+*", "8c8d*8h*8s*", "7c*8c9cTc*"} - found == {"8c8d*8h*8s*"}
    assert max(text.count("8") + text.count("+") for text in found) == 5
    state = position(game, "3d6c7c9c9hTc**/4c4d/5h", "5c*6c7c8c*9c")
    assert state.revolution


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"jokers": 2, "lead_pass": False}, GIVES], ids=str)
def test_what_is_listed_is_what_is_allowed(options: dict[str, Any]) -> None:
    game = make_game("daihinmin", illegal="error", **options)
    rng, both = np.random.default_rng(8), 0
    for _ in range(12):
        state = game.deal(rng)
        while not game.over(state):
            legal = game.legal(state).tolist()
            if state.hands[state.player] >> np.uint64(53) or rng.random() < 0.05:
                both += len(legal) > 1
                assert legal == legal_one_by_one(game, state)
            game.play(state, int(rng.choice(legal)))
    assert both > 20


@pytest.mark.slow
def test_what_is_dealt_for_what_is_hidden_comes_about_from_its_own_deal() -> None:
    game, rng = make_game("daihinmin", illegal="error", **GIVES), np.random.default_rng(2)
    shown = 0
    for number, state in enumerate(jokers_given(game, rng, examples(60))):
        given = any(int(cards) >> 52 for cards in state.shown)
        if number % 7 and not given:
            continue
        shown, player = shown + given, int(rng.integers(4))
        view = game.view(state, player)
        other = game.redeal(view, player, rng)
        assert game.view(other, player).tobytes() == view.tobytes()
        again = game.parse_deal(game.deal_text(other))
        for action in other.history[: other.moves]:
            game.play(again, int(action))
        again.seed = other.seed
        assert again.tobytes() == other.tobytes()
        hand, actions, public = game.knowledge(view, player)
        assert game.view_from(player, hand, actions, **public).tobytes() == view.tobytes()
    assert shown > 10


@pytest.mark.slow
def test_a_fugo_with_one_joker_knows_how_likely_the_hinmin_kept_the_other() -> None:
    """Who has two jokers pays either of them: the fugo's deals against what there is."""
    game, rng = make_game("daihinmin", jokers=2, classes="random"), np.random.default_rng(44)
    true, drawn = [], []
    while len(true) < 1500:
        state = game.deal(rng)
        fugo, hinmin = winner(state, 1), loser(state, 1)
        if int(state.hands[fugo]) >> 52 != 1:
            continue
        while state.leader < 0:
            legal = game.legal(state)
            game.play(state, int(legal[0] if state.player == fugo else rng.choice(legal)))
        full = game.redeal(game.view(state, fugo), fugo, rng)
        true.append(int(state.hands[hinmin]) >> 52)
        drawn.append(int(full.hands[hinmin]) >> 52)
    assert 0.02 < np.mean(true) < 0.2
    assert abs(np.mean(drawn) - np.mean(true)) < 0.025


def test_a_payer_of_one_of_two_jokers_may_hold_the_other() -> None:
    """Half as likely as a card below the joker that was paid: it could have paid the other one."""
    game, rng = make_game("daihinmin", jokers=2), np.random.default_rng(1)
    state = game.parse_deal(
        "01234;41302;4c4s6h7c8c9hJdJhAs2s2d;4d5d5s7h8h8sTcJcKdKs;3h3s5h7s9cThJsQcKc**;"
        "3d5c6c6s7d9dTdQdQhAc2h;3c4h6d8d9sTsQsKhAdAh2c"
    )
    while state.leader < 0:
        game.play(state, int(game.legal(state)[0]))
    # The fugo's only card above As is the joker that the hinmin has paid.
    keep_only(state, {0: "", 1: "5d", 2: "*", 3: "", 4: "Ah"}, jokers=2)
    view, draws = game.view(state, 1), 300
    found = [int(redealt(game, view, 1, rng).hands[2]) for _ in range(draws)]
    assert set(found) == {parse_cards("*"), parse_cards("Ah")}
    share = found.count(parse_cards("*")) / draws
    assert abs(share - 1 / 3) < 4 * np.sqrt(2 / 9 / draws)


def told(game: Game, state: State, player: int) -> dict[str, int]:
    """What the compact numbers say of jokers."""
    numbers = zip(game.feature_names, game.features(state, player).tolist(), strict=True)
    return {name: number for name, number in numbers if number and "joker" in name}


def test_compact_numbers_tell_where_both_jokers_are() -> None:
    game = make_game("daihinmin", eight_stop=False, **THREE)
    state = position(game, "3d8c8h8s9c**/4c4d/5h", "7c*8c9cTc*")
    assert told(game, state, 1) == {
        "joker rank 7": 1, "joker suit c": 1, "second joker rank T": 1, "second joker suit c": 1,
        "both jokers to beat": 1, "both jokers played second": 1,
    }  # fmt: skip
    # Given face up after two sevens.
    state = position(game, "3d7c7d5h5s**/4c4d5c/6h6d", "7c7d * *")
    for player, seat in ((0, "next"), (1, "self"), (2, "second")):
        more = {"both jokers hand" if player == 1 else "both jokers unseen": 1}
        assert told(game, state, player) == {f"both jokers shown {seat}": 1, **more}


def test_cards_that_were_got_and_discarded_are_told_from_own_ones() -> None:
    game = make_game("daihinmin", ten_discard=True, **THREE)
    state = position(game, "3d7c9h2s/4c5cTcTd/6c6dJh", "7c 9h Tc 9h")
    assert list(map(cards_in, state.spent)) == [[], ["9h"], []] and not state.shown.any()
    for text in ("PASS", "PASS", "PASS", "Td", "4c"):
        game.play(state, game.parse(text))
    assert list(map(cards_in, state.spent)) == [[], ["9h"], []]
    assert cards_in(state.played[1]) == ["4c", "9h", "Tc", "Td"]


def test_a_joker_of_two_may_be_given_back_and_the_other_kept() -> None:
    """A daifugo's view can be told in words then, too."""
    game = make_game("daihinmin", jokers=2)
    state = game.parse_deal(
        "01234;41302;4c4s6h7c8c9hJdJhAs2s2d;3h4d5d5s7h8h8sTcJcKdKs;3s5h7s9cThJsQcKcAc2c;"
        "3d5c6c6s7d9dTdQdQh**;3c4h6d8d9sTsQsKhAdAh2h"
    )
    for text in ("Qh", "*"):
        game.play(state, game.parse(text))
    view = game.view(state, 3)
    assert cards_in(view.hands[3])[-1] == "*" and cards_in(view.returned[0]) == ["Qh", "*"]
    hand, actions, public = game.knowledge(view, 3)
    assert game.view_from(3, hand, actions, **public).tobytes() == view.tobytes()
    with pytest.raises(InputError, match="Qd was given back, but is in the hand"):
        game.view_from(3, hand, [game.parse("Qd"), game.parse("Qh")], **public)


def test_who_does_not_know_two_jokers_says_so() -> None:
    with pytest.raises(InputError, match="leave out jokers=2"):
        make_game("daihinmin", jokers=2, actions="card_sets")
    game = make_game("daihinmin", jokers=2)
    for agent in ("kou", "kou[letter=1]", "min-sets", "trick-ender", "policy"):
        name = agent.partition("[")[0]
        with pytest.raises(InputError, match=f"{name} is for games with one joker"):
            make_agent(game, agent)
    with pytest.raises(InputError, match="the competition has one joker"):
        logs.header(game, ["a"] * 5)
    with pytest.raises(InputError, match="the competition has one joker"):
        round_game(jokers=2)
    for wrong in (0, 3):
        with pytest.raises(InputError, match="jokers"):
            make_game("daihinmin", jokers=wrong)
    with pytest.raises(InputError, match="two jokers only"):
        parse_cards("***", 2)
    with pytest.raises(InputError, match="appears twice"):
        parse_cards("**")


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["default", "monte-carlo:30"])
@pytest.mark.parametrize("jack_back", [False, True])
def test_agents_that_play_it_play_it_legally(agent: str, jack_back: bool) -> None:
    game = make_game("daihinmin", jokers=2, classes="random", jack_back=jack_back, illegal="error")
    player, rng = make_agent(game, agent), np.random.default_rng(3)
    for _ in range(4):
        state = game.deal(rng)
        while not game.over(state):
            action = player.act(game.view(state, int(state.player)))
            assert action in game.legal(state)
            game.play(state, action)
        assert not game.valid(state)

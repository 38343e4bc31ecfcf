"""Daihinmin with three to six players: what five players never see."""

from importlib import import_module

import numpy as np
import pytest

from closedhand import Game, InputError, make_game
from closedhand.core import batch
from closedhand.core.game import State
from closedhand.games.daihinmin import card_sets, plays
from closedhand.games.daihinmin.exchange import loser, number_of_picks, winner
from closedhand.games.daihinmin.notation import parse_cards
from closedhand.games.daihinmin.plays import CARDS, NUM_ACTIONS, PASS
from closedhand.games.daihinmin.rules import begin

NUMBERS = (3, 4, 5, 6)
each_number = pytest.mark.parametrize(
    "players",
    [pytest.param(each, marks=() if each in (3, 5) else pytest.mark.slow) for each in NUMBERS],
)
"""Kernels are compiled anew for each number: in quick tests for those that others have as well."""
ROLES = ("daifugo", "fugo", "heimin", "hinmin", "daihinmin")
"""Classes by the row of their planes."""
CLUBS = "".join(rank + "c" for rank in plays.RANKS)


def position(game: Game, hands: str) -> State:
    """A round with hands of any cards, between slashes; the holder of 3d leads."""
    state = game.empty(1)[0]
    state.seats[:], state.classes[:] = range(game.num_players), -1
    state.hands[:] = [parse_cards(hand) for hand in hands.split("/")]
    begin(game.rules, state)
    return state


def one_by_one(game: Game, state: State) -> list[int]:
    """The actions that are legal when they are asked for one by one."""
    is_legal, ids = import_module(type(game.rules).kernels).is_legal, np.empty(0, np.int32)
    return [a for a in range(game.num_actions) if is_legal(game.rules, state, a, ids)]


@each_number
def test_all_cards_are_dealt_from_the_daifugo_on(players: int) -> None:
    game = make_game("daihinmin", players=players, rounds=2)
    rng = np.random.default_rng(players)
    state = game.deal(rng)
    while state.round_number == 0:
        game.play(state, int(rng.choice(game.legal(state))))
    seats, hands = state.seats.tolist(), game.deal_text(state).split(";")[2 : 2 + players]
    first = seats.index(winner(state, 0))
    sizes = [parse_cards(hands[each]).bit_count() for each in seats[first:] + seats[:first]]
    assert tuple(sizes) == plays.sizes_dealt(players) and sum(sizes) == len(CARDS)
    assert max(sizes) - min(sizes) == 1
    assert sum(game.dtype[name].itemsize for name in game.dtype.names) == game.dtype.itemsize


def test_five_or_six_players_have_the_first_actions_of_three_or_four() -> None:
    usual, more = plays.texts(), plays.texts(3)
    assert plays.texts(6) == usual == more[:NUM_ACTIONS] and plays.texts(4) == more
    assert usual[PASS] == more[PASS] == "PASS" and len(set(more)) == len(more) == NUM_ACTIONS + 184
    lengths = np.bitwise_count(plays.build(3).need[NUM_ACTIONS:]).tolist()
    assert lengths == sorted(lengths) and set(lengths) == {12, 13, 14}
    few, many = card_sets.sets(), card_sets.sets(4)
    assert many[: len(few)] == few and len(set(many)) == len(many) == len(few) + 160
    for name in ("family", "low", "high", "suits", "stands", "joker_suit", "eight", "revolts"):
        assert (plays.build(3)[name][:NUM_ACTIONS] == plays.build()[name]).all()


@pytest.mark.parametrize("form", ["plays", "card_sets"])
@pytest.mark.parametrize("lead_pass", [True, False])
def test_long_kaidan_are_led_and_beaten(form: str, lead_pass: bool) -> None:
    options = {"lead_pass": lead_pass, "illegal": "error", "eight_stop": False}
    game = make_game("daihinmin", players=3, actions=form, **options)
    flat = game.flat
    state = position(flat, f"{CLUBS}3d*/4d5d/6d7d")
    legal = game.legal(state).tolist()
    assert legal == sorted(legal)
    assert legal == one_by_one(game, state)
    names = {game.text(action) for action in legal}
    assert (CLUBS in names) and ("PASS" in names) == lead_pass
    if form == "plays":
        assert {f"_c*{CLUBS}", f"{CLUBS}_c*", f"_c*{CLUBS[:-4]}", f"{CLUBS[4:]}_c*"} <= names
    else:
        assert f"{CLUBS}*" in names
    for action in (legal[-1], legal[-20]):
        led = state.copy()
        game.play(led, action)
        assert led.target > PASS and game.legal(led).tolist() == one_by_one(game, led)
        assert [game.text(int(each)) for each in game.legal(led)] == ["PASS"]


@pytest.mark.parametrize("lead", ["3c", "3c3d", "3d"])
def test_what_beats_the_lowest_plays_is_what_is_listed(lead: str) -> None:
    game = make_game("daihinmin", illegal="error")
    state = position(game, "3c3d4h/4c4d5s9c9d9h/5c6c7c*/Ah/2c")
    game.play(state, game.parse(lead))
    legal = game.legal(state).tolist()
    assert legal == one_by_one(game, state) and len(legal) > 1


def test_a_kaidan_that_begins_with_a_seven_or_ten_gives_nothing() -> None:
    table = {"players": 4, "jokers": 2, "seven_give": True, "ten_discard": True}
    game = make_game("daihinmin", eight_stop=False, **table)
    for lead, due in (("7c8c9c", 0), ("TdJdQd", 0), ("7c", 1), ("7c7h", 2), ("Td", 1)):
        state = position(game, "3d4c7c7h8c9cTdJdQd/4d/5c/6c")
        game.play(state, game.parse(lead))
        assert state.due == due


@each_number
def test_who_exchanges_cards(players: int) -> None:
    game = make_game("daihinmin", players=players, classes="random", illegal="error")
    state = game.deal(np.random.default_rng(1))
    pairs = 1 if players == 3 else 2
    assert len(state.taxed) == pairs
    assert [int(cards).bit_count() for cards in state.taxed] == [2, 1][:pairs]
    order = [int(np.argmax(state.classes == place)) for place in range(players)]
    expected = [order[0], order[0], order[1]][: 2 if pairs == 1 else 3]
    for player in expected:
        assert state.leader < 0 and state.player == player
        game.play(state, int(game.legal(state)[0]))
    assert state.leader >= 0 and state.player == state.leader
    assert state.moves == number_of_picks(state) == len(expected)
    assert sorted(state.left) == sorted(plays.sizes_dealt(players))
    assert [int(loser(state, pair)) for pair in range(pairs)] == order[: -1 - pairs : -1]


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        (3, "daifugo heimin daihinmin"),
        (5, "daifugo fugo heimin hinmin daihinmin"),
        pytest.param(4, "daifugo fugo hinmin daihinmin", marks=pytest.mark.slow),
        pytest.param(6, "daifugo fugo heimin heimin hinmin daihinmin", marks=pytest.mark.slow),
    ],
)
def test_classes_have_the_names_that_there_are(players: int, expected: str) -> None:
    game = make_game("daihinmin", players=players, classes="random")
    state = game.deal(np.random.default_rng(2))
    roles = {row.seat: row.role for row in game.scene(state)[:-1]}
    classes = state.classes.tolist()
    assert [roles[classes.index(place)] for place in range(players)] == expected.split()
    planes = game.observe(state, 0)["observation"]
    first = 6 + 4 * players
    place = state.seats.tolist().index(0)
    for i, seat in enumerate(np.roll(state.seats, -place).tolist()):
        (row,) = np.flatnonzero(planes[first + i].all(axis=1))
        assert ROLES[row] == expected.split()[classes[seat]]


@pytest.mark.parametrize(
    ("players", "deal", "message"),
    [
        (3, "012;-;3c", "seats;classes and 3 hands, not 3 fields"),
        (3, "013;-;3c;3d;3h", "seats must be the digits 0 to 2 in some order"),
        (4, "0123;-;3c;3d;3h;3s", r"\(14, 13, 13, 13\) cards, in any order"),
        (6, "012345;-;3c;3d;3h;3s;4c;4d", r"\(9, 9, 9, 9, 9, 8\) cards, in any order"),
    ],
)
def test_bad_deals(players: int, deal: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_game("daihinmin", players=players).parse_deal(deal)


def test_a_round_does_not_end_before_everybody_has_passed() -> None:
    with pytest.raises(InputError, match="pass_limit is 7 to 20 for 6 players"):
        make_game("daihinmin", players=6, pass_limit=6)
    for wrong in (2, 7):
        with pytest.raises(InputError, match="players"):
            make_game("daihinmin", players=wrong)


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 5])
def test_views_know_cards_that_have_come_back_after_a_seven(players: int) -> None:
    """A card given back in the exchange, and the 3d that led, go to the daifugo after a pair."""
    game = make_game("daihinmin", players=players, seven_give=True, illegal="error")
    last = players - 1
    sizes = plays.sizes_dealt(players)
    wanted = {0: ["4c", "5c"], last: ["3d", "7c", "7d", "3c", "As", "2s"]}
    rest = [card for card in CARDS if not any(card in cards for cards in wanted.values())]
    hands = []
    for player, size in enumerate(sizes):
        own = wanted.get(player, [])
        hands.append("".join(own) + "".join(rest[: size - len(own)]))
        rest = rest[size - len(own) :]
    order = "".join(map(str, range(players)))
    state = game.parse_deal(";".join([order, order, *hands]))
    for text in ("4c", "5c"):
        game.play(state, game.parse(text))
    while state.leader < 0:
        game.play(state, int(game.legal(state)[0]))
    assert state.leader == last
    for text in ("7c7d", "3d", "4c"):
        game.play(state, game.parse(text))
    assert state.player == 0 and state.hands[0] & parse_cards("3d4c") == parse_cards("3d4c")
    for player in range(players):
        view = game.view(state, player)
        hand, actions, public = game.knowledge(view, player)
        again = game.view_from(player, hand, actions, **public)
        assert again.tobytes() == view.tobytes()
    hand, actions, public = game.knowledge(game.view(state, 0), 0)
    with pytest.raises(InputError, match=f"player_{last} must hold 5c"):
        game.view_from(0, hand.replace("4c", "5c"), actions, **public)


@pytest.mark.slow
def test_kernels_of_all_numbers_of_players_are_told_apart() -> None:
    """In one process, in turns: each kernel serves the states for which it was compiled."""
    games = [make_game("daihinmin", players=players, classes="random") for players in NUMBERS]
    ends: dict[int, list[bytes]] = {players: [] for players in NUMBERS}
    for turn in range(2):
        for game in games[:: 1 - 2 * turn]:
            dealt = batch.deal(game, np.arange(1, 9))
            states = batch.playouts(game, dealt, np.random.default_rng(1))
            assert all(not game.valid(state) for state in states)
            assert (np.sort(batch.returns(game, states)) == 1 + np.arange(game.num_players)).all()
            ends[game.num_players].append(states.tobytes())
    assert all(first == second for first, second in ends.values())

"""Views built from what a player knows are those that the state itself gives, byte for byte."""

import doctest
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import positions

from closedhand import Game, InputError, make_agent, make_game
from closedhand.core.game import Knowledge, State


def told(game: Game, state: State, player: int, as_text: bool) -> Knowledge | None:
    """What a player knows, actions as ids or as texts; None within a play in sub-steps."""
    try:
        hand, actions, public = game.knowledge(state, player)
    except InputError:
        assert game.flat is not game
        return None
    if as_text:
        actions = [game.flat.text(a) if isinstance(a, int) and a >= 0 else a for a in actions]
        actions = ["?" if isinstance(a, int) else a for a in actions]
    return Knowledge(hand, actions, public)


def assert_rebuilt(game: Game, seed: int, games: int) -> int:
    """Compare views of every player at the positions of random games; return of how many."""
    compared = 0
    for number, state in enumerate(positions(game, seed, games)):
        if state.moves > 4 and number % 13 and not game.over(state):
            continue
        for player in range(game.num_players):
            known = told(game, state, player, bool(number % 2))
            if known:
                view = game.view_from(player, known.hand, known.actions, **known.public)
                assert view.tobytes() == game.view(state, player).tobytes(), known
                compared += 1
    return compared


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"pass_limit": 6, "classes": "random"},
        {"exchange": False, "classes": "random"},
        {"pass_limit": 6, "rounds": 4, "class_period": 3, "seat_period": 2},
    ],
    ids=str,
)
def test_rounds_that_passes_end_and_rounds_of_matches_are_rebuilt(options: dict[str, Any]) -> None:
    assert assert_rebuilt(make_game("daihinmin", **options), 2, 3) > 100


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "agents"),
    [
        ("doudizhu", {}, ("rule", "greedy", "decompose")),
        ("doudizhu", {"substeps": True, "bidding": True}, ("rule", "greedy")),
        ("daihinmin", {"classes": "random"}, ("default", "kou")),
        ("leduc", {}, ("equilibrium",)),
        ("chinese_poker", {}, ("separable",)),
    ],
    ids=str,
)
def test_agents_decide_the_same(name: str, options: dict[str, Any], agents: tuple[str]) -> None:
    game = make_game(name, **options)
    decided = 0
    for number, state in enumerate(positions(game, 3, 2)):
        player = int(state.player)
        known = told(game, state, player, True)
        if game.over(state) or not known or number % 5:
            continue
        view = game.view_from(player, known.hand, known.actions, **known.public)
        for agent in agents:
            answers = {
                make_agent(game, agent, 4).act(each) for each in (view, game.view(state, player))
            }
            assert len(answers) == 1
            decided += 1
    assert decided > 0


DEALS = {
    # The player, his hand, the actions and what else he knows, at a position that is sound.
    "doudizhu": (1, "3456789TTJJQKA22S", ["55"], {"public": "4TB"}),
    "auction": (1, "3456789TTJJQKA22S", ["BID1"], {}),
    "landlord": (0, "33344556677TTTA22SB", ["8", "PASS", "PASS"], {"public": "4TB"}),
    "open hand": (
        1,
        "3456789TTJJQKA22S",
        ["SHOW", "3"],
        {"public": "4TB", "shown": "344555666778899TQKB"},
    ),
    "uh_leduc": (0, "SK", ["check", "raise", "call"], {"flop": "SQ"}),
    "chinese_poker": (1, "AsKs6s5s3sQhQs8c3c2hJsJd9h", ["?"], {}),
    "daihinmin": (
        2,
        "3c4c4h7d8s9sTsKdAh2c",
        ["3d", "5h"],
        {"leader": 0, "dealt": (11, 11, 10, 10, 11)},
    ),
    "daifugo": (
        0,
        "4c4h5d5h7d8s9sTsKdAh2c",
        ["3c", "3h", "?", "3d"],
        {"leader": 3, "classes": "01234"},
    ),
    "daihinmin's": (
        4,
        "3c3h4c4h7d8s9sTsJcJd",
        ["3c", "3h", "?"],
        {"leader": 3, "classes": "01234", "paid": "QdQh"},
    ),
}
GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "auction": ("doudizhu", {"bidding": True}),
    "landlord": ("doudizhu", {}),
    "open hand": ("doudizhu", {"open_hand": True}),
    "daifugo": ("daihinmin", {"classes": "random"}),
    "daihinmin's": ("daihinmin", {"classes": "random"}),
}


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    # Of every game:
    ("doudizhu", {"player": 3}, "player is a seat of doudizhu, 0 to 2, not 3"),
    ("doudizhu", {"player": "1"}, "player is a seat, which is a whole number, not '1'"),
    ("doudizhu", {"hand": 7}, "hand is a text, not 7"),
    ("doudizhu", {"actions": "55"}, "actions are a list of ids or texts, not '55'"),
    ("doudizhu", {"actions": [None]}, "action 1, None: an action that is no text is"),
    ("doudizhu", {"actions": ["55", "?"]}, "action 2, [?]: the player has seen"),
    ("doudizhu", {"actions": [10**6]}, "action 1, 1000000: doudizhu has no action above 12654"),
    ("doudizhu", {"flop": "SQ"}, "view_from of doudizhu takes no 'flop'; it takes public, shown"),
    # Dou Dizhu:
    ("doudizhu", {"hand": "1456789TTJJQKA22S"}, "hand: '1' is not a card"),
    ("doudizhu", {"hand": "SS56789TTJJQKA22S"}, "hand: 3 cards 'S' .* more than the deck holds"),
    ("doudizhu", {"hand": "333456789TTJJQKAS", "public": "33B", "actions": []}, "^5 cards 3 are"),
    ("doudizhu", {"hand": "3456789TTJJQKA22"}, "player_1 holds 17 cards now, not 16"),
    ("doudizhu", {"public": None}, "there is a landlord: give the public cards"),
    ("doudizhu", {"public": "34"}, "there are 3 public cards, not 2"),
    ("doudizhu", {"public": "4TS"}, "2 cards S are held, played or public: more than"),
    ("doudizhu", {"actions": ["5-5"]}, "action 1, 5-5: '5-5' is not an action"),
    ("doudizhu", {"actions": ["55", "44"]}, r"action 2, 44: .* \(44\) is not legal for player_1"),
    ("doudizhu", {"actions": ["55", "PASS", "TTT"]}, "action 3, TTT: .* is not legal"),
    ("doudizhu", {"actions": ["5555"]}, "action 1, 5555: 5 cards 5 are held, played or public"),
    (
        "doudizhu",
        {"actions": ["333444555666", "PASS", "PASS", "7777"]},
        "action 4, 7777: 5 cards 7 are held, played or public",
    ),
    (
        "doudizhu",
        {
            "hand": "4444555566667777S",
            "public": "22B",
            "actions": ["3338", "PASS", "PASS", "999TTTJJJQQQ", "PASS", "PASS", "KKK8"],
        },
        "action 7, KKK8: the landlord has 0 cards left, too few for 22B",
    ),
    (
        "doudizhu",
        {"actions": ["3339", "PASS", "PASS", "888TTTJJJQQQ", "PASS", "PASS", "KKKAAA"]},
        "action 4, 888TTTJJJQQQ: .* is not a play",
    ),
    (
        "doudizhu",
        {"actions": ["3339", "PASS", "PASS", "444555666777", "PASS", "PASS", "KKKAAA"]},
        "action 7, KKKAAA: player_0 has only 4 cards left",
    ),
    ("doudizhu", {"passed": 1}, "passed, the number of passed deals, is at most 0, not 1"),
    ("auction", {"public": "4TB"}, "the public cards are not shown before there is a landlord"),
    ("auction", {"actions": ["BID2", "BID1"]}, "action 2, BID1: .* not legal for player_1"),
    ("auction", {"actions": ["PASS"] * 3}, "action 3, PASS: the cards are dealt again after it"),
    ("landlord", {"public": "4TK"}, "the public cards 4TK are neither held nor played"),
    ("doudizhu", {"shown": "3456"}, "shown: no other player has shown cards"),
    ("open hand", {"shown": None}, "shown: the landlord has shown all cards: give those held now"),
    ("open hand", {"shown": "34B"}, "shown: the landlord holds 19 cards now, not 3"),
    ("open hand", {"shown": "344555666778899TQKK"}, "the public cards 4TB are neither shown nor"),
    ("open hand", {"shown": "344555666777788TTTB"}, "5 cards 7 are held, played or shown: more"),
    # Leduc:
    ("uh_leduc", {"hand": "XX"}, "'XX' is not a card: cards are HJ, SJ"),
    ("uh_leduc", {"hand": "SJ", "flop": "SJ", "actions": []}, "is not revealed before the second"),
    ("uh_leduc", {"flop": None}, "the second phase has begun: give the flop"),
    ("uh_leduc", {"actions": ["check", "raise", "raise"]}, "action 3, raise: .* is not legal for"),
    ("uh_leduc", {"actions": ["call"]}, "action 1, call: .* is not legal for player_0"),
    ("uh_leduc", {"actions": ["bet"]}, "action 1, bet: 'bet' is not an action"),
    ("uh_leduc", {"actions": ["raise", "fold", "call"]}, "action 3, call: the game is over"),
    # Chinese Poker:
    ("chinese_poker", {"hand": "AsKs"}, "a hand has 13 cards, not 2"),
    ("chinese_poker", {"actions": ["abcde/fghij/klm"]}, "player_0 are not known: give the board"),
    ("chinese_poker", {"actions": [0]}, "action 1, 0: the cards of player_0 are not known"),
    (
        "chinese_poker",
        {"actions": ["AsKs6s5s3s/QhQs8c3c2h/JsJd9h"]},
        "action 1, .*: As appears twice",
    ),
    ("chinese_poker", {"actions": ["?", "?"]}, "action 2, [?]: the player has seen"),
    (
        "chinese_poker",
        {"actions": ["?", "JsJd9h3c2h/QhQs8c5s3s/AsKs6s"]},
        "action 2, .*: .* is not legal for player_1",
    ),
    (
        "chinese_poker",
        {"actions": ["?", "AsKs6s5s3s/QhQs8c3c2h/JsJd9h"]},
        "all hands are set: give the boards of all players",
    ),
    # Daihinmin:
    ("daihinmin", {"hand": "3c4c4h7d8s9sTsKdAh1c"}, "'1c' is not a card"),
    ("daihinmin", {"hand": "3c4c4h7d8s9sTsKdAh"}, "player_2 holds 10 cards now, not 9"),
    ("daihinmin", {"hand": "3c4c4h7d8s9sTsKdAh3d"}, "player_2 holds 3d, so player_0 did not lead"),
    ("daihinmin", {"hand": "3c4c4h7d8s9sTsKdAh5h"}, "action 2, 5h: 5h cannot be played twice, or"),
    ("daihinmin", {"actions": ["3d", "3d"]}, "action 2, 3d: .* is not legal for player_1"),
    ("daihinmin", {"actions": ["4d", "5h", "PASS", "4d"]}, "action 4, 4d: .* is not legal"),
    ("daihinmin", {"actions": ["5h", "8c", "3d"]}, "action 3, 3d: player_0 must hold 3d"),
    (
        "daihinmin",
        {"actions": ["5h6h7h8h9hThJhQhKh", "5c5d5s"]},
        "action 2, 5c5d5s: player_0 has only 2 cards left",
    ),
    ("daihinmin", {"actions": ["?"]}, "action 1, [?]: the player has seen"),
    ("daihinmin", {"leader": None}, "leader: say who showed 3d and led the first trick"),
    ("daihinmin", {"leader": 5}, "leader is a seat of daihinmin, 0 to 4, not 5"),
    ("daihinmin", {"leader": 2, "actions": []}, "player_2 led first, but neither holds 3d nor has"),
    ("daihinmin", {"dealt": None}, "dealt: give the number of cards dealt to each player"),
    ("daihinmin", {"dealt": (11, 11, 11, 11, 9)}, r"dealt: \(11, 11, 11, 10, 10\) in any order"),
    ("daihinmin", {"dealt": 53}, "cards dealt are 5 whole numbers, one for each player, not 53"),
    ("daihinmin", {"seats": "01233"}, "seats must be the digits 0 to 4 in some order, not '01233'"),
    ("daihinmin", {"classes": 7}, "classes is a text, not 7"),
    ("daihinmin", {"classes": "x"}, "classes must be the digits 0 to 4 in some order, not 'x'"),
    ("daihinmin", {"round_number": np.arange(2)}, "round_number is a whole number, not "),
    ("daihinmin", {"round_number": 1}, "'1:0,0,0,0,0' is not a round of 1"),
    ("daihinmin", {"points": (1, 2, 3)}, r"5 whole numbers, one for each player, not \(1, 2, 3\)"),
    ("daihinmin", {"paid": "2s"}, "paid: player_2 gives 0 cards as tax, not 1"),
    ("daihinmin", {"places": "01234"}, "places are given only for a last round that passes ended"),
    ("daifugo", {"actions": ["?", "3h", "?", "3d"]}, "action 1, [?]: the player has seen"),
    ("daifugo", {"actions": ["3c", "4h", "?", "3d"]}, "action 2, 4h: 4h was given back, but is in"),
    ("daifugo", {"actions": ["3h", "3c", "?", "3d"]}, "action 2, 3c: .* is not legal"),
    ("daifugo", {"actions": ["3c", "3h", "?", "3h"]}, "action 4, 3h: player_4 must hold 3h"),
    (
        "daifugo",
        {"actions": ["3c", "3h", "?", "3d", "2s"]},
        "player_4 has better cards than the tax that player_0 got",
    ),
    # Besides 3c3h, player_4 kept eight cards, 3s6d6h6s7c7d7h8c or better. Only 2c is above 8c.
    ("daifugo", {"hand": "4c4d4h4s5c5d5h5s6c7s2c"}, "player_4 has better cards than the tax"),
    ("daifugo", {"actions": ["3c"], "leader": None}, "action 1, 3c: .* not legal for player_0"),
    ("daifugo", {"actions": ["2c"], "leader": None}, "action 1, 2c: .* not legal for player_0"),
    ("daifugo", {"actions": [], "hand": "3c3h4c4h5d5h7d8s9sTsKdAh2c"}, "nobody leads in the exch"),
    ("daihinmin's", {"paid": "Qd"}, "paid: player_4 gives 2 cards as tax, not 1"),
    ("daihinmin's", {"paid": "QdTd"}, "the tax is the best cards, JdQd, not the ones paid"),
    ("daihinmin's", {"actions": ["3c", "?", "?"]}, "action 2, [?]: the player has seen"),
    ("daihinmin's", {"actions": ["3c", "3s", "?"]}, "3s is neither held nor played"),
    ("daihinmin's", {"actions": ["3c", "3h", "?", "Qh"]}, "action 4, Qh: player_0 must hold Qh"),
]  # fmt: skip


@pytest.mark.parametrize("case", DEALS)
def test_the_positions_behind_the_faults_are_sound(case: str) -> None:
    game, (player, hand, actions, public) = game_of(case), DEALS[case]
    view = game.view_from(player, hand, actions, **public)
    world = game.redeal(view, player, np.random.default_rng(5))
    assert game.view(world, player).tobytes() == view.tobytes()


def game_of(case: str) -> Game:
    name, options = GAMES.get(case, (case, {}))
    return make_game(name, **options)


@pytest.mark.parametrize(("case", "change", "message"), FAULTS)
def test_what_does_not_fit_is_told(case: str, change: dict[str, Any], message: str) -> None:
    player, hand, actions, public = DEALS[case]
    arguments = {"player": player, "hand": hand, "actions": actions, **public, **change}
    with pytest.raises(InputError, match=message) as error:
        game_of(case).view_from(**arguments)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("player", [0, 1])
def test_hands_set_out_of_order_are_not_told(player: int) -> None:
    """A copy with another player to act is a state of the game, but actions are by seat."""
    game = make_game("chinese_poker")
    state = game.deal(np.random.default_rng(1))
    state.player = 1
    game.play(state, int(game.legal(state)[0]))
    assert game.valid(state) == ""
    with pytest.raises(InputError, match="not set in the order of the seats"):
        game.knowledge(state, player)


def test_places_by_lot_are_asked_for_and_checked() -> None:
    """Of a round that passes ended somebody has to say who came in which place."""
    game = make_game("daihinmin", pass_limit=6)
    for state in positions(game, 6, 100):
        if game.over(state) and state.passes >= 6 and 0 in state.left:
            break
    else:
        pytest.fail("no such round")
    hand, actions, public = game.knowledge(state, 0)
    places = public.pop("places")
    with pytest.raises(InputError, match="places: passes ended the round, so give the place"):
        game.view_from(0, hand, actions, **public)
    for wrong in (places.replace("0", "x"), places.translate(str.maketrans("04", "40"))):
        with pytest.raises(InputError, match="places must"):
            game.view_from(0, hand, actions, places=wrong, **public)


def test_a_round_that_is_not_the_last_one_has_no_end() -> None:
    """After its last action the next round has been dealt."""
    game = make_game("daihinmin", rounds=2)
    last = None
    for state in positions(game, 7, 1):
        if state.round_number == 1:
            break
        last = state.copy()
    assert last is not None
    hand, actions, public = game.knowledge(last, 0)
    action = next(a for a in game.legal(last) if _ends_the_round(game, last, int(a)))
    with pytest.raises(InputError, match=f"action {len(actions) + 1}, .* are dealt again after it"):
        game.view_from(0, hand, [*actions, int(action)], **public)


def test_anybody_may_be_dealt_the_larger_hands_before_an_exchange() -> None:
    """In a deal that a person typed, say: dealing usually begins with the daifugo."""
    game = make_game("daihinmin")
    dealt = game.deal_text(game.deal(np.random.default_rng(1))).split(";")[2:]
    cards = re.findall(r"\*|..", "".join(dealt))
    hands = ["".join(cards[11 * i : 11 * i + 11]) for i in range(3)]
    hands = ["".join(cards[33:43]), "".join(cards[43:]), *hands]
    state = game.parse_deal(";".join(["01234", "01234", *hands]))
    for _ in range(5):
        for player in range(5):
            hand, actions, public = game.knowledge(state, player)
            assert public["dealt"] == [10, 10, 11, 11, 11]
            view = game.view_from(player, hand, actions, **public)
            assert view.tobytes() == game.view(state, player).tobytes()
        game.play(state, int(game.legal(state)[0]))


def _ends_the_round(game: Game, state: State, action: int) -> bool:
    after = state.copy()
    game.play(after, action)
    return after.round_number > state.round_number


@pytest.mark.parametrize("name", ["doudizhu", "daihinmin", "leduc", "chinese_poker"])
def test_examples_in_docstrings_are_true(name: str) -> None:
    results = doctest.testmod(import_module(f"closedhand.games.{name}.views"))
    assert results.attempted > 0 == results.failed


def test_the_example_of_the_guide_runs(capsys: pytest.CaptureFixture[str]) -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guide.md").read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```", guide, re.DOTALL)
    (program,) = (text for text in programs if "view_from" in text and "# KK" in text)
    exec(program, {})
    assert capsys.readouterr().out == "KK\n"


def test_a_game_without_the_function_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("closedhand.games.leduc.game.view_from")
    with pytest.raises(InputError, match="leduc builds no views from what a player knows"):
        make_game("leduc").view_from(0, "SK")

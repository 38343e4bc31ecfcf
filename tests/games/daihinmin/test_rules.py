"""Daihinmin: tables, notation, every rule in a position of its own, matches, card sets."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from support import examples
from support_daihinmin import EXCHANGE, TEXTS, duel, legal_one_by_one, wild

from closedhand import Game, InputError, make_game
from closedhand.core.explanations import why_not
from closedhand.core.game import State
from closedhand.games.daihinmin import card_sets, plays
from closedhand.games.daihinmin.exchange import can_pick, loser, winner
from closedhand.games.daihinmin.notation import parse_cards, parse_record
from closedhand.games.daihinmin.plays import CARDS, JOKER, PASS, cards_in
from closedhand.games.daihinmin.rules import begin, rewind
from closedhand.games.daihinmin.state import STATE

TABLE = plays.build()


def test_tables_have_the_sizes_of_the_facts() -> None:
    joker = [int(need) >> JOKER & 1 for need in TABLE.need[:PASS]]
    sizes = Counter(zip(np.minimum(TABLE.family[:PASS], 5).tolist(), joker, strict=True))
    assert [sizes[family, 0] for family in range(6)] == [52, 78, 52, 13, 0, 252]
    assert [sizes[family, 1] for family in range(6)] == [1, 156, 156, 52, 13, 1596]
    assert make_game("daihinmin").num_actions == PASS + 1 == 2422 == len(set(TEXTS))
    assert make_game("daihinmin", actions="card_sets").num_actions == 1952
    assert len(set(TABLE.need[:PASS].tolist())) == 1951
    columns = [TABLE[name][:PASS].tolist() for name in ("family", "low", "suits")]
    assert len(set(zip(*columns, joker, strict=True))) == 928
    for dtype in (STATE, make_game("daihinmin", seven_give=True).dtype):
        assert sum(dtype[name].itemsize for name in dtype.names) == dtype.itemsize, "padding"


def test_notation() -> None:
    game = make_game("daihinmin")
    for text in ("5c5h*", "7s8s*9s", "_c*3c4c", "*", "Ac2c_c*", "5c5d5h5s+*", "PASS"):
        assert game.text(game.parse(f" {text.lower()} ")) == text
    for wrong in ("", "5c5c", "3c4c", "5h5c", "*5c", "KcAc2c3c"):
        with pytest.raises(InputError, match="is not an action"):
            game.parse(wrong)


DEAL = ("3c3d4c5c6c7c8c9cTcJcQc;KcAc2c4d5d6d7d8d9dTdJd;QdKdAd2d3h4h5h6h7h8h9h;"
        "ThJhQhKhAh2h3s4s5s6s;7s8s9sTsJsQsKsAs2s*")  # fmt: skip


@pytest.mark.parametrize(
    ("deal", "message"),
    [("01234;-;3c", "5 hands, not 3"), ("01233;-;" + DEAL, "seats must be the digits"),
     ("01234;0123;" + DEAL, "classes must be the digits"),
     ("01234;-;" + DEAL + ";0:1", "not a round"),
     ("01234;-;" + DEAL.replace("*", "1c"), "'1c' is not a card"),
     ("01234;-;" + DEAL.replace("*", "3c"), "every card once"),
     ("01234;-;" + DEAL.replace("*", ""), r"the hands have \(11, 11, 11, 10, 10\)")],
)  # fmt: skip
def test_bad_deals(deal: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_game("daihinmin").parse_deal(deal)


def test_a_record_may_be_a_deal_alone() -> None:
    """Also one of a later round of a match."""
    game = make_game("daihinmin", rounds=2)
    for deal in (f"01234;-;{DEAL}", f"01234;-;{DEAL};1:5,4,3,2,1"):
        for actions in ((), ("3c3d", "PASS")):
            record = parse_record(";".join([deal, *actions]), game)
            assert (record.deal, record.actions) == (deal, actions)


def position(hands: str, moves: str, **options: Any) -> tuple[Game, State]:
    """Play from hands of any cards, between slashes; the holder of 3d leads."""
    game = make_game("daihinmin", illegal="error", **options)
    state = game.empty(1)[0]
    state.seats[:], state.classes[:] = range(5), -1
    state.hands[:] = [parse_cards(hand) for hand in hands.split("/")]
    begin(game.rules, state)
    for move in moves.split():
        game.play(state, game.parse(move))
    return game, state


# What it is about : hands : moves : who is to act and what he may do : rules that are off.
RULES = """
higher singles: 3d9h/9s8s2cTd/Kc/Kd/Kh: 9h: 1 Td 2c PASS
equal suits lock: 3d5c/6c9h/7c7d*/4d/4h: 5c 6c: 2 7c * PASS
no lock: 3d5c/6c9h/7c7d*/4d/4h: 5c 6c: 2 7c 7d * PASS: lock
other suits: 3d5c/6h9h/7c7d*/4d/4h: 5c 6h: 2 7c 7d * PASS
pairs lock: 3d5c5d/6c6d9h/7c7d7h*/4d/4h: 5c5d 6c6d: 2 7c7d 7c*7d 7c7d* PASS
sets of suits: 3d5c5d/6c6h/7c7d7h/4d/4h: 5c5d 6c6h: 2 7c7d 7c7h 7d7h PASS
the joker's suit: 3d5c5d/6c*9h/7c7d7h/4d/4h: 5c5d 6c6d*: 2 7c7d PASS
kaidan lock: 3c3d4c5c/9cTcJc2h/QcKcAcQdKdAd/4d/4h: 3c4c5c 9cTcJc: 2 QcKcAc PASS
locks end: 3d5c/6c9h/5s/4d/4h: 5c 6c P5: 1 9h PASS
kaidan beats above: 3d5c6c7c/7d8d9dTd/4c/4d/4h: 5c6c7c: 1 8d9dTd PASS
an 8 ends: 3d8c/9c/4c/4d/4h: 8c: 0 3d PASS
no eight-stop: 3d8c/9c/4c/4d/4h: 8c: 1 9c PASS: eight_stop
a pair of 8s: 3d8c*/9c9d/4c/4d/4h: 8c8d*: 0 3d PASS
the joker is an 8: 3d7c9c*/TcJcQc/4c/4d/4h: 7c8c*9c: 0 3d PASS
kaidan without an 8: 3d5c6c7c/TcJcQc/4c/4d/4h: 5c6c7c: 1 TcJcQc PASS
quads turn: 3d5c5d5h5s9c/4cAc/6c/6d/6h: 5c5d5h5s P5 9c: 1 4c PASS
five turns: 4d5d6d*3d9c/4cAc/6c/6h/6s: 3d4d5d6d7d* P5 9c: 1 4c PASS
four kaidan: 4d5d6d3d9c/4cAc/6c/6h/6s: 3d4d5d6d P5 9c: 1 Ac PASS
trips: 3d5c5d5h9c/4cAc/6c/6d/6h: 5c5d5h P5 9c: 1 Ac PASS
turned at once: 3d5c5d5h5s/4c4d4h4s6c6d6h6s/7c/7d/7h: 5c5d5h5s: 1 4c4d4h4s PASS
turned back: 3d5c5d5h5s/4c4d4h4s9c/3cAc/6d/6h: 5c5d5h5s 4c4d4h4s P5 9c: 2 Ac PASS
no revolution: 3d5c5d5h5s9c/4cAc/6c/6d/6h: 5c5d5h5s P5 9c: 1 Ac PASS: revolution
quad 8s turn: 3d8c8d8h8s9c/4cAc/6c/6d/6h: 8c8d8h8s 9c: 1 4c PASS
turned kaidan: 3d3c4c5c6c7c9cTcJc/5d6d7d8d9d/4d/4h/4s: 3c4c5c6c7c P5 9cTcJc: 1 5d6d7d 6d7d8d PASS
turned joker: 3d5c5d5h5s3h/4cAc*/6c/6d/6h: 5c5d5h5s P5 3h: 1 * PASS
3s over the joker: 3d*/3s2c/4c/4d/4h: *: 1 3s PASS
3s leads: 3d*/3s2c/4c/4d/4h: * 3s: 1 2c PASS
3s locked: 3d5c/6c9h/*2c/3s4d/4h: 5c 6c *: 3 3s PASS
3s turned: 3d5c5d5h5s*/3s4c/6c/6d/6h: 5c5d5h5s P5 *: 1 3s PASS
no 3s: 3d*/3s2c/4c/4d/4h: *: 1 PASS: spade_three
3s has passed: 3d5c*/3s9h/4c/4d/4h: 5c P4 *: 0 PASS
edges above: 3d5c6c7c/Ah2h*9s/4c/4d/4h: 5c6c7c: 1 Kh*Ah2h Ah2h_h* PASS
no edges: 3d5c6c7c/Ah2h*9s/4c/4d/4h: 5c6c7c: 1 Kh*Ah2h PASS: joker_edges
edges below: 3d4d*/5c/5d/5h/5s:: 0 3d 4d * 3c*3d 3d3h* 3d3s* 4c*4d 4d4h* 4d4s* _d*3d4d 3d4d5d* PASS
none: 3d4d*/5c/5d/5h/5s:: 0 3d 4d * 3c*3d 3d3h* 3d3s* 4c*4d 4d4h* 4d4s* 3d4d5d* PASS: joker_edges
no kaidan: 3d4d5d/6c/6d/6h/6s:: 0 3d 4d 5d PASS: kaidan
overplay: 3d5c6c9c/4c/4d/4h/4s: 5c P4 : 0 6c 9c PASS
no overplay: 3d5c6c/4c/4d/4h/4s: 5c P4 : 0 3d 6c PASS: overplay
a pass is final: 3d5cAc/7c9c/6cKc/4d/4h: 5c PASS 6c PASS PASS PASS: 2 Kc PASS
all pass: 3d5c/7c/6c/4d/4h: P5: 0 3d 5c PASS
leaders play: 3d5c/7c/6c/4d/4h:: 0 3d 5c: lead_pass
out with an 8: 8c/3d4c/5c6c/7c7d/9c9d: 3d PASS PASS PASS 8c: 1 4c PASS
the owner is out: 9c/3d4c/5c6c/7c7d/TcTd: 3d PASS PASS PASS 9c PASS: 1 4c PASS
"""


@pytest.mark.parametrize("rule", RULES.strip().splitlines())
def test_rules(rule: str) -> None:
    _, hands, moves, expected, *off = (part.strip() for part in rule.split(":"))
    options = {name: False for name in off}
    game, state = position(
        hands, moves.replace("P5", "P4 PASS").replace("P4", "PASS " * 4), **options
    )
    player, *legal = expected.split()
    assert (state.player, {*map(game.text, game.legal(state))}) == (int(player), {*legal})


def test_the_lone_joker_lifts_the_lock() -> None:
    for unlocks in (True, False):
        _, state = position("3d5c/6c9h/*2c/3s4d/4h", "5c 6c *", joker_unlocks=unlocks)
        assert state.lock == (0 if unlocks else 1)


@pytest.mark.parametrize("limit", [6, 20])
def test_passes_end_a_round_at_random(limit: int) -> None:
    places = Counter()
    for card in CARDS[40:52]:
        game, state = position(
            f"6c/3d4c{card}/Qs/7c7d/9c9d", "3d PASS PASS PASS 6c", pass_limit=limit
        )
        assert state.hands[0] == 0 and state.places[0] == 0
        for _ in range(limit - 1):
            game.play(state, PASS)
            assert not game.over(state)
        game.play(state, PASS)
        assert game.over(state) and sorted(game.returns(state)) == [1, 2, 3, 4, 5]
        assert game.returns(state)[0] == 5
        places[tuple(state.places.tolist())] += 1
    assert len(places) > 5


TAXED = ("01234;43210;3c4c5c6c7c8c9cQc2c2d2h;AcAdAhAs4d5d6d7d8d9dTd;QdKdJd2s3h4h5h6h7h8h9h;"
         "ThJhQhKh3s4s5s6s*Tc;7s8s9sTsJsQsKsJcKc3d")  # fmt: skip


def test_taxes_go_by_rank_then_suit_and_picks_ascend() -> None:
    game = make_game("daihinmin", illegal="error")
    state = game.parse_deal(TAXED)
    assert [cards_in(cards) for cards in state.taxed] == [["2d", "2h"], ["As"]]
    assert (state.player, winner(state, 0), loser(state, 0)) == (4, 4, 0)
    assert (winner(state, 1), loser(state, 1), state.left.tolist()) == (3, 1, [9, 10, 11, 11, 12])
    hand = cards_in(state.hands[4])
    assert [game.text(a) for a in game.legal(state)] == hand[:-1]
    game.play(state, game.parse("Ts"))
    assert [game.text(a) for a in game.legal(state)] == hand[hand.index("Ts") + 1 :]
    game.play(state, game.parse("2h"))
    assert state.player == 3
    assert [game.text(a) for a in game.legal(state)] == cards_in(state.hands[3])
    game.play(state, game.parse("*"))
    assert cards_in(state.hands[0])[-2:] == ["2c", "2h"] and "*" in cards_in(state.hands[1])
    assert "As" in cards_in(state.hands[3]) and "2d" in cards_in(state.hands[4])
    assert (state.player, state.leader) == (4, 4) and state.left.tolist() == [11, 11, 11, 10, 10]
    assert game.deal_text(state) == game.deal_text(game.parse_deal(TAXED))


@pytest.mark.parametrize("wrong", ["PASS", "3c", "2d2h"])
def test_illegal_picks_count_as_the_best_cards_and_3d_leads_after_them(wrong: str) -> None:
    game = make_game("daihinmin")
    state = game.parse_deal(TAXED)
    for pick in ("3d", wrong):
        game.play(state, game.parse(pick))
    assert state.returned[0] == parse_cards("3d2h")
    game.play(state, game.parse(wrong))
    assert state.returned[1] == parse_cards("*") and state.player == state.leader == 0
    state = game.parse_deal(TAXED)
    game.play(state, PASS)
    game.play(state, PASS)
    assert state.returned[0] == parse_cards("2d2h")


def test_only_cards_can_be_picked() -> None:
    """Not what a shift by a number of bits takes for a card."""
    game = make_game("daihinmin", **EXCHANGE)
    state = game.deal(np.random.default_rng(0))
    for card in game.legal(state).tolist():
        assert can_pick(state, card)
        assert not any(can_pick(state, card + 64 * turns) for turns in (-2, -1, 1))


def test_no_exchange_without_classes_or_where_the_rules_have_none() -> None:
    assert (make_game("daihinmin", exchange=False).parse_deal(TAXED).taxed == 0).all()
    assert (make_game("daihinmin").parse_deal(TAXED.replace("43210", "-")).leader) == 4


def test_matches_change_seats_reset_classes_and_add_up_points() -> None:
    game = make_game("daihinmin", rounds=9, class_period=5)
    rng = np.random.default_rng(0)
    state = game.deal(rng)
    seats, points, number = [], np.zeros(5), -1
    while not game.over(state):
        if state.round_number != number:
            number += 1
            assert state.round_number == number
            classes = 5 - (game.returns(state) - points)
            points = game.returns(state)
            assert state.classes.tolist() == ([-1] * 5 if number % 5 == 0 else classes.tolist())
            seats.append(tuple(state.seats))
            if number % 5:
                hands, ring = game.deal_text(state).split(";")[2:7], seats[-1] * 2
                order = ring[ring.index(winner(state, 0)) :][:5]
                sizes = [parse_cards(hands[each]).bit_count() for each in order]
                assert sizes == [11, 11, 11, 10, 10]
        game.play(state, int(rng.choice(game.legal(state))))
    assert [len({*seats[i : i + 3]}) for i in (0, 3, 6)] == [1, 1, 1]
    assert len({*seats}) == 3 and number == 8
    assert game.returns(state).sum() == 135 and (game.returns(state) >= 9).all()
    first = make_game("daihinmin", classes="random").deal(rng)
    assert sorted(first.classes) == [0, 1, 2, 3, 4] and (first.taxed > 0).all()


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"illegal": "error"}, {"joker_edges": False},
                                     {"lead_pass": False, "spade_three": False}])  # fmt: skip
def test_legal_actions_are_those_that_are_legal_one_by_one(options: dict[str, Any]) -> None:
    game, seen = make_game("daihinmin", **EXCHANGE, **options), set()
    for state in wild(game, 1, examples(30)):
        seen.add((state.leader < 0, bool(state.revolution), state.lock > 0))
        assert legal_one_by_one(game, state) == game.legal(state).tolist()
    assert len(seen) == 5, "the exchange; with and without revolution and lock"


@pytest.mark.slow
def test_card_sets_are_read_as_documented() -> None:
    game, flat = make_game("daihinmin", actions="card_sets"), make_game("daihinmin")
    sets = card_sets.sets()
    ids = {cards: i for i, cards in enumerate(sets)}
    choices = Counter()
    for number, state in enumerate(s.copy() for s in wild(game, 4, examples(60))):
        state.revolution ^= number % 2
        plays_of: dict[int, list[int]] = {}
        for play in flat.legal(state)[:-1].tolist():
            plays_of.setdefault(int(TABLE.need[play]), []).append(play)
        legal = game.legal(state)[:-1]
        assert [sets[a] for a in legal] == sorted(plays_of, key=ids.__getitem__)
        for action in legal.tolist():
            options = plays_of[sets[action]]
            expected = options[0]
            if TABLE.low[expected] < TABLE.high[expected]:
                pick = min if state.revolution else max
                expected = pick(options, key=lambda play: TABLE.low[play])
            elif state.target >= 0:
                suits = TABLE.suits[state.target]
                expected = next((p for p in options if TABLE.suits[p] == suits), expected)
            assert card_sets.reading(game.rules, state, action) == expected
            choices[len(options) > 1, options.index(expected), int(TABLE.family[expected]) > 4] += 1
    assert {(True, 0, False), (True, 1, False), (True, 1, True), (True, 0, True)} <= {*choices}


@pytest.mark.parametrize(
    "options",
    [
        {"classes": "random"},
        {"six_reverse": True},
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in ({"seven_give": True}, {"jokers": 2})
        ),
    ],
    ids=str,
)
def test_taking_all_plays_back_leads_to_the_first_lead(options: dict[str, Any]) -> None:
    """After the exchange, with cards that were given back where they came from."""
    game, rng = make_game("daihinmin", **options), np.random.default_rng(3)
    for _ in range(3):
        state = game.deal(rng)
        while state.leader < 0:
            game.play(state, int(rng.choice(game.legal(state))))
        start = state.copy()
        for _ in range(40):
            if not game.over(state):
                game.play(state, int(rng.choice(game.legal(state))))
        rewind(state)
        state.history[state.moves :] = start.history[state.moves :]
        assert state.tobytes() == start.tobytes()


@pytest.mark.parametrize(
    ("hand", "action", "revolution", "place"),
    [
        ("2s", "2s", 0, 4),
        ("2s", "2s", 1, 3),
        ("3s", "3s", 0, 3),
        ("3s", "3s", 1, 4),
        ("8c", "8c", 0, 4),
        ("*", "*", 0, 4),
        ("5c*", "5c5d*", 0, 4),
        ("7h8h9h", "7h8h9h", 0, 4),
        ("KhAh2h", "KhAh2h", 0, 4),
        ("KhAh2h", "KhAh2h", 1, 3),
        ("2c2d2h2s", "2c2d2h2s", 0, 4),  # the order is that before the revolution
        ("KcKd", "KcKd", 0, 3),
    ],
)
def test_a_forbidden_finish_is_last(hand: str, action: str, revolution: int, place: int) -> None:
    """With two players left the places are 3 and 4; without the option the first one out is 3."""
    for forbidden, expected in ((True, place), (False, 3)):
        game = make_game("daihinmin", forbidden_finish=forbidden)
        _, state = duel(hand, "4c4s6d6h9c")
        state.revolution = revolution
        game.play(state, game.parse(action))
        assert state.places.tolist() == [expected, 7 - expected, 0, 1, 2]
        assert game.over(state)


def test_forbidden_finishes_fill_the_places_from_the_end() -> None:
    """A daifugo who has not finished before the first good finish falls to the place above them."""
    game = make_game("daihinmin", forbidden_finish=True, capital_fall=True, classes="random")
    _, state = duel("2s", "3c4c")
    hands = [parse_cards(text) for text in ("2s", "2h", "3c", "4c5c", "6c7c")]
    state.hands[:], state.left[:] = hands, [1, 1, 1, 2, 2]
    state.played[:] = 0
    state.places[:], state.classes[:] = -1, [1, 2, 3, 0, 4]
    state.out, state.passed = 0, 0
    for action in ("2s", "PASS", "PASS", "PASS", "PASS"):
        game.play(state, game.parse(action))
    assert state.places.tolist() == [4, -1, -1, -1, -1]
    game.play(state, game.parse("2h"))
    while state.target >= 0:
        game.play(state, game.parse("PASS"))
    assert state.places.tolist() == [4, 3, -1, -1, -1]
    game.play(state, game.parse("3c"))
    assert state.places.tolist() == [4, 3, 0, 2, 1]
    assert game.over(state)


def test_who_has_fallen_is_told_beside_forbidden_finishes() -> None:
    """A forbidden finish has the last place, and the daifugo that falls after it the one above."""
    game = make_game("daihinmin", forbidden_finish=True, capital_fall=True, classes="random")
    _, state = duel("2s", "3c4c")
    hands = [parse_cards(text) for text in ("2s", "3c", "4c5c", "6c7c", "8c9c")]
    state.hands[:], state.left[:] = hands, [1, 1, 2, 2, 2]
    state.played[:] = 0
    state.places[:], state.classes[:] = -1, [1, 2, 3, 0, 4]
    state.out, state.passed = 0, 0
    names = game.feature_names

    def fallen() -> list[list[int]]:
        seen, numbers = game.observe(state, 0)["house"], game.features(state, 0)
        at = names.index("fallen self")
        return [seen[2:].tolist(), numbers[at : at + 5].tolist()]

    for action in ("2s", "PASS", "PASS", "PASS", "PASS"):
        game.play(state, game.parse(action))
    assert state.places.tolist() == [4, -1, -1, -1, -1]
    assert fallen() == [[0] * 5] * 2
    game.play(state, game.parse("3c"))
    assert state.places.tolist() == [4, 0, -1, 3, -1]
    assert fallen() == [[0, 0, 0, 1, 0]] * 2


@pytest.mark.parametrize(
    ("plays", "hand", "legal"),
    [
        (["5c", "6d"], "7c9c2c*", {"7c", "*", "PASS"}),
        (["5c", "7d"], "9c2cTs", {"9c", "2c", "Ts", "PASS"}),
        (["5c5d", "6c6h"], "7c7d9c9d", {"7c7d", "PASS"}),
        (["5c", "7d", "9s"], "TcJc", {"Tc", "Jc", "PASS"}),
        (["3c4c5c", "6h7h8h"], "TsJsQs", {"PASS"}),
        (["3c4c5c", "6h7h8h"], "9sTsJsQs", {"9sTsJs", "PASS"}),
    ],
)
def test_numbers_lock(plays: list[str], hand: str, legal: set[str]) -> None:
    """Two plays of adjacent ranks bind; a lone joker is free, as it is from the lock of suits."""
    game = make_game("daihinmin", number_lock=True, lock=False, eight_stop=False)
    hands = ["", ""]
    for number, play in enumerate(plays):
        hands[number % 2] += play
    hands[len(plays) % 2] += hand
    _, state = duel(f"{hands[0]}3d", f"{hands[1]}3h")
    for play in plays:
        game.play(state, game.parse(play))
    assert {game.text(int(action)) for action in game.legal(state)} == legal


def test_a_locked_number_is_given_as_the_reason() -> None:
    game = make_game("daihinmin", number_lock=True)
    _, state = duel("5c9h", "6dAc3h")
    for play in ("5c", "6d"):
        game.play(state, game.parse(play))
    reason = why_not(game, state, game.parse("9h"))
    assert "the numbers are locked: it takes the next rank" in reason
    for option in ("seven_give", "ten_discard"):
        with pytest.raises(InputError, match="number_lock is not played with"):
            make_game("daihinmin", number_lock=True, **{option: True})

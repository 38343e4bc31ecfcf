"""The notation of Chinese Poker: cards, hands, boards, deals, records, tables, and bad input."""

import doctest
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from reference import chinese_poker as reference
from support_boards import ALICE, BOB, FOUL, GAME, PLAIN, THIRD, as_board, set_boards
from support_notation import format_record

from closedhand import Game, InputError, make_game
from closedhand.core import contract
from closedhand.core.records import parse_line, replay
from closedhand.games.chinese_poker import notation, plays
from closedhand.games.chinese_poker.plays import ARRANGEMENTS, BACK, CARDS, FRONT

TABLES = GAME.rules.tables
SUBSTEPS = make_game("chinese_poker", substeps=True)
DEAL = f"{ALICE};{BOB}".replace("/", "")
SPADES = "AsKsQsJsTs9s8s7s6s5s4s3s2s"
HEARTS = SPADES.replace("s", "h")


def spelled(cards: list[int], draw: Any) -> str:
    """Cards in any order and in any of the ways to write them."""
    out = []
    for card in draw.sample(cards, len(cards)):
        rank, suit = CARDS[card]
        rank = draw.choice(["10", "T", "t"] if rank == "T" else [rank, rank.lower()])
        suit = draw.choice([suit, suit.upper(), "♣♦♥♠"["cdhs".index(suit)]])
        out.append(rank + suit + draw.choice(("", " ", ", ", "\t")))
    return "".join(out)


def test_a_hand_can_be_written_in_many_ways() -> None:
    for hand in ("A♠10♠9♠ 8♠7♥6♥5♥ 4♦3♦2♦ 2♣K♣Q♣", "as 10s 9S 8s, 7h6h 5h, 4d 3d 2d, 2c kC qc"):
        assert notation.cards_text(notation.parse_hand(hand)) == "AsKcQcTs9s8s7h6h5h4d3d2d2c"


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(
    st.permutations(range(52)),
    st.integers(0, ARRANGEMENTS - 1),
    st.randoms(use_true_random=False),
)
def test_hands_boards_and_actions_round_trip(deck: list[int], action: int, draw: Any) -> None:
    """A board, the arrangement as cards and as positions, flat and in sub-steps."""
    hands = [sorted(deck[:13], reverse=True), sorted(deck[13:26], reverse=True)]
    deal = ";".join(map(notation.cards_text, hands))
    assert notation.parse_cards(notation.cards_text(deck)) == deck
    assert notation.parse_hand(spelled(deck[:13], draw)).tolist() == hands[0]
    state = GAME.parse_deal(deal)
    assert GAME.deal_text(state) == deal
    cards = [hands[0][i] for i in TABLES.positions[action]]
    parts = cards[:5], cards[5:10], cards[10:]
    back, _, front = map(notation.cards_text, parts)
    board = "/".join(map(notation.cards_text, parts))
    assert GAME.text(action, state) == board == notation.board_text(TABLES, hands[0], action)
    fields = [spelled(part, draw) for part in parts]
    for written in (board, GAME.text(action), "/".join(fields), "/".join(fields[:2])):
        assert GAME.parse(written, state) == action
    for written in (board, "/".join(fields)):
        hand, arrangement = notation.parse_board(written)
        assert (hand.tolist(), arrangement) == (hands[0], action)

    state = SUBSTEPS.parse_deal(deal)
    first, second = action // 56, 1287 + action % 56
    assert SUBSTEPS.text(first, state) == back
    for written in (back, fields[0], SUBSTEPS.text(first)):
        assert SUBSTEPS.parse(written, state) == first
    contract.play(SUBSTEPS.rules, state, first)
    assert SUBSTEPS.text(second, state) == "/" + front
    for written in ("/" + fields[2], fields[2], SUBSTEPS.text(second)):
        assert SUBSTEPS.parse(written, state) == second


def test_positions_are_letters() -> None:
    assert (GAME.text(0), GAME.text(ARRANGEMENTS - 1)) == ("abcde/ijklm/fgh", "ijklm/abcde/fgh")
    assert GAME.parse("edcba/jihgf/mlk") == GAME.parse("abcde/fghij/klm") == 55
    assert [SUBSTEPS.text(i) for i in (0, 1286, 1287, 1342)] == ["abcde", "ijklm", "/abc", "/fgh"]


def test_names_tell_strengths_apart() -> None:
    for part, number in enumerate(plays.STRENGTHS):
        assert len(set(plays.names(part))) == number
    assert plays.names(FRONT)[-1] == "AAA"
    assert plays.names(BACK)[-1] == "A straight flush"


# Bad input.


def read_game(line: str) -> Any:
    return replay(parse_line(line, "chinese_poker"))


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (GAME.parse_deal, f"{SPADES};{HEARTS[:-2]}As", "As appears twice"),
        (GAME.parse_deal, SPADES, "a deal must have 2 hands, not 1"),
        (GAME.parse_deal, f"{SPADES[:-2]}1s;{HEARTS}", "'1s' is not a card"),
        (GAME.parse_deal, f"{SPADES};*", r"'\*' is not a card"),
        (GAME.parse_deal, f"{SPADES[:-1]};{HEARTS}", "'2' is not a card"),
        (notation.parse_board, "AsKs6s5s3s/QhQs8c3c2h", "back/middle/front"),
        (notation.parse_board, "AsKs6s5s3s/QhQs8c3c2h/Js/Jd9h", "back/middle/front"),
        (notation.parse_board, "AsKs6s5s/QhQs8c3c2h/JsJd9h3s", "five cards in the back"),
        (notation.parse_board, "AsKs6s5s3/sQhQs8c3c2h/JsJd9h", "not a card"),
        (read_game, f"{ALICE};{BOB};{THIRD}", "a deal must have 2 hands, not 3"),
        (read_game, f"{ALICE};{ALICE}", "As appears twice"),
        (read_game, f"{FOUL};{PLAIN}", "action 1, .* is not legal for player_0"),
        (read_game, "", "back/middle/front"),
    ],
)
def test_bad_deals_boards_and_records_are_refused(reader: Any, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reader(text)


@pytest.mark.parametrize(
    ("game", "actions", "message"),
    [
        (GAME, ["AsKs6s5s3s/QhQs8c3c2h/JsJd"], "5, 5 and 3 cards"),
        (GAME, [""], "5, 5 and 3 cards"),
        (GAME, ["AsKs6s5s3s/QhQs8c3c2h/JsJd9s"], "9s is not in the hand"),
        (GAME, ["AsKs6s5s3s/QhQs8c3c2h/JsJdJd"], "Jd appears twice"),
        (GAME, ["abcde/fghij/kln"], "not a card"),
        (SUBSTEPS, ["AsKs6s5s"], "a back has five cards"),
        (SUBSTEPS, ["/JsJd9h"], "a back has five cards"),
        (SUBSTEPS, ["AsKs6s5s3s", "/AsJd9h"], "three cards that are not in the back"),
        (SUBSTEPS, ["AsKs6s5s3s", "QhQs8c3c2h/JsJd9h"], "three cards that are not in the back"),
        (SUBSTEPS, ["AsKs6s5s3s", "/ThJdJs"], "Th is not in the hand"),
    ],
)
def test_bad_actions_are_refused(game: Game, actions: list[str], message: str) -> None:
    state = game.parse_deal(DEAL)
    *before, last = actions
    for action in before:
        game.play(state, game.parse(action, state))
    with pytest.raises(InputError, match=message):
        game.parse(last, state)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rules": "2-4"}, "rules is 4-2 or 1-6, not '2-4'"),
        ({"players": 1}, "players is a whole number from 2 to 4, not 1"),
        ({"players": "5"}, "players is a whole number from 2 to 4, not '5'"),
        ({"players": True}, "players is a whole number from 2 to 4, not True"),
        ({"players": 2.0}, "players is a whole number from 2 to 4, not 2.0"),
        ({"players": 3.0}, "players is a whole number from 2 to 4, not 3.0"),
        ({"fouls": 1}, "fouls is true or false, not 1"),
        ({"fouls": None}, "fouls is true or false, not None"),
        ({"jokers": True}, "no option 'jokers'"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], message: str) -> None:
    """An option of another type too, though it equals one with which a game was made before."""
    for good in ({"players": 2}, {"players": 3}, {"fouls": True}):
        make_game("chinese_poker", **good)
    with pytest.raises(InputError, match=message):
        make_game("chinese_poker", **options)


@st.composite
def misspelled(draw: Any) -> str:
    """Text of a deal, a board, positions, …, with a few characters changed."""
    lines = [ALICE, BOB, f"{ALICE};{BOB}", DEAL, "AsKs6s5s3s", "/JsJd9h", "A♠10♠9♠8♠6♠"]
    line = draw(st.sampled_from([*lines, "abcde/fghij/klm", "abcde", "/fgh", ""]))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(line)))
        end = at + draw(st.integers(0, 2))
        odd = st.text(alphabet="AsKQJT1029hdc♠/;, *abmnzß\n", max_size=2)
        line = line[:at] + draw(odd | st.text(max_size=2)) + line[end:]
    return line


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(st.text(max_size=60) | misspelled())
def test_any_text_is_understood_or_an_input_error(line: str) -> None:
    fresh, started = GAME.parse_deal(DEAL), SUBSTEPS.parse_deal(DEAL)
    SUBSTEPS.play(started, SUBSTEPS.parse("AsKs6s5s3s", started))
    readers = [
        (notation.parse_cards, lambda cards: len(set(cards)) == len(cards)),
        (notation.parse_hand, lambda hand: (np.diff(hand) < 0).all()),
        (
            notation.parse_board,
            lambda board: notation.parse_board(notation.board_text(TABLES, *board))[1] == board[1],
        ),
        (GAME.parse, lambda action: GAME.parse(GAME.text(action)) == action),
        (SUBSTEPS.parse, lambda action: SUBSTEPS.parse(SUBSTEPS.text(action)) == action),
        (GAME.parse_deal, lambda state: GAME.parse_deal(GAME.deal_text(state)) == state),
        (lambda text: notation.parse_record(text, GAME), lambda record: len(record.actions) == 2),
        (lambda text: GAME.parse(text, fresh), lambda action: 0 <= action < 72072),
        (lambda text: GAME.parse(text, GAME.view(fresh, 1)), lambda action: action >= 0),
        (lambda text: SUBSTEPS.parse(text, fresh), lambda action: 0 <= action < 1343),
        (lambda text: SUBSTEPS.parse(text, started), lambda action: 0 <= action < 1343),
    ]
    for reader, is_sound in readers:
        try:
            found = reader(line)
        except InputError as error:
            assert "\n" not in str(error)
        else:
            assert is_sound(found)


# Records and tables.


@pytest.mark.parametrize(
    ("boards", "options"),
    [
        ([ALICE, BOB], {"rules": "4-2"}),
        ([ALICE, BOB], {"rules": "1-6"}),
        ([ALICE, BOB, THIRD], {"players": 3, "rules": "4-2"}),
        ([FOUL, PLAIN], {"fouls": True, "rules": "4-2"}),
    ],
)
def test_a_line_of_boards_is_a_record(boards: list[str], options: dict[str, Any]) -> None:
    game = make_game("chinese_poker", **options)
    record = parse_line(";".join(boards), "chinese_poker", **options)
    assert record == notation.parse_record(f" {' ; '.join(boards)} ;\n", game)
    assert record.rules == {"players": 2, **options}
    assert record.actions == tuple(boards)
    state = replay(record)
    options = {name: options[name] for name in options if name != "players"}
    assert game.returns(state).tolist() == reference.score(list(map(as_board, boards)), **options)
    written = format_record(game, state)
    assert game.save(replay(notation.parse_record(written, game))) == game.save(state)
    assert sorted(written) == sorted(";".join(boards))


def test_the_table_says_what_boards_are_and_win() -> None:
    game = make_game("chinese_poker", rules="1-6", fouls=True)
    ends = ((ALICE, BOB), (FOUL, PLAIN))
    assert [row.note for end in ends for row in game.scene(set_boards(game, *end))] == [
        "AK653 flush / QQ-8-3-2 / JJ-9: +1",
        "KQ654 flush / K6543 flush / T-9-7: -1",
        "J8752 flush / AAA-xx / QQQ, a foul: -6",
        "99-44-3 / T-8-6-5-2 / 7-5-2: +6",
    ]


def test_the_table_shows_cards_that_are_known() -> None:
    state = SUBSTEPS.parse_deal(DEAL)
    SUBSTEPS.play(state, SUBSTEPS.parse("AsKs6s5s3s", state))
    rows = SUBSTEPS.scene(SUBSTEPS.view(state, 0))
    assert "".join(rows[0].cards) == "AsKs6s5s3s QsQhJsJd9h8c3c2h"
    assert [row.active for row in rows] == [True, False]
    assert rows[1].cards == ("",) * 13
    SUBSTEPS.play(state, SUBSTEPS.parse("/JsJd9h", state))
    rows = SUBSTEPS.scene(SUBSTEPS.view(state, 1))
    assert (rows[0].cards, rows[0].note) == (("",) * 13, "has set a hand")
    assert [row.active for row in rows] == [False, True]


@pytest.mark.parametrize("module", [plays, notation])
def test_examples_in_docstrings_come_out(module: Any) -> None:
    results = doctest.testmod(module)
    assert results.failed == 0
    assert results.attempted > 0


def test_every_back_that_is_chosen_is_shown_as_such() -> None:
    """The first of them, of the first five cards, as well."""
    for back in ("abcde", "abcdf", "ijklm"):
        state = SUBSTEPS.parse_deal(DEAL)
        SUBSTEPS.play(state, SUBSTEPS.parse(back))
        rows = [row.note for row in SUBSTEPS.scene(state)]
        assert rows == ["the back is chosen", ""], back

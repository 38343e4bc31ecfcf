"""The notation of the course slides: states, example games, records."""

import pytest
from hypothesis import given, strategies as st
from support_leduc import UH, play

from closedhand import InputError, make_game
from closedhand.core.records import replay
from closedhand.games.leduc.notation import (
    SlideEnd,
    SlideState,
    format_record,
    parse_record,
    parse_state,
    state_text,
)

# The six example games of the slides: betting, end, and what S wins. Their cards are pictures;
# these are some with which the stated payoffs come out.
EXAMPLES = [
    ("SK;HQ;HK;check raise call raise raise call", "WL10", 10),
    ("SK;HQ;HK;raise call raise fold", "PS4", 4),
    ("SK;HQ;SQ;check raise call check check", "WL4", -4),
    ("HJ;HQ;SK;check check fold", "PT1", -1),
    ("SQ;SQ;SA;raise raise call raise raise call", "WL13", 0),
    ("HJ;SA;SK;check check raise fold", "PS1", 1),
]


@pytest.mark.parametrize(("line", "end", "payoff"), EXAMPLES)
def test_the_example_games_of_the_slides(line: str, end: str, payoff: int) -> None:
    record = parse_record(line, UH)
    state = replay(record)
    assert state_text(UH, state) == end
    assert UH.returns(state).tolist() == [payoff, -payoff]
    assert format_record(UH, state) == line


@pytest.mark.parametrize(
    ("actions", "text"),
    [
        ("", "(s1,1,1,SK,*)"),
        ("raise", "(t1,4,1,HQ,*)"),
        ("check raise", "(s1,1,4,SK,*)"),
        ("raise raise call", "(s2,7,7,SK,SA)"),
        ("check check raise call", "WL4"),
        ("raise fold", "PS1"),
    ],
)
def test_states_print_as_on_the_slides_and_parse(actions: str, text: str) -> None:
    state = play(UH, "SK;HQ;SA", actions)
    assert state_text(UH, state) == text
    assert str(parse_state(UH, text)) == text
    spaced = text.replace(",", " , ").replace("s1", "s 1").replace("WL", "WL ")
    assert str(parse_state(UH, spaced)) == text


def test_a_view_has_no_more_cards_than_the_deck() -> None:
    leduc = make_game("leduc")
    with pytest.raises(InputError, match="the deck does not hold 2 cards SK"):
        leduc.view_from(0, "SK", ["raise", "call"], flop="SK")
    # What is not seen may be any cards, but for those that are.
    for hand, flop in (("HJ", "SJ"), ("SJ", "HJ"), ("SK", "HK")):
        view = leduc.view_from(1, hand, ["raise", "call"], flop=flop)
        assert leduc.deal_text(view) == f"*;{hand};{flop}"


def test_parsed_states_say_what_is_known() -> None:
    assert parse_state(UH, "(t2,7,4,HJ,SA)") == SlideState("t2", (7, 4), "HJ", "SA")
    assert parse_state(UH, "PT7") == SlideEnd("PT", 7)
    # The slides leave the own card out of some states.
    assert parse_state(UH, "(s2,1,1,SA)") == SlideState("s2", (1, 1), "*", "SA")
    assert str(parse_state(UH, "(s2,1,1,*,SA)")) == "(s2,1,1,*,SA)"
    with pytest.raises(InputError, match=r"the flop is \* in phase 1"):
        parse_state(UH, "(s1,1,1,SA)")


def test_a_view_shows_no_card_that_it_hides() -> None:
    view = UH.view(play(UH, "SK;HQ;SJ"), 1)
    assert state_text(UH, view) == "(s1,1,1,*,*)"
    assert UH.deal_text(view) == "*;HQ;*"


def test_a_picture_shows_both_players_and_the_flop_once_it_lies_there() -> None:
    state = play(UH, "SK;HQ;SA", "check raise")
    rows = UH.scene(state)
    assert [row.cards for row in rows] == [("SK",), ("HQ",), ("",)]
    assert [(row.player, row.role, row.active) for row in rows[:2]] == [
        (0, "S", True), (1, "T", False),
    ]  # fmt: skip
    assert [row.marks for row in rows[:2]] == [("bets 1",), ("bets 4",)]
    assert rows[2].note == "check raise"
    rows = UH.scene(UH.view(play(UH, "SK;HQ;SA", "raise call"), 1))
    assert [row.cards for row in rows] == [("",), ("HQ",), ("SA",)]


@pytest.mark.parametrize("line", ["SK;HQ;SJ", "SK;HQ;SJ;", " SK;HQ;SJ; check "])
def test_records_of_games_that_have_just_begun(line: str) -> None:
    record = parse_record(line, UH)
    assert record.deal == "SK;HQ;SJ"
    assert record.actions == (("check",) if "check" in line else ())
    assert parse_record(format_record(UH, replay(record)), UH) == record


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(s1,9,9,SK,*)", "has no state s1,9,9"),
        ("(s1,1,4,SX,*)", "'SX' is not a card"),
        ("(s1,1,4,SK,SA)", "the flop is"),
        ("(s2,4,4,SK,*)", "the flop is"),
        ("WL5", "has no end WL5"),
        ("PS13", "has no end PS13"),
        ("(s1,01,004,SK,*)", "neither a state"),
        ("(s1," + "1" * 5000 + ",1,SK,*)", "neither a state"),
        ("hello", "neither a state"),
        ("", "neither a state"),
    ],
)
def test_what_is_no_state_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_state(UH, text)


def test_a_deck_with_one_card_of_a_kind_holds_no_two() -> None:
    with pytest.raises(InputError, match="the deck holds one SK only"):
        parse_state(make_game("leduc"), "(s2,3,3,SK,SK)")


@given(st.text(max_size=20))
def test_any_text_is_a_state_or_an_input_error(text: str) -> None:
    try:
        parsed = parse_state(UH, text)
    except InputError:
        return
    assert parse_state(UH, str(parsed)) == parsed

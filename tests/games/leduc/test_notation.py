"""The notation of the Leduc family: example games of the course slides, records."""

import pytest
from support_leduc import UH, play, state_text
from support_notation import format_record

from closedhand import InputError, make_game
from closedhand.core.records import replay
from closedhand.games.leduc.notation import parse_record

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
def test_states_are_those_of_the_slides(actions: str, text: str) -> None:
    assert state_text(UH, play(UH, "SK;HQ;SA", actions)) == text


def test_a_view_has_no_more_cards_than_the_deck() -> None:
    leduc = make_game("leduc")
    with pytest.raises(InputError, match="the deck does not hold 2 cards SK"):
        leduc.view_from(0, "SK", ["raise", "call"], flop="SK")
    # What is not seen may be any cards, but for those that are.
    for hand, flop in (("HJ", "SJ"), ("SJ", "HJ"), ("SK", "HK")):
        view = leduc.view_from(1, hand, ["raise", "call"], flop=flop)
        assert leduc.deal_text(view) == f"*;{hand};{flop}"


def test_a_view_shows_no_card_that_it_hides() -> None:
    view = UH.view(play(UH, "SK;HQ;SJ"), 1)
    assert state_text(UH, view) == "(s1,1,1,*,*)"
    assert UH.deal_text(view) == "*;HQ;*"


def test_a_picture_shows_both_players_and_the_flop_once_it_lies_there() -> None:
    state = play(UH, "SK;HQ;SA", "check raise")
    rows = UH.scene(state)
    assert [row.cards for row in rows] == [("SK",), ("HQ",), ("",)]
    assert [(row.seat, row.active) for row in rows[:2]] == [(0, True), (1, False)]
    assert [row.marks for row in rows] == [("bets 1",), ("bets 4",), ("pot 5",)]
    assert rows[2].note == "check raise"
    rows = UH.scene(UH.view(play(UH, "SK;HQ;SA", "raise call"), 1))
    assert [row.cards for row in rows] == [("",), ("HQ",), ("SA",)]


@pytest.mark.parametrize("line", ["SK;HQ;SJ", "SK;HQ;SJ;", " SK;HQ;SJ; check "])
def test_records_of_games_that_have_just_begun(line: str) -> None:
    record = parse_record(line, UH)
    assert record.deal == "SK;HQ;SJ"
    assert record.actions == (("check",) if "check" in line else ())
    assert parse_record(format_record(UH, replay(record)), UH) == record

"""The Leduc family against the course slides: cards, state graph, example games, notation."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from support import positions

from closedhand import Game, InputError, make_game
from closedhand.core.records import replay
from closedhand.games.leduc.notation import (
    SlideEnd,
    SlideState,
    format_record,
    parse_record,
    parse_state,
    state_text,
)
from closedhand.games.leduc.plays import ACTIONS, graph

UH = make_game("uh_leduc")

# State by state: what each action leads to.
GRAPH = {
    "s1,1,1": {"raise": "t1,4,1", "check": "t1,1,1"},
    "t1,1,1": {"raise": "s1,1,4", "check": "s2,1,1"},
    "s1,1,4": {"fold": "PT1", "call": "s2,4,4"},
    "t1,4,1": {"fold": "PS1", "call": "s2,4,4", "raise": "s1,4,7"},
    "s1,4,7": {"fold": "PT4", "call": "s2,7,7"},
    "s2,1,1": {"raise": "t2,4,1", "fold": "PT1"},
    "t2,4,1": {"raise": "s2,4,7", "call": "WL4", "fold": "PS1"},
    "s2,4,4": {"raise": "t2,7,4", "check": "t2,4,4"},
    "t2,4,4": {"raise": "s2,4,7", "check": "WL4"},
    "t2,7,4": {"raise": "s2,7,10", "call": "WL7", "fold": "PS4"},
    "s2,4,7": {"call": "WL7", "fold": "PT4"},
    "s2,7,7": {"raise": "t2,10,7", "check": "t2,7,7"},
    "t2,7,7": {"raise": "s2,7,10", "check": "WL7"},
    "t2,10,7": {"raise": "s2,10,13", "call": "WL10", "fold": "PS7"},
    "s2,7,10": {"call": "WL10", "fold": "PT7"},
    "s2,10,13": {"call": "WL13", "fold": "PT10"},
}
ENDS = {"WL4", "WL7", "WL10", "WL13", "PS1", "PS4", "PS7", "PT1", "PT4", "PT7", "PT10"}

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


def play(game: Game, deal: str, actions: str = "") -> Any:
    state = game.parse_deal(deal)
    for action in actions.split():
        game.play(state, game.parse(action))
    return state


def test_the_state_graph_is_that_of_the_slides() -> None:
    assert graph(UH.rules.tables) == GRAPH
    assert (len(GRAPH), sum(map(len, GRAPH.values())), len(ENDS)) == (16, 36, 11)
    assert {end for edges in GRAPH.values() for end in edges.values()} - set(GRAPH) == ENDS


@pytest.mark.parametrize("options", [{}, {"pair": "card"}, {"double_pair": "split"}])
def test_games_walk_the_graph(options: dict[str, str]) -> None:
    game = make_game("uh_leduc", **options)
    visited = set()
    for state in positions(game, seed=1, games=400):
        name = state_text(game, state)
        if game.over(state):
            assert name in ENDS
            assert abs(game.returns(state)[0]) in (int(name[2:]), 0)
        else:
            name = name.rsplit(",", 2)[0].strip("(")
            assert {ACTIONS[action] for action in game.legal(state)} == set(GRAPH[name])
        visited.add(name)
    assert visited == set(GRAPH) | ENDS


@pytest.mark.parametrize(("line", "end", "payoff"), EXAMPLES)
def test_the_example_games_of_the_slides(line: str, end: str, payoff: int) -> None:
    record = parse_record(line, UH)
    state = replay(record)
    assert state_text(UH, state) == end
    assert UH.returns(state).tolist() == [payoff, -payoff]
    assert format_record(UH, state) == line


@pytest.mark.parametrize(
    ("options", "deal", "payoff"),
    [
        # Cards alone: the order of ranks, then that of suits.
        ({}, "SA;HA;SJ", 4),
        ({}, "HA;SK;SJ", 4),
        ({}, "HQ;SJ;SK", 4),
        ({}, "HQ;SQ;SK", -4),
        ({}, "SQ;SQ;SK", 0),
        # A pair beats the highest card.
        ({}, "HJ;SA;HJ", 4),
        ({}, "HJ;SA;SJ", 4),
        ({"pair": "card"}, "HJ;SA;SJ", -4),
        ({"pair": "card"}, "HJ;SA;HJ", 4),
        # Two pairs.
        ({}, "HQ;SQ;SQ", -4),
        ({}, "SQ;HQ;HQ", 4),
        ({}, "SQ;SQ;HQ", 0),
        ({"double_pair": "split"}, "HQ;SQ;SQ", 0),
        ({"pair": "card"}, "HQ;SQ;SQ", -4),
        ({"pair": "card"}, "HQ;SQ;HQ", 4),
        ({"pair": "card", "double_pair": "split"}, "HQ;SQ;HQ", 4),
    ],
)
def test_showdowns(options: dict[str, str], deal: str, payoff: int) -> None:
    game = make_game("uh_leduc", **options)
    state = play(game, deal, "raise call check check")
    assert game.returns(state).tolist() == [payoff, -payoff]


def test_standard_showdowns_and_raises() -> None:
    game = make_game("leduc")
    assert game.returns(play(game, "SK;HK;SQ", "raise call check check")).tolist() == [0, 0]
    assert game.returns(play(game, "SJ;HK;HJ", "raise call check check")).tolist() == [3, -3]
    highest = "check raise raise call check raise raise call"
    assert game.returns(play(game, "SQ;HK;HJ", highest)).tolist() == [-13, 13]
    assert state_text(game, play(game, "SQ;HK;HJ", "raise raise call raise")) == "(t2,9,5,HK,HJ)"


def test_cards_come_as_often_as_the_deck_holds_them() -> None:
    rng = np.random.default_rng(2)
    deals = np.array([UH.deal(rng).cards for _ in range(20_000)])
    copies = np.array([2, 2, 3, 3, 2, 2, 2, 2])
    for place in range(3):
        share = np.bincount(deals[:, place], minlength=8) / len(deals)
        assert abs(share - copies / 18).max() < 0.01
    assert (deals[:, 0] == deals[:, 1]).mean() == pytest.approx(24 / 306, abs=0.006)
    # With a queen 5 of the other 17 cards make a pair, with another card 3.
    paired = deals[:, 0] // 2 == deals[:, 2] // 2
    queen = deals[:, 0] // 2 == 1
    assert paired[queen].mean() == pytest.approx(5 / 17, abs=0.015)
    assert paired[~queen].mean() == pytest.approx(3 / 17, abs=0.01)


def test_redeals_are_as_likely_as_deals() -> None:
    """From a view of T in phase 1: the card of S and the flop, given his own."""
    state = play(UH, "SK;HQ;SA", "check")
    view = UH.view(state, 1)
    assert view.cards.tolist() == [-1, 2, -1]
    rng = np.random.default_rng(3)
    worlds = np.array([UH.redeal(view, 1, rng).cards for _ in range(20_000)])
    assert (worlds[:, 1] == 2).all()
    left = np.array([2, 2, 2, 3, 2, 2, 2, 2])
    for place in (0, 2):
        assert abs(np.bincount(worlds[:, place], minlength=8) / 20_000 - left / 17).max() < 0.01
    both = (worlds[:, 0] == 2) & (worlds[:, 2] == 2)
    assert both.mean() == pytest.approx(2 / (17 * 16), abs=0.003)


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


def test_parsed_states_say_what_is_known() -> None:
    assert parse_state(UH, "(t2,7,4,HJ,SA)") == SlideState("t2", (7, 4), "HJ", "SA")
    assert parse_state(UH, "PT7") == SlideEnd("PT", 7)


def test_a_view_shows_no_card_that_it_hides() -> None:
    view = UH.view(play(UH, "SK;HQ;SJ"), 1)
    assert state_text(UH, view) == "(s1,1,1,*,*)"
    assert UH.deal_text(view) == "*;HQ;*"


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
        ("(s1,1,4,SX,*)", "'SX' is no card"),
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


@pytest.mark.parametrize(
    ("deal", "message"),
    [
        ("SK;HQ", "three cards"),
        ("SK;HQ;XX", "'XX' is no card"),
        ("SK;SK;SK", "does not hold 3 cards SK"),
    ],
)
def test_bad_deals_are_refused(deal: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        UH.parse_deal(deal)
    with pytest.raises(InputError, match="no card"):
        make_game("leduc").parse_deal("SK;HQ;SA")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("uh_leduc", {"pair": "suit"}, "pair is rank or card"),
        ("uh_leduc", {"double_pair": "rank"}, "double_pair is suit or split"),
        ("leduc", {"pair": "card"}, "option of uh_leduc"),
        ("leduc", {"rules": "texas"}, "no rules 'texas'"),
        ("leduc", {"rules": "uh"}, "those of uh_leduc, not leduc"),
        ("uh_leduc", {"pair": ["rank"]}, r"pair cannot be \['rank'\]"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    name: str, options: dict[str, str], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        make_game(name, **options)


@pytest.mark.parametrize("name", ["uh_leduc", "leduc"])
def test_planes_tell_all_information_sets_apart(name: str) -> None:
    """Perfect recall: the same plane means the same own card, flop and history, and the reverse."""
    game = make_game(name)
    plane_of: dict[tuple, bytes] = {}
    for state in positions(game, seed=4, games=3000):
        player = int(state.player)
        if game.over(state):
            continue
        flop = int(state.cards[2]) if game.rules.tables.nodes[state.node].phase == 2 else -1
        known = (int(state.cards[player]), flop, *state.history[: state.moves].tolist())
        plane = game.observe(state, player)["observation"].tobytes()
        assert plane_of.setdefault(known, plane) == plane
    assert len(set(plane_of.values())) == len(plane_of) > 600


def test_an_observation_in_full() -> None:
    state = play(UH, "SK;HQ;SA", "check raise call raise")
    seen = UH.observe(state, 1)
    rows = ["".join(map(str, row)) for row in seen["observation"].tolist()]
    assert rows == [
        "00100000",  # HQ
        "00000001",  # SA
        "01000000",  # check
        "00010000",  # raise
        "00100000",  # call
        "00010000",  # raise
        "00000000",
        "00000000",
    ]
    assert seen["status"].tolist() == [1, 2, 4, 7]

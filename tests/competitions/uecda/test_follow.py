"""The view of a client: in the exchange, and where a table differs from it."""

from typing import Any

import numpy as np
import pytest
from support_uecda import GAME, START, Lowest

from closedhand.competitions.uecda import wire
from closedhand.competitions.uecda.client import round_game
from closedhand.competitions.uecda.follow import FLAGS, SIZES, Follower, catch_up, settle
from closedhand.core.game import InputError
from closedhand.games.daihinmin.exchange import TAXES
from closedhand.games.daihinmin.notation import parse_cards
from closedhand.games.daihinmin.plays import PASS
from closedhand.games.daihinmin.state import LONGEST

LEAD, REVOLUTION, LOCK = 4, 6, 7
"""Flags of a table, by column."""


def table(sizes: list[int], *flags: int) -> np.ndarray:
    """A table with hand sizes and some flags set."""
    cells = np.zeros(wire.ROWS * wire.COLUMNS, np.int64)
    cells[SIZES : SIZES + len(sizes)] = sizes
    for flag in flags:
        cells[FLAGS + flag] = 1
    return cells


def test_the_table_is_right() -> None:
    game = round_game()
    state = game.deal(np.random.default_rng(4))
    me = int(state.player)
    single = int(game.legal(state)[0])
    game.play(state, single)
    rival = int(state.player)
    view = game.view(state, rival)
    sizes = [7, 6, 5, 4, 3]
    hand = np.uint64(view.hands[rival])

    settle(game.rules, view, rival, hand, table(sizes, REVOLUTION, LOCK))
    assert view.left.tolist() == sizes and view.player == rival
    assert view.revolution == 1 and view.target == single
    assert view.lock == game.rules.plays.suits[single]
    settle(game.rules, view, rival, hand, table(sizes))
    assert view.revolution == 0 and view.lock == 0 and view.target == single
    settle(game.rules, view, me, hand, table(sizes, LEAD, LOCK))
    assert view.target < 0 and view.lock == 0 and view.player == me


def test_turns_beyond_a_round_are_ignored() -> None:
    """Those after its end, and those that its history has no place for."""
    game = round_game()
    full, over = (game.deal(np.random.default_rng(4)) for _ in range(2))
    full.moves = LONGEST
    while not game.over(over):
        game.play(over, int(game.legal(over)[0]))
    for view in (full, over):
        before = view.tobytes()
        catch_up(game.rules, view, np.array([0, PASS]))
        assert view.tobytes() == before


def first_table(me: int) -> tuple[bytes, wire.Status]:
    """The hand and the status that the first table of the round `START` shows a player."""
    true = GAME.parse_deal(START)
    classes = true.classes.tolist()
    pair = min(classes[me], 4 - classes[me])
    # Taxes are paid already, but a poor player is shown what it has paid until the first lead.
    paid = int(true.taxed[pair]) if classes[me] > 2 else 0
    status = wire.Status(
        exchange=1,
        to_give=TAXES[classes[me]] if classes[me] < len(TAXES) else 0,
        left=tuple(cards.bit_count() for cards in map(parse_cards, START.split(";")[2:])),
        classes=tuple(classes),
        seats=tuple(true.seats.tolist()),
    )
    return wire.hand_cells(int(true.hands[me]) | paid), status


@pytest.mark.parametrize("me", range(5))
def test_views_of_an_exchange_are_those_of_the_rules(me: int) -> None:
    """The view equals the true one before each card given back and at the first lead."""
    true = GAME.parse_deal(START)
    hand, status = first_table(me)
    agent, seen = Lowest(), []
    follower = Follower(round_game(), me)
    number = follower.begin(hand + status.pack())
    assert number == status.to_give
    if number:
        follower.give(agent.act, number)
    while true.leader < 0:
        if true.player == me:
            seen.append(GAME.view(true, me).tobytes())
        GAME.play(true, int(GAME.legal(true)[0]))
    assert [view.tobytes() for view in agent.views] == seen and len(seen) == number
    then = status._replace(
        exchange=0, to_give=0, my_turn=int(true.player == me), player=int(true.player),
        left=tuple(true.left.tolist()),
    )  # fmt: skip
    follower.turn(wire.hand_cells(int(true.hands[me])) + then.pack())
    assert follower.view.tobytes() == GAME.view(true, me).tobytes()


ME, HEIMIN = 3, 4
"""The daifugo of `START`, and who has no part in the exchange."""
NO_CLASSES = (0,) * 5
SIZES_LINE = "has sizes of hands outside 0 to 13"


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"seats": (0, 0, 1, 2, 3)}, "does not show seats and classes"),
        ({"classes": (0, 1, 2, 3, 5)}, "does not show seats and classes"),
        ({"left": (14, 11, 11, 10, 10)}, SIZES_LINE),
        ({"left": (-1, 11, 11, 10, 10)}, SIZES_LINE),
        ({"classes": NO_CLASSES}, "asks for cards, but these rules have no exchange now"),
    ],
)
def test_a_first_table_that_is_wrong_is_refused(change: dict[str, Any], line: str) -> None:
    hand, status = first_table(ME)
    follower = Follower(round_game(), ME)
    with pytest.raises(InputError, match=line):
        follower.begin(hand + status._replace(**change).pack())
    with pytest.raises(InputError, match="does not show a hand"):
        follower.begin(wire.NOTHING + status.pack())


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"player": 5}, "asks player 5"),
        ({"player": -1}, "asks player -1"),
        ({"my_turn": 1, "player": HEIMIN}, "asks this client, but as player 4"),
        ({"left": (14, 11, 11, 10, 10)}, SIZES_LINE),
    ],
)
def test_a_turn_that_is_wrong_is_refused(change: dict[str, Any], line: str) -> None:
    hand, status = first_table(ME)
    status = status._replace(classes=NO_CLASSES, to_give=0)
    for turns in range(2):  # in the first table of the tricks, and in a later one
        follower = Follower(round_game(), ME)
        follower.begin(hand + status.pack())
        now = status._replace(exchange=0, my_turn=1, player=ME)
        for _ in range(turns):
            follower.turn(hand + now.pack())
        with pytest.raises(InputError, match=line):
            follower.turn(hand + now._replace(**change).pack())


def test_cells_that_show_no_play_are_refused() -> None:
    three_and_four = 1 << 0 | 1 << 4
    with pytest.raises(InputError, match="shows no play of Daihinmin"):
        Follower(round_game(), ME).see(ME, wire.hand_cells(three_and_four))


@pytest.mark.parametrize(("me", "number"), [(ME, 1), (ME, 3), (HEIMIN, 1)])
def test_another_number_of_cards_than_the_tax_is_refused(me: int, number: int) -> None:
    hand, status = first_table(me)
    follower = Follower(round_game(), me)
    follower.begin(hand + status.pack())
    with pytest.raises(InputError, match=f"asks for {number} cards of class"):
        follower.give(Lowest().act, number)

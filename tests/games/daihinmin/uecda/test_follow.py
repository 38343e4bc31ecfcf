"""What a client of a server believes where its own view and the server's table differ."""

import numpy as np

from closedhand.games.daihinmin.uecda import wire
from closedhand.games.daihinmin.uecda.client import round_game
from closedhand.games.daihinmin.uecda.follow import FLAGS, SIZES, settle

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

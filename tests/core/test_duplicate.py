"""The tables of a duplicate deal."""

import signal
from typing import Any

import numpy as np
import pytest

from closedhand import make_game
from closedhand.core import batch, duplicate, interrupt


@pytest.mark.parametrize(
    ("sides", "tables"),
    [
        ((0, 1, 1), [(0, 1, 1), (1, 0, 0)]),
        ((0, 1, 2), [(0, 1, 2), (1, 2, 0), (2, 0, 1)]),
        ((0, 1, 0, 1), [(0, 1, 0, 1), (1, 0, 1, 0)]),
        (tuple(range(5)), [tuple((seat + t) % 5 for seat in range(5)) for t in range(5)]),
    ],
)
def test_seating(sides: tuple[int, ...], tables: list[tuple[int, ...]]) -> None:
    assert duplicate.seatings(sides) == tables


def test_two_sides_make_two_tables() -> None:
    assert duplicate.tables((0, 1, 1)) == [(0, 1, 1), (1, 0, 0)]


def test_each_agent_is_alone_once_at_every_seat_of_a_game_without_sides() -> None:
    tables = duplicate.tables((0, 1, 2, 3))
    assert len(set(tables)) == 8
    for agent in (0, 1):
        alone = [table.index(agent) for table in tables if table.count(agent) == 1]
        assert sorted(alone) == [0, 1, 2, 3]


def test_ctrl_c_ends_a_chunk_between_two_decisions() -> None:
    class Slow:
        name = "slow"
        decisions = 0

        def act(self, view: Any) -> int:
            self.decisions += 1
            signal.raise_signal(signal.SIGINT)
            return int(game.legal(view)[0])

    game, agent = make_game("leduc"), Slow()
    seats = np.zeros((3, game.num_players), int)
    with interrupt.deferred(), pytest.raises(KeyboardInterrupt):
        duplicate.play_out(game, batch.deal(game, range(3)), seats, [agent])
    assert agent.decisions == 1

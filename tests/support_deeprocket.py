"""Recorded games of Dou Dizhu decision by decision."""

from collections.abc import Iterator
from typing import Any

from closedhand import make_game
from closedhand.agents.doudizhu.deeprocket import recorded
from closedhand.games.doudizhu.counts import unpack

DOUDIZHU = make_game("doudizhu")


def decisions(games: recorded.Games, number: int) -> Iterator[tuple[Any, int, int]]:
    """State, move and flat action of every decision of a game, by the slow way."""
    text = ";".join(unpack(cards) for cards in games.deals[number])
    state = DOUDIZHU.parse_deal(text)
    for move, action in enumerate(games.actions[games.offsets[number] : games.offsets[number + 1]]):
        yield state, move, int(action)
        DOUDIZHU.play(state, int(action))
    assert DOUDIZHU.over(state)

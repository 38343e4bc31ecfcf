"""The agent that weighs plays."""

from typing import Any

import numpy as np
import pytest
from support_hands import greatest

from closedhand import make_game
from closedhand.agents.doudizhu.decompose import agent as decompose_agent
from closedhand.agents.doudizhu.search import styles
from closedhand.arena import match
from closedhand.games.doudizhu import rules as flat

GAME = make_game("doudizhu")


def test_decompose_beats_greedy_and_rule() -> None:
    for other, least in (("rule", 0.74), ("greedy", 0.55)):
        result = match.play(GAME, ["decompose", other], 500, seed=1)
        points = result.pairs[0].returns[:, 0, 0], result.pairs[0].returns[:, 1, 1]
        assert np.mean([np.mean(side > 0) for side in points]) > least


@pytest.mark.parametrize(
    ("list_all", "cards", "most", "room"),
    [
        (flat.legal_groups, 20, 94, decompose_agent.CANDIDATES - 1),
        (flat.legal, styles.MOST_CARDS, 63, styles.MOST_ACTIONS),
    ],
)
def test_no_hand_has_more_plays_than_there_is_room_for(
    list_all: Any, cards: int, most: int, room: int
) -> None:
    game = make_game("doudizhu")
    state, ids = game.deal(np.random.default_rng(1)), np.empty(game.num_actions, np.int32)

    def plays(hand: np.uint64) -> int:
        state.hands[state.player] = hand
        return int(list_all(game.rules, state, ids))

    found = greatest(plays, cards, climbs=6, steps=1200, seed=2)
    assert 0.8 * most < found <= most < room

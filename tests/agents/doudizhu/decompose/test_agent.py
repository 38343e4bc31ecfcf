"""The agent that weighs plays: its strength and its preferences."""

from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.agents.doudizhu.decompose import agent as decompose_agent
from closedhand.agents.doudizhu.search import endgame
from closedhand.arena import match
from closedhand.games.doudizhu import rules as flat

GAME = make_game("doudizhu")


def test_decompose_beats_greedy_and_rule() -> None:
    for other, least in (("rule", 0.74), ("greedy", 0.55)):
        result = match.play(GAME, ["decompose", other], 500, seed=1)
        points = result.pairs[0].returns[:, 0, 0], result.pairs[0].returns[:, 1, 1]
        assert np.mean([np.mean(side > 0) for side in points]) > least


def test_preferences_are_probabilities_of_legal_plays() -> None:
    agent = make_agent(GAME, "decompose")
    state = GAME.deal(np.random.default_rng(2))
    for _ in range(12):
        view = GAME.view(state, int(state.player))
        liked = agent.preferences(view)
        legal = {GAME.text(action) for action in GAME.legal(state)}
        assert set(liked) <= legal and sum(liked.values()) == pytest.approx(1)
        assert list(liked.values()) == sorted(liked.values(), reverse=True)
        assert GAME.text(agent.act(view)) == next(iter(liked))
        GAME.play(state, agent.act(view))


def test_no_preferences_in_an_auction() -> None:
    game = make_game("doudizhu", bidding=True)
    state = game.deal(np.random.default_rng(13))
    with pytest.raises(InputError, match="while cards are played"):
        make_agent(game, "decompose").preferences(game.view(state, 0))


def packed(counts: np.ndarray) -> np.uint64:
    """Cards by their numbers of each rank, as a hand."""
    return np.uint64(sum(int(number) << 4 * rank for rank, number in enumerate(counts)))


@pytest.mark.parametrize(
    ("list_all", "cards", "most", "room"),
    [
        (flat.legal_groups, 20, 94, decompose_agent.CANDIDATES - 1),
        (flat.legal, endgame.MOST_CARDS, 63, endgame.MOST_ACTIONS),
    ],
)
def test_no_hand_has_more_plays_than_there_is_room_for(
    list_all: Any, cards: int, most: int, room: int
) -> None:
    """From random hands, cards are exchanged for others as long as there are more plays."""
    game = make_game("doudizhu")
    state, ids = game.deal(np.random.default_rng(1)), np.empty(game.num_actions, np.int32)
    rng, found = np.random.default_rng(2), 0
    copies = np.array([4] * 13 + [1, 1])

    def plays(counts: np.ndarray) -> int:
        state.hands[state.player] = packed(counts)
        return int(list_all(game.rules, state, ids))

    for _ in range(6):
        deck = rng.permutation(np.repeat(np.arange(15), copies))
        counts = np.bincount(deck[:cards], minlength=15)
        number = plays(counts)
        for _ in range(1200):
            changed = counts.copy()
            changed[rng.integers(15)] -= 1
            changed[rng.integers(15)] += 1
            if (changed >= 0).all() and (changed <= copies).all() and plays(changed) >= number:
                counts, number = changed, plays(changed)
        found = max(found, number)
    assert 0.8 * most < found <= most < room

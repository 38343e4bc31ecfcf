"""Endgames against plain recursion."""

from collections import Counter
from functools import cache

import numpy as np
import pytest
from support_doudizhu import position

from closedhand import make_game
from closedhand.agents.doudizhu.decompose import agent as decompose
from closedhand.agents.doudizhu.search import styles
from closedhand.core.game import State
from closedhand.games.doudizhu.counts import DECK, pack, unpack
from closedhand.search.alpha_beta import LOST, UNKNOWN, WON

GAME = make_game("doudizhu")
WIN = make_game("doudizhu", objective="win")
POLICY = decompose.policy_of(decompose.load(None), sampled=False)


def best_result(state: State, player: int) -> int:
    """Whether the side of `player` wins with open hands, by plain recursion."""

    @cache
    def wins(data: bytes) -> bool:
        """Whether the landlord's side wins."""
        at = np.frombuffer(data, GAME.dtype)[0]
        results = []
        for action in GAME.legal(at):
            following = at.copy()
            GAME.play(following, int(action))
            following.history[:] = 0
            following.moves = 0
            if GAME.over(following):
                results.append(following.left[following.landlord] == 0)
            else:
                results.append(wins(following.tobytes()))
        return any(results) if at.player == at.landlord else all(results)

    start = state.copy()
    start.history[:] = 0
    start.moves = 0
    won = wins(start.tobytes())
    return WON if won == (player == state.landlord) else LOST


def small_ends(number: int, cards: int, seed: int) -> list[State]:
    """Full states with few cards in each hand."""
    rng = np.random.default_rng(seed)
    states = []
    for _ in range(number):
        deck = list(unpack(int(DECK)))
        # Few ranks, so that groups of several cards are there.
        some = rng.choice(deck[8:40], 3 * cards, replace=False)
        hands = ";".join("".join(some[i::3]) for i in range(3))
        _, view = position(hands, player=int(rng.integers(3)))
        view.hands[:] = [pack(hand) for hand in hands.split(";")]
        states.append(view)
    return states


@pytest.mark.slow
def test_endgames_are_told_as_plain_recursion_tells_them() -> None:
    results = Counter()
    for state in small_ends(40, 3, seed=4):
        for player in range(3):
            found = styles.winner(POLICY, WIN.rules, state, player)
            assert found == best_result(state, player)
            results[found] += 1
    assert min(results[WON], results[LOST]) > 20


def test_endgames_of_many_cards_are_not_told() -> None:
    state = small_ends(1, 5, seed=5)[0]
    assert styles.winner(POLICY, WIN.rules, state, 0) == UNKNOWN

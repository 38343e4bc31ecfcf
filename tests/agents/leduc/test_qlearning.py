"""Q-learning."""

from typing import Any

import numpy as np
import pytest
from support_leduc import UH, shares_at, solved

from closedhand.agents.leduc.tree import information_sets
from closedhand.games.leduc.plays import ACTIONS
from closedhand.solvers.interface import CHANCE, END, FACE, LANE, OUTCOME, START, draw_deal
from closedhand.solvers.q_learning import RATE, QLearning, play_games
from closedhand.solvers.tree import trees_of


def test_q_learning_finds_best_responses_to_what_stands_still() -> None:
    """In self-play nothing does; but the last decision of a hand is: never fold a sure win."""
    shares = shares_at(solved(UH, 500_000, "q-learning"))
    for place in information_sets(UH):
        if place.state == "(s2,7,10,SA,SA)":
            assert shares[place[:3]][ACTIONS.index("call")] == 1


def learned_slowly(walk: Any, deal: np.ndarray, q: np.ndarray) -> np.ndarray:
    """The values after one greedy game: it is played first, and only then learned from."""
    node = int(deal[START])
    taken: list[list[tuple[int, float]]] = [[], []]
    while walk.player[node] != END:
        player, first = int(walk.player[node]), int(walk.first[node])
        if player == CHANCE:
            node = first + int(deal[FACE])
            continue
        number = int(walk.first[node + 1]) - first
        row = int(walk.slot[node]) + int(deal[LANE + player]) * number
        values = q[row : row + number].tolist()
        taken[player].append((row + values.index(max(values)), max(values)))
        node = first + values.index(max(values))
    after = q.copy()
    for player, decisions in enumerate(taken):
        payoff = float(walk.payoffs[deal[OUTCOME], walk.slot[node], player])
        targets = [*(value for _, value in decisions[1:]), payoff]
        for (place, value), target in zip(decisions, targets, strict=False):
            after[place] = 0.98 * value + 0.02 * target
    return after


def test_values_move_as_the_slow_statement_says() -> None:
    assert RATE == 0.02
    solver = QLearning(trees_of(UH), UH)
    rng = np.random.default_rng(0)
    q = solver.learned["q"]
    changed = 0
    for seed in range(300):
        q[:] = rng.normal(size=len(q))
        deal = np.zeros(LANE + 2, np.int64)
        draw_deal(solver.walk.deals, np.random.default_rng(seed), deal)
        expected = learned_slowly(solver.walk, deal, q)
        changed += (expected != q).sum()
        play_games(solver.walk, 2, np.random.default_rng(seed), q, 0.0, RATE, 1)
        assert q == pytest.approx(expected, abs=1e-12)
    assert changed > 600

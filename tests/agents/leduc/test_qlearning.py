"""Q-learning."""

from typing import Any

import numpy as np
import pytest
from support_leduc import UH, place_of, shares_at, solved, state_text

from closedhand.agents.leduc.tree import views_of
from closedhand.games.leduc.plays import ACTIONS
from closedhand.solvers.interface import END
from closedhand.solvers.q_learning import RATE, QLearning, play_games
from closedhand.solvers.regrets import draw_deal
from closedhand.solvers.tree import trees_of


def test_q_learning_finds_best_responses_to_what_stands_still() -> None:
    """In self-play nothing does; but the last decision of a hand is: never fold a sure win."""
    shares = shares_at(solved(UH, 500_000, "q-learning"))
    for view in views_of(UH):
        if state_text(UH, view) == "(s2,7,10,SA,SA)":
            assert shares[place_of(view)][ACTIONS.index("call")] == 1


def learned_slowly(tree: Any, node: int, q: np.ndarray) -> np.ndarray:
    """The values after one greedy game from a deal: first it is played, then learned from."""
    taken: list[list[tuple[int, float]]] = [[], []]
    while tree.player[node] != END:
        player, first, row = (int(each[node]) for each in (tree.player, tree.first, tree.slot))
        number = int(tree.first[node + 1]) - first
        values = q[row : row + number].tolist()
        taken[player].append((row + values.index(max(values)), max(values)))
        node = first + values.index(max(values))
    after = q.copy()
    for player, decisions in enumerate(taken):
        payoff = float(tree.payoffs[tree.slot[node], player])
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
        deal = draw_deal(solver.deals, np.random.default_rng(seed))
        expected = learned_slowly(solver.tree, int(deal), q)
        changed += (expected != q).sum()
        play_games(solver.tree, solver.deals, 2, np.random.default_rng(seed), q, 0.0, RATE, 1)
        assert q == pytest.approx(expected, abs=1e-12)
    assert changed > 600

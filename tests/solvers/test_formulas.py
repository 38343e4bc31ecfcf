"""What solvers compute, against numbers worked out by hand and a second, slow statement."""

import math
from collections import defaultdict
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from support_kuhn import kuhn as kuhn

from closedhand import Game, make_game
from closedhand.core.game import State
from closedhand.solvers import solving, strategy
from closedhand.solvers.interface import labels
from closedhand.solvers.regrets import discount
from closedhand.solvers.strategy import StrategyAgent, strategy_of
from closedhand.solvers.tree import too_large

ALGORITHMS = {
    "cfr": (math.inf, math.inf, 0, False),
    "cfr+": (math.inf, -math.inf, 1, False),
    "lcfr": (1, 1, 1, False),
    "dcfr": (1.5, 0, 2, False),
    "pcfr+": (math.inf, -math.inf, 2, True),
}
"""Exponents of the discounts of positive and negative regrets, and of the average's weights, and
whether the latest regret counts twice."""


def factor(t: int, exponent: float) -> float:
    """Of regrets in iteration t."""
    if math.isinf(exponent):
        return float(exponent > 0)
    return t**exponent / (t**exponent + 1)


class Slow:
    """The five steps in `closedhand.solvers.cfr`, by recursion over the states of a game."""

    def __init__(self, game: Game, algorithm: str) -> None:
        self.game, self.settings = game, ALGORITHMS[algorithm]
        self.sigma: dict[bytes, np.ndarray] = {}
        self.regret: dict[bytes, np.ndarray] = defaultdict(lambda: np.zeros(2))
        self.average: dict[bytes, np.ndarray] = defaultdict(lambda: np.zeros(2))

    def iterate(self, t: int) -> None:
        positive, negative, weight, predictive = self.settings
        for player in range(2):
            self.gains: dict[bytes, np.ndarray] = defaultdict(lambda: np.zeros(2))
            self.own: dict[bytes, float] = {}
            for state, chance, *_ in self.game.deals():
                self.walk(state, player, chance, 1.0)
            for key, gains in self.gains.items():
                now = self.sigma.get(key, np.array([0.5, 0.5]))
                self.average[key] += t**weight * self.own[key] * now
                gained = gains - now @ gains
                total = self.regret[key] + gained
                total *= np.where(total > 0, factor(t, positive), factor(t, negative))
                self.regret[key] = total
                shares = np.maximum(total + gained if predictive else total, 0)
                self.sigma[key] = shares / shares.sum() if shares.sum() else np.array([0.5, 0.5])

    def walk(self, state: State, player: int, others: float, own: float) -> float:
        """The value of a state for a player, who comes here by `own` of its actions."""
        game = self.game
        if game.over(state):
            return game.returns(state)[player]
        actor = int(state.player)
        key = game.key(state, actor)
        now = self.sigma.get(key, np.array([0.5, 0.5]))
        values = np.zeros(2)
        for i, action in enumerate(game.legal(state)):
            after = state.copy()
            game.play(after, int(action))
            mine = actor == player
            values[i] = self.walk(
                after, player, others * (1.0 if mine else now[i]), own * (now[i] if mine else 1.0)
            )
        if actor == player:
            self.gains[key] += others * values
            self.own[key] = own
        return float(now @ values)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_regrets_are_minimised_as_in_the_slow_statement(kuhn: Game, algorithm: str) -> None:
    solver, slow = solving.make_solver(algorithm, kuhn), Slow(kuhn, algorithm)
    for t in range(1, 7):
        solver.run(1)
        slow.iterate(t)
        agent = StrategyAgent(solver.strategy(), "average", 0)
        for deal in kuhn.deals():
            check(kuhn, agent, deal[0], slow)


def check(game: Game, agent: StrategyAgent, state: State, slow: Slow) -> None:
    """The agent plays as the average strategy in a state, and in all after it."""
    if game.over(state):
        return
    legal = game.legal(state)
    view = game.view(state, int(state.player))
    [found] = agent.probabilities(np.array([view], game.dtype))
    sums = slow.average[game.key(state, int(state.player))]
    expected = sums / sums.sum() if sums.sum() else np.array([0.5, 0.5])
    assert found[legal] == pytest.approx(expected)
    for action in legal:
        after = state.copy()
        game.play(after, int(action))
        check(game, agent, after, slow)


def test_discounts() -> None:
    assert discount(3.0, math.inf) == 1 and discount(3.0, -math.inf) == 0
    assert discount(3.0, 0.0) == 0.5 and discount(1.0, 1.5) == 0.5
    assert discount(4.0, 1.5) == pytest.approx(8 / 9)


def test_players_are_named_by_roles_that_differ() -> None:
    assert labels(make_game("leduc")) == make_game("leduc").roles
    assert labels(make_game("doudizhu")) == ("player_0", "player_1", "player_2")


def test_the_size_of_a_tree_is_told(kuhn: Game) -> None:
    said = too_large(kuhn, 5.0, 20)
    assert said.startswith("kuhn has 6 deals with ") and said.endswith(": 20 are the most in all")
    huge: Any = SimpleNamespace(name="huge", deals=lambda: iter(range(10**9)))
    assert too_large(huge, 5.0, 20).startswith("huge has 100,000 or more deals with about 5 ")


def test_a_pure_strategy_is_written_and_read(kuhn: Game, tmp_path) -> None:
    class First:
        name = "first"

        def act(self, view: State) -> int:
            return int(kuhn.legal(view)[0])

    pure = strategy_of(kuhn, First())
    strategy.save(pure, tmp_path / "strategy.npz")
    again = strategy.load(tmp_path / "strategy.npz", kuhn)
    assert (again.probabilities == pure.probabilities).all() and (pure.probabilities == 0).any()

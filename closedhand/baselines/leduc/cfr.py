"""Counterfactual regret minimisation: one loop, of which five algorithms are the settings.

Every iteration updates S and then T (alternating updates). Regrets are those of Brown and
Sandholm's discounted CFR ("Solving Imperfect-Information Games via Discounted Regret
Minimization", 2019): after iteration t positive ones are multiplied by t^a / (t^a + 1), negative
ones by t^b / (t^b + 1), and iteration t counts t^c in the average strategy. CFR+ is a = infinity,
b = -infinity, c = 1 in these terms. Predictive CFR+ (Farina, Kroer and Sandholm, "Faster Game
Solving via Predictive Blackwell Approachability", 2021) plays as if the latest regrets came once
more.
"""

import math
from typing import NamedTuple

import numpy as np

from closedhand.baselines.leduc.strategy import Strategy
from closedhand.baselines.leduc.tree import (
    LANES,
    Evaluation,
    Tree,
    build,
    evaluate_sigma,
    expect,
    reach,
    to_sigma,
    to_strategy,
)
from closedhand.games.game import Game
from closedhand.games.kernel import kernel


class Algorithm(NamedTuple):
    """The settings of the loop.

    Attributes:
        positive: The exponent a of the discount of positive regrets.
        negative: The exponent b of the discount of negative ones.
        average: The exponent c of an iteration's weight in the average strategy.
        predictive: Whether the latest regrets are expected once more.
    """

    positive: float
    negative: float
    average: float
    predictive: bool = False


ALGORITHMS = {
    "cfr": Algorithm(math.inf, math.inf, 0),
    "cfr+": Algorithm(math.inf, -math.inf, 1),
    "lcfr": Algorithm(1, 1, 1),
    "dcfr": Algorithm(1.5, 0, 2),
    "pcfr+": Algorithm(math.inf, -math.inf, 2, predictive=True),
}


class Tables(NamedTuple):
    """What the loop keeps, float64 [nodes, LANES] each: by action and own card.

    Attributes:
        regret: Discounted sums.
        sigma: The present strategy.
        average: Weighted sums of strategies.
        reached: Scratch space.
        values: Scratch space.
    """

    regret: np.ndarray
    sigma: np.ndarray
    average: np.ndarray
    reached: np.ndarray
    values: np.ndarray


@kernel
def discount(t, exponent):
    """The factor t^e / (t^e + 1), exact for infinite e."""
    if np.isinf(exponent):
        return 1.0 if exponent > 0 else 0.0
    return 1.0 / (1.0 + t**-exponent)


@kernel
def learn(tree, tables, player, positive, negative, predictive):
    """Add the regrets of one iteration of `player`, and make his next strategy from them."""
    regret, sigma, values = tables.regret, tables.sigma, tables.values
    total = np.empty(LANES)
    for n in range(len(tree.player)):
        if tree.player[n] != player:
            continue
        first, end = tree.first[n], tree.first[n] + tree.children[n]
        for c in range(LANES):
            total[c] = 0.0
        for child in range(first, end):
            for c in range(LANES):
                gained = values[child, c] - values[n, c]
                sum_ = regret[child, c] + gained
                sum_ *= positive if sum_ > 0.0 else negative
                regret[child, c] = sum_
                weight = max(sum_ + gained if predictive else sum_, 0.0)
                sigma[child, c] = weight
                total[c] += weight
        for child in range(first, end):
            for c in range(LANES):
                share = sigma[child, c] / total[c] if total[c] > 0.0 else 1.0 / tree.children[n]
                sigma[child, c] = share


@kernel
def add_average(tree, tables, player, weight):
    """Add the present strategy of `player` to his average."""
    reach(tree, tables.sigma, player, tables.reached)
    for n in range(1, len(tree.player)):
        if tree.player[tree.parent[n]] == player:
            for c in range(LANES):
                tables.average[n, c] += weight * tables.reached[n, c]


@kernel
def iterate(tree, tables, algorithm, done, number):
    """Do `number` iterations after `done` ones."""
    for t in range(done + 1, done + number + 1):
        positive = discount(float(t), algorithm.positive)
        negative = discount(float(t), algorithm.negative)
        for player in range(2):
            reach(tree, tables.sigma, 1 - player, tables.reached)
            expect(tree, tables.sigma, tables.reached, player, tables.values)
            add_average(tree, tables, player, float(t) ** algorithm.average)
            learn(tree, tables, player, positive, negative, algorithm.predictive)


class Solver:
    """A game being solved by one of the `ALGORITHMS`.

    Attributes:
        game: The game.
        algorithm: Name of the algorithm.
        tree: The public tree of the game.
        tables: Regrets and strategies.
        iterations: How many are done.
    """

    def __init__(self, game: Game, algorithm: str) -> None:
        """Start from the uniform strategy."""
        self.game = game
        self.algorithm = algorithm
        self.tree: Tree = build(game)
        self.iterations = 0
        uniform = to_sigma(self.tree, to_strategy(game, self.tree, np.zeros(self._shape)))
        zeros = [np.zeros(self._shape) for _ in range(4)]
        self.tables = Tables(zeros[0], uniform, *zeros[1:])

    @property
    def _shape(self) -> tuple[int, int]:
        return len(self.tree.player), LANES

    def run(self, number: int) -> None:
        """Do `number` iterations more."""
        iterate(self.tree, self.tables, ALGORITHMS[self.algorithm], self.iterations, number)
        self.iterations += number

    def strategy(self) -> Strategy:
        """The average strategy so far."""
        return to_strategy(
            self.game,
            self.tree,
            self.tables.average,
            algorithm=self.algorithm,
            iterations=self.iterations,
        )

    def evaluate(self) -> Evaluation:
        """The exact evaluation of the average strategy."""
        return evaluate_sigma(self.tree, to_sigma(self.tree, self.strategy()))

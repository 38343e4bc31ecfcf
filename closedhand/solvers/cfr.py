"""Counterfactual regret minimisation: one loop, whose settings give five algorithms.

Every iteration updates one player after the other (alternating updates). Regrets are discounted as
in Brown and Sandholm's discounted CFR ("Solving Imperfect-Information Games via Discounted Regret
Minimization", 2019): after iteration t positive regrets are multiplied by t^a / (t^a + 1) and
negative ones by t^b / (t^b + 1); iteration t has weight t^c in the average strategy. CFR+ is
a = infinity, b = -infinity, c = 1 in these terms. Predictive CFR+ (Farina, Kroer and Sandholm,
"Faster Game Solving via Predictive Blackwell Approachability", 2021) plays as if the latest regrets
were observed a second time.
"""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import Tables, Trees, add_average, expect, learn, reach_others
from closedhand.solvers.regrets import discount


class Algorithm(NamedTuple):
    """The settings of the loop.

    Attributes:
        positive: The exponent a of the discount of positive regrets.
        negative: The exponent b of the discount of negative regrets.
        average: The exponent c of an iteration's weight in the average strategy.
        predictive: Whether the latest regrets are counted twice as a prediction of the next ones.
    """

    positive: float
    negative: float
    average: float
    predictive: bool = False


@kernel
def iterate(tree, tables, algorithm, players, done, number):
    """Do `number` iterations after the first `done`."""
    for t in range(done + 1, done + number + 1):
        positive = discount(float(t), algorithm.positive)
        negative = discount(float(t), algorithm.negative)
        for player in range(players):
            reach_others(tree, tables.sigma, player, tables.reached)
            expect(tree, tables.sigma, tables.reached, player, tables.values, tables.gains)
            add_average(tree, tables, player, float(t) ** algorithm.average)
            learn(tree, tables, player, positive, negative, algorithm.predictive)


class Solver:
    """A game being solved by an algorithm of this family; a `solving.Solver`.

    Attributes:
        game: The game.
        algorithm: The settings.
        tree: The tree of the game.
        tables: Regrets and strategies.
        iterations: Number of iterations done.
    """

    def __init__(self, algorithm: Algorithm, trees: Trees, game: Game, seed: int = 0) -> None:
        """Start from the uniform strategy; nothing is random, so `seed` does not matter."""
        self.game = game
        self.algorithm = algorithm
        self.trees = trees
        self.tree = trees.build(game)
        self.iterations = 0
        self.tables: Tables = trees.tables(game, self.tree)

    def run(self, number: int) -> None:
        """Do `number` more iterations."""
        players = self.game.num_players
        iterate(self.tree, self.tables, self.algorithm, players, self.iterations, number)
        self.iterations += number

    def strategy(self) -> Any:
        """The average strategy so far."""
        return self.trees.to_strategy(self.game, self.tree, self.tables.average)

    def state(self) -> dict[str, np.ndarray]:
        """State for `restore`."""
        kept = {name: getattr(self.tables, name) for name in ("regret", "sigma", "average")}
        return {**kept, "iterations": np.array(self.iterations)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        self.tables = self.tables._replace(
            **{name: state[name].copy() for name in ("regret", "sigma", "average")}
        )
        self.iterations = int(state["iterations"])


CFR = partial(Solver, Algorithm(math.inf, math.inf, 0.0))
CFRPlus = partial(Solver, Algorithm(math.inf, -math.inf, 1.0))
LinearCFR = partial(Solver, Algorithm(1.0, 1.0, 1.0))
DiscountedCFR = partial(Solver, Algorithm(1.5, 0.0, 2.0))
PredictiveCFRPlus = partial(Solver, Algorithm(math.inf, -math.inf, 2.0, predictive=True))

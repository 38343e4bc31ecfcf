"""Counterfactual regret minimisation: one loop, whose settings give five algorithms.

An iteration does this for one player after the other (alternating updates):

1. Pass down the tree: compute the probability of each node from chance and the other players.
2. Pass up: compute the player's counterfactual value of every action, which is its expected payoff
   weighted with that probability.
3. Add the current strategy to the average, weighted with the probability that the player's own
   actions lead there and with t^c in iteration t.
4. Subtract from the value of each action the mean of its information set under the current
   strategy. Add the difference to its sum of regrets. Multiply positive sums by
   t^a / (t^a + 1) and negative ones by t^b / (t^b + 1).
5. The next strategy plays the actions of each set in proportion to their positive sums of regrets,
   uniformly if there are none (regret matching).

The average strategy converges to an equilibrium of a game of two players with opposite payoffs.

The algorithms differ in a, b and c:

- CFR: inf, inf, 0. Zinkevich et al., "Regret Minimization in Games with Incomplete Information"
  (2007);
- CFR+: inf, -inf, 1. Tammelin, "Solving Large Imperfect Information Games Using CFR+" (2014);
- linear CFR: 1, 1, 1, and discounted CFR: 1.5, 0, 2. Brown and Sandholm, "Solving
  Imperfect-Information Games via Discounted Regret Minimization" (2019);
- predictive CFR+: inf, -inf, 2. Farina, Kroer and Sandholm, "Faster Game Solving via Predictive
  Blackwell Approachability" (2021).

Predictive CFR+ plays in step 5 as if the latest regrets were observed a second time.
"""

import math
from functools import partial
from typing import NamedTuple

from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import Trees, add_average, expect, learn, reach_others
from closedhand.solvers.regrets import discount
from closedhand.solvers.solving import SweepingSolver


class Variant(NamedTuple):
    """Settings of the loop, which the module explains."""

    positive: float  # the exponent a
    negative: float  # the exponent b
    average: float  # the exponent c
    predictive: bool = False  # whether step 5 counts the latest regrets twice


@kernel
def iterate(tree, tables, variant, players, done, number):
    """Do `number` iterations after the first `done`."""
    for t in range(done + 1, done + number + 1):
        positive = discount(float(t), variant.positive)
        negative = discount(float(t), variant.negative)
        for player in range(players):
            reach_others(tree, tables.sigma, player, tables.reached)
            expect(tree, tables.sigma, tables.reached, player, tables.values, tables.gains)
            add_average(tree, tables, player, float(t) ** variant.average)
            learn(tree, tables, player, positive, negative, variant.predictive)


class Solver(SweepingSolver):
    """Solver of a game by a variant of the loop."""

    def __init__(self, variant: Variant, trees: Trees, game: Game, seed: int = 0) -> None:
        super().__init__(trees, game, seed)
        self.variant = variant

    def _iterate(self, number: int) -> None:
        players = self.game.num_players
        iterate(self.tree, self.tables, self.variant, players, self.iterations, number)


CFR = partial(Solver, Variant(math.inf, math.inf, 0.0))
CFRPlus = partial(Solver, Variant(math.inf, -math.inf, 1.0))
LinearCFR = partial(Solver, Variant(1.0, 1.0, 1.0))
DiscountedCFR = partial(Solver, Variant(1.5, 0.0, 2.0))
PredictiveCFRPlus = partial(Solver, Variant(math.inf, -math.inf, 2.0, predictive=True))

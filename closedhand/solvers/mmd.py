"""Annealed magnetic mirror descent: policy improvement regularised towards the uniform strategy.

An iteration does this for one player after the other:

1. Pass down the tree: compute the probability of each node from chance and the other players.
2. Pass up: compute the exact value q of every action of the player, given that its set is reached.
3. At every information set, with the temperature a and the step size e of the iteration,

       next policy = argmax over p of  <p, q> - a KL(p, uniform) - KL(p, policy) / e

   by one update of the logits and a softmax.

With a fixed temperature the policy approaches a quantal response equilibrium. Here temperature and
step size both fall, and the last policy approaches an equilibrium in practice. After Sokota et al.,
"A Unified Approach to Reinforcement Learning, Quantal Response Equilibria, and Two-Player Zero-Sum
Games" (2023), whose guarantee is for fixed temperatures and for policies over sequences.
"""

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import expect, improve, reach_others
from closedhand.solvers.solving import SweepingSolver

TEMPERATURE = 1.0
"""Initial temperature, in the unit of payoffs; iteration t divides it by the square root of t."""
STEP = 4.0
"""Initial step size, in 1 / unit of payoffs; iteration t divides it by the square root of t."""


@kernel
def iterate(tree, tables, players, done, number):
    """Do `number` iterations after the first `done`, the players in turn in each."""
    for t in range(done + 1, done + number + 1):
        temperature, step = TEMPERATURE / np.sqrt(t), STEP / np.sqrt(t)
        for player in range(players):
            reach_others(tree, tables.sigma, player, tables.reached)
            expect(tree, tables.sigma, tables.reached, player, tables.values, tables.gains)
            improve(tree, tables, player, temperature, step)


class MMD(SweepingSolver):
    """Solver by magnetic mirror descent; its strategy is the current policy."""

    kept = {"sigma": "sigma", "logits": "regret"}
    played = "sigma"

    def _iterate(self, number: int) -> None:
        iterate(self.tree, self.tables, self.game.num_players, self.iterations, number)

"""External-sampling Monte Carlo CFR: learning from sampled games, with CFR's guarantee.

After Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo Sampling for Regret Minimization in
Extensive Games" (2009). An iteration is one sampled deal for each player. That player tries all its
actions; chance and the other players are sampled. The average strategy, which converges to an
equilibrium with high probability, is accumulated at the decisions of the sampled players.
"""

from typing import Any

import numpy as np

from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import Trees
from closedhand.solvers.regrets import match_regrets, sample
from closedhand.solvers.sampled import SampledSolver
from closedhand.solvers.tree import END


@kernel
def sample_deal(cumulative, random):
    """The deal at which the cumulative probabilities exceed `random`, 0 to 1."""
    return min(np.searchsorted(cumulative, random, "right"), len(cumulative) - 1)


@kernel
def sweep(tree, deal, player, rng, regret, average, sigma, queue, drawn, values):
    """Learn from one deal for `player`; the arguments after `average` are scratch space."""
    # Nodes are queued after their parents: a pass down visits them, a pass up values them.
    queue[0] = deal
    visited = 1
    i = 0
    while i < visited:
        n = queue[i]
        i += 1
        if tree.player[n] == END:
            continue
        first, slot = tree.first[n], tree.slot[n]
        end = slot + tree.first[n + 1] - first
        match_regrets(regret[slot:end], sigma[slot:end])
        if tree.player[n] == player:
            for k in range(end - slot):
                queue[visited] = first + k
                visited += 1
        else:
            for row in range(slot, end):
                average[row] += sigma[row]
            drawn[n] = first + sample(sigma[slot:end], rng.random())
            queue[visited] = drawn[n]
            visited += 1
    for i in range(visited - 1, -1, -1):
        n = queue[i]
        slot, first = tree.slot[n], tree.first[n]
        if tree.player[n] == END:
            values[n] = tree.payoffs[slot, player]
        elif tree.player[n] == player:
            values[n] = 0.0
            for child in range(first, tree.first[n + 1]):
                values[n] += sigma[slot + child - first] * values[child]
            for child in range(first, tree.first[n + 1]):
                regret[slot + child - first] += values[child] - values[n]
        else:
            values[n] = values[drawn[n]]


@kernel
def iterate(tree, cumulative, players, rng, regret, average, sigma, queue, drawn, values, number):
    """Do `number` iterations; the four arrays before `number` are scratch space."""
    for _ in range(number):
        for player in range(players):
            deal = sample_deal(cumulative, rng.random())
            sweep(tree, deal, player, rng, regret, average, sigma, queue, drawn, values)


class MCCFR(SampledSolver):
    """External-sampling MCCFR at work; a `solving.Solver`."""

    def __init__(self, trees: Trees, game: Game, seed: int = 0) -> None:
        """Start from the uniform strategy."""
        self.trees = trees
        self.tree = trees.build(game)
        rows, nodes = len(self.tree.actions), len(self.tree.player)
        super().__init__(game, seed, {"regret": np.zeros(rows), "average": np.zeros(rows)})
        self._cumulative = np.cumsum(self.tree.chance)
        self._scratch = (np.empty(rows), *np.empty((2, nodes), np.int64), np.empty(nodes))

    def run(self, number: int) -> None:
        """Do `number` more iterations."""
        regret, average = self.learned.values()
        sigma, queue, drawn, values = self._scratch
        iterate(
            self.tree, self._cumulative, self.game.num_players, self.rng, regret, average,
            sigma, queue, drawn, values, number,
        )  # fmt: skip
        self.iterations += number

    def strategy(self) -> Any:
        """The average strategy so far."""
        return self.trees.to_strategy(self.game, self.tree, self.learned["average"])

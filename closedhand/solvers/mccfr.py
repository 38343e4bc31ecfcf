"""External-sampling Monte Carlo CFR: CFR on sampled games.

An iteration does this for one player after the other:

1. Draw a deal, and walk down from it. At decisions of the player follow every action. At other
   decisions draw an action from the current strategy, which plays actions in proportion to their
   positive sums of regrets (regret matching).
2. On the way, add the current strategy of the others to their averages.
3. Walk up. The value of an end is its payoff. The value of a decision of the player is the mean of
   its actions under the current strategy, of another decision the value of the drawn action.
4. At each decision of the player, add to the regret of each action its value less that mean.

The average strategy converges to an equilibrium with high probability. After Lanctot, Waugh,
Zinkevich and Bowling, "Monte Carlo Sampling for Regret Minimization in Extensive Games" (2009).
"""

import numpy as np

from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import END, Trees
from closedhand.solvers.regrets import draw_deal, match_regrets, sample
from closedhand.solvers.solving import SampledSolver


@kernel
def sweep(tree, deal, player, rng, regret, average, queue, below, shares, values):
    """Learn from one deal, a node, for one player; `rng` draws the others' actions.

    `regret` and `average` are changed. The rest is scratch space by place in `queue`, the nodes to
    visit: the place of the first child (`below`), the probability of the action, the value.
    """
    # Nodes are queued after their parents: a pass down visits them, a pass up computes values. A
    # sweep visits a small part of the tree, so the space that it uses stays in the CPU cache.
    queue[0] = deal
    visited = 1
    i = 0
    while i < visited:
        n = queue[i]
        below[i] = visited
        i += 1
        actor, first, row = tree.player[n], tree.first[n], np.int64(tree.slot[n])
        if actor == END:
            continue
        number = tree.first[n + 1] - first
        match_regrets(regret, row, number, shares, visited)
        if actor == player:
            for k in range(number):
                queue[visited + k] = first + k
            visited += number
        else:
            for k in range(number):
                average[row + k] += shares[visited + k]
            queue[visited] = first + sample(shares, visited, number, rng.random())
            visited += 1
    for i in range(visited - 1, -1, -1):
        n, child = queue[i], below[i]
        actor, row = tree.player[n], np.int64(tree.slot[n])
        if actor == END:
            values[i] = tree.payoffs[row, player]
        elif actor == player:
            number = tree.first[n + 1] - tree.first[n]
            mean = 0.0
            for k in range(number):
                mean += shares[child + k] * values[child + k]
            for k in range(number):
                regret[row + k] += values[child + k] - mean
            values[i] = mean
        else:
            values[i] = values[child]


@kernel
def iterate(tree, deals, players, rng, regret, average, queue, below, shares, values, number):
    """Do `number` iterations; the arrays are those of `sweep`."""
    for _ in range(number):
        for player in range(players):
            deal = draw_deal(deals, rng)
            sweep(tree, deal, player, rng, regret, average, queue, below, shares, values)


class MCCFR(SampledSolver):
    """Solver by external-sampling MCCFR."""

    kept = "regret", "average"

    def __init__(self, trees: Trees, game: Game, seed: int = 0) -> None:
        super().__init__(trees, game, seed)
        # A drawn decision queues one child, but writes the shares of all its actions: up to
        # `num_actions` places beyond the end of the queue.
        size = len(self.tree.player) + game.num_actions
        self._scratch = np.empty((2, size), np.int64), np.empty((2, size))

    def _iterate(self, number: int) -> None:
        regret, average = self.learned.values()
        (queue, below), (shares, values) = self._scratch
        iterate(
            self.tree, self.deals, self.game.num_players, self.rng, regret, average,
            queue, below, shares, values, number,
        )  # fmt: skip

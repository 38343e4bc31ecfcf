"""Tabular Q-learning in self-play: it has no guarantee, and it shows.

All players learn at the same time, each on its own information sets, with one-step updates and
actions that are sometimes random. The strategy is the greedy one. Each player's problem changes as
the others learn, and an equilibrium has to mix its actions as a rule, which a greedy strategy
cannot do.
"""

from typing import Any

import numpy as np

from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import Trees
from closedhand.solvers.mccfr import sample_deal
from closedhand.solvers.sampled import SampledSolver
from closedhand.solvers.tree import END

EXPLORATION = 0.1
"""The probability of a random action."""
RATE = 0.02
"""Fraction by which an update moves a value towards its target."""


@kernel
def play_games(tree, cumulative, players, rng, q, exploration, rate, number):
    """Play and learn from `number` games; `q` holds the value of each row."""
    last = np.empty(players, np.int64)  # each player's last row; -1: none yet
    for _ in range(number):
        last[:] = -1
        n = np.int64(sample_deal(cumulative, rng.random()))
        while tree.player[n] != END:
            player, slot = tree.player[n], tree.slot[n]
            choices = tree.first[n + 1] - tree.first[n]
            chosen = np.argmax(q[slot : slot + choices])
            if last[player] >= 0:
                q[last[player]] += rate * (q[slot + chosen] - q[last[player]])
            if rng.random() < exploration:
                chosen = np.int64(rng.random() * choices)
            last[player] = slot + chosen
            n = np.int64(tree.first[n] + chosen)
        for player in range(players):
            if last[player] >= 0:
                q[last[player]] += rate * (tree.payoffs[tree.slot[n], player] - q[last[player]])


class QLearning(SampledSolver):
    """Q-learning at work; a `solving.Solver` whose iterations are games."""

    def __init__(self, trees: Trees, game: Game, seed: int = 0) -> None:
        """Start from values of 0."""
        self.trees = trees
        self.tree = trees.build(game)
        super().__init__(game, seed, {"q": np.zeros(len(self.tree.actions))})
        self._cumulative = np.cumsum(self.tree.chance)

    def run(self, number: int) -> None:
        """Play and learn from `number` more games."""
        play_games(
            self.tree, self._cumulative, self.game.num_players, self.rng, self.learned["q"],
            EXPLORATION, RATE, number,
        )  # fmt: skip
        self.iterations += number

    def strategy(self) -> Any:
        """The greedy strategy."""
        starts, number = self.tree.rows[:-1], np.diff(self.tree.rows)
        q = self.learned["q"]
        best = np.repeat(np.maximum.reduceat(q, starts), number)
        # Of equal actions, the first.
        tied = np.flatnonzero(q == best)
        _, first = np.unique(np.repeat(np.arange(len(number)), number)[tied], return_index=True)
        greedy = np.zeros(len(q))
        greedy[tied[first]] = 1.0
        return self.trees.to_strategy(self.game, self.tree, greedy)

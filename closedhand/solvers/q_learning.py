"""Tabular Q-learning in self-play, which has no guarantee of convergence.

An iteration is a game, in which all players learn, each on its own information sets:

1. Draw a deal, and play it. A player takes the action of the highest value at its information set,
   or a random one with probability `EXPLORATION`.
2. At each decision, move the value of the player's previous action towards the highest value here,
   by `RATE` of the difference (one-step Q-learning; payoffs come at the end, undiscounted).
3. At the end, move the value of each player's last action towards its payoff in the same way.

The strategy is the greedy one, while most equilibria mix actions. After Watkins, "Learning from
Delayed Rewards" (1989).
"""

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import END
from closedhand.solvers.regrets import draw_deal
from closedhand.solvers.solving import SampledSolver
from closedhand.solvers.strategy import Strategy, to_strategy

EXPLORATION = 0.1
"""Probability of a random action."""
RATE = 0.02
"""Fraction by which an update moves a value towards its target."""


@kernel
def play_games(tree, deals, players, rng, q, exploration, rate, number):
    """Play `number` games, and learn from them: update `q`, values of actions, float64 [rows]."""
    last = np.empty(players, np.int64)  # row of each player's last action; -1: none yet
    for _ in range(number):
        last[:] = -1
        n = draw_deal(deals, rng)
        while tree.player[n] != END:
            player, first, row = tree.player[n], np.int64(tree.first[n]), np.int64(tree.slot[n])
            choices = tree.first[n + 1] - first
            chosen = np.int64(0)
            for k in range(1, choices):
                if q[row + k] > q[row + chosen]:
                    chosen = k
            if last[player] >= 0:
                q[last[player]] += rate * (q[row + chosen] - q[last[player]])
            if rng.random() < exploration:
                chosen = np.int64(rng.random() * choices)
            last[player] = row + chosen
            n = first + chosen
        for player in range(players):
            if last[player] >= 0:
                payoff = tree.payoffs[tree.slot[n], player]
                q[last[player]] += rate * (payoff - q[last[player]])


class QLearning(SampledSolver):
    """Solver by Q-learning, whose iterations are games."""

    kept = ("q",)

    def _iterate(self, number: int) -> None:
        players = self.game.num_players
        q = self.learned["q"]
        play_games(self.tree, self.deals, players, self.rng, q, EXPLORATION, RATE, number)

    def strategy(self) -> Strategy:
        """Return the greedy strategy."""
        q = self.learned["q"][self.layout.entries]
        starts, number = self.layout.rows[:-1], np.diff(self.layout.rows)
        tied = np.flatnonzero(q == np.repeat(np.maximum.reduceat(q, starts), number))
        # Among actions of equal value, take the first.
        _, first = np.unique(np.repeat(np.arange(len(number)), number)[tied], return_index=True)
        greedy = np.zeros(len(q))
        greedy[tied[first]] = 1.0
        return to_strategy(self.game, self.layout._replace(entries=slice(None)), greedy)

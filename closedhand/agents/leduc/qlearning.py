"""Tabular Q-learning in self-play: it has no guarantee, and it shows.

Both players learn at the same time, each on its own information sets, with one-step updates and
actions that are sometimes random. The strategy is the greedy one. Each player's problem changes as
the other one learns, and an equilibrium of this game has to mix its actions, which a greedy
strategy cannot do.
"""

import numpy as np

from closedhand.agents.leduc.strategy import Strategy, legal_table, normalised, slot_at
from closedhand.core import contract
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.games.leduc.plays import ACTIONS
from closedhand.solvers.sampled import SampledSolver

EXPLORATION = 0.1
"""The probability of a random action."""
RATE = 0.02
"""Fraction by which an update moves a value towards its target."""


@kernel
def best_action(values, following):
    """The legal action with the highest value."""
    best = -1
    for action in range(len(ACTIONS)):
        if following[action] >= 0 and (best < 0 or values[action] > values[best]):
            best = action
    return best


@kernel
def play_games(rules, states, rng, q, exploration, rate, number):
    """Play and learn from `number` games; `states` [1] is scratch space."""
    ids = np.empty(len(ACTIONS), np.int32)
    returns = np.empty(2)
    # Each player's last decision (node, slot, action); node -1: none yet.
    last = np.empty((2, 3), np.int64)
    for _ in range(number):
        state = states[0]
        contract.deal(rules, state, seed_in_kernel(rng))
        last[:, 0] = -1
        while not contract.over(rules, state):
            node = rules.tables.nodes[state.node]
            player = np.int64(state.player)
            card = state.cards[player]
            slot = slot_at(node, state)
            best = best_action(q[state.node, slot, card], node.next)
            if last[player, 0] >= 0:
                update(q, last[player], card, q[state.node, slot, card, best], rate)
            action = best
            if rng.random() < exploration:
                action = contract.random_action(rules, state, rng, ids)
            last[player, 0], last[player, 1], last[player, 2] = state.node, slot, action
            contract.play(rules, state, action)
        contract.returns(rules, state, returns)
        for player in range(2):
            if last[player, 0] >= 0:
                update(q, last[player], state.cards[player], returns[player], rate)


@kernel
def update(q, decision, card, target, rate):
    """Move the value of a decision (node, slot, action) towards `target`."""
    value = q[decision[0], decision[1], card, decision[2]]
    q[decision[0], decision[1], card, decision[2]] = value + rate * (target - value)


class QLearning(SampledSolver):
    """Q-learning at work; a `solving.Solver` whose iterations are games."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        """Start from values of 0."""
        self._legal = legal_table(game)
        super().__init__(game, seed, {"q": np.zeros(self._legal.shape)})

    def run(self, number: int) -> None:
        """Play and learn from `number` more games."""
        states = self.game.empty(1)
        q = self.learned["q"]
        play_games(self.game.rules, states, self.rng, q, EXPLORATION, RATE, number)
        self.iterations += number

    def strategy(self) -> Strategy:
        """The greedy strategy."""
        values = np.where(self._legal, self.learned["q"], -np.inf)
        greedy = np.arange(len(ACTIONS)) == values.argmax(-1)[..., None]
        return Strategy(self.game, normalised(greedy.astype(float), self._legal))

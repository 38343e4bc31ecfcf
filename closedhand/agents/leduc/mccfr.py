"""External-sampling Monte Carlo CFR: learning from sampled games, with CFR's guarantee.

After Lanctot, Waugh, Zinkevich and Bowling, "Monte Carlo Sampling for Regret Minimization in
Extensive Games" (2009). An iteration is two sampled deals, one for each player. That player tries
all its actions; chance and the other player are sampled. The average strategy, which converges to
an equilibrium with high probability, is accumulated at the decisions of the sampled player.
"""

import numpy as np

from closedhand.agents.leduc.strategy import Strategy, legal_table, normalised, slot_at
from closedhand.core import contract
from closedhand.core.game import Game
from closedhand.core.numba.jit import inlined, kernel, seed_in_kernel
from closedhand.games.leduc.plays import ACTIONS, NODES
from closedhand.solvers.regrets import normalise, sample as sample_action
from closedhand.solvers.sampled import SampledSolver


@inlined
def match_regrets(regret, following, out):
    """Write probabilities in proportion to positive regrets, over the legal actions."""
    total, legal = 0.0, 0
    for action in range(len(ACTIONS)):
        out[action] = max(regret[action], 0.0) if following[action] >= 0 else 0.0
        total += out[action]
        legal += following[action] >= 0
    for action in range(len(ACTIONS)):
        if following[action] >= 0:
            out[action] = normalise(out[action], total, legal)


@kernel
def sample(rules, state, player, rng, regret, average, sigma, visited, values, returns):
    """Learn from one deal for `player`; the arguments after `average` are scratch space."""
    contract.deal(rules, state, seed_in_kernel(rng))
    nodes, number = rules.tables.nodes, rules.tables.number
    for n in range(number):
        visited[n] = n == 0
    # Nodes come after their parents: a pass down marks the visited ones, a pass up values them.
    for n in range(number):
        node = nodes[n]
        if not visited[n] or node.player < 0:
            continue
        slot = slot_at(node, state)
        card = state.cards[node.player]
        match_regrets(regret[n, slot, card], node.next, sigma[n])
        if node.player == player:
            for action in range(len(ACTIONS)):
                if node.next[action] >= 0:
                    visited[node.next[action]] = True
        else:
            for action in range(len(ACTIONS)):
                average[n, slot, card, action] += sigma[n, action]
            visited[node.next[sample_action(sigma[n], rng.random())]] = True
    for n in range(number - 1, -1, -1):
        if not visited[n]:
            continue
        node = nodes[n]
        if node.player < 0:
            state.node = n
            contract.returns(rules, state, returns)
            values[n] = returns[player]
            continue
        slot = slot_at(node, state)
        values[n] = 0.0
        for action in range(len(ACTIONS)):
            following = node.next[action]
            if following >= 0 and visited[following]:
                share = sigma[n, action] if node.player == player else 1.0
                values[n] += share * values[following]
        if node.player == player:
            for action in range(len(ACTIONS)):
                if node.next[action] >= 0:
                    gained = values[node.next[action]] - values[n]
                    regret[n, slot, state.cards[player], action] += gained


@kernel
def iterate(rules, states, rng, regret, average, number):
    """Do `number` iterations; `states` [1] is scratch space."""
    sigma = np.empty((NODES, len(ACTIONS)))
    visited = np.empty(NODES, np.bool_)
    values = np.empty(NODES)
    returns = np.empty(2)
    for _ in range(number):
        for player in range(2):
            sample(
                rules, states[0], player, rng, regret, average, sigma, visited, values, returns
            )  # fmt: skip


class MCCFR(SampledSolver):
    """External-sampling MCCFR at work; a `solving.Solver`."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        """Start from the uniform strategy."""
        self._legal = legal_table(game)
        shape = self._legal.shape
        super().__init__(game, seed, {"regret": np.zeros(shape), "average": np.zeros(shape)})

    def run(self, number: int) -> None:
        """Do `number` more iterations."""
        states = self.game.empty(1)
        regret, average = self.learned.values()
        iterate(self.game.rules, states, self.rng, regret, average, number)
        self.iterations += number

    def strategy(self) -> Strategy:
        """The average strategy so far."""
        return Strategy(self.game, normalised(self.learned["average"], self._legal))

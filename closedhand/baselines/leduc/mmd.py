"""Magnetic mirror descent, annealed: policy improvement with a pull towards the uniform strategy.

After Sokota et al., "A Unified Approach to Reinforcement Learning, Quantal Response Equilibria, and
Two-Player Zero-Sum Games" (2023), in behavioural form: at every information set

    next policy = argmax over p of  <p, q> - a KL(p, uniform) - KL(p, policy) / e

where q are the exact action values, a is the temperature and e the step size. With a fixed
temperature the policy approaches a quantal response equilibrium. Here temperature and step size
both fall, and the last policy approaches an equilibrium. This is an observation: the published
guarantee is for fixed temperatures and for policies over sequences.
"""

import numpy as np

from closedhand.baselines.leduc.strategy import Strategy, uniform
from closedhand.baselines.leduc.tree import (
    LANES,
    build,
    expect,
    reach,
    to_sigma,
    to_strategy,
)
from closedhand.core.game import Game
from closedhand.core.kernel import kernel

TEMPERATURE = 1.0
"""Initial temperature in chips; in iteration t it is this divided by the square root of t."""
STEP = 4.0
"""Initial step size in 1/chips; in iteration t it is this divided by the square root of t."""


@kernel
def improve(tree, sigma, logits, reached, values, player, temperature, step):
    """Do one step of `player` at all its information sets, against the opponent's `reached`."""
    for n in range(len(tree.player)):
        if tree.player[n] != player:
            continue
        first, end = tree.first[n], tree.first[n] + tree.children[n]
        for c in range(LANES):
            likely = 0.0
            for other in range(LANES):
                likely += reached[n, other] * tree.pays[tree.slot[n], other, c]
            if likely <= 0.0:
                continue
            top = -np.inf
            for child in range(first, end):
                value = values[child, c] / likely
                logits[child, c] = (logits[child, c] + step * value) / (1.0 + step * temperature)
                top = max(top, logits[child, c])
            total = 0.0
            for child in range(first, end):
                logits[child, c] -= top
                sigma[child, c] = np.exp(logits[child, c])
                total += sigma[child, c]
            for child in range(first, end):
                sigma[child, c] /= total


@kernel
def iterate(tree, sigma, logits, reached, values, done, number):
    """Do `number` iterations after the first `done`, S before T in each."""
    for t in range(done + 1, done + number + 1):
        temperature, step = TEMPERATURE / np.sqrt(t), STEP / np.sqrt(t)
        for player in range(2):
            reach(tree, sigma, 1 - player, reached)
            expect(tree, sigma, reached, player, values)
            improve(tree, sigma, logits, reached, values, player, temperature, step)


class MMD:
    """Magnetic mirror descent at work; a `solving.Solver`."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        """Start from the uniform strategy; nothing is random, so `seed` does not matter."""
        self.game = game
        self.iterations = 0
        self.tree = build(game)
        self._sigma = to_sigma(self.tree, uniform(game))
        self._logits = np.zeros_like(self._sigma)

    def run(self, number: int) -> None:
        """Do `number` more iterations."""
        reached, values = np.empty_like(self._sigma), np.empty_like(self._sigma)
        iterate(self.tree, self._sigma, self._logits, reached, values, self.iterations, number)
        self.iterations += number

    def strategy(self) -> Strategy:
        """The current policy."""
        return to_strategy(self.game, self.tree, self._sigma)

    def state(self) -> dict[str, np.ndarray]:
        """State for `restore`."""
        return {
            "sigma": self._sigma,
            "logits": self._logits,
            "iterations": np.array(self.iterations),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        self._sigma, self._logits = state["sigma"].copy(), state["logits"].copy()
        self.iterations = int(state["iterations"])

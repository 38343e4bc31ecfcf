"""The agent `random`: uniformly random legal actions of any game."""

from typing import NamedTuple

import numpy as np

from closedhand.agents.agent import KernelAgent
from closedhand.core import batch, contract
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.core.stream import Stream, draw, make_stream


@kernel
def share_out(rules, views, ids, shares):
    """Write uniform probabilities of the legal actions of views to `shares` [n, num_actions]."""
    shares[:] = 0.0
    for i in range(len(views)):
        n = contract.legal(rules, views[i], ids)
        for k in range(n):
            shares[i, ids[k]] = 1.0 / n


class Uniform(NamedTuple):
    """Policy of uniformly random actions; each decision draws a number from `stream`."""

    kernels = "closedhand.agents.random"

    stream: Stream


@kernel
def decide(policy, rules, view, ids):
    """Choose a uniformly random legal action; return -1 if the game is over."""
    if contract.over(rules, view):
        return -1
    number = draw(policy.stream)
    return np.int64(ids[np.int64(number * contract.legal(rules, view, ids))])


@kernel
def with_stream(policy, stream):
    """Return the policy with the given stream, see `closedhand.core.policies`."""
    return Uniform(stream)


class RandomAgent(KernelAgent):
    """Agent that plays uniformly random legal actions, the same for the same seed and views."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        super().__init__(game, "random", Uniform(make_stream(seed)))

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return uniform policies, float64 [n, num_actions]; `InputError` for invalid views."""
        views = batch.prepared(self.game, views)
        shares = np.empty((len(views), self.game.num_actions))
        share_out(self.game.rules, views, self._ids, shares)
        return shares


@described(Traits(microseconds=0.5))
def make_random(game: Game, seed: int, argument: str | None) -> RandomAgent:
    """Make the agent `random`; an argument raises an `InputError`."""
    refuse_argument("random", argument)
    return RandomAgent(game, seed)

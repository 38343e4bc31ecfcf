"""The agent `random`: uniformly random legal actions of any game."""

from typing import NamedTuple

import numpy as np

from closedhand.agents.agent import KernelAgent
from closedhand.core import batch, contract
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.core.stream import Stream, draw, make_stream


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
        masks = batch.legal_masks(self.game, views)
        return masks / np.maximum(masks.sum(axis=1, keepdims=True), 1)  # zeros after the end


@described(Traits(microseconds=0.5))
def make_random(game: Game, seed: int, argument: str | None) -> RandomAgent:
    """Make the agent `random`; an argument raises an `InputError`."""
    refuse_argument("random", argument)
    return RandomAgent(game, seed)

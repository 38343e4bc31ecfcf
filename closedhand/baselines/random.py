"""The agent `random`: legal actions of any game, all with the same probability."""

import numpy as np

from closedhand.core import contract, kernels
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game, State
from closedhand.core.kernel import kernel
from closedhand.core.moved import old_names

__getattr__ = old_names(__name__)


@kernel
def share_out(rules, views, ids, shares):
    """Write the probabilities of the actions of every view, float64 [n, num_actions]."""
    shares[:] = 0.0
    for i in range(len(views)):
        n = contract.legal(rules, views[i], ids)
        for k in range(n):
            shares[i, ids[k]] = 1.0 / n


class RandomAgent:
    """Plays uniformly random legal actions.

    Attributes:
        name: `random`.
    """

    name = "random"

    def __init__(self, game: Game, seed: int = 0) -> None:
        """Play `game`.

        Args:
            game: Any game.
            seed: The same seed and the same sequence of views give the same actions.
        """
        self.game = game
        self._rng = np.random.default_rng(seed)
        self._ids = np.empty(game.num_actions, np.int32)

    def act(self, view: State) -> int:
        """A legal action of the player to act."""
        return int(self.act_batch(np.array([view], self.game.dtype))[0])

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """A legal action for each view, states [n]; int32 [n]."""
        actions = np.empty(len(views), np.int32)
        kernels.sample_all(self.game.rules, views, self._rng, self._ids, actions)
        return actions

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """Uniform probabilities of the legal actions of views, states [n]; float64 [n, actions]."""
        shares = np.empty((len(views), self.game.num_actions))
        share_out(self.game.rules, views, self._ids, shares)
        return shares


@described(Traits(microseconds=0.5))
def make_random(game: Game, seed: int, argument: str | None) -> RandomAgent:
    """The agent `random`.

    Raises:
        InputError: It was given an argument.
    """
    refuse_argument("random", argument)
    return RandomAgent(game, seed)

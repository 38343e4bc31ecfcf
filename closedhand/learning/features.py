"""Inputs of deep learners: observations and masks of a game, in sub-steps if it has them."""

import numpy as np

from closedhand.core import batch
from closedhand.core.checks import InputError
from closedhand.core.game import Game
from closedhand.core.numba.jit import Planes
from closedhand.core.registry import make_game

ENCODERS = {
    "compact": (batch.features, "feature_size"),
    "planes": (batch.observe, "observation_size"),
}
"""Observations by name: the encoding function, and the attribute of `Game` with the size."""


class Features:
    """A game as a network observes it; planes are flattened.

    Attributes:
        game: The game to learn, in sub-steps if it has them.
        observation: Name of the observation, one of `ENCODERS`.
        inputs: Number of inputs of a network.
        actions: Number of actions of `game`.

    Raises:
        InputError: The observation is unknown.
    """

    def __init__(self, game: Game, observation: str = "compact") -> None:
        if observation not in ENCODERS:
            raise InputError(f"no observation {observation!r}; there are {', '.join(ENCODERS)}")
        self.game = learning_form(game)
        self.observation = observation
        self._encode, size = ENCODERS[observation]
        self.inputs: int = getattr(self.game, size)
        self.actions = self.game.num_actions

    def encode(self, states: np.ndarray) -> tuple[Planes, Planes]:
        """Encode states or views: observations, int8 [n, inputs], and masks, int8 [n, actions]."""
        return self._encode(self.game, states)


def learning_form(game: Game) -> Game:
    """Return a game in sub-steps, which are fewer actions; the game itself if it has none."""
    if not game.substep_options:
        return game
    return make_game(game.name, **{**game.options, **game.substep_options})

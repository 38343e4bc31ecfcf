"""Inputs of deep learners from a game: observations, masks, and the form to learn."""

from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch

from closedhand.core import batch
from closedhand.core.checks import InputError
from closedhand.core.game import Game
from closedhand.core.numba.jit import Planes, States
from closedhand.core.registry import make_game
from closedhand.learning.action_sharing import spelling


class Encoder(NamedTuple):
    """A kind of observation.

    Attributes:
        encode: Function of a game and states [n] to observations and masks, int8 [n, …].
        size: Number of entries of an observation of a game.
    """

    encode: Callable[[Game, States], tuple[Planes, Planes]]
    size: Callable[[Game], int]


ENCODERS = {
    "compact": Encoder(batch.features, lambda game: game.feature_size),
    "planes": Encoder(batch.observe, lambda game: game.observation_size),
}
"""Kinds of observations by name."""


class Features:
    """A game as a network observes it.

    Attributes:
        game: Form of the game to learn.
        observation: Name of the observation, one of `ENCODERS`.
        inputs: Number of inputs of a network.
        actions: Number of actions.
    """

    def __init__(self, game: Game, observation: str = "compact") -> None:
        """Describe a game, flat or in sub-steps, for a network.

        Planes are flattened.

        Raises:
            InputError: The observation is unknown.
        """
        if observation not in ENCODERS:
            raise InputError(f"no observation {observation!r}; there are {', '.join(ENCODERS)}")
        self.game = learning_form(game)
        self.observation = observation
        self._encode = ENCODERS[observation].encode
        self.inputs = ENCODERS[observation].size(self.game)
        self.actions = self.game.num_actions

    def encode(self, states: np.ndarray) -> tuple[Planes, Planes]:
        """Encode observations and legal actions of the players to act in states or views [n].

        Returns:
            Observations, int8 [n, inputs], and action masks, int8 [n, actions].
        """
        return self._encode(self.game, states)

    @cached_property
    def spelling(self) -> torch.Tensor | None:
        """Parts that actions share; see `action_sharing.spelling`."""
        return spelling(self.game)


def learning_form(game: Game) -> Game:
    """Return the form of a game with the fewest actions: sub-steps, if it has them."""
    if not game.substep_options:
        return game
    return make_game(game.name, **{**game.options, **game.substep_options})

"""What deep learners take from a game: numbers for a network, masks, and the form to be learned."""

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
        encode: From a game and states [n] to observations and masks, int8 [n, …].
        size: Number of entries of an observation of a game.
    """

    encode: Callable[[Game, States], tuple[Planes, Planes]]
    size: Callable[[Game], int]


ENCODERS = {
    "compact": Encoder(batch.features, lambda game: game.feature_size),
    "planes": Encoder(batch.observe, lambda game: game.observation_size),
}
"""The kinds of observations by name."""


class Features:
    """A game as a network sees it.

    Attributes:
        game: Form of the game that is learned, in sub-steps where the game offers them.
        observation: Name of the observation, one of `ENCODERS`.
        inputs: Number of inputs of a network.
        actions: Number of actions.
    """

    def __init__(self, game: Game, observation: str = "compact") -> None:
        """Look at a game.

        Args:
            game: Any game, flat or in sub-steps.
            observation: `compact`, or `planes`, which are flattened.

        Raises:
            InputError: There is no such observation.
        """
        if observation not in ENCODERS:
            raise InputError(f"no observation {observation!r}; there are {', '.join(ENCODERS)}")
        self.game = learning_form(game)
        self.observation = observation
        self._encode = ENCODERS[observation].encode
        self.inputs = ENCODERS[observation].size(self.game)
        self.actions = self.game.num_actions

    def encode(self, states: np.ndarray) -> tuple[Planes, Planes]:
        """What the players to act observe and may do.

        Args:
            states: States or views, `game.dtype` [n].

        Returns:
            Observations, int8 [n, inputs], and action masks, int8 [n, actions].
        """
        return self._encode(self.game, states)

    @cached_property
    def spelling(self) -> torch.Tensor | None:
        """The parts that actions share; see `sharing.spelling`."""
        return spelling(self.game)


def learning_form(game: Game) -> Game:
    """The form of a game with the fewest actions: in sub-steps, where it offers them."""
    if not game.substep_options:
        return game
    return make_game(game.name, **{**game.options, **game.substep_options})

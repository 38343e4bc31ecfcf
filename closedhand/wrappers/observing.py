"""An agent for matches made of any policy that was trained on observations of our envs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from closedhand.core.checks import integers
from closedhand.core.game import Game, State
from closedhand.envs.observation_form import ACTION_MASK, PLANES, Observation, ObservationForm


class ObservingAgent:
    """An agent that plays by a function of observations, such as a network of any library.

    Attributes:
        name: Name in results and records.
        game: Game that is played.
    """

    def __init__(
        self,
        game: Game,
        choose: Callable[[Observation], Any],
        observation: str = PLANES,
        name: str = "learned",
    ) -> None:
        """Play `game` by a function.

        Args:
            game: Game to play, as `env.unwrapped.game` of the envs that the function knows.
            choose: Function from observations of a vector env of `game`, a dict of int8 arrays
                [n, ...] with the `action_mask`, to actions, integers [n].
            observation: Form of the observations: `planes`, `flat` or `compact`.
            name: Name of the agent.

        Raises:
            InputError: There is no such form of observations.
        """
        self.game = game
        self.name = name
        self._choose = choose
        self._sight = ObservationForm(game, observation)

    def act(self, view: State) -> int:
        """Return the action of the player to act."""
        return int(self.act_batch(np.array([view], self.game.dtype))[0])

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Return the action for each view, states [n]; int64 [n].

        Raises:
            InputError: The function does not return one integer for each view.
        """
        seen, masks = self._sight.observe(views)
        chosen = self._choose({**self._sight.parts(seen), ACTION_MASK: masks})
        return integers(f"the actions of agent {self.name!r}", chosen, len(views), "view")

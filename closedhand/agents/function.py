"""Agents made of functions of observations and masks, such as networks of any library."""

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np

from closedhand.core.agents import NamedAgent
from closedhand.core.batch_agent import BatchAgent
from closedhand.core.checks import InputError, integers, shown
from closedhand.core.game import Game

Act = Callable[[Any, np.ndarray], Any]
"""Function of observations and masks; see `from_function`."""


class FunctionAgent(BatchAgent):
    """Agent that plays by a function, see `from_function`; a seed and an argument are ignored."""

    def __init__(self, act: Act, observation: str, name: str, game: Game, *_: Any) -> None:
        from closedhand.envs.observation_form import IN_INFO, ObservationForm

        super().__init__(game, name)
        self._act = act
        self._form = ObservationForm(game, observation, IN_INFO)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # copies share the function and what it remembers

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Return an action, int64 [n], for each view, states [n].

        Raises:
            InputError: The views are not states of the game, or the function does not return one
                integer for each.
        """
        seen, masks = self._form.observe(views)
        chosen = self._act(self._form.show(seen), masks != 0)
        return integers(f"the actions of agent {self.name!r}", chosen, len(views), "view")


def from_function(act: Act, observation: str = "planes", name: str = "function") -> NamedAgent:
    """Make an agent of a function, for matches, leagues, opponents of envs and `make_agent`.

    The agent accepts any game. With several processes the function must be picklable.

    Args:
        act: Function `act(observations, masks) -> actions` of any number n of decisions.
            Observations are those of an env with `mask="info"`: int8 [n, size] or, as `planes`, a
            dict of such arrays by name, each [n, …]. Masks are bool [n, num_actions]. Actions are
            integers [n], also as a tensor.
        observation: Form of the observations: `planes`, `flat` or `compact`.
        name: Name in results and records.

    Raises:
        InputError: `act` is not a function, or `observation` is not one of the three forms.
    """
    # Imported here, as `closedhand.authoring` must not import Gymnasium, which the envs need.
    from closedhand.envs import common
    from closedhand.envs.observation_form import FORMS

    if not callable(act):
        raise InputError(f"an agent is made of a function, not of {shown(act)}")
    common.one_of("observation", observation, FORMS)
    return NamedAgent(name, partial(FunctionAgent, act, observation, name), None, {})

"""Common parts of the two PettingZoo envs: game, spaces, state and picture."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import error, logger, spaces
from gymnasium.utils import seeding

from closedhand.core.checks import shown
from closedhand.core.game import Game, InputError, State
from closedhand.envs import common, render
from closedhand.envs.observation_form import IN_OBSERVATION, PLANES, Observation, ObservationForm


class Spaces:
    """Mixin with the spaces of an env's agents, and `state_space`, the space of `state()`."""

    def set_spaces(self, agents: Sequence[str], form: ObservationForm) -> None:
        """Make the spaces of agents with one form of observations."""
        self.observation_spaces: dict[str, Any] = {agent: form.space() for agent in agents}
        self.action_spaces: dict[str, Any] = {
            agent: spaces.Discrete(form.game.num_actions) for agent in agents
        }
        self.state_space = form.joint_space()

    def observation_space(self, agent: str) -> spaces.Space[Observation]:
        """Return the space of an agent's observations, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[int]:
        """Return the space of an agent's actions, the same object at every call."""
        return self.action_spaces[agent]


class Table(common.Copied, Spaces):
    """One game with an agent at every seat.

    Attributes:
        game: The rules, with `game.text(action)` and `game.parse(text)`.
        render_mode: `human`, `ansi`, `rgb_array` or None.
        possible_agents: `player_0` and so on, by seat.
        start: The state with which the present game began; there is none before a reset.
    """

    def __init__(
        self,
        game: str | Game,
        *,
        render_mode: str | None = None,
        observation: str = PLANES,
        mask: str = IN_OBSERVATION,
        illegal_reward: float | None = common.ILLEGAL_REWARD,
        **options: Any,
    ) -> None:
        """Make the env, without a deal; for arguments and errors see those of `SoloEnv`."""
        self.game = common.resolve(game, options)
        self.form = ObservationForm(self.game, observation, mask)
        self.render_mode = common.check_render_mode(render_mode)
        self.illegal_reward: Any = (  # a float, or in a `GameAEC` None
            None if illegal_reward is None else common.check_reward(illegal_reward)
        )
        name = f"{self.game.name}_v0"
        self.metadata = common.metadata(name=name, is_parallelizable=False)
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.num_players)]
        self.set_spaces(self.possible_agents, self.form)
        self.agents: list[str] = []
        self._states = self.game.empty(1)
        self._rng: np.random.Generator | None = None

    def _begin(self, seed: int | None, given: State | None) -> None:
        """Start from a given state, or deal; a seed restarts the stream of deals.

        The returns of the state count as paid. Leave `agents` empty: the caller sets it last, see
        `GameAEC.step`.
        """
        self.agents = []
        rng = self._rng
        if seed is not None or rng is None:
            rng, _ = seeding.np_random(seed)
        self._states[0] = self.game.deal(rng) if given is None else given
        self._rng = rng  # last: if the first deal is interrupted, there is no game
        # `DuplicateDealing` starts its next tables with this, even if `AutoPass` has played on.
        self.start = self._states[0].copy()
        self._paid = self.game.returns(self.start)

    def _growth(self) -> list[float]:
        """Return the growth of the returns by seat since the last call or `_begin`."""
        returns = self.game.returns(self._states[0])
        growth = (returns - self._paid).tolist()
        self._paid = returns
        return growth

    def seat_of(self, agent: Any) -> int:
        """Return the seat of an agent; an `InputError` refuses any other name."""
        try:
            return self.possible_agents.index(agent)
        except ValueError:
            known = ", ".join(self.possible_agents)
            raise InputError(f"no agent {shown(agent)}; there are {known}") from None

    @property
    def game_state(self) -> State:
        """A copy of the state of the game."""
        return self._states[0].copy()

    def check_started(self) -> None:
        """Raise `gymnasium.error.ResetNeeded` if no game was started."""
        if self._rng is None:
            raise error.ResetNeeded(common.RESET_FIRST)

    def state(self) -> np.ndarray:
        """Return the observations of all players by seat, as one vector, int8."""
        self.check_started()
        return self.form.joint(self._states[0])

    def render(self) -> str | np.ndarray | None:
        """Draw the open table: text for `ansi`, uint8 [540, 960, 3] for `rgb_array`, else None."""
        if self.render_mode is None:
            logger.warn("render() shows nothing: the env was made without a render_mode")
            return None
        self.check_started()
        return render.render(self.game, self._states[0], self.render_mode)

    def close(self) -> None:
        """Do nothing, as an env holds nothing open; PettingZoo's tests want this method."""

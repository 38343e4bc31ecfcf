"""A PettingZoo env as a vector env with a row for each agent, for learners of one player."""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from pettingzoo import AECEnv

from closedhand.core.checks import InputError
from closedhand.envs import common
from closedhand.envs.observation_form import ACTION_MASK, Observation
from closedhand.envs.seat_vector import Rows
from closedhand.wrappers.adapting import aec_table


class AECRows(Rows):
    """An AEC env of this package, wrapped or not, with a row for every agent; see `Rows`.

    Some tutorials treat an AEC env as an env of one player and pay the agent that has acted. An
    agent that loses while another one acts then never gets the loss. Here each agent has its own
    row with its own rewards. If a reset plays forced actions (`AutoPass`), their rewards count with
    the first step of the game; a given start is refused if they end the game, and another `reset`
    is needed.

    Attributes:
        aec: The wrapped env.
    """

    metadata = common.metadata(autoreset_mode=AutoresetMode.SAME_STEP)

    def __init__(
        self,
        env: AECEnv[str, Any, Any],
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        """Wrap what `pettingzoo.make("aec", ...)` returns, also if it is in wrappers already.

        Raises:
            InputError: It is another env, or there is no such autoreset mode.
        """
        self.form = aec_table(env).form
        self.render_mode = aec_table(env).render_mode
        self.aec = env
        self._agents = list(env.possible_agents)
        space = env.observation_space(self._agents[0])  # every agent has the same spaces
        actions = cast(spaces.Discrete, env.action_space(self._agents[0]))
        self._set_up(1, len(self._agents), space, actions, autoreset_mode)

    def render(self) -> tuple[Any, ...] | None:
        """Draw the open table of the game; see `closedhand.envs.render`."""
        picture: Any = self.aec.render()
        return None if self.render_mode is None else (picture,)

    def _begin(self, games: np.ndarray, seeds: Sequence[int | None], options: Any) -> None:
        given = common.given_start(aec_table(self.aec).game, options) is not None
        self.aec.reset(seed=seeds[0], options=options or None)
        # With forced actions played inside, a game may leave no choice.
        while _is_over(self.aec):
            if given:
                raise InputError("forced actions end this game before the first decision")
            self.aec.reset()
        self._due = self._paid()

    def _paid(self) -> np.ndarray:
        """Return the rewards of the last reset or step, float64 [1, num_seats]."""
        return np.array([[self.aec.rewards.get(agent, 0.0) for agent in self._agents]])

    def _play(self, actions: np.ndarray) -> np.ndarray:
        if _is_over(self.aec):
            self._begin(np.ones(1, bool), [None], None)
            return np.zeros((1, self.num_seats))
        self.aec.step(int(actions[0]))
        rewards = self._paid() + self._due
        self._due = np.zeros_like(rewards)
        return rewards

    def _over(self) -> np.ndarray:
        return np.array([_is_over(self.aec)])

    def _actors(self) -> np.ndarray:
        return np.array([self._agents.index(self.aec.agent_selection)])

    def _look(self) -> tuple[Observation, np.ndarray]:
        seen: list[Any] = [self.aec.observe(agent) for agent in self._agents]
        masks = np.stack([self.aec.infos[agent][ACTION_MASK] for agent in self._agents])
        if self.form.is_array:
            return np.stack(seen), masks
        return {part: np.stack([each[part] for each in seen]) for part in seen[0]}, masks


def _is_over(aec: AECEnv[str, Any, Any]) -> bool:
    # An env without agents was interrupted, and refuses to go on.
    agents = aec.agents
    return bool(agents) and all(aec.terminations[each] or aec.truncations[each] for each in agents)

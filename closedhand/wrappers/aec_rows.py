"""A PettingZoo env as a vector env with a row for each agent, for learners of one player."""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from pettingzoo import AECEnv

from closedhand.envs.observation_form import ACTION_MASK, Observation
from closedhand.envs.seat_vector import Rows
from closedhand.wrappers.adapting import aec_table


class AECRows(Rows):
    """An AEC env of this package, wrapped or not, with a row for every agent; see `Rows`.

    Some tutorials treat an AEC env as an env of one player and pay the agent that has acted. An
    agent that loses while another one acts then never gets the loss. Here each agent has its own
    row with its own rewards.

    Attributes:
        aec: The wrapped env.
    """

    def __init__(
        self,
        env: AECEnv[str, Any, Any],
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
    ) -> None:
        """Take over what `pettingzoo.make("aec", ...)` returns, also in wrappers of this package.

        Raises:
            InputError: It is another env, or there is no such autoreset mode.
        """
        self.form = aec_table(env).form
        self.aec = env
        self._agents = list(env.possible_agents)
        space = env.observation_space(self._agents[0])
        actions = cast(spaces.Discrete, env.action_space(self._agents[0]))
        self._set_up(1, len(self._agents), space, actions, autoreset_mode)

    def _begin(self, games: np.ndarray, seeds: Sequence[int | None], options: Any) -> None:
        self.aec.reset(seed=seeds[0], options=options or None)
        while self._is_over():  # with forced actions played inside, a game may leave no choice
            self.aec.reset()

    def _is_over(self) -> bool:
        ends, cuts = self.aec.terminations, self.aec.truncations
        return all(ends[agent] or cuts[agent] for agent in self.aec.agents)

    def _play(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        rewards = np.zeros((1, self.num_seats))
        if self._ended[0]:
            self._begin(~self._ended, [None], None)
            return rewards, np.zeros(1, bool)
        self.aec.step(int(actions[0]))
        rewards[0] = [self.aec.rewards.get(agent, 0.0) for agent in self._agents]
        return rewards, np.array([self._is_over()])

    def _actors(self) -> np.ndarray:
        return np.array([self._agents.index(self.aec.agent_selection)])

    def _look(self) -> tuple[Observation, np.ndarray]:
        seen: list[Any] = [self.aec.observe(agent) for agent in self._agents]
        masks = np.stack([self.aec.infos[agent][ACTION_MASK] for agent in self._agents])
        if self.form.is_array:
            return np.stack(seen), masks
        return {part: np.stack([each[part] for each in seen]) for part in seen[0]}, masks

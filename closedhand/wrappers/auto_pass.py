"""A wrapper of AEC envs that plays forced actions, so that agents only make decisions."""

# pyright: reportMissingTypeStubs=false
# PettingZoo has inline types, but does not declare them.

from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from closedhand.envs import common
from closedhand.envs.observation_form import ACTION_MASK, Observation
from closedhand.wrappers.adapting import aec_table


class AutoPass(common.Copied, BaseWrapper[str, Observation, int]):
    """Wrapper that plays for agents with exactly one legal action, most often the pass.

    After each reset and each step, forced actions are played until an agent has a choice or the
    game is over. The rewards of a step are the sums over all actions played in it. A forced action
    does not clear its agent's cumulative reward. A new game in which no agent has a choice is over
    after `reset`.
    """

    def __init__(self, env: AECEnv[str, Observation, int]) -> None:
        """Wrap an AEC env of this package, wrapped or not; an `InputError` refuses any other."""
        aec_table(env)
        super().__init__(env)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a new game, as the wrapped env does."""
        super().reset(seed=seed, options=options)
        self._go_on()
        # SuperSuit's wrappers keep the last game's cumulative rewards until the first step.
        self.env._cumulative_rewards.update(self.env.rewards)

    def step(self, action: int | None) -> None:
        """Play an action of `agent_selection`; None for an agent that has terminated."""
        super().step(action)  # type: ignore[arg-type]
        self._go_on()

    def _go_on(self) -> None:
        """Play all forced actions that come next."""
        env = self.env  # a wrapper may have rewards of its own
        while (action := self._forced()) is not None:
            agent, earned = self.agent_selection, env.rewards.copy()
            owed = env._cumulative_rewards[agent]
            super().step(action)
            for each, reward in earned.items():
                env.rewards[each] += reward
            env._cumulative_rewards[agent] += owed

    def _forced(self) -> int | None:
        """Return the only legal action of `agent_selection`; None if it has several, or is done."""
        agent = self.agent_selection
        if agent not in self.agents or self.terminations[agent] or self.truncations[agent]:
            return None
        legal = np.flatnonzero(self.infos[agent][ACTION_MASK])
        return int(legal[0]) if len(legal) == 1 else None

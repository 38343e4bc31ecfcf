"""Our vector environments for AgileRL: observations are one array, masks are in the infos."""

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorWrapper
from gymnasium.vector.utils import batch_space

from closedhand.envs.observation_form import OBSERVATION
from closedhand.wrappers.adapting import only_part, vector_env

Step = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]


class AgileRLVecEnv(VectorWrapper[Any, Any, Any, Any, Any]):
    """A vector env for AgileRL's algorithms of one player: PPO, DQN, Rainbow DQN.

    They read the masks from `infos["action_mask"]`, where our vector envs write them.
    """

    def __init__(self, env: Any) -> None:
        """Take over a vector env.

        Args:
            env: What `gymnasium.make_vec` returns with opponents, or a `SeatVectorEnv` for
                self-play; with `observation="compact"` or `"flat"` and same-step autoreset.

        Raises:
            InputError: It is another env, or its observations have further parts, which AgileRL
                would drop.
        """
        inner = vector_env(env, "AgileRL", AutoresetMode.SAME_STEP)
        super().__init__(inner)
        self.single_observation_space = only_part(inner.single_observation_space, "AgileRL")
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)

    def reset(self, **arguments: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """Start new games; arguments as for the env inside."""
        seen, infos = self.env.reset(**arguments)
        return seen[OBSERVATION], infos

    def step(self, actions: np.ndarray) -> Step:
        """Play an action in each game; a finished one restarts at once."""
        seen, rewards, ended, truncated, infos = self.env.step(actions)
        return seen[OBSERVATION], rewards, ended, truncated, infos

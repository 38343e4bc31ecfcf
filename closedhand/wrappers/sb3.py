"""Our vector environments as one `VecEnv` of Stable-Baselines3, with action masks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from closedhand.core.checks import integers
from closedhand.envs import common
from closedhand.envs.vector import GameVectorEnv

MASK = "action_mask"


class SB3VecEnv(VecEnv):
    """Several of our vector envs side by side, possibly with different seats.

    The mask is taken out of the observation, where it would be a feature, and served by
    `env_method("action_masks")`, which is where sb3-contrib looks for it.
    """

    def __init__(self, envs: Sequence[GameVectorEnv]) -> None:
        """Take over `envs`, all with the same spaces and same-step autoreset."""
        for env in envs:
            if env.metadata["autoreset_mode"] != AutoresetMode.SAME_STEP:
                raise ValueError("SB3 resets within the step: use autoreset_mode SAME_STEP")
            if MASK not in env.single_observation_space.spaces:
                raise ValueError("SB3 takes masks: use legal='mask'")
        self.envs = list(envs)
        parts = dict(envs[0].single_observation_space.spaces)
        parts.pop(MASK)
        actions = envs[0].single_action_space
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            sum(env.num_envs for env in envs), spaces.Dict(parts), actions
        )
        self._ends = np.cumsum([env.num_envs for env in envs])[:-1]
        self._masks: np.ndarray
        self._actions: np.ndarray

    def _merge(self, observations: list[dict[str, np.ndarray]]) -> dict[str, np.ndarray]:
        merged = {
            name: np.concatenate([observation[name] for observation in observations])
            for name in observations[0]
        }
        self._masks = merged.pop(MASK).astype(bool)
        return merged

    def reset(self) -> dict[str, np.ndarray]:
        """Start all games."""
        return self._merge(
            [
                env.reset(seed=seed)[0]
                for env, seed in zip(self.envs, self._first_seeds(), strict=True)
            ]
        )

    def _first_seeds(self) -> list[int | None]:
        """The seed of the first game of each env: `VecEnv.seed` has one for every game."""
        seeds = [self._seeds[start] for start in (0, *self._ends)]
        self._reset_seeds()
        return seeds

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seeds of the next reset: that of game i is seed + i.

        Raises:
            InputError: The seed is no whole number of 0 or more.
        """
        return super().seed(common.seed_or_none(seed))

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions, integers [num_envs], for `step_wait`.

        Raises:
            InputError: The actions are not integers [num_envs].
        """
        self._actions = integers("actions", actions, self.num_envs)

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step all games; a finished one restarts, with its last observation in the info."""
        observations: list[dict[str, np.ndarray]] = []
        rewards: list[np.ndarray] = []
        dones: list[np.ndarray] = []
        infos: list[dict[str, Any]] = []
        for env, actions in zip(self.envs, np.split(self._actions, self._ends), strict=True):
            observation, reward, terminated, truncated, info = env.step(actions)
            done = terminated | truncated
            observations.append(observation)
            rewards.append(reward)
            dones.append(done)
            final = info.get("final_obs")
            for i in range(env.num_envs):
                infos.append(self._info(final[i]) if done[i] and final is not None else {})
        return (
            self._merge(observations),
            np.concatenate(rewards).astype(np.float32),
            np.concatenate(dones),
            infos,
        )

    @staticmethod
    def _info(final: dict[str, np.ndarray]) -> dict[str, Any]:
        last = {name: part for name, part in final.items() if name != MASK}
        return {"terminal_observation": last, "TimeLimit.truncated": False}

    def close(self) -> None:
        """Close all envs."""
        for env in self.envs:
            env.close()

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """`action_masks`: the mask of each game, bool [actions]."""
        if method_name != "action_masks":
            raise AttributeError(f"SB3VecEnv has no {method_name}")
        return [self._masks[i] for i in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether `env_method` or `get_attr` knows a name."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Attributes that SB3 asks for: the render mode, always None."""
        if attr_name == "render_mode":
            return [None for _ in self._get_indices(indices)]
        raise AttributeError(f"SB3VecEnv has no {attr_name}")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not supported: games take their options when they are made."""
        raise AttributeError("options of a game are set when it is made")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No game is wrapped."""
        return [False for _ in self._get_indices(indices)]

"""Our vector environments as one `VecEnv` of Stable-Baselines3, with action masks."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from closedhand.core.checks import InputError, integers
from closedhand.core.optional_imports import needing
from closedhand.envs import common
from closedhand.envs.observation_form import ACTION_MASK, OBSERVATION, PLANES
from closedhand.wrappers.adapting import vector_env

with needing():
    from stable_baselines3.common.vec_env import VecEnv

Seen = np.ndarray | dict[str, np.ndarray]
"""Observations: of planes a dict of their parts, else one vector."""


def session_seed(seed: int, done: int) -> int:
    """Make the seed of a session of a training, so that each session plays other deals.

    Args:
        seed: Seed of the training.
        done: Amount of work before the session, such as steps.

    Returns:
        A number of 31 bits: NumPy's old generator, which SB3 seeds, takes at most 32.
    """
    return int(np.random.SeedSequence((seed, done)).generate_state(1)[0] >> 1)


class SB3VecEnv(VecEnv):
    """One or several of our vector envs side by side, possibly with different seats.

    Each row is an env of one player: make them with `opponents`, or as a `SeatVectorEnv` for
    self-play.

    The mask is removed from the observation, where it would be a feature, and returned by
    `env_method("action_masks")`, as sb3-contrib expects. The rest is a dict of parts for
    `MultiInputPolicy`, or with `observation="compact"` or `"flat"` one vector for `MlpPolicy`.
    """

    def __init__(self, envs: Any) -> None:
        """Take over vector envs.

        Args:
            envs: One or several vector envs of this package, as `gymnasium.make_vec` returns them,
                all with the same spaces and same-step autoreset.

        Raises:
            InputError: There is no env, or one is another env, has no masks or another autoreset
                mode, or the spaces differ.
        """
        given = list(cast(Sequence[Any], envs)) if isinstance(envs, Sequence) else [envs]
        self.envs = [vector_env(env, "Stable-Baselines3", AutoresetMode.SAME_STEP) for env in given]
        shapes = [
            (env.single_observation_space, env.single_action_space, env.sight.form)
            for env in self.envs
        ]
        if not shapes or any(shape != shapes[0] for shape in shapes):
            raise InputError("Stable-Baselines3 takes one or more envs, all with the same spaces")
        first = self.envs[0]
        parts = dict(first.single_observation_space.spaces)
        parts.pop(ACTION_MASK)
        self._one_part = first.sight.form != PLANES
        space = parts[OBSERVATION] if self._one_part else spaces.Dict(parts)
        actions = first.single_action_space
        super().__init__(  # pyright: ignore[reportUnknownMemberType]
            sum(env.num_envs for env in self.envs), space, actions
        )
        self._ends = np.cumsum([env.num_envs for env in self.envs])[:-1]
        self._masks: np.ndarray
        self._actions: np.ndarray

    def _merge(self, observations: list[dict[str, np.ndarray]]) -> Seen:
        merged = {
            name: np.concatenate([observation[name] for observation in observations])
            for name in observations[0]
        }
        self._masks = merged.pop(ACTION_MASK).astype(bool)
        return merged[OBSERVATION] if self._one_part else merged

    def reset(self) -> Seen:  # type: ignore[override]
        """Start all games."""
        return self._merge(
            [
                env.reset(seed=seed)[0]
                for env, seed in zip(self.envs, self._first_seeds(), strict=True)
            ]
        )

    def _first_seeds(self) -> list[int | None]:
        """Return the seed of the first game of each env: `VecEnv.seed` has one for every game."""
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

    def _info(self, final: dict[str, np.ndarray]) -> dict[str, Any]:
        parts = {name: part for name, part in final.items() if name != ACTION_MASK}
        last = parts[OBSERVATION] if self._one_part else parts
        return {"terminal_observation": last, "TimeLimit.truncated": False}

    def close(self) -> None:
        """Close all envs."""
        for env in self.envs:
            env.close()

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Call `action_masks`, the only method: the mask of each game, bool [actions]."""
        if method_name != "action_masks":
            raise AttributeError(f"SB3VecEnv has no {method_name}")
        return [self._masks[i] for i in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Return whether `env_method` knows a name."""
        return attr_name == "action_masks"

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return the only attribute that SB3 reads, the render mode: None."""
        if attr_name == "render_mode":
            return [None for _ in self._get_indices(indices)]
        raise AttributeError(f"SB3VecEnv has no {attr_name}")

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Refuse: the options of a game are set when it is made."""
        raise AttributeError("options of a game are set when it is made")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for every game."""
        return [False for _ in self._get_indices(indices)]

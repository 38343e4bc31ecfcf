"""Our vector environments as one `VecEnv` of Stable-Baselines3, with action masks."""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from closedhand.core.checks import InputError, integers
from closedhand.core.optional_imports import needing
from closedhand.envs import common
from closedhand.envs.observation_form import ACTION_MASK, IN_INFO, OBSERVATION, PLANES
from closedhand.wrappers.adapting import vector_env

with needing():
    from stable_baselines3.common.vec_env import VecEnv

Seen = np.ndarray | dict[str, np.ndarray]
"""Observations of all rows: with `planes` a dict of parts, else one array [num_envs, size]."""


def session_seed(seed: int, done: int) -> int:
    """Make the seed of a training session that begins after `done` steps, so that deals differ.

    It has 31 bits: NumPy's old generator, which SB3 seeds, takes at most 32.
    """
    return int(np.random.SeedSequence((seed, done)).generate_state(1)[0] >> 1)


class SB3VecEnv(VecEnv):
    """One or several of our vector envs side by side, possibly with different seats.

    Each row is an env of one player: the envs are made with `opponents`, or for self-play as
    `SeatVectorEnv`.

    Observations are those of `mask="info"`, whatever the envs were made with, so that a model also
    plays in `gymnasium.make(…, mask="info")`: one vector for `MlpPolicy` with
    `observation="compact"` or `"flat"`, else a dict of parts for `MultiInputPolicy`.
    `env_method("action_masks")` returns the masks, as sb3-contrib expects. The infos of finished
    games have the sum of rewards and the length as `episode`, which SB3 logs.
    """

    def __init__(self, envs: Any) -> None:
        """Wrap a vector env of ours, made with same-step autoreset, or a list of such envs.

        Raises:
            InputError: There is no env; spaces differ; or an env is not ours, is in a wrapper, has
                no masks or another autoreset mode, or plays or pays all seats in one row.
        """
        given = list(cast(Sequence[Any], envs)) if isinstance(envs, Sequence) else [envs]
        self.envs = [
            vector_env(env, "Stable-Baselines3", AutoresetMode.SAME_STEP, IN_INFO) for env in given
        ]
        shapes = [
            (env.single_observation_space, env.single_action_space, env.form.name)
            for env in self.envs
        ]
        if not shapes or any(shape != shapes[0] for shape in shapes):
            raise InputError("Stable-Baselines3 takes one or more envs, all with the same spaces")
        first = self.envs[0]
        self._one_part = first.form.name != PLANES  # observations are one vector
        space: Any = first.single_observation_space
        if not first.form.is_array:
            space = self._without_mask(space.spaces)
            space = space if self._one_part else spaces.Dict(space)
        number = sum(env.num_envs for env in self.envs)
        super().__init__(number, space, first.single_action_space)  # pyright: ignore[reportUnknownMemberType]
        self.metadata: dict[str, Any] = {**self.metadata, "render_fps": common.RENDER_FPS}
        # Index of the first row of each env but the first.
        self._ends = np.cumsum([env.num_envs for env in self.envs])[:-1]
        self._masks: np.ndarray
        self._actions: np.ndarray
        self._earned, self._steps = np.zeros(self.num_envs), np.zeros(self.num_envs, np.int64)

    def _without_mask(self, seen: Any) -> Any:
        """Return an observation, or a mapping of spaces, in the form of `mask="info"`."""
        if not isinstance(seen, dict):
            return seen
        seen = cast(dict[str, Any], seen)
        parts = {name: part for name, part in seen.items() if name != ACTION_MASK}
        return parts[OBSERVATION] if self._one_part else parts

    def _merge(self, found: list[tuple[Any, dict[str, Any]]]) -> Seen:
        """Merge the observations of all envs, and keep their masks for `env_method`."""
        self._masks = np.concatenate([infos[ACTION_MASK] for _, infos in found]) != 0
        seen = [self._without_mask(observation) for observation, _ in found]
        if self._one_part:
            return np.concatenate(seen)
        return {name: np.concatenate([each[name] for each in seen]) for name in seen[0]}

    def reset(self) -> Seen:  # type: ignore[override]
        """Start all games; return the observations.

        Raises:
            InputError: An env refuses the options of `set_options`.
        """
        self._earned[:], self._steps[:] = 0.0, 0
        # Each env takes the seed of its first row; `VecEnv.seed` has made one for every row.
        seeds = [self._seeds[start] for start in (0, *self._ends)]
        options = self._options[0]  # the same for all rows
        self._reset_seeds()
        self._reset_options()
        return self._merge(
            [env.reset(seed=seed, options=options)
             for env, seed in zip(self.envs, seeds, strict=True)]
        )  # fmt: skip

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed, 0 or more, of the next reset: an env whose first row is i gets seed + i."""
        return super().seed(common.seed_or_none(seed))

    def set_options(self, options: Any = None) -> None:
        """Set the options of the next reset, such as a `deal`, for all games.

        Raises:
            InputError: They are not one dict for all games.
        """
        given = dict(common.reset_options(options))
        super().set_options(given)  # pyright: ignore[reportUnknownMemberType]

    def step_async(self, actions: np.ndarray) -> None:
        """Keep the actions for `step_wait`; an `InputError` unless they are integers [num_envs]."""
        self._actions = integers("actions", actions, self.num_envs)

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step all games; a finished one restarts, with its last observation in the info."""
        split = np.split(self._actions, self._ends)
        found = [env.step(actions) for env, actions in zip(self.envs, split, strict=True)]
        rewards = np.concatenate([reward for _, reward, *_ in found])
        dones = np.concatenate([done for _, _, done, *_ in found])
        last = [
            row
            for env, (*_, info) in zip(self.envs, found, strict=True)
            for row in info.get("final_obs", (None,) * env.num_envs)
        ]
        self._earned += rewards
        self._steps += 1
        infos: list[dict[str, Any]] = [{} for _ in dones]
        for i in np.flatnonzero(dones):
            infos[i] = {
                "terminal_observation": self._without_mask(last[i]),
                "TimeLimit.truncated": False,
                "episode": {"r": float(self._earned[i]), "l": int(self._steps[i])},
            }
        self._earned[dones], self._steps[dones] = 0.0, 0
        seen = self._merge([(observation, info) for observation, *_, info in found])
        return seen, rewards.astype(np.float32), dones, infos

    def close(self) -> None:
        """Close all envs."""
        for env in self.envs:
            env.close()

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Call `action_masks` (the mask of each row, bool [actions]) or `render` (of each game)."""
        if method_name == "action_masks":
            return [self._masks[i] for i in self._get_indices(indices)]
        if method_name == "render":
            return self.get_images()
        raise AttributeError(f"SB3VecEnv has no method {method_name}")

    def get_images(self) -> list[Any]:
        """Render every game; `render` of SB3 tiles the pictures."""
        return [picture for env in self.envs for picture in env.render() or ()]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the env of each row, such as `game`."""
        values = [getattr(env, attr_name) for env in self.envs for _ in range(env.num_envs)]
        return [values[i] for i in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise an `AttributeError`: the options of a game are set when it is made."""
        raise AttributeError("options of a game are set when it is made")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for every row."""
        return [False for _ in self._get_indices(indices)]

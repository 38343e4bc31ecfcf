"""Many parallel games as a Gymnasium VectorEnv of tensors, on a GPU or on the CPU."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from closedhand.core.checks import InputError, shown
from closedhand.core.game import Game
from closedhand.core.status import ILLEGAL, RUNNING
from closedhand.envs import common
from closedhand.envs.device_batch import DeviceBatch
from closedhand.envs.observation_form import ACTION_MASK, IN_OBSERVATION, PLANES, ObservationForm
from closedhand.envs.opponents import Spec
from closedhand.envs.vector import REWARDS

Tensors = dict[str, Any]
"""Tensors of PyTorch by name."""


class DeviceVectorEnv(VectorEnv[Any, Any, Any]):
    """`num_envs` parallel games with all data in tensors on one device.

    Deals, observations and rewards are those of a `GameVectorEnv` with `autoreset_mode="SameStep"`,
    game by game. Tensors have fixed shapes and are changed in place: copy data that must outlast
    the next step. Steps are launched on PyTorch's current stream, so a step and a network can be
    captured in one CUDA graph. A step does not wait for the device.

    Observations are a dict of int8 tensors; a `flat` or `compact` one with `mask="info"` is one
    tensor. Infos are a dict of tensors `action_mask`, `current_player`, `rewards`, `actor` and
    `illegal_action` as in `GameVectorEnv`, all valid for every game; after `reset` the actor is -1.
    The last observation of a finished game is not kept.

    Attributes:
        batch: The games, with `sample()` and `decide(agent)`.
        reward: Rewards of `step`: `actor` or `seats`.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        device: Any = "cuda",
        opponents: Spec | None = None,
        seat: int | str = 0,
        reward: str = "actor",
        observation: str = PLANES,
        mask: str = IN_OBSERVATION,
        illegal_reward: float = common.ILLEGAL_REWARD,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        """Make the env; arguments and errors are those of `GameVectorEnv`, with these differences.

        `device` is `cuda`, `cuda:1`, … or `cpu`; an `InputError` refuses one that is missing or too
        small for the games. Opponents must decide in kernels. Self-play without `reward` gives no
        warning. `autoreset_mode` is always `SameStep` and `render_mode` None; there are no `legal`
        and `num_threads`.
        """
        self.game = common.resolve(game, options)
        if common.check_autoreset_mode(autoreset_mode) != AutoresetMode.SAME_STEP:
            raise InputError(
                "games on a device begin anew in the same step: leave out autoreset_mode, or say "
                f"autoreset_mode='SameStep', not {shown(autoreset_mode)}"
            )
        if render_mode is not None:
            raise InputError(f"games on a device are not rendered: no {shown(render_mode)}")
        self.reward = common.one_of("reward", reward, REWARDS)
        self.batch = DeviceBatch(
            self.game, num_envs, device=device, observation=observation, opponents=opponents,
            seat=seat, illegal_reward=illegal_reward,
        )  # fmt: skip
        num_envs = self.num_envs = self.batch.number
        self.render_mode = None
        self.form = ObservationForm(self.game, observation, mask)
        self.single_observation_space: spaces.Space[Any] = self.form.space()  # pyright: ignore[reportIncompatibleVariableOverride]
        self.single_action_space: spaces.Discrete = spaces.Discrete(self.game.num_actions)  # pyright: ignore[reportIncompatibleVariableOverride]
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        batch = self.batch
        self._observations: Any = batch.observation
        if not self.form.is_array:
            places = self.form.parts(np.arange(self.form.size))  # indices of each part's entries
            self._observations = {
                name: batch.observation[:, at.min() : at.max() + 1].view(num_envs, *at.shape)
                for name, at in places.items()
            }
        if mask == IN_OBSERVATION:
            self._observations[ACTION_MASK] = batch.action_mask
        self._terminations = batch.status != RUNNING
        self._truncations = self._terminations.clone()
        self._illegal = self._terminations.clone()
        self._rewards = batch.rewards[:, 0].clone()
        self._infos: Tensors = {
            ACTION_MASK: batch.action_mask, "current_player": batch.player,
            "rewards": batch.rewards, "actor": batch.actor, "illegal_action": self._illegal,
        }  # fmt: skip

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> tuple[Tensors, Tensors]:
        """Start new games as `GameVectorEnv.reset` does, but with no option except `reset_mask`."""
        given = dict(common.reset_options(options))
        mask = given.pop("reset_mask", None)
        if given:
            raise InputError(f"games on a device are not started from {', '.join(given)}")
        self.batch.reset(seed, mask)
        self._illegal.zero_()
        return self._seen(), dict(self._infos)

    def step(self, actions: Any) -> tuple[Tensors, Any, Any, Any, Tensors]:
        """Play one action in each game.

        `actions` are ids, int64 [num_envs], a tensor on the device; an `InputError` refuses others,
        and a step before the first `reset`.

        Returns:
            Observations; rewards, float64 [num_envs], or [num_envs, num_players] with
            `reward="seats"`; terminations and truncations (always False), bool [num_envs]; infos.
        """
        batch, torch = self.batch, self.batch.torch
        batch.step(actions)
        torch.ne(batch.status, RUNNING, out=self._terminations)
        torch.eq(batch.status, ILLEGAL, out=self._illegal)
        rewards = batch.rewards
        if self.reward == "actor":
            torch.gather(rewards, 1, batch.actor[:, None], out=self._rewards[:, None])
            rewards = self._rewards
        return self._seen(), rewards, self._terminations, self._truncations, dict(self._infos)

    def action_masks(self) -> Any:
        """Return the masks, bool [num_envs, num_actions], a new tensor."""
        return self.batch.action_mask != 0

    def _seen(self) -> Any:
        return self._observations if self.form.is_array else dict(self._observations)

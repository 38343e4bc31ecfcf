"""Our envs as envs of TorchRL, with action masks."""

# pyright: reportMissingTypeStubs=false

from typing import cast

import gymnasium
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from closedhand.core.checks import InputError, shown
from closedhand.core.optional_imports import needing
from closedhand.envs.observation_form import ACTION_MASK
from closedhand.envs.solo import SoloEnv
from closedhand.wrappers.adapting import OneSeat, check_mask, vector_env

with needing():
    from torchrl.envs import ActionMask, DTypeCastTransform, GymWrapper, TransformedEnv


class Mask(DTypeCastTransform):
    """Transform of masks to bool; an all-zero mask, after the end of a game, marks action 0."""

    def __init__(self) -> None:
        super().__init__(torch.int8, torch.bool, in_keys=[ACTION_MASK])

    def _apply_transform(self, obs: torch.Tensor) -> torch.Tensor:
        mask = super()._apply_transform(obs).clone()
        mask[..., 0] |= ~mask.any(-1)
        return mask


def torchrl_env(env: gymnasium.Env | gymnasium.vector.VectorEnv) -> TransformedEnv:
    """Convert an env of this package to one of TorchRL, whose random actions obey the mask.

    In every form of observations, the parts are entries of the tensordict, float32. `action_mask`
    is bool, for `MaskedCategorical`:
    `ProbabilisticActor(..., in_keys={"logits": "logits", "mask": "action_mask"})`. A vector env has
    the batch size [num_envs].

    Args:
        env: What `gymnasium.make` returns; what `gymnasium.make_vec` returns with `opponents` and
            `autoreset_mode="Disabled"`, because TorchRL resets games itself; or a `SeatVectorEnv`
            with that mode for self-play.

    Raises:
        InputError: The env is none of these, is a vector env in a wrapper, has no masks or another
            autoreset mode, or is a vector env with all seats, or their rewards, in one row.
    """
    ours = env.unwrapped
    if isinstance(ours, OneSeat):
        space = vector_env(env, "TorchRL", AutoresetMode.DISABLED).single_observation_space
    elif isinstance(ours, SoloEnv):
        check_mask(ours.form, "TorchRL")
        space = ours.observation_space
    else:
        raise InputError(f"an env of closedhand is needed here, not {shown(env)}")
    parts = [name for name in cast(spaces.Dict, space).spaces if name != ACTION_MASK]
    made = TransformedEnv(GymWrapper(env, categorical_action_encoding=True))
    floats = DTypeCastTransform(torch.int8, torch.float32, in_keys=parts)
    for transform in (Mask(), floats, ActionMask()):
        made.append_transform(transform)
    return made

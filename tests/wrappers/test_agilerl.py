"""AgileRL's algorithms of one player get arrays as observations, and masks in the infos."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from closedhand import InputError
from closedhand.envs import SeatVectorEnv
from closedhand.wrappers.agilerl import AgileRLVecEnv

GIVEN: dict[str, Any] = {"observation": "compact", "autoreset_mode": "SameStep"}


@pytest.mark.parametrize("rows", ["one seat", "every seat"])
def test_observations_are_arrays_beside_the_masks(rows: str) -> None:
    inner: Any = SeatVectorEnv("leduc", 4, **GIVEN)
    if rows == "one seat":
        inner = gymnasium.make_vec("closedhand/Leduc-v0", num_envs=4, opponents="random", **GIVEN)
    env = AgileRLVecEnv(inner)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    seen, infos = env.reset(seed=1)
    rng, ended = np.random.default_rng(1), 0
    for _ in range(60):
        assert env.observation_space.contains(seen)
        masks = infos["action_mask"]
        assert masks.shape == (env.num_envs, env.single_action_space.n) and masks.any(axis=1).all()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        seen, rewards, over, _, infos = env.step(actions)
        assert not rewards[~over].any()
        ended += int(over.sum())
    assert ended


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"observation": "planes"}, "would lose"),
        ({"autoreset_mode": "NextStep"}, "autoreset_mode='SameStep'"),
        ({"legal": "ids"}, "takes masks"),
    ],
)
def test_other_envs_are_refused(given: dict[str, Any], why: str) -> None:
    env = gymnasium.make_vec(
        "closedhand/DouDizhu-v0", num_envs=2, opponents="random", **{**GIVEN, **given}
    )
    with pytest.raises(InputError, match=why):
        AgileRLVecEnv(env)
    with pytest.raises(InputError, match="a vector env of closedhand"):
        AgileRLVecEnv(gymnasium.make_vec("CartPole-v1"))

"""Our envs as envs of TorchRL: specs, masks, all parts, and the same games as without it."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from closedhand import InputError
from closedhand.envs import GameVectorEnv, SeatVectorEnv

pytest.importorskip("torchrl")
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]

GAMES = 3
OPTIONS: dict[str, Any] = {"autoreset_mode": "Disabled"}


def single(**options: Any) -> Any:
    return gymnasium.make("closedhand/Leduc-v0", **options)


def several(**options: Any) -> Any:
    return GameVectorEnv("leduc", GAMES, opponents="random", **OPTIONS, **options)


def self_play(**options: Any) -> Any:
    return SeatVectorEnv("leduc", GAMES, **OPTIONS, **options)


def test_torchrls_own_constructor_makes_our_env() -> None:
    """It passes keyword arguments on to see which ones an env takes."""
    from torchrl.envs import GymEnv

    env = GymEnv("closedhand/Leduc-v0", opponents="random")
    assert set(env.reset().keys()) >= {"observation", "status", "action_mask"}


@pytest.mark.parametrize("form", ["planes", "compact"])
@pytest.mark.parametrize("make", [single, several, self_play])
def test_specs_hold_and_random_play_is_legal(make: Any, form: str) -> None:
    from torchrl.envs.utils import check_env_specs

    from closedhand.wrappers.torchrl import torchrl_env

    env = torchrl_env(make(observation=form))
    env.set_seed(3)
    check_env_specs(env)
    data = env.rollout(40, break_when_any_done=False)
    chosen = data["action_mask"].gather(-1, data["action"].unsqueeze(-1))
    assert chosen.all() and data["next", "done"].sum() > 3
    assert data["next", "action_mask"].any(-1).all()
    parts = {"observation", "status"} if form == "planes" else {"observation"}
    assert parts <= set(data.keys())
    assert all(data[part].is_floating_point() for part in parts)


@pytest.mark.parametrize("make", [several, self_play])
def test_the_games_are_those_of_the_vector_env(make: Any) -> None:
    from closedhand.wrappers.torchrl import torchrl_env

    env, games = torchrl_env(make(observation="compact")), make(observation="compact")
    data = env.reset(seed=5)
    seen, _ = games.reset(seed=5)
    ends = 0
    for _ in range(40):
        assert np.array_equal(data["observation"].numpy(), seen["observation"])
        assert np.array_equal(data["action_mask"].numpy(), seen["action_mask"] != 0)
        data = env.rand_action(data)
        told, data = env.step_and_maybe_reset(data)
        seen, rewards, ended, _, _ = games.step(told["action"].numpy())
        assert np.array_equal(told["next", "observation"].numpy(), seen["observation"])
        assert np.array_equal(told["next", "reward"].numpy()[:, 0], rewards.astype(np.float32))
        assert np.array_equal(told["next", "terminated"].numpy()[:, 0], ended)
        if ended.any():
            ends += 1
            seen, _ = games.reset(options={"reset_mask": ended})
    assert ends > 3


def test_a_wrapper_takes_effect_or_is_refused() -> None:
    from closedhand.wrappers.torchrl import torchrl_env

    env = torchrl_env(gymnasium.wrappers.TransformReward(single(), lambda reward: 0 * reward + 7))
    assert (env.rollout(3)["next", "reward"] == 7).all()
    with pytest.raises(InputError, match="TorchRL takes the env without the wrapper ClipReward"):
        torchrl_env(gymnasium.wrappers.vector.ClipReward(several(), 0, 1))


def test_other_envs_are_refused() -> None:
    from closedhand.wrappers.torchrl import torchrl_env

    with pytest.raises(InputError, match="TorchRL needs another reset: use autoreset_mode='Disab"):
        torchrl_env(GameVectorEnv("leduc", 2, opponents="random"))
    with pytest.raises(InputError, match="TorchRL takes masks: use legal='mask'"):
        torchrl_env(GameVectorEnv("leduc", 2, opponents="random", legal="ids", **OPTIONS))
    with pytest.raises(InputError, match="TorchRL takes one reward a row: leave out reward='seats"):
        torchrl_env(GameVectorEnv("leduc", 2, opponents="random", reward="seats", **OPTIONS))
    with pytest.raises(InputError, match="an env of closedhand is needed here"):
        torchrl_env(gymnasium.make("CartPole-v1"))
    with pytest.raises(InputError, match="make the env with opponents, or a SeatVectorEnv"):
        torchrl_env(GameVectorEnv("leduc", 2, reward="seats", **OPTIONS))

"""The VecEnv of Stable-Baselines3 says of every game what the envs in it say."""

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from support import VARIANTS, variant_id
from support_envs import Fixed

from closedhand import make_game
from closedhand.envs.vector import GameVectorEnv

pytest.importorskip("stable_baselines3")

SIZES = (3, 5)


def make_envs(variant: tuple[str, dict]) -> list[GameVectorEnv]:
    name, rules = variant
    return [
        GameVectorEnv(
            make_game(name, **rules),
            num_envs=size,
            opponents=Fixed(make_game(name, **rules)),
            seat=seat,
            autoreset_mode=AutoresetMode.SAME_STEP,
        )
        for seat, size in enumerate(SIZES)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("variant", [VARIANTS[0], ("leduc", {})], ids=variant_id)
def test_it_says_what_its_envs_say(variant: tuple[str, dict]) -> None:
    from closedhand.wrappers.sb3 import SB3VecEnv

    envs, twins = SB3VecEnv(make_envs(variant)), make_envs(variant)
    seeds = envs.seed(7)
    rng = np.random.default_rng(0)
    starts = [0, SIZES[0]]
    observations = envs.reset()
    looks = [twin.reset(seed=seeds[start])[0] for twin, start in zip(twins, starts, strict=True)]
    together = 0
    for _ in range(200):
        masks = np.array(envs.env_method("action_masks"))
        for part in ("action_mask", *observations):
            told = np.concatenate([look[part] for look in looks])
            assert (told == (masks if part == "action_mask" else observations[part])).all()
        actions = np.argmax(masks * rng.random(masks.shape), axis=1)
        observations, rewards, dones, infos = envs.step(actions)
        steps = [
            twin.step(own) for twin, own in zip(twins, np.split(actions, starts[1:]), strict=True)
        ]
        looks = [step[0] for step in steps]
        assert (rewards == np.concatenate([step[1] for step in steps])).all()
        assert (dones == np.concatenate([step[2] | step[3] for step in steps])).all()
        finals = [
            final
            for _, _, over, _, info in steps
            for final in (info["final_obs"] if over.any() else [None] * len(over))
        ]
        for done, final, info in zip(dones, finals, infos, strict=True):
            assert bool(info) == done
            if done:
                last = info["terminal_observation"]
                assert set(last) == set(final) - {"action_mask"}
                assert all((last[part] == final[part]).all() for part in last)
                assert info["TimeLimit.truncated"] is False
        ends = [final["observation"] for done, final in zip(dones, finals, strict=True) if done]
        together += len(ends) > 1 and not (ends[0] == ends[1]).all()
    assert together > 3

"""Self-play in RLlib: whose turn it is, who is paid, and which actions its network may choose."""

from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.envs.common import ILLEGAL_REWARD

pytest.importorskip("ray.rllib.algorithms.ppo")

import torch
from ray.rllib.algorithms.ppo import PPOConfig

from closedhand.wrappers.rllib import MaskedPPOModule, RLlibEnv, self_play

pytestmark = pytest.mark.filterwarnings("ignore")


def choose(seen: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    return {seat: rng.choice(np.flatnonzero(parts["action_mask"])) for seat, parts in seen.items()}


def test_all_who_have_acted_are_paid_whoever_acts() -> None:
    env, rng = RLlibEnv({"game": "doudizhu", "substeps": True}), np.random.default_rng(1)
    for seed in range(10):
        seen, _ = env.reset(seed=seed)
        total, ended = dict.fromkeys(env.agents, 0.0), False
        while not ended:
            (seat,) = seen
            assert env.observation_spaces[seat].contains(seen[seat])
            seen, rewards, ends, _, _ = env.step(choose(seen, rng))
            ended = ends["__all__"]
            assert ended or not any(rewards.values())
            for each, reward in rewards.items():
                total[each] += reward
        assert set(seen) == set(rewards)
        assert all(parts["action_mask"].any() for parts in seen.values())
        if set(rewards) == set(env.agents):
            assert sum(total.values()) == 0 and any(total.values())


@pytest.mark.parametrize(("given", "reward"), [({}, ILLEGAL_REWARD), ({"illegal_reward": -3}, -3)])
def test_an_illegal_action_ends_the_game_for_its_seat(
    given: dict[str, float], reward: float
) -> None:
    env = RLlibEnv({"game": make_game("leduc"), **given})
    seen, _ = env.reset(seed=1)
    (seat,) = seen
    wrong = int(np.flatnonzero(seen[seat]["action_mask"] == 0)[0])
    _, rewards, ends, _, _ = env.step({seat: wrong})
    assert rewards == {seat: reward} and ends == {"__all__": True}


def test_planes_are_refused() -> None:
    with pytest.raises(InputError, match="RLlib keeps 'observation' alone"):
        RLlibEnv({"game": "doudizhu", "observation": "planes"})
    with pytest.raises(InputError, match="RLlib keeps 'observation' alone"):
        self_play(object(), "doudizhu", "planes")
    with pytest.raises(InputError, match="no game"):
        self_play(object(), "no_game")


def test_self_play_takes_what_its_env_takes() -> None:
    config = self_play(PPOConfig(), "leduc", illegal_reward=-3)
    assert config.env_config["illegal_reward"] == -3


def test_the_network_chooses_legal_actions_alone() -> None:
    env, rng = RLlibEnv({"game": "leduc"}), np.random.default_rng(1)
    seat = env.agents[0]
    module = MaskedPPOModule(
        observation_space=env.observation_spaces[seat],
        action_space=env.action_spaces[seat],
        model_config={"fcnet_hiddens": [8]},
    )
    seen, _ = env.reset(seed=1)
    for _ in range(20):
        (parts,) = seen.values()
        batch = {"obs": {name: torch.from_numpy(part[None]) for name, part in parts.items()}}
        for forward in (module.forward_exploration, module.forward_inference, module.forward_train):
            logits = forward(batch)["action_dist_inputs"]
            shares = torch.softmax(logits, 1)[0].detach().numpy()
            assert (shares[parts["action_mask"] == 0] == 0).all() and np.isfinite(
                logits.detach()
            ).all()
        assert module.compute_values(batch).shape == (1,)
        seen, _, ends, _, _ = env.step(choose(seen, rng))
        if ends["__all__"]:
            seen, _ = env.reset()

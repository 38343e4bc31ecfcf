"""Learners of other libraries on our envs: steps a second, played and learned from, on one core.

A step is a decision of a seat that the learner plays. All nets but RLCard's have two layers of 256.
Every function repeats some work for about `seconds` and returns a rate per second of CPU time. The
functions of an example run its own training, with the settings that it comes with.
"""

import contextlib
import importlib.util
import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from closedhand.arena.speed import pick, rate

EXAMPLES = Path(__file__).parent.parent / "examples"
GAMES = 64


def example(name: str) -> ModuleType:
    """Import an example."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def quietly(work: Callable[[], object]) -> None:
    """Do some work, and discard what it prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        work()


def sb3_steps(seconds: float, observation: str) -> float:
    """Measure steps a second of sb3-contrib's MaskablePPO, one seat of 64 games against `rule`."""
    import gymnasium
    import torch
    from sb3_contrib import MaskablePPO

    from closedhand.wrappers.sb3 import SB3VecEnv

    torch.set_num_threads(1)
    games = gymnasium.make_vec(
        "closedhand/DouDizhu-v0", GAMES, opponents="rule", seat="random", substeps=True,
        objective="win", observation=observation, autoreset_mode="SameStep",
    )  # fmt: skip
    policy = "MultiInputPolicy" if observation == "planes" else "MlpPolicy"
    model = MaskablePPO(
        policy, SB3VecEnv(games), n_steps=64, batch_size=512, n_epochs=4, seed=0,
        policy_kwargs={"net_arch": [256, 256]},
    )  # fmt: skip

    def work() -> int:
        model.learn(64 * GAMES)
        return 64 * GAMES

    return rate(work, seconds)


def cleanrl_steps(seconds: float, observation: str) -> float:
    """Measure steps a second of `examples/self_play_ppo.py`, in which all seats learn."""
    import torch

    torch.set_num_threads(1)
    module = example("self_play_ppo")
    settings = module.Settings(observation=observation, width=256, steps=16_384)

    def work() -> int:
        quietly(lambda: module.train(settings))
        return settings.steps

    return rate(work, seconds)


def example_steps(seconds: float, name: str, **options: Any) -> float:
    """Measure steps a second of another example's training, the making of the env included."""
    module = example(name)

    def work() -> int:
        quietly(lambda: module.train(steps=8192, **options))
        return 8192

    return rate(work, seconds)


def rlcard_steps(seconds: float) -> float:
    """Measure RLCard's own loop (`run_rl.py`): a DQN agent in one seat, random ones in the others.

    Steps of all seats are counted, and the net has its customary two layers of 64: both are in
    RLCard's favour.
    """
    import rlcard
    import torch
    from rlcard.agents import DQNAgent, RandomAgent
    from rlcard.utils import reorganize

    torch.set_num_threads(1)
    env = rlcard.make("doudizhu", config={"seed": 0})
    agent = DQNAgent(
        num_actions=env.num_actions, state_shape=env.state_shape[0], mlp_layers=[64, 64],
        device=torch.device("cpu"),
    )  # fmt: skip
    others = [RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players - 1)]
    env.set_agents([agent, *others])

    def work() -> int:
        trajectories, payoffs = env.run(is_training=True)
        for transition in reorganize(trajectories, payoffs)[0]:
            agent.feed(transition)
        return sum((len(states) - 1) // 2 for states in trajectories)

    with contextlib.redirect_stdout(io.StringIO()):
        while agent.total_t < 200:  # it learns once its memory holds 100 of its own steps
            work()
        return rate(work, seconds)


def sb3_env_steps(seconds: float) -> float:
    """Measure `SB3VecEnv` alone: random legal play in 64 games, against `rule`."""
    from closedhand.wrappers.sb3 import SB3VecEnv

    envs = SB3VecEnv(one_seat("SameStep"))
    envs.reset()
    random, actions = np.random.default_rng(0), np.zeros(GAMES, np.int64)

    def work() -> int:
        masks = np.array(envs.env_method("action_masks"), np.int8)
        pick(masks, random.random(GAMES), actions)
        envs.step(actions)
        return GAMES

    return rate(work, seconds)


def torchrl_env_steps(seconds: float) -> float:
    """Measure `torchrl_env` alone: random legal play in 64 games, against `rule`."""
    from closedhand.wrappers.torchrl import torchrl_env

    env = torchrl_env(one_seat("Disabled"))
    data = [env.reset()]

    def work() -> int:
        data[0] = env.step_and_maybe_reset(env.rand_action(data[0]))[1]
        return GAMES

    return rate(work, seconds)


def tianshou_env_steps(seconds: float) -> float:
    """Measure `TianshouVectorEnv` alone: random legal play in 64 games, against `rule`."""
    from closedhand.wrappers.tianshou import TianshouVectorEnv

    envs = TianshouVectorEnv(one_seat("Disabled"))
    seen, _ = envs.reset()
    masks = [seen.mask]
    random, actions = np.random.default_rng(0), np.zeros(GAMES, np.int64)

    def work() -> int:
        pick(masks[0].view(np.int8), random.random(GAMES), actions)
        seen, _, ends, _, _ = envs.step(actions)
        masks[0] = seen.mask
        if ends.any():
            over = np.flatnonzero(ends)
            masks[0][over] = envs.reset(over)[0].mask
        return GAMES

    return rate(work, seconds)


def one_seat(mode: str) -> Any:
    """Make 64 games of Dou Dizhu in sub-steps, compact, one seat against `rule`."""
    import gymnasium

    return gymnasium.make_vec(
        "closedhand/DouDizhu-v0", GAMES, opponents="rule", substeps=True, objective="win",
        observation="compact", autoreset_mode=mode,
    )  # fmt: skip


RATIOS = (
    (
        "MaskablePPO through `SB3VecEnv`, 64 games, sub-steps, compact observation",
        partial(sb3_steps, observation="compact"),
        "steps/s",
        "the same with planes",
        partial(sb3_steps, observation="planes"),
        2.2,
    ),
    (
        "MaskablePPO through `SB3VecEnv`, 64 games, sub-steps, compact observation",
        partial(sb3_steps, observation="compact"),
        "steps/s",
        "RLCard's own training loop (DQN) on its Dou Dizhu",
        rlcard_steps,
        10.0,
    ),
    (
        "`examples/self_play_ppo.py`, sub-steps, compact observation",
        partial(cleanrl_steps, observation="compact"),
        "steps/s",
        "the same with planes",
        partial(cleanrl_steps, observation="planes"),
        2.5,
    ),
)

RATES = (
    *(
        (f"`examples/{name}.py`, learning included", partial(example_steps, name=name), "steps/s")
        for name in ("sb3_maskable_ppo", "sb3_pettingzoo", "torchrl_ppo", "tianshou_ppo")
    ),
    ("`SB3VecEnv` alone, 64 games against `rule`, compact", sb3_env_steps, "steps/s"),
    ("`torchrl_env` alone, 64 games against `rule`, compact", torchrl_env_steps, "steps/s"),
    ("`TianshouVectorEnv` alone, 64 games against `rule`, compact", tianshou_env_steps, "steps/s"),
)

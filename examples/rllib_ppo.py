"""RLlib: PPO with action masks in the new API stack, against an agent or in self-play.

    python examples/rllib_ppo.py
    python examples/rllib_ppo.py --self-play

One seat: RLlib steps our vector env as it is, and `MaskedPPOModule` obeys the masks. Self-play:
`self_play` sets one policy for all seats and a multi-agent env, in which the seats act in turn and
every step may pay any seat. It is slower, since RLlib keeps an episode for each agent. RLlib pins
Gymnasium, so it needs an environment of its own: `examples/requirements/rllib.txt`.
"""

import argparse
import time

import ray
import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from closedhand import make_game
from closedhand.agents import from_function
from closedhand.arena import match, results
from closedhand.wrappers.rllib import MaskedPPOModule, act_of, self_play

OPTIONS = {"substeps": True, "objective": "win"}


def against(opponents: str) -> PPOConfig:
    """Configure PPO for one seat of 64 games side by side; `opponents` play the other seats."""
    config = PPOConfig().environment(
        "closedhand/DouDizhu-v0",
        env_config={"opponents": opponents, "seat": "random", "observation": "compact", **OPTIONS},
    )
    config.rl_module(
        rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule),
        model_config={"fcnet_hiddens": [256, 256], "fcnet_activation": "relu"},
    )
    return config.env_runners(
        gym_env_vectorize_mode="vector_entry_point", num_envs_per_env_runner=64
    )


def train(config: PPOConfig, steps: int) -> PPO:
    """Learn for `steps` steps; print the steps per second, learning included."""
    torch.set_num_threads(1)
    config.env_runners(num_env_runners=0, rollout_fragment_length="auto")
    config.training(
        train_batch_size_per_learner=4096, minibatch_size=512, num_epochs=4, lr=1e-3, gamma=1.0,
        entropy_coeff=0.01, grad_clip=0.5,
    )  # fmt: skip
    config.debugging(seed=1, log_level="ERROR")
    algorithm = config.build_algo()
    start, done = time.process_time(), 0
    while done < steps:
        done = int(algorithm.train()["num_env_steps_sampled_lifetime"])
    print(f"{done:,} steps, {done / (time.process_time() - start):,.0f} a second of processor time")
    return algorithm


def main(arguments: list[str] | None = None) -> float:
    """Train, then play a duplicate match; return the share of games won."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=30_000)
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--opponents", default="rule")
    parser.add_argument("--self-play", action="store_true")
    given = parser.parse_args(arguments)
    game = make_game("doudizhu", **OPTIONS)
    config = self_play(PPOConfig(), game) if given.self_play else against(given.opponents)
    ray.init("local", num_cpus=1, include_dashboard=False, configure_logging=False)
    try:
        agent = from_function(act_of(train(config, given.steps)), "compact", "RLlib")
        score = results.score(match.play(game, [agent, "random"], given.deals, seed=7))
    finally:
        ray.shutdown()
    print(score)
    return score.won.mean


if __name__ == "__main__":
    main()

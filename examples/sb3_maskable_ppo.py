"""Stable-Baselines3: MaskablePPO in one seat of 64 games side by side, against the rule baseline.

    python examples/sb3_maskable_ppo.py

`SB3VecEnv` makes a vector env of this package the `VecEnv` that Stable-Baselines3 wants. It hands
the masks to `MaskablePPO` of sb3-contrib; algorithms without masks would play illegal actions.
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO

import closedhand
from closedhand.agents import from_function
from closedhand.arena import match, results
from closedhand.wrappers.sb3 import SB3VecEnv

FORM = "compact"


def train(steps: int) -> tuple[closedhand.Game, MaskablePPO]:
    """Learn for `steps` steps; print the steps per second, learning included."""
    torch.set_num_threads(1)
    games = gymnasium.make_vec(
        "closedhand/DouDizhu-v0", num_envs=64, opponents="rule", seat="random", substeps=True,
        objective="win", observation=FORM, autoreset_mode="SameStep",
    )  # fmt: skip
    model = MaskablePPO(
        "MlpPolicy", SB3VecEnv(games), n_steps=64, batch_size=512, n_epochs=4, learning_rate=1e-3,
        gamma=1.0, policy_kwargs={"net_arch": [256, 256]}, seed=1,
    )  # fmt: skip
    start = time.process_time()
    model.learn(steps)
    speed = model.num_timesteps / (time.process_time() - start)
    print(f"{model.num_timesteps:,} steps, {speed:,.0f} a second of processor time")
    return games.unwrapped.game, model


def main(arguments: list[str] | None = None) -> float:
    """Train, then play a duplicate match; return the share of games won."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=40_960)
    parser.add_argument("--deals", type=int, default=500)
    given = parser.parse_args(arguments)
    game, model = train(given.steps)

    def act(seen: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return model.predict(seen, action_masks=masks, deterministic=True)[0]

    agent = from_function(act, FORM, "MaskablePPO")
    score = results.score(match.play(game, [agent, "random"], given.deals, seed=7))
    print(score)
    return score.won.mean


if __name__ == "__main__":
    main()

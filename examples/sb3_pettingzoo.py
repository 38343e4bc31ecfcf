"""Stable-Baselines3 in self-play: MaskablePPO plays all seats of the game of a PettingZoo env.

    python examples/sb3_pettingzoo.py

PettingZoo's tutorial on action masking presents a two-player game to Stable-Baselines3 as a game of
one player. `SeatVectorEnv` gives every agent a row of the vector env instead. The row waits while
others act, so that each agent is paid for its own actions.
"""

import argparse
import time

import numpy as np
import pettingzoo
import torch
from sb3_contrib import MaskablePPO

from closedhand import Game
from closedhand.agents import from_function
from closedhand.arena import match, results
from closedhand.envs import SeatVectorEnv
from closedhand.wrappers.sb3 import SB3VecEnv

FORM = "compact"
TABLES = 16


def train(steps: int) -> tuple[Game, MaskablePPO]:
    """Learn for `steps` actions in all games; print them per second, learning included."""
    torch.set_num_threads(1)
    env = pettingzoo.make("aec", "closedhand/doudizhu-v0", substeps=True, objective="win")
    game = env.unwrapped.game
    tables = SeatVectorEnv(game, TABLES, observation=FORM, autoreset_mode="SameStep")
    rows = SB3VecEnv(tables)
    model = MaskablePPO(
        "MlpPolicy", rows, n_steps=64, batch_size=512, n_epochs=4, learning_rate=1e-3,
        gamma=1.0, policy_kwargs={"net_arch": [256, 256]}, seed=1,
    )  # fmt: skip
    start = time.process_time()
    model.learn(game.num_players * steps)
    done = model.num_timesteps // game.num_players
    speed = done / (time.process_time() - start)
    print(f"{done:,} steps, {speed:,.0f} a second of processor time")
    return game, model


def main(arguments: list[str] | None = None) -> float:
    """Train, then play a duplicate match; return the share of games won."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=10_240)
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

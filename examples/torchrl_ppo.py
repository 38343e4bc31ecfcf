"""TorchRL: PPO with a masked distribution in one seat of 64 games, or in self-play.

    python examples/torchrl_ppo.py
    python examples/torchrl_ppo.py --self-play

`torchrl_env` converts an env of this package to an `EnvBase` whose tensordicts hold the mask for
`MaskedCategorical`. In self-play every seat of every game is a row, which waits while others
act, so that TorchRL's own advantages are correct.
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import EnvBase
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from closedhand import Game
from closedhand.agents import from_function
from closedhand.arena import match, results
from closedhand.envs import SeatVectorEnv
from closedhand.wrappers.torchrl import torchrl_env

FORM = "compact"
OPTIONS = {"substeps": True, "objective": "win", "observation": FORM, "autoreset_mode": "Disabled"}
GAMES, ROLLOUT, EPOCHS, MINIBATCHES = 64, 64, 4, 8


def make(self_play: bool) -> tuple[Game, EnvBase]:
    """Make the game, and the env to learn in."""
    games = (
        SeatVectorEnv("doudizhu", GAMES, **OPTIONS)
        if self_play
        else gymnasium.make_vec(
            "closedhand/DouDizhu-v0", GAMES, opponents="rule", seat="random", **OPTIONS
        )
    )
    return games.unwrapped.game, torchrl_env(games)


def mlp(inputs: int, outputs: int) -> nn.Module:
    """Make a network of two layers of 256."""
    return nn.Sequential(
        nn.Linear(inputs, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, outputs)
    )


def train(steps: int, self_play: bool = False) -> tuple[Game, nn.Module]:
    """Learn for `steps` steps; print the steps per second, learning included.

    Returns:
        The game, and the network that rates its actions.
    """
    game, env = make(self_play)
    torch.manual_seed(1)
    torch.set_num_threads(1)
    env.set_seed(1)
    scores = mlp(game.feature_size, game.num_actions)
    actor = ProbabilisticActor(
        TensorDictModule(scores, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        spec=env.action_spec,
        return_log_prob=True,
    )
    critic = ValueOperator(mlp(game.feature_size, 1), ["observation"])
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
    advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    optimiser = torch.optim.Adam(loss.parameters(), 1e-3)
    rounds, batch = max(1, steps // (GAMES * ROLLOUT)), env.batch_size.numel() * ROLLOUT
    collector = Collector(
        env, actor, frames_per_batch=batch, total_frames=rounds * batch,
        auto_register_policy_transforms=False,
    )  # fmt: skip
    start = time.process_time()
    for data in collector:
        with torch.no_grad():
            advantages(data)
        flat = data.reshape(-1)
        for _ in range(EPOCHS):
            for part in torch.randperm(len(flat)).chunk(MINIBATCHES):
                losses = loss(flat[part])
                optimiser.zero_grad()
                sum(value for name, value in losses.items() if name.startswith("loss_")).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimiser.step()
    done = rounds * GAMES * ROLLOUT
    speed = done / (time.process_time() - start)
    print(f"{done:,} steps, {speed:,.0f} a second of processor time")
    collector.shutdown()
    return game, scores


def main(arguments: list[str] | None = None) -> float:
    """Train, then play a duplicate match; return the share of games won."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=40_960)
    parser.add_argument("--deals", type=int, default=500)
    parser.add_argument("--self-play", action="store_true")
    given = parser.parse_args(arguments)
    game, scores = train(given.steps, given.self_play)

    @torch.no_grad()
    def act(seen: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        rated = scores(torch.from_numpy(seen).float())
        return rated.masked_fill(torch.from_numpy(~masks), -torch.inf).argmax(1)

    agent = from_function(act, FORM, "TorchRL")
    score = results.score(match.play(game, [agent, "random"], given.deals, seed=7))
    print(score)
    return score.won.mean


if __name__ == "__main__":
    main()

"""Tianshou: PPO with masks in one seat of 64 games side by side, against the rule baseline.

    python examples/tianshou_ppo.py

`TianshouVectorEnv` steps all games in one call, where Tianshou's own vector envs have a worker for
each game. `MaskedActor` masks the logits; `UnmaskedCritic` gives the critic observations alone.
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import Net
from tianshou.utils.net.discrete import DiscreteActor, DiscreteCritic

from closedhand import Game
from closedhand.agents import from_function
from closedhand.arena import match, results
from closedhand.wrappers.tianshou import MaskedActor, TianshouVectorEnv, UnmaskedCritic

FORM = "compact"
GAMES, ROLLOUT, EPOCHS, MINIBATCH = 64, 64, 4, 512


def train(steps: int) -> tuple[Game, MaskedActor]:
    """Learn for `steps` steps; print the steps per second, learning included."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    games = gymnasium.make_vec(
        "closedhand/DouDizhu-v0", GAMES, opponents="rule", seat="random", substeps=True,
        objective="win", observation=FORM, autoreset_mode="Disabled",
    )  # fmt: skip
    game = games.unwrapped.game
    envs = TianshouVectorEnv(games)
    envs.seed(1)
    hidden = {"state_shape": game.feature_size, "hidden_sizes": [256, 256]}
    actor = MaskedActor(
        DiscreteActor(
            preprocess_net=Net(**hidden), action_shape=game.num_actions, softmax_output=False
        )
    )
    algorithm = PPO(
        policy=DiscreteActorPolicy(actor=actor, action_space=games.single_action_space),
        critic=UnmaskedCritic(DiscreteCritic(preprocess_net=Net(**hidden))),
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        max_grad_norm=0.5,
    )
    batch = GAMES * ROLLOUT
    collector = Collector(algorithm, envs, VectorReplayBuffer(batch, GAMES))
    rounds = max(1, steps // batch)
    start = time.process_time()
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=rounds * batch,
            collection_step_num_env_steps=batch,
            batch_size=MINIBATCH,
            update_step_num_repetitions=EPOCHS,
            show_progress=False,
            verbose=False,
        )
    )
    speed = rounds * batch / (time.process_time() - start)
    print(f"{rounds * batch:,} steps, {speed:,.0f} a second of processor time")
    return game, actor


def main(arguments: list[str] | None = None) -> float:
    """Train, then play a duplicate match; return the share of games won."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=40_960)
    parser.add_argument("--deals", type=int, default=500)
    given = parser.parse_args(arguments)
    game, actor = train(given.steps)

    @torch.no_grad()
    def act(seen: np.ndarray, masks: np.ndarray) -> torch.Tensor:
        return actor(Batch(obs=seen, mask=masks))[0].argmax(1)

    agent = from_function(act, FORM, "Tianshou")
    score = results.score(match.play(game, [agent, "random"], given.deals, seed=7))
    print(score)
    return score.won.mean


if __name__ == "__main__":
    main()

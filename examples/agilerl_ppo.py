"""AgileRL: evolving PPO agents with action masks, against the rule baseline.

    python examples/agilerl_ppo.py

AgileRL takes observations as one array, and masks from the infos: it needs only `mask="info"`. A
small population trains side by side; a tournament selects agents, and mutations change networks
and learning rates. AgileRL pins PettingZoo, so it needs an environment of its own:
`examples/requirements/agilerl.txt`.
"""

import argparse
import time

import gymnasium
import numpy as np
import torch
from agilerl.algorithms.ppo import PPO
from agilerl.hpo.mutation import Mutations
from agilerl.hpo.tournament import TournamentSelection
from agilerl.training.train_on_policy import train_on_policy

import closedhand
from closedhand.agents import from_function
from closedhand.arena import match, results

FORM = "compact"
POPULATION = 2
NETWORK = {
    "encoder_config": {"hidden_size": [256, 256]},
    "head_config": {"hidden_size": [64]},
}


def train(steps: int) -> tuple[closedhand.Game, PPO]:
    """Learn for `steps` steps, shared by the agents; print them per second, learning included."""
    torch.set_num_threads(1)
    envs = gymnasium.make_vec(
        "closedhand/DouDizhu-v0", num_envs=64, opponents="rule", seat="random", substeps=True,
        objective="win", observation=FORM, mask="info", autoreset_mode="SameStep",
    )  # fmt: skip
    agents = [
        PPO(
            envs.single_observation_space, envs.single_action_space, index=i, num_envs=64,
            learn_step=4096, batch_size=512, lr=1e-3, gamma=1.0, net_config=NETWORK,
        )
        for i in range(POPULATION)
    ]  # fmt: skip
    start = time.process_time()
    trained, _ = train_on_policy(
        envs, "DouDizhu", "PPO", agents, max_steps=steps // POPULATION, evo_steps=4096,
        eval_steps=100, tournament=TournamentSelection(2, True, POPULATION),
        mutation=Mutations(0.4, 0.2, 0.2, 0.0, 0.0, 0.2), verbose=False,
    )  # fmt: skip
    done = sum(agent.steps for agent in trained)
    print(f"{done:,} steps, {done / (time.process_time() - start):,.0f} a second of processor time")
    return envs.unwrapped.game, max(trained, key=lambda agent: np.mean(agent.fitness[-1:]))


def main(arguments: list[str] | None = None) -> float:
    """Train, then play a duplicate match; return the share of games won."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=50_000)
    parser.add_argument("--deals", type=int, default=500)
    given = parser.parse_args(arguments)
    game, best = train(given.steps)
    best.set_training_mode(False)

    def act(seen: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return best.get_action(seen, action_mask=masks)[0]

    agent = from_function(act, FORM, "AgileRL")
    score = results.score(match.play(game, [agent, "random"], given.deals, seed=7))
    print(score)
    return score.won.mean


if __name__ == "__main__":
    main()

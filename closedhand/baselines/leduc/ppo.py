"""MaskablePPO in self-play on the vector env: one file from the network to the strategy.

The learner sits in both seats, half of the games each. The opponent inside the envs plays the
learner's own policy of the iteration before, from a table: the game has so few information sets
that the network is asked for all of them at once. The strategy is the average of the policies of
all iterations, each weighted with its number and with how likely it is to come to an information
set, which is less exploitable than the latest policy alone. Neither has a guarantee: policy
gradients in self-play may cycle.
"""

import io
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from closedhand.baselines.leduc.strategy import (
    Strategy,
    StrategyAgent,
    information_sets,
    legal_table,
    normalised,
    uniform,
)
from closedhand.baselines.leduc.tree import build, reach, to_sigma, to_strategy
from closedhand.envs.vector import GameVectorEnv
from closedhand.games import contract
from closedhand.games.game import Game
from closedhand.games.leduc.plays import ACTIONS
from closedhand.games.leduc.rules import FLOP, UNKNOWN
from closedhand.wrappers.sb3 import SB3VecEnv

GAMES = 128
"""Games side by side in each seat."""
STEPS = 16
"""Decisions of each game in an iteration."""
SCALE = 1 / 13
"""Of the rewards: no game is about more chips."""
ENTROPY = 0.08
"""The weight of the entropy bonus at first."""
LEARNING_RATE = 2e-3
"""Of Adam, at first."""
ANNEALING = 1000
"""After i iterations both are divided by the square root of 1 + i / ANNEALING."""


class Scaled(VecEnvWrapper):
    """Rewards times `SCALE`, on which the value function learns better."""

    def reset(self) -> Any:
        """Start all games."""
        return self.venv.reset()

    def step_wait(self) -> Any:
        """Step all games."""
        observations, rewards, dones, infos = self.venv.step_wait()
        return observations, rewards * SCALE, dones, infos


def situations(game: Game) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Every information set as the network is shown it.

    Returns:
        Their rows in the table of a strategy (node, slot, card), int64 [sets, 3]; the action masks,
        bool [sets, 4]; and the observations by part.
    """
    places = list(information_sets(game))
    rows = np.array([(place.node, place.slot, place.card) for place in places])
    observations = np.empty((len(places), game.observation_size), np.int8)
    for place, observation in zip(places, observations, strict=True):
        state = game.empty(1)[0]
        for action in place.history.replace("/", "").split():
            contract.play(game.rules, state, ACTIONS.index(action))
        state.cards[:] = UNKNOWN
        state.cards[state.player] = place.card
        state.cards[FLOP] = place.slot - 1
        contract.observe(game.rules, state, state.player, observation)
    return rows, legal_table(game)[tuple(rows.T)], game.split(observations)


class PPO:
    """MaskablePPO at work; a `solving.Learner` whose iterations are a rollout and an update."""

    def __init__(self, game: Game, seed: int = 0) -> None:
        """Start from an untrained network."""
        self.game = game
        self.iterations = 0
        self._seed = seed
        # The networks are tiny: more threads would only wait for one another.
        torch.set_num_threads(1)
        self._rows, self._masks, self._observations = situations(game)
        self._tree = build(game)
        self._average = np.zeros_like(to_sigma(self._tree, uniform(game)))
        self._opponent = StrategyAgent(uniform(game), "self", seed)
        self._env: VecEnv = Scaled(
            SB3VecEnv(
                [
                    GameVectorEnv(
                        game,
                        num_envs=GAMES,
                        opponents=self._opponent,
                        seat=seat,
                        autoreset_mode=AutoresetMode.SAME_STEP,
                    )
                    for seat in range(game.num_players)
                ]
            )
        )
        self._env.seed(seed)
        self._model = MaskablePPO(
            "MultiInputPolicy",
            self._env,
            learning_rate=LEARNING_RATE,
            n_steps=STEPS,
            batch_size=1024,
            n_epochs=4,
            gamma=1.0,
            gae_lambda=0.95,
            ent_coef=ENTROPY,
            seed=seed,
            device="cpu",
            policy_kwargs={"net_arch": [64, 64], "normalize_images": False},
        )
        self._opponent.strategy = self.policy()

    def run(self, number: int) -> None:
        """Do `number` iterations more."""
        for _ in range(number):
            falling = (1 + self.iterations / ANNEALING) ** -0.5
            self._model.ent_coef = ENTROPY * falling
            self._model.lr_schedule = lambda _, rate=LEARNING_RATE * falling: rate
            self._model.learn(self._env.num_envs * STEPS, reset_num_timesteps=False)
            self.iterations += 1
            policy = self.policy()
            self._opponent.strategy = policy
            self._add_average(policy)

    def policy(self) -> Strategy:
        """The present policy of the network."""
        tensors, _ = self._model.policy.obs_to_tensor(self._observations)
        with torch.no_grad():
            found: Any = self._model.policy.get_distribution(tensors, self._masks)
        legal = legal_table(self.game)
        table = np.zeros(legal.shape)
        table[tuple(self._rows.T)] = found.distribution.probs.numpy()
        return Strategy(self.game, normalised(table, legal))

    def strategy(self) -> Strategy:
        """The average of all policies so far; at first the present one."""
        if not self.iterations:
            return self.policy()
        return to_strategy(self.game, self._tree, self._average)

    def _add_average(self, policy: Strategy) -> None:
        sigma = to_sigma(self._tree, policy)
        reached = np.empty_like(sigma)
        for player in range(self.game.num_players):
            reach(self._tree, sigma, player, reached)
            own = np.flatnonzero(self._tree.player[self._tree.parent] == player)
            self._average[own] += self.iterations * reached[own]

    def state(self) -> dict[str, np.ndarray]:
        """What `restore` takes: network, optimiser and average; games under way start anew."""
        buffer = io.BytesIO()
        self._model.save(buffer)
        return {
            "model": np.frombuffer(buffer.getvalue(), np.uint8),
            "average": self._average,
            "iterations": np.array(self.iterations),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Go on from what `state` returned."""
        buffer = io.BytesIO(state["model"].tobytes())
        self._model = MaskablePPO.load(buffer, env=self._env, device="cpu")
        self._average = state["average"].copy()
        self.iterations = int(state["iterations"])
        self._opponent.strategy = self.policy()
        # Not the deals of the beginning once more.
        self._env.seed(self._seed + self.iterations)

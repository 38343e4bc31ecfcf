"""MaskablePPO in self-play on the vector env: one file from the network to the strategy.

The learner plays both seats, each in half of the games. The opponents inside the envs play the
learner's policy of the previous iteration, from a table. There are so few information sets that one
batched pass of the network evaluates the policy at all of them, so no network runs inside the envs.

The strategy is the average of the policies of all iterations: it is equivalent to drawing one of
them, that of iteration t in proportion to t, and playing it for a whole game. The latest policy
alone chases weaknesses of the previous one and is more exploitable. Neither has a guarantee: the
average would approach an equilibrium if every update were a step of a no-regret algorithm, but
PPO's update, of a network and from samples, is not.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from closedhand.agents.leduc.strategy import (
    Strategy,
    StrategyAgent,
    information_sets,
    legal_table,
    normalised,
    uniform,
)
from closedhand.agents.leduc.tree import build, decisions, reach, to_sigma, to_strategy
from closedhand.core.game import Game
from closedhand.envs.vector import GameVectorEnv
from closedhand.games.leduc.plays import ACTIONS
from closedhand.games.leduc.rules import FLOP, UNKNOWN
from closedhand.learning.tensors import load_tensors
from closedhand.wrappers.sb3 import SB3VecEnv, session_seed

GAMES = 128
"""Number of parallel games in each seat."""
DECISIONS = 16
"""The learner's decisions in each of these games in an iteration."""
EPOCHS = 2
"""Number of passes of an update over the decisions of an iteration."""
BATCH = 1024
"""Number of decisions in a step of the optimiser."""
WIDTHS = (64, 64)
"""Widths of the hidden layers; policy and value have separate layers."""
CHIPS = 13.0
"""The highest payoff; the network's rewards are divided by it."""
LEARNING_RATE = 2e-3
"""Initial learning rate of Adam."""
ENTROPY = 0.1
"""Initial weight of the policy's entropy; the weight of the normalised advantages is 1."""
ANNEALING = 500
"""After i iterations learning rate and entropy weight are divided by sqrt(1 + i / ANNEALING)."""
CLIP = 0.2
"""Relative change of an action's probability in an update at which its gradient is clipped."""
LAMBDA = 0.95
"""The parameter lambda of generalised advantage estimation."""


class Scaled(VecEnvWrapper):
    """Rewards divided by the highest payoff, a scale that the value network learns quickly."""

    def reset(self) -> Any:
        """Start all games."""
        return self.venv.reset()

    def step_wait(self) -> Any:
        """Step all games."""
        observations, rewards, dones, infos = self.venv.step_wait()
        return observations, rewards / np.float32(CHIPS), dones, infos


def situations(game: Game) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """List all information sets of a game as the network sees them.

    Args:
        game: `uh_leduc` or `leduc`.

    Returns:
        Their indices in the table of a strategy, int64 [sets, 3]: node, flop and card; their legal
        actions, bool [sets, 4]; and their observations by part, int8 [sets, ...].
    """
    places, seen = [], []
    for place in information_sets(game):
        state = game.empty(1)[0]
        for action in place.history.replace("/", "").split():
            game.play(state, ACTIONS.index(action))
        # The state holds exactly what the player knows: an observation must not need more.
        state.cards[:] = UNKNOWN
        state.cards[state.player] = place.card
        state.cards[FLOP] = place.slot - 1
        seen.append(game.observe(state, state.player))
        places.append((place.node, place.slot, place.card))
    rows = np.array(places)
    observations = {name: np.stack([parts[name] for parts in seen]) for name in game.shapes}
    return rows, legal_table(game)[tuple(rows.T)], observations


class PPO:
    """MaskablePPO at work; a `solving.Solver` whose iterations are a rollout and an update.

    Attributes:
        game: The game.
        iterations: Number of iterations done.
    """

    def __init__(self, game: Game, seed: int = 0) -> None:
        """Start from an untrained network; the same seed gives the same run on one machine."""
        self.game = game
        self.iterations = 0
        self._seed = seed
        # The network is so small that more threads would only wait for one another.
        torch.set_num_threads(1)
        self._rows, self._masks, self._observations = situations(game)
        self._tree = build(game)
        self._average = np.zeros_like(to_sigma(self._tree, uniform(game)))
        self._opponent: StrategyAgent
        self._env: VecEnv
        self._model: MaskablePPO
        self._randomness: tuple[torch.Tensor, Any] | None = None
        self._begin()

    def _begin(self) -> None:
        """Make envs and an untrained network, seeded by the run's seed and its iterations."""
        seed = session_seed(self._seed, self.iterations)
        self._opponent = StrategyAgent(uniform(self.game), "self", seed)
        seats = [
            GameVectorEnv(
                self.game,
                num_envs=GAMES,
                opponents=self._opponent,
                seat=seat,
                autoreset_mode=AutoresetMode.SAME_STEP,
            )
            for seat in range(self.game.num_players)
        ]
        self._env = Scaled(SB3VecEnv(seats))
        self._randomness = None
        with self._own_randomness():
            self._model = MaskablePPO(
                "MultiInputPolicy",
                self._env,
                learning_rate=lambda _: LEARNING_RATE * self._annealed(),
                n_steps=DECISIONS,
                batch_size=BATCH,
                n_epochs=EPOCHS,
                gamma=1.0,
                gae_lambda=LAMBDA,
                clip_range=CLIP,
                seed=seed,
                device="cpu",
                policy_kwargs={
                    "net_arch": list(WIDTHS),
                    "normalize_images": False,
                    "activation_fn": torch.nn.ReLU,
                },
            )
        # SB3's own logger would make a folder in every iteration.
        self._model.set_logger(Logger(None, []))
        self._opponent.strategy = self.policy()

    @contextmanager
    def _own_randomness(self) -> Iterator[None]:
        """Keep SB3, which draws from the process-wide generators, from disturbing other users."""
        others = torch.get_rng_state(), np.random.get_state()
        if self._randomness is not None:
            torch.set_rng_state(self._randomness[0])
            np.random.set_state(self._randomness[1])
        try:
            yield
        finally:
            self._randomness = torch.get_rng_state(), np.random.get_state()
            torch.set_rng_state(others[0])
            np.random.set_state(others[1])

    def _annealed(self) -> float:
        return (1 + self.iterations / ANNEALING) ** -0.5

    def run(self, number: int) -> None:
        """Do `number` more iterations."""
        with self._own_randomness():
            for _ in range(number):
                self._model.ent_coef = ENTROPY * self._annealed()
                rollout = self._env.num_envs * DECISIONS
                self._model.learn(rollout, reset_num_timesteps=False)
                self.iterations += 1
                self._opponent.strategy = self.policy()
                self._add_average(self._opponent.strategy)

    def policy(self) -> Strategy:
        """The latest policy of the network."""
        tensors, _ = self._model.policy.obs_to_tensor(self._observations)
        with torch.no_grad():
            found: Any = self._model.policy.get_distribution(tensors, self._masks)
        legal = legal_table(self.game)
        probabilities = np.zeros(legal.shape)
        probabilities[tuple(self._rows.T)] = found.distribution.probs.numpy()
        return Strategy(self.game, normalised(probabilities, legal))

    def strategy(self) -> Strategy:
        """The average policy; before the first iteration, the untrained one."""
        if not self.iterations:
            return self.policy()
        return to_strategy(self.game, self._tree, self._average)

    def _add_average(self, policy: Strategy) -> None:
        """Add a policy, weighted with the iteration and with its reach probabilities."""
        sigma = to_sigma(self._tree, policy)
        reached = np.empty_like(sigma)
        for player in range(self.game.num_players):
            reach(self._tree, sigma, player, reached)
            entries = decisions(self._tree)
            own = entries[self._tree.player[self._tree.parent[entries]] == player]
            self._average[own] += self.iterations * reached[own]

    def state(self) -> dict[str, np.ndarray]:
        """State for `restore`: network, optimiser and average, but no unfinished games.

        After `restore` new games begin with new randomness, so a resumed run differs from an
        uninterrupted one.
        """
        policy = self._model.policy
        buffer = io.BytesIO()
        torch.save([policy.state_dict(), policy.optimizer.state_dict()], buffer)
        return {
            "network": np.frombuffer(buffer.getvalue(), np.uint8),
            "average": self._average.copy(),
            "iterations": np.array(self.iterations),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        # Weights only: loading SB3's own files would run any code that they contain.
        [[network, optimiser]] = load_tensors("the checkpoint", state["network"].tobytes())
        self.iterations = int(state["iterations"])
        self._average = state["average"].copy()
        self._env.close()
        self._begin()
        self._model.policy.load_state_dict(network)
        self._model.policy.optimizer.load_state_dict(optimiser)
        self._opponent.strategy = self.policy()

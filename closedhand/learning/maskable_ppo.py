"""MaskablePPO of Stable-Baselines3 (sb3-contrib) as a learner of every game.

1. Run games in vector envs, joined to one `VecEnv` (`wrappers.sb3.SB3VecEnv`). In self-play every
   seat is a row, which waits while others act (`envs.seat_vector`). Against agents the learner
   plays each seat in an equal share of the games.
2. Let the library collect `batch` rows, and pass over them `epochs` times by PPO with masks (Huang
   and Ontañón, "A closer look at invalid action masking in policy gradient algorithms", 2022).
3. Export the network, whose layers are those of `networks.PolicyValue`. The agent `learned` plays
   it without the library, and no file holds pickled objects.

A resumed training begins new games, so that its results differ from those of an uninterrupted one.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, cast

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from closedhand.core import batch
from closedhand.core.agents import AnyAgent, parse_agent
from closedhand.core.game import Game, InputError
from closedhand.core.optional_imports import needing
from closedhand.core.options import Range
from closedhand.envs.observation_form import COMPACT, FLAT
from closedhand.envs.seat_vector import SeatVectorEnv
from closedhand.envs.vector import GameVectorEnv
from closedhand.learning import networks
from closedhand.learning.module_state import Weights
from closedhand.learning.network_learner import NetworkLearner, NetworkSettings
from closedhand.learning.population import POOL, SELF, names_of
from closedhand.wrappers.sb3 import SB3VecEnv, session_seed

with needing():
    import sb3_contrib
    from stable_baselines3.common.logger import Logger
    from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

FORMS = {"compact": COMPACT, "planes": FLAT}
"""Observation of the envs for each observation of a network; planes are flattened."""
RENAMED = {"features_extractor.body.": "body.", "action_net.": "policy.", "value_net.": "value."}
"""Prefixes of the names of tensors in Stable-Baselines3's network and in `PolicyValue`."""
MEASURED = {
    "train/entropy_loss": "entropy_loss", "train/value_loss": "value_loss",
    "train/approx_kl": "kl", "train/clip_fraction": "clipped",
    "train/explained_variance": "explained_variance",
}  # fmt: skip
"""Measurements of an update: names in Stable-Baselines3 and here."""
SAMPLE = 1000  # random games whose payoffs give the scale of the rewards


@dataclass(frozen=True, kw_only=True)
class MaskablePPOSettings(NetworkSettings):
    """Settings of MaskablePPO."""

    batch: Annotated[int, Range(1, 10**7), "rows in an update, approximately"] = 6144
    learning_rate: Annotated[float, Range(0, 1), "learning rate of Adam"] = 5e-4
    games: Annotated[int, Range(1, 10**5), "games side by side"] = 96
    epochs: Annotated[int, Range(1, 100), "passes over the rows of an update"] = 3
    clip: Annotated[float, Range(0, 10), "change of a probability at which it is clipped"] = 0.2
    gae_lambda: Annotated[float, Range(0, 1), "weight of longer estimates of advantages"] = 0.95
    entropy: Annotated[float, Range(0, 100), "weight of the entropy"] = 0.01
    value: Annotated[float, Range(0, 100), "weight of the loss of the values"] = 0.5


class Body(BaseFeaturesExtractor):
    """The hidden layers of `networks.PolicyValue` as a features extractor."""

    def __init__(self, observation_space: spaces.Box, shape: networks.Shape) -> None:
        super().__init__(observation_space, shape.width)
        self.body = networks.hidden_layers(shape)

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        """Compute features, float32 [n, width], of observations, float32 [n, inputs]."""
        return self.body(observations)


class Scaled(SB3VecEnv):
    """Envs with rewards divided by a scale."""

    def __init__(self, envs: Sequence[Any], scale: float) -> None:
        super().__init__(envs)
        self._scale = np.float32(scale)

    def step_wait(self) -> Any:
        """Step all games, and divide the rewards by the scale."""
        observations, rewards, dones, infos = super().step_wait()
        return observations, rewards / self._scale, dones, infos


class MaskablePPO(NetworkLearner[MaskablePPOSettings]):
    """Learner by MaskablePPO; `moves` counts the learner's own actions."""

    name = "maskable-ppo"
    settings_type = MaskablePPOSettings

    def __init__(
        self,
        game: Game,
        settings: MaskablePPOSettings,
        seed: int = 0,
        opponents: Sequence[AnyAgent] | None = None,
        against: Sequence[AnyAgent] = (),
        threads: int = 1,
    ) -> None:
        """Start from an untrained network; see `NetworkLearner`.

        `opponents` are agents, or `self`: each plays the other seats in an equal share of the
        games. None: self-play.

        Raises:
            InputError: An agent or the observation is unknown, an opponent is `pool`, or a
                minibatch would have one row.
        """
        super().__init__(game, settings, seed, against, threads)
        players = list(opponents or [SELF])
        if POOL in players:
            raise InputError("maskable-ppo has no pool of frozen selves: use --algorithm ppo")
        self.opponents = names_of(self.features.game, players)
        rows = [self._games_against(each) for each in players]
        envs = Scaled([env for each in rows for env in each], self._payoff_scale())
        envs.seed(session_seed(seed, 0))
        # In self-play each seat of a game is a row, which counts as 1 / `num_seats` of a game.
        shares = [np.full(env.num_envs, 1 / getattr(env, "num_seats", 1)) for env in envs.envs]
        self._games_of_rows = np.concatenate(shares)
        steps = max(2, settings.batch // envs.num_envs)
        last = steps * envs.num_envs % settings.minibatch
        if 1 in (settings.minibatch, last):
            # The library divides by the standard deviation of the advantages of a minibatch.
            raise InputError(
                f"{steps * envs.num_envs} rows in minibatches of {settings.minibatch} leave one "
                "alone: choose another minibatch"
            )
        with randomness(session_seed(seed, 0)):
            self.model = sb3_contrib.MaskablePPO(
                "MlpPolicy",
                envs,
                n_steps=steps,
                batch_size=settings.minibatch,
                n_epochs=settings.epochs,
                learning_rate=settings.learning_rate,
                clip_range=settings.clip,
                gamma=1.0,
                gae_lambda=settings.gae_lambda,
                ent_coef=settings.entropy,
                vf_coef=settings.value,
                device="cpu",
                policy_kwargs={
                    "features_extractor_class": Body,
                    "features_extractor_kwargs": {"shape": self.shape},
                    "net_arch": [],
                },
            )
        # The library's default logger would make a folder in every update.
        self.model.set_logger(Logger(None, []))
        self.modules, self.optimiser = {"network": self.model.policy}, self.model.policy.optimizer

    def _games_against(self, opponent: AnyAgent) -> list[GameVectorEnv | SeatVectorEnv]:
        """Make the envs with an opponent: one in self-play, otherwise one for each seat."""
        game = self.features.game
        form: dict[str, Any] = {
            "observation": FORMS[self.settings.observation],
            "autoreset_mode": AutoresetMode.SAME_STEP,
        }
        games = max(1, self.settings.games // len(self.opponents))
        if opponent == SELF:
            return [SeatVectorEnv(game, games, **form)]
        player = parse_agent(game.name, opponent)
        each = max(1, games // game.num_players)
        return [
            GameVectorEnv(game, each, opponents=player, seat=seat, **form)
            for seat in range(game.num_players)
        ]

    def _payoff_scale(self) -> float:
        """Measure the standard deviation of the payoffs of random play; 1 if it is 0."""
        rng = np.random.default_rng((self.seed, SAMPLE))
        game = self.features.game
        states = batch.deal_random(game, SAMPLE, rng)
        ended = batch.playouts(game, states, rng)
        return float(batch.returns(game, ended).std()) or 1.0

    def update(self, rng: np.random.Generator) -> dict[str, float]:
        """Collect rows, and learn from them."""
        model = self.model
        rows = model.n_steps * model.n_envs
        with randomness(int(rng.integers(2**31))):
            model.learn(rows, reset_num_timesteps=False)
        collected = cast(Any, model.rollout_buffer)
        self.decisions += int((collected.action_masks.sum(axis=-1) > 1).sum())
        self.moves += round(model.n_steps * float(self._games_of_rows.sum()))
        self.games += round(float((collected.episode_starts * self._games_of_rows).sum()))
        measured = model.logger.name_to_value
        return {ours: float(measured[theirs]) for theirs, ours in MEASURED.items()}

    def agent_weights(self) -> Weights:
        """Return copies of the last weights by the names of `PolicyValue`."""
        return {
            ours + name.removeprefix(theirs): tensor.numpy().copy()
            for theirs, ours in RENAMED.items()
            for name, tensor in self.model.policy.state_dict().items()
            if name.startswith(theirs)
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Continue from a state that `state` returned, with new games."""
        super().restore(state)
        envs = self.model.get_env()
        assert envs is not None
        envs.seed(session_seed(self.seed, self.decisions))
        cast(Any, self.model)._last_obs = None  # the next update resets the envs


@contextmanager
def randomness(seed: int) -> Iterator[None]:
    """Seed NumPy's and PyTorch's global generators (seed below 2^32); restore them afterwards."""
    before = np.random.get_state()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        np.random.seed(seed)
        try:
            yield
        finally:
            np.random.set_state(before)

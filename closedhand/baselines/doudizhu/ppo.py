"""MaskablePPO on sub-stepped Dou Dizhu: one file from the network to the trained agent.

The learner plays every seat (a third of the games each) against opponents from the agent list, and
picks main group and kickers as separate actions under a mask, 337 in all. Observations are the
paper's planes, the kicker planes and the status vector. `train` writes into its folder: `model.zip`
(the newest model; the agent `ppo:FOLDER/model.zip`), and `tensorboard/`.
"""

import io
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecMonitor
from torch import nn

from closedhand.baselines.doudizhu.substep_agent import SubstepAgent
from closedhand.core import contract
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, files_of
from closedhand.core.files import write_atomically
from closedhand.core.game import Game, InputError
from closedhand.core.moved import old_names
from closedhand.core.run import Watch, check_same
from closedhand.core.threads import cores
from closedhand.envs.vector import GameVectorEnv
from closedhand.wrappers.sb3 import SB3VecEnv

__getattr__ = old_names(__name__)

SEATS = 3
SETTINGS = "closedhand_settings"
"""The attribute of a saved model with the settings that must be the same when it is resumed."""


class PlanesCNN(BaseFeaturesExtractor):
    """Convolutions along the 15 ranks; every row of every plane is a channel."""

    def __init__(self, observation_space: spaces.Dict, width: int = 96, features: int = 256):
        """Build the layers for the parts `observation`, `kicker` and `status`.

        Args:
            observation_space: Observation space of the sub-stepped env, without the mask.
            width: Number of filters of each convolution.
            features: Number of outputs.
        """
        super().__init__(observation_space, features)
        shapes: dict[str, tuple[int, ...]] = {
            name: space.shape or () for name, space in observation_space.items()
        }
        self.parts = [name for name, shape in shapes.items() if len(shape) == 3]
        self.flats = [name for name, shape in shapes.items() if len(shape) == 1]
        channels = sum(shapes[name][1] * shapes[name][2] for name in self.parts)
        ranks = shapes[self.parts[0]][0]
        self.convolutions = nn.Sequential(
            nn.Conv1d(channels, width, 1),
            nn.ReLU(),
            nn.Conv1d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Conv1d(width, width, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        status = sum(shapes[name][0] for name in self.flats)
        self.head = nn.Sequential(nn.Linear(width * ranks + status, features), nn.ReLU())

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Features, float32 [batch, features]."""
        lines = [observations[name].flatten(2).transpose(1, 2) for name in self.parts]
        status = [observations[name] / 20.0 for name in self.flats]
        return self.head(torch.cat([self.convolutions(torch.cat(lines, 1)), *status], 1))


class Clock(BaseCallback):
    """Stops training when its time is up or after Ctrl-C, saves now and then, reports progress.

    The training runs in the context of the `Watch`.
    """

    def __init__(self, watch: Watch, progress: Callable[[float, str], object]) -> None:
        """Follow `watch`; `progress` is called with the share that is done and a text."""
        super().__init__()
        self._watch = watch
        self._progress = progress

    def _on_step(self) -> bool:
        episodes = self.model.ep_info_buffer or [{"r": 0.0}]
        mean = np.mean([episode["r"] for episode in episodes])
        text = f"{self.num_timesteps:,} steps, mean reward {mean:+.2f}"
        self._progress(self._watch.share, text)
        return self._watch.tick()


class Result(NamedTuple):
    """The result of training.

    Attributes:
        path: File of the model.
        interrupted: Whether Ctrl-C ended the training.
    """

    path: Path
    interrupted: bool


def save(model: Any, path: Path) -> None:
    """Save a model through a temporary file, so that a crash leaves the old one intact."""
    buffer = io.BytesIO()
    model.save(buffer)
    write_atomically(path, buffer.getvalue())


def train(
    out: Path,
    minutes: float = 3.0,
    opponents: Sequence[str] = ("random", "rule"),
    games: int = 16,
    seed: int = 0,
    restart: bool = False,
    device: str = "auto",
    progress: Callable[[float, str], object] = lambda share, text: None,
    **rules: Any,
) -> Result:
    """Train a model, or resume the training in `out`; Ctrl-C saves and stops.

    Args:
        out: Folder for the model and its logs.
        minutes: Duration of the training.
        opponents: Agents for the other two seats; each plays in its own share of the games.
        games: Number of games for each seat and opponent.
        seed: Seed of the deals, the opponents and the network.
        restart: Whether to start again although `out` holds a model.
        device: `cpu`, `cuda` or `auto`.
        progress: Called at every step with the share that is done and a text about it.
        **rules: Options of Dou Dizhu.

    Raises:
        InputError: An opponent or option is unknown, or the model in `out` cannot be resumed or was
            trained with other settings.
        KeyboardInterrupt: Ctrl-C was pressed a second time.
    """
    out.mkdir(parents=True, exist_ok=True)
    path = out / "model.zip"
    torch.set_num_threads(cores())
    env_options = {"objective": "win", **rules}
    env = VecMonitor(
        SB3VecEnv(
            [
                GameVectorEnv(
                    "doudizhu",
                    num_envs=games,
                    opponents=opponent,
                    seat=seat,
                    autoreset_mode=AutoresetMode.SAME_STEP,
                    substeps=True,
                    **env_options,
                )
                for opponent in opponents
                for seat in range(SEATS)
            ]
        )
    )
    env.seed(seed)
    settings = {
        "options": dict(env_options),
        "opponents": list(opponents),
        "games": games,
        "seed": seed,
    }
    going_on = path.exists() and not restart
    if going_on:
        model = load(path, env=env, device=device)
        # Models of version 0.1.0 do not store their settings.
        check_same(path, getattr(model, SETTINGS, settings), settings)
    else:
        model = MaskablePPO(
            "MultiInputPolicy",
            env,
            learning_rate=5e-4,
            n_steps=64,
            batch_size=1024,
            n_epochs=3,
            gamma=1.0,
            gae_lambda=0.95,
            ent_coef=0.005,
            seed=seed % 2**32,  # NumPy's old generator, which SB3 seeds, takes no more
            device=device,
            tensorboard_log=str(out / "tensorboard"),
            policy_kwargs={
                "features_extractor_class": PlanesCNN,
                "net_arch": [128],
                "normalize_images": False,
            },
        )
    setattr(model, SETTINGS, settings)
    with Watch(lambda: save(model, path), 60 * minutes) as watch:
        callback = Clock(watch, progress)
        model.learn(10**12, callback=callback, reset_num_timesteps=not going_on)
    env.close()
    return Result(path, watch.interrupted)


def load(path: Path, env: Any = None, device: str = "auto") -> MaskablePPO:
    """A saved model.

    Raises:
        InputError: There is no model, or it was not saved by `train`.
    """
    if not path.exists():
        raise InputError(f"no model at {path}")
    try:
        return MaskablePPO.load(path, env=env, device=device)
    except (ValueError, KeyError, AssertionError, RuntimeError) as error:
        raise InputError(f"{path} is no model of this environment: {error}") from None


class PPOAgent(SubstepAgent):
    """A trained model as an agent, in flat and in sub-stepped games."""

    def __init__(self, game: Game, path: Path) -> None:
        """Load the model at `path` for `game`.

        Raises:
            InputError: There is no such model, or it was trained with other actions.
        """
        super().__init__(game, str(AgentSpec("ppo", argument=str(path))))
        # One core: matches run in several processes.
        torch.set_num_threads(1)
        self.model = load(path, device="cpu")
        if self.model.action_space != spaces.Discrete(self.substeps.num_actions):
            raise InputError(f"{path} was trained with other actions (bidding?)")

    def choose(self, views: np.ndarray) -> np.ndarray:
        """The most probable sub-steps for states [n], int32 [n]."""
        observations, masks = self._look(views)
        actions, _ = self.model.predict(observations, action_masks=masks, deterministic=True)
        return actions.astype(np.int32)

    def step_probabilities(self, views: np.ndarray) -> np.ndarray:
        """The softmax over the legal sub-steps for states [n], float64 [n, sub-steps]."""
        observations, masks = self._look(views)
        tensors, _ = self.model.policy.obs_to_tensor(observations)
        with torch.inference_mode():
            policy: Any = self.model.policy.get_distribution(tensors, action_masks=masks)
        shares = np.where(masks, policy.distribution.probs.numpy().astype(np.float64), 0.0)
        return shares / shares.sum(1, keepdims=True)

    def _look(self, views: np.ndarray) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """The parts of the observations and the masks of legal sub-steps."""
        game = self.substeps
        observations = np.empty((len(views), game.observation_size), np.int8)
        masks = np.zeros((len(views), game.num_actions), bool)
        for view, observation, mask in zip(views, observations, masks, strict=True):
            contract.observe(game.rules, view, view["player"], observation)
            mask[game.legal(view)] = True
        return game.split(observations), masks


@described(lambda game, argument: Traits(files_of(argument), microseconds=500))
def make_ppo(game: Game, seed: int, argument: str | None) -> PPOAgent:
    """The agent `ppo:PATH`.

    Raises:
        InputError: There is no path, or no model at it.
    """
    if argument is None:
        raise InputError("the agent ppo takes the path of a model: ppo:runs/demo/model.zip")
    return PPOAgent(game, Path(argument))

"""MaskablePPO on sub-stepped Dou Dizhu, from the envs to the trained network.

The learner plays every seat (a third of the games each) against opponents from the agent list, and
picks main group and kickers as separate actions under a mask, 337 in all. Observations are the
paper's planes, the kicker planes and the status vector. `train` writes into its folder:
`model.safetensors` (the newest network; the agent `ppo:FOLDER`), `model.zip` (the checkpoint of
Stable-Baselines3 with which the training is resumed, and nothing else), and `tensorboard/`. The
network is in `ppo_network.py`, the agent in `ppo_agent.py`.
"""

import io
import json
import operator
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecMonitor

from closedhand.agents.doudizhu.ppo_network import (
    FEATURES,
    HIDDEN,
    KIND,
    WIDTH,
    add_layers,
    features_of,
)
from closedhand.core.files import write_atomically
from closedhand.core.game import InputError
from closedhand.core.optional_imports import require
from closedhand.core.reading import check_unpacked, read_content
from closedhand.core.run import Watch, check_same
from closedhand.core.text import reason_of
from closedhand.core.threads import cores
from closedhand.core.version import __version__
from closedhand.envs.vector import GameVectorEnv
from closedhand.learning import agent_factory, weights
from closedhand.learning.tensors import load_tensors
from closedhand.wrappers.sb3 import SB3VecEnv, session_seed

SEATS = 3
CHECKPOINT = "model.zip"
SETTINGS = "closedhand_settings"
"""The attribute of a saved model with the settings that must be the same when it is resumed."""
COUNTERS = ("num_timesteps", "_n_updates")
"""The attributes of a saved model that a resumed one takes over."""
PARAMETERS: tuple[str, ...] = ("policy", "policy.optimizer")
"""The parts of a saved model with tensors."""
RENAMED = {
    "features_extractor.": "",
    "mlp_extractor.policy_net.": "policy.",
    "action_net.": "action.",
}
"""Beginnings of the names of tensors in Stable-Baselines3's network and in ours."""


class PlanesCNN(BaseFeaturesExtractor):
    """The shared layers of the network, see `ppo_network.add_layers`."""

    def __init__(
        self, observation_space: spaces.Dict, width: int = WIDTH, features: int = FEATURES
    ):
        """Build the layers for the parts `observation`, `kicker` and `status`.

        Args:
            observation_space: Observation space of the sub-stepped env, without the mask.
            width: Number of filters of each convolution.
            features: Number of outputs.
        """
        super().__init__(observation_space, features)
        add_layers(self, shapes_of(observation_space), width, features)

    def forward(self, observations: dict[str, torch.Tensor]) -> torch.Tensor:
        """Features, float32 [batch, features]."""
        return features_of(self, observations)


def shapes_of(observation_space: spaces.Space[Any]) -> dict[str, tuple[int, ...]]:
    """The shapes of the parts of observations, in order."""
    assert isinstance(observation_space, spaces.Dict)
    return {name: space.shape or () for name, space in observation_space.items()}


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
        path: File of the network, which agents play.
        interrupted: Whether Ctrl-C ended the training.
    """

    path: Path
    interrupted: bool


def save(model: MaskablePPO, out: Path, provenance: dict[str, Any]) -> None:
    """Write the network for agents, and the checkpoint with which the training is resumed.

    Args:
        model: Model that is trained.
        out: Folder of the training.
        provenance: Information about the training, JSON values.
    """
    tensors = {
        ours + name.removeprefix(theirs): tensor
        for theirs, ours in RENAMED.items()
        for name, tensor in model.policy.state_dict().items()
        if name.startswith(theirs)
    }
    about = {
        "kind": KIND,
        "game": "doudizhu",
        "actions": int(cast(spaces.Discrete, model.action_space).n),
        "parts": list(shapes_of(model.observation_space)),
        "width": WIDTH,
        "features": FEATURES,
        "hidden": list(HIDDEN),
        "provenance": {**provenance, "steps": model.num_timesteps, "version": __version__},
    }
    weights.save(out / agent_factory.NAME, tensors, about)
    buffer = io.BytesIO()
    model.save(buffer)
    write_atomically(out / CHECKPOINT, buffer.getvalue())


class Checkpoint(NamedTuple):
    """What a training is resumed from.

    Attributes:
        settings: Settings of the training; None in a file of version 0.1.0, which has none.
        about: Plain values of the model, such as its counters.
        parameters: Tensors of the network and the optimiser.
    """

    settings: dict[str, Any] | None
    about: dict[str, Any]
    parameters: dict[str, Any]


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a file of Stable-Baselines3 without running anything in it.

    `MaskablePPO.load` would unpickle objects, and thereby run code. Here tensors are read without
    other objects, and what is not plain JSON is left out: `train` makes it anew.

    Raises:
        InputError: The file cannot be read, or is no such file.
    """
    content = read_content(path)
    try:
        check_unpacked(path, content)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            about = dict(json.loads(archive.read("data")))
            settings = dict(about[SETTINGS]) if SETTINGS in about else None
            files = [archive.read(f"{name}.pth") for name in PARAMETERS]
        parameters = dict(zip(PARAMETERS, load_tensors(path, *files), strict=True))
    except Exception as error:  # a damaged file fails in a dozen ways: zip, JSON, torch
        raise InputError(f"cannot resume {path}: {reason_of(error)}") from None
    return Checkpoint(settings, about, parameters)


def restore(model: MaskablePPO, path: Path, checkpoint: Checkpoint) -> None:
    """Give a new model the network, the optimiser and the counters of a checkpoint.

    Its next games are others than those that it began with.

    Raises:
        InputError: They are those of another network, or damaged.
    """
    try:
        model.set_parameters(checkpoint.parameters)
        if not all(torch.isfinite(each).all() for each in model.policy.parameters()):
            raise ValueError("it has weights that are not finite")
        for name in COUNTERS:
            setattr(model, name, operator.index(checkpoint.about[name]))
        model.set_random_seed(session_seed(model.seed or 0, model.num_timesteps))
    except Exception as error:
        raise InputError(f"cannot resume {path}: {reason_of(error)}") from None


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
        out: Folder for the network, the checkpoint and the logs.
        minutes: Duration of the training.
        opponents: Agents for the other two seats; each plays in its own share of the games.
        games: Number of games for each seat and opponent.
        seed: Seed of the deals, the opponents and the network.
        restart: Whether to start again although `out` holds a checkpoint.
        device: `cpu`, `cuda` or `auto`.
        progress: Called at every step with the share that is done and a text about it.
        **rules: Options of Dou Dizhu.

    Raises:
        InputError: An opponent or option is unknown, or the checkpoint in `out` cannot be resumed
            or was made with other settings.
        KeyboardInterrupt: Ctrl-C was pressed a second time.
    """
    require("tensorboard")
    out.mkdir(parents=True, exist_ok=True)
    path = out / CHECKPOINT
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
    checkpoint = read_checkpoint(path) if path.exists() and not restart else None
    if checkpoint is not None and checkpoint.settings is not None:
        check_same(path, checkpoint.settings, settings)
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
            "net_arch": list(HIDDEN),
            "normalize_images": False,
        },
    )
    if checkpoint is not None:
        restore(model, path, checkpoint)
    setattr(model, SETTINGS, settings)
    with Watch(lambda: save(model, out, settings), 60 * minutes) as watch:
        callback = Clock(watch, progress)
        model.learn(10**12, callback=callback, reset_num_timesteps=checkpoint is None)
    env.close()
    return Result(out / agent_factory.NAME, watch.interrupted)

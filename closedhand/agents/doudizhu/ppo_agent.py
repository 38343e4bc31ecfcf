"""The agent `ppo`: a network that `ppo.py` has trained.

It plays from `model.safetensors`, which is data. The checkpoint of a training, `model.zip`, is
pickled: whoever loads one with Stable-Baselines3 runs the code that its maker put in. The agent
therefore takes a zip only from those who say that they trust it.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from closedhand.agents.doudizhu import ppo_network
from closedhand.agents.doudizhu.substep_agent import SubstepAgent
from closedhand.core import contract
from closedhand.core.agent_spec import AgentSpec, quoted
from closedhand.core.files import within
from closedhand.core.game import Game, InputError
from closedhand.core.optional_imports import needing
from closedhand.core.reading import ZIP, read_content
from closedhand.core.text import reason_of
from closedhand.learning import agent_factory
from closedhand.learning.weights import check_finite

ILLEGAL = -1e8
"""The logit of an illegal sub-step, whose probability is then 0."""
Policy = Callable[[dict[str, torch.Tensor], torch.Tensor], torch.Tensor]
"""From parts of observations, [n, ...], and masks of legal sub-steps, bool [n, actions], to the
probabilities of all sub-steps, float32 [n, actions]."""


class PPOAgent(SubstepAgent):
    """A trained network as an agent, in flat and in sub-stepped games."""

    def __init__(self, game: Game, path: Path, trust: bool = False) -> None:
        """Load the network for `game`.

        Args:
            game: Dou Dizhu with any options.
            path: File of the network, or a folder with a `model.safetensors`.
            trust: Whether code in the file may be run; only files of Stable-Baselines3 have any.

        Raises:
            InputError: There is no such network, it was trained with other actions, or the file may
                run code and is not trusted.
        """
        spec = AgentSpec("ppo", {"trust": 1} if trust else {}, str(path))
        super().__init__(game, str(spec))
        # One core: matches run in several processes.
        torch.set_num_threads(1)
        file = within(path, agent_factory.NAME)
        self._policy: Policy
        if not is_pickled(file):
            self._policy = policy_of(ppo_network.load(file, self.substeps))
        elif trust:
            self._policy = load_trusted(file, self.substeps)
        else:
            folder = file.parent
            raise InputError(
                f"{file} is a file of Stable-Baselines3 and can run code when it is loaded: play "
                f"{folder / agent_factory.NAME}, which `closedhand train doudizhu --out {folder}` "
                f"writes; if you trust its maker, ppo[trust=1]:{quoted(str(path))}"
            )

    def choose(self, views: np.ndarray) -> np.ndarray:
        """The most probable sub-steps for states [n], int32 [n]."""
        return self._shares(views).argmax(1).numpy().astype(np.int32)

    def step_probabilities(self, views: np.ndarray) -> np.ndarray:
        """The softmax over the legal sub-steps for states [n], float64 [n, sub-steps]."""
        shares = self._shares(views).numpy().astype(np.float64)
        return shares / shares.sum(1, keepdims=True)

    def _shares(self, views: np.ndarray) -> torch.Tensor:
        """The probabilities of all sub-steps for states [n], float32 [n, sub-steps]."""
        game = self.substeps
        observations = np.zeros((len(views), game.observation_size), np.int8)
        masks = np.zeros((len(views), game.num_actions), bool)
        for view, observation, mask in zip(views, observations, masks, strict=True):
            contract.observe(game.rules, view, view["player"], observation)
            mask[game.legal(view)] = True
        parts = {name: torch.from_numpy(part) for name, part in game.split(observations).items()}
        with torch.inference_mode():
            return check_finite(self._policy(parts, torch.from_numpy(masks)))


def policy_of(network: ppo_network.Actor) -> Policy:
    """The softmax over the legal sub-steps by the logits of a network.

    It is computed as sb3-contrib does, which normalises the logits first: equal up to rounding is
    not enough where two sub-steps are almost equally probable.
    """

    def policy(observations: dict[str, torch.Tensor], masks: torch.Tensor) -> torch.Tensor:
        logits = torch.where(masks, normalised(network(observations)), ILLEGAL)
        return torch.softmax(normalised(logits), 1)

    return policy


def normalised(logits: torch.Tensor) -> torch.Tensor:
    """Logits whose exponentials sum to 1, float32 [n, sub-steps]."""
    return logits - logits.logsumexp(1, keepdim=True)


def is_pickled(path: Path) -> bool:
    """Whether a file is a zip, in which Stable-Baselines3 and PyTorch keep pickled objects.

    Raises:
        InputError: The file cannot be read.
    """
    return read_content(path)[: len(ZIP)] == ZIP


def load_trusted(path: Path, game: Game) -> Policy:
    """The policy of a model that Stable-Baselines3 saved; this runs the code in the file.

    Raises:
        InputError: The file holds no model, or it was trained with other actions.
    """
    with needing():
        from sb3_contrib import MaskablePPO
    try:
        model = MaskablePPO.load(path, device="cpu")
    except Exception as error:
        raise InputError(f"{path} holds no model of MaskablePPO: {reason_of(error)}") from None
    if getattr(model.action_space, "n", None) != game.num_actions:
        raise InputError(f"{path} was trained with other actions (bidding?)")

    def policy(observations: dict[str, torch.Tensor], masks: torch.Tensor) -> torch.Tensor:
        found: Any = model.policy.get_distribution(observations, action_masks=masks.numpy())  # type: ignore[arg-type]
        return found.distribution.probs

    return policy

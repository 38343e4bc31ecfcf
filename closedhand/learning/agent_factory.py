"""Factory and traits of the agent `learned`; traits are known without importing PyTorch."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, how_to_play
from closedhand.core.files import within
from closedhand.core.game import Game, InputError
from closedhand.core.options import Range

if TYPE_CHECKING:
    from closedhand.learning.agent import NetworkAgent

MODULES = "torch", "safetensors"
"""Packages that agents with a network need."""
NAME = "model.safetensors"
"""Name of the network in a folder of `closedhand train`."""
FOREIGN = (".zip", ".pt", ".pth", ".ckpt", ".bin")
"""Suffixes of network files of PyTorch and of libraries built on it."""


def _path(argument: str | None) -> Path:
    if argument is None:
        raise InputError("the agent learned needs the folder of a training: learned:runs/ppo")
    return within(Path(argument), NAME)


def describe(game: Game, argument: str | None, temperature: float | None = None) -> Traits:
    """Return the traits of the agent; the file is among them only if it exists."""
    file = _path(argument)
    return Traits((file,) if os.path.isfile(file) else (), microseconds=500)


Temperature = Annotated[
    float | None,
    Range(0, 100),
    "divides the logits before the softmax; 0 always takes the best action; as trained if absent",
]


@described(describe, needs=MODULES, plays=(NAME, "learned:{}"))
def make_learned(
    game: Game, seed: int, argument: str | None, temperature: Temperature = None
) -> "NetworkAgent":
    """Make the agent `learned:FOLDER`, or `learned[temperature=0]:FOLDER`.

    FOLDER is a folder of `closedhand train`, or a file in it. The game is that of the training, in
    sub-steps or not.

    Raises:
        InputError: The argument is missing, or the path holds no network that fits the game.
    """
    path = _path(argument)
    from closedhand.learning import networks
    from closedhand.learning.agent import NetworkAgent
    from closedhand.learning.torch_threads import one_thread_unless_chosen

    one_thread_unless_chosen()
    try:
        network, about, features = networks.load(path, game)
    except InputError as error:
        raise InputError(f"{error}{_instead(game, Path(argument or ''))}") from None
    options = {} if temperature is None else {"temperature": temperature}
    name = str(AgentSpec("learned", options, argument))
    chosen = about["temperature"] if temperature is None else temperature
    return NetworkAgent(game, network, features, chosen, seed, name)


def _instead(game: Game, path: Path) -> str:
    """Say how to play a path that holds another network; empty if that is not known."""
    texts = [text for text in how_to_play(game.name, path) if not text.startswith("learned:")]
    if texts:
        return f"; name the agent {' or '.join(texts)}"
    if path.suffix in FOREIGN:
        return "; closedhand.agents.from_function makes an agent of another library's network"
    return ""

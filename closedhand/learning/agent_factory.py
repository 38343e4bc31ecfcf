"""Factory and traits of the agent `learned`; traits are known without importing PyTorch."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described
from closedhand.core.files import within
from closedhand.core.game import Game, InputError
from closedhand.core.options import Range

if TYPE_CHECKING:
    from closedhand.learning.agent import NetworkAgent

MODULES = "torch", "safetensors"
"""Packages that agents by networks need."""
NAME = "model.safetensors"
"""Name of the network in a folder of `closedhand train`."""
MICROSECONDS = 500
"""Approximate time of a decision by such a network, in microseconds."""


def _path(argument: str | None) -> Path:
    """Convert the argument, a folder of `closedhand train` or a file in it, to the file.

    Raises:
        InputError: The argument is missing.
    """
    if argument is None:
        raise InputError("the agent learned needs the folder of a training: learned:runs/ppo")
    return within(Path(argument), NAME)


def describe(game: Game, argument: str | None, temperature: float | None = None) -> Traits:
    """Describe the agent before it is made."""
    file = _path(argument)
    return Traits((file,) if os.path.isfile(file) else (), microseconds=MICROSECONDS)


Temperature = Annotated[
    float | None,
    Range(0, 100),
    "divides the logits before the softmax; 0 always takes the best action; as trained if absent",
]


@described(describe, needs=MODULES)
def make_learned(
    game: Game, seed: int, argument: str | None, temperature: Temperature = None
) -> "NetworkAgent":
    """Make the agent `learned:FOLDER`, or `learned[temperature=0]:FOLDER`.

    FOLDER is a folder of `closedhand train`, or a file in it.

    Raises:
        InputError: The path is missing, or holds no network that fits the game.
    """
    path = _path(argument)
    from closedhand.learning.agent import load

    options = {} if temperature is None else {"temperature": temperature}
    name = str(AgentSpec("learned", options, argument))
    return load(game, path, temperature, seed, name)

"""Runs of learners of networks, and their folders."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from closedhand.core.agents import digests
from closedhand.core.files import remove, write_atomically
from closedhand.core.run import Run
from closedhand.learning import agent_factory
from closedhand.learning.network_learner import NetworkLearner
from closedhand.learning.population import OPPONENTS
from closedhand.learning.tensorboard import logs

CHECKPOINT, HISTORY, BOARD = "checkpoint.npz", "training.json", "tensorboard"

Learner = TypeVar("Learner", bound=NetworkLearner[Any])


def begin(learner: Learner, folder: Path | None = None) -> Run[Learner]:
    """Make a run of a learner before its first update, to start or to resume.

    `folder` gets the network, the checkpoint and the history; None: nothing is written.
    """
    files = digests(learner.features.game, learner.opponents)
    settings = {
        "game": learner.game.name,
        "options": dict(learner.game.options),
        "algorithm": learner.name,
        "opponents": learner.opponents,
        **({"files": files} if files else {}),
        **learner.sources(),
        "seed": learner.seed,
        **asdict(learner.settings),
    }

    def save() -> None:
        if folder is not None:
            learner.save(folder)
            about = {"settings": settings, "seconds": run.seconds, "history": run.history}
            write_atomically(folder / HISTORY, json.dumps(about, indent=1) + "\n")

    made = None if folder is None else folder / agent_factory.NAME
    path = made and made.with_name(CHECKPOINT)
    run = Run(learner, settings, path, save, note_checkpoints=False, made=made)
    return run


def clear(folder: Path) -> None:
    """Remove the files of a training that a new training in its folder does not overwrite.

    Raises:
        InputError: A file cannot be removed.
    """
    for path in (folder / OPPONENTS, *logs(folder / BOARD)):
        remove(path)

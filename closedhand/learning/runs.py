"""Runs of learners of networks, their folders, and their histories as curves for TensorBoard."""

import json
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from closedhand.core.agents import digests
from closedhand.core.checks import InputError
from closedhand.core.files import remove, write_atomically
from closedhand.core.optional_imports import needing
from closedhand.core.run import Run
from closedhand.core.text import UNPAIRED
from closedhand.learning import agent_factory
from closedhand.learning.network_learner import NetworkLearner
from closedhand.learning.population import OPPONENTS

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


def check_name(folder: Path) -> None:
    """Refuse a folder whose name is not UTF-8: TensorBoard cannot write to it."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        raise InputError(f"{folder}: TensorBoard takes no name that is not UTF-8") from None


def logs(folder: Path) -> list[Path]:
    """List the logs of TensorBoard in a folder, but not in its subfolders."""
    return list(folder.glob("events.out.tfevents.*"))


@contextmanager
def board(folder: Path, decisions: int) -> Generator[Callable[[Mapping[str, Any]], None]]:
    """Open a log in a folder at the number of decisions at which the training continues.

    Points of earlier logs after `decisions` are hidden: their work was lost when a process was
    killed. The context gives a function that adds the numbers of an entry of the history.

    Raises:
        InputError: TensorBoard is not installed, or does not accept the name.
    """
    check_name(folder)
    with needing():
        from torch.utils.tensorboard import SummaryWriter

    def add(entry: Mapping[str, Any]) -> None:
        for name, number in numbers_in(entry):
            tag = name.encode("utf-8", UNPAIRED).decode()
            writer.add_scalar(tag, number, entry["decisions"])

    with SummaryWriter(folder, purge_step=decisions + 1) as writer:
        yield add


def numbers_in(entry: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    """Yield the numbers in nested dicts with their keys, joined by slashes; of a list the first."""
    for key, value in entry.items():
        if isinstance(value, Mapping):
            yield from numbers_in(value, f"{before}{key}/")
        elif isinstance(value, list):
            yield f"{before}{key}", float(value[0])
        elif isinstance(value, int | float):
            yield f"{before}{key}", float(value)

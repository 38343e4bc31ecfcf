"""The history of a training as curves for TensorBoard."""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from closedhand.core.checks import InputError
from closedhand.core.optional_imports import needing
from closedhand.core.text import UNPAIRED


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

    Points of earlier logs beyond this number, whose work a kill has lost, are hidden. The context
    gives a function that adds the numbers of a history entry at its number of decisions.

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

    with closing(SummaryWriter(folder, purge_step=decisions + 1)) as writer:
        yield add


def numbers_in(entry: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    """Yield keys, joined by slashes, and numbers of nested dicts; of a list its first number."""
    for key, value in entry.items():
        if isinstance(value, Mapping):
            yield from numbers_in(value, f"{before}{key}/")
        elif isinstance(value, list):
            yield f"{before}{key}", float(value[0])
        elif isinstance(value, int | float):
            yield f"{before}{key}", float(value)

"""The history of a training as curves for TensorBoard.

Events are written directly, as PyTorch's writer takes seconds to import.
"""

import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, cast

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
        from tensorboard.compat.proto import event_pb2, summary_pb2
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

    # The generated classes have no type annotations.
    protos: Any = event_pb2
    summary: Any = cast(Any, summary_pb2).Summary

    def add(entry: Mapping[str, Any]) -> None:
        values = [
            summary.Value(tag=name.encode("utf-8", UNPAIRED), simple_value=number)
            for name, number in numbers_in(entry)
        ]
        numbers = summary(value=values)
        event = protos.Event(wall_time=time.time(), step=entry["decisions"], summary=numbers)
        writer.add_event(event)

    with closing(EventFileWriter(str(folder))) as writer:
        start = protos.SessionLog(status=protos.SessionLog.START)
        writer.add_event(protos.Event(step=decisions + 1, session_log=start))
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

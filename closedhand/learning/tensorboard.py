"""The history of a training as curves for TensorBoard.

Events are written directly, as PyTorch's writer takes seconds to import.
"""

import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Self, cast

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


class Board:
    """A log of TensorBoard, and the context that closes it."""

    def __init__(self, folder: Path, decisions: int = 0) -> None:
        """Open a log in a folder at the number of decisions at which the training continues.

        Points of earlier logs beyond this number, whose work a kill has lost, are hidden.

        Raises:
            InputError: TensorBoard is not installed, or does not accept the name.
        """
        check_name(folder)
        with needing():
            from tensorboard.compat.proto import event_pb2, summary_pb2
            from tensorboard.summary.writer.event_file_writer import EventFileWriter

        # The generated classes have no type annotations.
        protos: Any = event_pb2
        self._event, self._summary = protos.Event, cast(Any, summary_pb2).Summary
        self._writer = EventFileWriter(str(folder))
        start = protos.SessionLog(status=protos.SessionLog.START)
        self._writer.add_event(self._event(step=decisions + 1, session_log=start))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._writer.close()

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add the numbers of a history entry at its number of decisions."""
        value = self._summary.Value
        values = [
            value(tag=name.encode("utf-8", UNPAIRED), simple_value=number)
            for name, number in numbers_in(entry)
        ]
        summary = self._summary(value=values)
        self._writer.add_event(
            self._event(wall_time=time.time(), step=entry["decisions"], summary=summary)
        )


def numbers_in(entry: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, float]]:
    """Yield keys, joined by slashes, and numbers of nested dicts; of a list its first number."""
    for key, value in entry.items():
        if isinstance(value, Mapping):
            yield from numbers_in(value, f"{before}{key}/")
        elif isinstance(value, list):
            yield f"{before}{key}", float(value[0])
        elif isinstance(value, int | float):
            yield f"{before}{key}", float(value)

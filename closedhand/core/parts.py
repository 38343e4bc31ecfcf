"""A long computation in parts: each result has a file of its own, and finished ones are kept."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from closedhand.core.checks import InputError
from closedhand.core.file_kinds import PART
from closedhand.core.files import refuse_foreign, write_atomically
from closedhand.core.interrupt import deferred
from closedhand.core.reading import read_json
from closedhand.core.run import Watch
from closedhand.core.text import reason_of
from closedhand.core.version import __version__


@dataclass(eq=False)
class Notes:
    """Argument with which a `Part` is called: it reports progress and saves partial results.

    Attributes:
        path: File of the part.
        begun: Partial result that was saved before an interruption; None: the part starts anew.
        kept: The function given to `keep`; None: only the final result is saved.
    """

    path: Path
    begun: Any
    _progress: Callable[[float], object]
    _watch: Watch
    kept: Callable[[], Any] | None = None

    def __call__(self, share: float) -> None:
        """Report the share done, 0 to 1; raise `KeyboardInterrupt` if there was a Ctrl-C."""
        self._watch.tick()  # first, to save the work: the next lines may raise
        self._progress(share)
        if self._watch.interrupted:
            raise KeyboardInterrupt

    def keep(self, state: Callable[[], Any]) -> None:
        """Save the JSON values that `state` returns, now and at times when progress is reported.

        A later run gets them as `begun`. None is not saved.
        """
        self.kept = state
        self._watch.save()

    def own(self, folder: Path) -> None:
        """Remove a folder for runs of the part if the part starts anew; call this before `keep`.

        The version or the settings may have changed since the files in the folder were made.

        Raises:
            InputError: The folder cannot be removed.
        """
        if self.begun is None and folder.exists():
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise InputError(f"cannot remove {folder}: {reason_of(error)}") from None


Part = Callable[[Notes], dict[str, Any]]
"""A function that computes one result, JSON values."""
Results = dict[str, dict[str, Any]]
Progress = Callable[[str, float, int], object]
"""Callback `(name, done, total)`: a part's name, numbers of parts done (a float) and in all."""


class Sectioned:
    """Base of settings with a field `sections`, whose default lists all sections.

    Other names are refused. The order becomes that of the default.
    """

    sections: tuple[str, ...]

    def __post_init__(self) -> None:
        known = type(self).sections
        for name in self.sections:
            if name not in known:
                raise InputError(f"no section {name!r}; there are {', '.join(known)}")
        ordered = tuple(name for name in known if name in self.sections)
        object.__setattr__(self, "sections", ordered)


def compute_parts(
    parts: Mapping[str, Part],
    folder: Path,
    settings: Mapping[str, Any],
    progress: Progress,
) -> Results:
    """Return results by name; compute those that the folder does not hold with these settings.

    A result with other settings (JSON values, no tuples) or of another version is replaced.

    Raises:
        InputError: A result cannot be read or written, or would replace another kind of file.
        KeyboardInterrupt: Ctrl-C, at a part's report or before a part; a later call resumes.
    """
    settings = {**settings, "version": __version__}
    results: dict[str, Any] = {}
    for name in parts:
        refuse_foreign(folder / f"{name}.json", PART)
    with deferred():
        for number, (name, part) in enumerate(parts.items()):
            progress(name, number, len(parts))

            def report(share: float, name: str = name, number: int = number) -> None:
                progress(name, number + share, len(parts))

            results[name] = _result(folder / f"{name}.json", part, settings, report)
    return results


def _result(
    path: Path, part: Part, settings: dict[str, Any], progress: Callable[[float], object]
) -> dict[str, Any]:
    file = read_json(path)
    if file.get("settings") != settings:
        file = {}
    if "result" in file:
        return file["result"]

    def write(key: str, value: Any) -> None:
        write_atomically(path, json.dumps({"settings": settings, key: value}, indent=1) + "\n")

    def save() -> None:
        kept = notes.kept() if notes.kept is not None else None
        if kept is not None:
            write("begun", kept)

    watch = Watch(save)
    notes = Notes(path, file.get("begun"), progress, watch)
    with watch:
        if not watch.interrupted:
            result = part(notes)
            notes.kept = None
            write("result", result)
            return result
    raise KeyboardInterrupt

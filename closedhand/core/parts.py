"""Long computations in parts: each result is kept in a file, so that a run can be resumed."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from closedhand.core.files import read_json, write_atomically
from closedhand.core.interrupt import deferred
from closedhand.core.version import __version__

Part = Callable[[Callable[[float], None]], dict[str, Any]]
"""Computes one result, which JSON can hold; calls its argument with the share done, 0 to 1."""


def compute(
    parts: Mapping[str, Part],
    folder: Path,
    settings: Mapping[str, Any],
    progress: Callable[[str, float, int], None],
) -> dict[str, dict[str, Any]]:
    """All results by name; those in the folder with the same settings are not computed again.

    Args:
        parts: Computations by name, in order.
        folder: Folder with a file for each part.
        settings: Settings that the results depend on; the package's version counts too.
        progress: Called with the name of a part, the number of parts done and their total.

    Raises:
        KeyboardInterrupt: Ctrl-C, when a part reports its progress or before the next one; a later
            call resumes.
    """
    settings = {**settings, "version": __version__}
    results: dict[str, Any] = {}
    with deferred() as check:
        for number, (name, part) in enumerate(parts.items()):
            progress(name, number, len(parts))
            path = folder / f"{name}.json"
            kept = read_json(path)
            if kept.get("settings") != settings:

                def tell(share: float, name: str = name, number: int = number) -> None:
                    check()
                    progress(name, number + share, len(parts))

                check()
                kept = {"settings": settings, "result": part(tell)}
                write_atomically(path, json.dumps(kept, indent=1) + "\n")
            results[name] = kept["result"]
    return results

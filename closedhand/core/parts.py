"""Long computations in parts: each result is kept in a file, so that an interrupted run goes on."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from closedhand.core.files import read_json, write_atomically
from closedhand.core.interrupt import deferred
from closedhand.core.version import __version__

Part = Callable[[Callable[[float], None]], dict[str, Any]]
"""Computes one result, which JSON can hold; tells, 0 to 1, how much of it is done."""


def compute(
    parts: Mapping[str, Part],
    folder: Path,
    settings: Mapping[str, Any],
    progress: Callable[[str, float, int], None],
) -> dict[str, dict[str, Any]]:
    """All results by name; those that the folder holds, of the same settings, are not done again.

    Args:
        parts: What is to be computed, by name, in order.
        folder: For a file for each part.
        settings: What a result depends on; the package's version counts too.
        progress: Called with the name of a part, how many are done and how many there are.

    Raises:
        KeyboardInterrupt: Interrupted where a part tells how far it is, or before the next one; a
            later call goes on.
    """
    settings = {**settings, "version": __version__}
    results = {}
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

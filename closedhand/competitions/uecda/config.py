"""The configuration file of the official UECda server, `tndhms.cfg`.

A line is a key and a value, in letters of either case; a `#` begins a comment. Settings of rules,
rounds and the port are used; those in `WITHOUT_EFFECT` are ignored. Keys and values that the
official server does not know are errors.
"""

from pathlib import Path
from typing import Any, NamedTuple

from closedhand.core.checks import InputError, prefixed
from closedhand.core.parsing import parse_whole
from closedhand.core.reading import filled_lines
from closedhand.games.daihinmin import logs

GAMES, PORT = "GAME_NUMBER", "PORT_NUMBER"
WITHOUT_EFFECT = (
    "WINDOW_TYPE", "GRAPH_WINDOW", "CONSOLE_TYPE", "RAND_TYPE", "XPM_DIR_PATH", "FLAG_STATISTICS",
    "FLAG_LOGGER", "FLAG_HIDDEN_NAME", *(f"PLAYER{number}_NAME" for number in range(1, 6)),
)  # fmt: skip
"""Keys for settings that our server lacks, or takes from elsewhere."""


class Config(NamedTuple):
    """Settings of a file; None for those that it does not set."""

    options: dict[str, Any]  # those of `make_game`, without the number of rounds
    rounds: int | None = None
    port: int | None = None


def read(path: Path) -> Config:
    """Read a file, the last value of a repeated key; an `InputError` names a line with a fault."""
    values: dict[str, str] = {}
    port = None
    for number, line in filled_lines(path):
        words = line.partition("#")[0].split()
        if not words:
            continue
        key = words[0].upper()
        with prefixed(f"{path}, line {number}"):
            if key in WITHOUT_EFFECT:
                continue
            if len(words) != 2:
                raise InputError(f"{key} has one value, not {len(words) - 1}")
            if key == PORT:
                port = parse_whole(words[1], key, most=2**16 - 1)
                continue
            values[key] = words[1].upper()
            logs.rules_of({key: values[key]})
    options = logs.rules_of(values)
    return Config(options, options.pop("rounds", None), port)

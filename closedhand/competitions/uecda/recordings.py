"""Files with the recorded messages between a server of protocol 20070 and its clients.

A recording holds all messages of a match, or of its first rounds, between a server and five
clients, as JSON lines that gzip may compress: one for each client and round. Each message is a list
of 120 numbers or of one, marked `r` if the client read it and `w` if it wrote it:

    {"client": 0, "round": 0, "messages": [["r", [0, 1, …]], ["w", [0, …]], ["r", [9]]]}

Other lines, with a client's profile or a note, are ignored.
"""

from collections.abc import Iterator
from pathlib import Path
from struct import Struct
from typing import Any

from closedhand.competitions.uecda import wire
from closedhand.core.checks import InputError, prefixed
from closedhand.core.parsing import parse_json
from closedhand.core.reading import filled_lines
from closedhand.games.daihinmin.state import PLAYERS

SERVER, CLIENT = "r", "w"
"""Marks of a message by its sender: the client read it, or wrote it."""
NUMBERS = wire.TABLE // 4
Message = tuple[str, bytes]
"""`SERVER` or `CLIENT`, and the bytes of a table or of a single number."""
Round = list[list[Message]]
"""The messages of a round by client."""

_PACKED = {1: wire.NUMBER, NUMBERS: Struct(f">{NUMBERS}i")}


def is_recording(path: Path) -> bool:
    """Return whether a file begins like a recording, compressed by gzip or not."""
    try:
        _, line = next(filled_lines(path), (0, ""))
        return line.startswith("{") and _is_line(parse_json(line))
    except InputError:
        return False


def _is_line(data: Any) -> bool:
    """Return whether a JSON value is a line of a recording: messages, a profile, or a note."""
    return isinstance(data, dict) and (
        {"client", "messages"} <= data.keys()
        or {"client", "profile"} <= data.keys()
        or {"about", "note"} == data.keys()
    )


def read(path: Path) -> Iterator[Round]:
    """Read the rounds of a recording in order; an `InputError` refuses any other file."""
    found: dict[int, dict[int, list[Message]]] = {}
    for number, line in filled_lines(path):
        with prefixed(f"{path}, line {number}"):
            data = parse_json(line)
            if not _is_line(data):
                raise InputError("the line is not one of a recording")
            if "messages" in data:
                client, each = data["client"], data.get("round")
                if client not in range(PLAYERS) or not isinstance(each, int):
                    raise InputError(f"there is no client {client!r}, round {each!r}")
                found.setdefault(each, {})[client] = _messages_of(data["messages"])
    for each, (key, by_client) in enumerate(sorted(found.items())):
        if key != each or len(by_client) != PLAYERS:
            raise InputError(f"{path}: round {each} lacks messages of some clients")
        yield [by_client[client] for client in range(PLAYERS)]
    if not found:
        raise InputError(f"{path}: the recording has no rounds")


def _messages_of(data: Any) -> list[Message]:
    if not isinstance(data, list):
        raise InputError("the messages are not a list")
    found = []
    for message in data:
        side, numbers = message if isinstance(message, list) and len(message) == 2 else (None, None)
        if side not in (SERVER, CLIENT) or not isinstance(numbers, list):
            raise InputError("a message is r or w, and a list of numbers")
        if not all(type(number) is int for number in numbers):
            raise InputError("a message has whole numbers")
        if len(numbers) not in _PACKED or not all(-(2**31) <= n < 2**31 for n in numbers):
            raise InputError(f"a message is {NUMBERS} numbers of 32 bits, or one")
        found.append((side, _PACKED[len(numbers)].pack(*numbers)))
    return found

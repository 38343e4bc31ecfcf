"""Files with the recorded messages between a server of protocol 20070 and its clients.

A recording holds all messages of a match, or of its first rounds, between a server and five
clients. Our form is a text, which may be compressed by gzip:

    uecda traffic 1
    round 0
    0 S table 0.8=1 0.12=1 6.0=11
    2 C table 1.8=2 2.8=1
    2 S 8
    01234 S 0

A line is a message of the server (`S`) to some clients, or of a client (`C`). The digits in front
are the clients. The message is a number, or a table with its differences `row.column=value`:

- a table of a client differs from a table of zeros;
- rows 0 to 4 of a server's table differ from the table before the last one to this client in the
  round, as hands and plays alternate;
- rows 5 to 7 differ from the last table to this client in the round.

The other form that can be read is JSON lines, one for each client and round. Each message is a list
of 120 numbers or of one, marked `r` if the client read it and `w` if it wrote it:

    {"client": 0, "round": 0, "messages": [["r", [0, 1, …]], ["w", [0, …]], ["r", [9]]]}
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from struct import Struct
from typing import Any

from closedhand.competitions.uecda import wire
from closedhand.core.game import InputError
from closedhand.core.parsing import parse_json
from closedhand.core.reading import filled_lines
from closedhand.games.daihinmin.state import LONGEST, PLAYERS

HEADER = "uecda traffic 1"
SERVER, CLIENT = "S", "C"
ROUND = re.compile(r"round (\d{1,9})", re.ASCII)
LINE = re.compile(
    r"([0-4]{1,5}) ([SC]) (?:(-?\d{1,10})|table((?: \d\.\d{1,2}=-?\d{1,10})*))", re.ASCII
)
SIDES = {"r": SERVER, "w": CLIENT}
NUMBERS = wire.TABLE // 4
CARDS = wire.CELLS // 4
MOST_MESSAGES = 6 * LONGEST
"""Most messages of a client in a round: each turn has at most six."""
Message = tuple[str, bytes]
"""The sender, `SERVER` or `CLIENT`, and the bytes of a table or a number."""
Round = list[list[Message]]
"""The messages of a round by client."""

_ZEROS = [[0] * NUMBERS, [0] * NUMBERS]
_PACKED = {1: wire.NUMBER, NUMBERS: Struct(f">{NUMBERS}i")}


def is_recording(path: Path) -> bool:
    """Whether a file begins like a recording, compressed by gzip or not."""
    try:
        _, line = next(filled_lines(path), (0, ""))
        return line == HEADER or (line.startswith("{") and _is_json_line(parse_json(line)))
    except InputError:
        return False


def _is_json_line(data: Any) -> bool:
    """Whether a JSON value is a line of a recording: messages, a client's profile, or a note."""
    return isinstance(data, dict) and (
        {"client", "messages"} <= data.keys()
        or {"client", "profile"} <= data.keys()
        or {"about", "note"} == data.keys()
    )


def read(path: Path) -> Iterator[Round]:
    """Read the rounds of a recording, one at a time.

    Raises:
        InputError: The file cannot be read, or is not a recording.
    """
    lines = filled_lines(path)
    first = next(lines, (1, ""))
    if first[1] == HEADER:
        yield from _rounds_of_text(path, lines)
    else:
        yield from _rounds_of_json(path, chain([first], lines))


def _rounds_of_text(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[Round]:
    messages: Round | None = None
    said: list[list[list[int]]] = []  # by client the last two tables of the server, the older first
    count = 0
    for number, line in lines:
        if match := ROUND.fullmatch(line):
            if int(match[1]) != count:
                raise InputError(f"{path}, line {number}: round {match[1]} is out of order")
            if messages is not None:
                yield messages
            messages = [[] for _ in range(PLAYERS)]
            said = [_ZEROS for _ in range(PLAYERS)]
            count += 1
            continue
        match = LINE.fullmatch(line)
        if match is None or messages is None:
            raise InputError(f"{path}, line {number}: the line is not one of a recording")
        clients, side, value, changes = match.groups()
        changed = [] if value else _changes(changes, f"{path}, line {number}")
        for client in map(int, clients):
            before, last = said[client] if side == SERVER else _ZEROS
            numbers = [int(value)] if value else before[:CARDS] + last[CARDS:]
            for place, new in changed:
                numbers[place] = new
            if side == SERVER and not value:
                said[client] = [last, numbers]
            if len(messages[client]) == MOST_MESSAGES:
                raise InputError(f"{path}, line {number}: more than {MOST_MESSAGES} messages")
            messages[client].append((side, _packed(numbers, f"{path}, line {number}")))
    if messages is None:
        raise InputError(f"{path}: the recording has no rounds")
    yield messages


def _changes(text: str, where: str) -> list[tuple[int, int]]:
    """Parse ` row.column=value …` into places in a table and values."""
    found = []
    for change in text.split():
        row, column, value = map(int, re.split("[.=]", change))
        if row >= wire.ROWS or column >= wire.COLUMNS:
            raise InputError(f"{where}: a table has no place {row}.{column}")
        found.append((wire.COLUMNS * row + column, value))
    return found


def _packed(numbers: Sequence[int], where: str) -> bytes:
    """Pack a table or a number into bytes."""
    if len(numbers) not in _PACKED or not all(-(2**31) <= n < 2**31 for n in numbers):
        raise InputError(f"{where}: a message is {NUMBERS} numbers of 32 bits, or one")
    return _PACKED[len(numbers)].pack(*numbers)


def _rounds_of_json(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[Round]:
    found: dict[int, dict[int, list[Message]]] = {}
    for number, line in lines:
        where = f"{path}, line {number}"
        try:
            data = parse_json(line)
        except InputError as error:
            raise InputError(f"{where}: {error}") from None
        if not _is_json_line(data):
            raise InputError(f"{where}: the line is not one of a recording")
        if "messages" in data:
            client, each = data["client"], data.get("round")
            if client not in range(PLAYERS) or not isinstance(each, int):
                raise InputError(f"{where}: there is no client {client!r}, round {each!r}")
            found.setdefault(each, {})[client] = _messages_of_json(data["messages"], where)
    for each, (key, by_client) in enumerate(sorted(found.items())):
        if key != each or len(by_client) != PLAYERS:
            raise InputError(f"{path}: round {each} lacks messages of some clients")
        yield [by_client[client] for client in range(PLAYERS)]
    if not found:
        raise InputError(f"{path}: the recording has no rounds")


def _messages_of_json(data: Any, where: str) -> list[Message]:
    if not isinstance(data, list):
        raise InputError(f"{where}: the messages are not a list")
    found = []
    for message in data:
        side, numbers = message if isinstance(message, list) and len(message) == 2 else (None, None)
        if not isinstance(side, str) or side not in SIDES or not isinstance(numbers, list):
            raise InputError(f"{where}: a message is r or w, and a list of numbers")
        if not all(type(number) is int for number in numbers):
            raise InputError(f"{where}: a message has whole numbers")
        found.append((SIDES[side], _packed(numbers, where)))
    return found

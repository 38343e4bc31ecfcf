"""Recordings of what a server and its clients said, and their comparison with our server.

A recording holds all messages of a match, or of its first rounds, between a server of protocol
20070 and five clients. Our form is a text, packed by gzip or not:

    uecda traffic 1
    round 0
    0 S table 0.8=1 0.12=1 6.0=11
    2 C table 1.8=2 2.8=1
    2 S 8
    01234 S 0

A line is a message of the server (`S`) to some clients, or of a client (`C`): a number, or a table
by its numbers `row.column=value`. Given are those that differ: for a client's table from zeros, for
the server's from what it said to this client before in the round, in rows 0 to 4 from the table
before the last one (hands and plays alternate), in rows 5 to 7 from the last one.

The other form that is read is JSON lines, one for each client and round, with lists of 120 numbers
or of one, `r` for read by the client and `w` for written by it:

    {"client": 0, "round": 0, "messages": [["r", [0, 1, …]], ["w", [0, …]], ["r", [9]]]}
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from struct import Struct
from typing import Any, NamedTuple

import numpy as np

from closedhand.competitions.uecda import wire
from closedhand.competitions.uecda.table import Seat, Table
from closedhand.core.agents import make_agent
from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import parse_json
from closedhand.core.reading import filled_lines
from closedhand.core.records import LogReader, Record, Replay
from closedhand.core.registry import make_game
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.exchange import TAXES, best_cards
from closedhand.games.daihinmin.notation import cards_in
from closedhand.games.daihinmin.replaying import take_away
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
"""Most messages of a client's round; each turn has at most six."""
CLASS_ROW = slice(4 * (6 * wire.COLUMNS + PLAYERS), 4 * (6 * wire.COLUMNS + 2 * PLAYERS))
"""Bytes of a table in which the official server writes classes; in mid-round they mean nothing."""

Message = tuple[str, bytes]
"""Who says it, `SERVER` or `CLIENT`, and the bytes of a table or a number."""
Round = list[list[Message]]
"""The messages of a round by client."""

_ZEROS = [[0] * NUMBERS, [0] * NUMBERS]
_PACKED = {1: wire.NUMBER, NUMBERS: Struct(f">{NUMBERS}i")}


def is_recording(path: Path) -> bool:
    """Whether a file begins like a recording, packed by gzip or not."""
    try:
        _, line = next(filled_lines(path), (0, ""))
        return line == HEADER or (line.startswith("{") and _is_json_line(parse_json(line)))
    except InputError:
        return False


def _is_json_line(data: Any) -> bool:
    """Whether a JSON value is one of a recording; others may tell about it before."""
    return isinstance(data, dict) and (
        {"client", "messages"} <= data.keys()
        or {"client", "profile"} <= data.keys()
        or {"about", "note"} == data.keys()
    )


def read(path: Path) -> Iterator[Round]:
    """The rounds of a recording, one at a time.

    Raises:
        InputError: The file cannot be read, or is no recording.
    """
    lines = filled_lines(path)
    first = next(lines, (1, ""))
    if first[1] == HEADER:
        yield from _rounds_of_text(path, lines)
    else:
        yield from _rounds_of_json(path, chain([first], lines))


def _rounds_of_text(path: Path, lines: Iterable[tuple[int, str]]) -> Iterator[Round]:
    messages: Round | None = None
    said: list[list[list[int]]] = []
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
    """The places and values in ` row.column=value …`."""
    found = []
    for change in text.split():
        row, column, value = map(int, re.split("[.=]", change))
        if row >= wire.ROWS or column >= wire.COLUMNS:
            raise InputError(f"{where}: a table has no place {row}.{column}")
        found.append((wire.COLUMNS * row + column, value))
    return found


def _packed(numbers: Sequence[int], where: str) -> bytes:
    """A table or a number as bytes."""
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
            raise InputError(f"{path}: round {each} is not there for all clients")
        yield [by_client[client] for client in range(PLAYERS)]
    if not found:
        raise InputError(f"{path}: the recording has no rounds")


def _messages_of_json(data: Any, where: str) -> list[Message]:
    if not isinstance(data, list):
        raise InputError(f"{where}: the messages are no list")
    found = []
    for message in data:
        side, numbers = message if isinstance(message, list) and len(message) == 2 else (None, None)
        if not isinstance(side, str) or side not in SIDES or not isinstance(numbers, list):
            raise InputError(f"{where}: a message is r or w, and a list of numbers")
        if not all(type(number) is int for number in numbers):
            raise InputError(f"{where}: a message has whole numbers")
        found.append((SIDES[side], _packed(numbers, where)))
    return found


def text(rounds: Iterable[Round]) -> str:
    """A recording in our form, which `read` reads back."""
    lines = [HEADER]
    for number, messages in enumerate(rounds):
        lines.append(f"round {number}")
        lines += _round_lines(messages)
    return "\n".join(lines) + "\n"


def _round_lines(messages: Round) -> Iterator[str]:
    """The lines of a round: one for all clients whose next messages are written alike."""
    waiting = [list(reversed(own)) for own in messages]
    said = [[wire.BLANK, wire.BLANK] for _ in range(PLAYERS)]
    while any(waiting):
        # An answer and what only its client is told come first, so that the others' lines meet.
        asked = [c for c in range(PLAYERS) if waiting[c] and waiting[c][-1][0] == CLIENT]
        if asked:
            client = asked[0]
            yield f"{client} {CLIENT} {_written(waiting[client].pop()[1], wire.BLANK)}"
            if waiting[client] and len(waiting[client][-1][1]) < wire.TABLE:
                yield f"{client} {SERVER} {_written(waiting[client].pop()[1], wire.BLANK)}"
            continue
        alike: dict[str, str] = {}
        for client in range(PLAYERS):
            if waiting[client]:
                data = waiting[client].pop()[1]
                before, last = said[client]
                line = _written(data, before[: wire.CELLS] + last[wire.CELLS :])
                alike[line] = alike.get(line, "") + str(client)
                if len(data) == wire.TABLE:
                    said[client] = [last, data]
        for line, clients in alike.items():
            yield f"{clients} {SERVER} {line}"


def _written(data: bytes, before: bytes) -> str:
    """A number, or the places of a table where it differs from another one."""
    if len(data) < wire.TABLE:
        return str(wire.NUMBER.unpack(data)[0])
    return "table" + "".join(
        f" {place // wire.COLUMNS}.{place % wire.COLUMNS}={value}"
        for place, (value, old) in enumerate(zip(_numbers(data), _numbers(before), strict=True))
        if value != old
    )


def _numbers(table: bytes) -> tuple[int, ...]:
    return _PACKED[NUMBERS].unpack(table)


@dataclass(frozen=True)
class Comparison:
    """What our server says in a recorded round, in which the clients answer as recorded.

    Attributes:
        values: The round for a log; None if it took another course.
        first: The first difference, or an empty string.
        lost: Cards that the recorded server lost in the exchange, in the notation of logs.
        tables: Number of recorded tables that were compared.
        size: Number of bytes that were compared, numbers included.
        different: Number of bytes that differ, without those of `class_rows`.
        class_rows: Number of tables in mid-round that differ in the row of classes alone.
    """

    values: dict[str, str] | None
    first: str
    lost: str
    tables: int
    size: int
    different: int
    class_rows: int


def compare(rounds: Iterable[Round]) -> Iterator[Comparison]:
    """Let our server play recorded rounds with the recorded answers, and compare what it says.

    Two things are no differences. In mid-round the official server's row of classes means nothing.
    And it loses a card in the exchange if the joker is given in the cell of another card that its
    giver holds: that card is taken away here, too, and named in `lost`.

    Raises:
        InputError: A round does not begin with the hands of a deal.
    """
    table = _Replay()
    points = [0] * PLAYERS
    for messages in rounds:
        compared, points = table.replay(messages, points)
        yield compared


class _OtherCourse(Exception):
    """A client is asked more often than in the recording."""


class _Recorded:
    """A client that answers as recorded."""

    gone = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.told: list[bytes] = []
        self._answers: Iterator[bytes] = iter(())

    def begin(self, messages: Sequence[Message]) -> None:
        """Begin a round."""
        self.told = []
        self._answers = iter([data for side, data in messages if side == CLIENT])

    def tell(self, message: bytes) -> None:
        self.told.append(message)

    def flush(self) -> None:
        pass

    ask = flush

    def leave(self, reason: str) -> None:
        pass

    def answer(self, meanwhile: Callable[[], None]) -> bytes:
        try:
            return next(self._answers)
        except StopIteration:
            raise _OtherCourse from None


class _Replay(Table):
    """A match whose rounds and answers are given."""

    def __init__(self) -> None:
        self._games = [make_game("daihinmin", rounds=rounds) for rounds in (2, 1)]
        own = make_agent(make_game("daihinmin"), "random")
        self._scripts = [_Recorded(f"player_{player}") for player in range(PLAYERS)]
        seats = [Seat(own, script) for script in self._scripts]
        game = self._games[0]
        super().__init__(game, seats, game.empty(1)[0], lambda line: None, lambda: None)
        self._lost = 0
        self._latest = wire.BLANK

    def replay(self, messages: Round, points: list[int]) -> tuple[Comparison, list[int]]:
        """Play a round; return the comparison, and the points after it."""
        end = wire.NUMBER.pack(wire.MATCH_OVER)
        game = self._games[messages[0][-1:] == [(SERVER, end)]]
        self._rules, self._state = game.rules, _start(game, messages)
        self._lost = 0
        for script, own in zip(self._scripts, messages, strict=True):
            script.begin(own)
        values, course = None, ""
        try:
            values, points = self.play_round(points)
        except _OtherCourse:
            course = "ours goes on"
        every: list[tuple[int, int, int, int]] = []
        firsts: list[tuple[int, str]] = []
        for client, (script, own) in enumerate(zip(self._scripts, messages, strict=True)):
            heard = [data for side, data in own if side == SERVER]
            found = _differences(heard, b"".join(script.told))
            every.append(found.counts)
            if found.first:
                firsts.append((found.first[0], f"to player {client} {found.first[1]}"))
        # The earliest difference is the cause of the others.
        first = min(firsts)[1] if firsts else course
        counts = map(sum, zip(*every, strict=True))
        return Comparison(values, first, logs.cards_text(self._lost), *counts), points

    def _answer(self, player: int) -> bytes | None:
        table = super()._answer(player)
        self._latest = table or wire.BLANK
        return table

    def _give(self, taker: int, number: int) -> None:
        """Let the daifugo or the fugo give cards back, and lose a card as the official server."""
        super()._give(taker, number)
        state = self._state
        lost = wire.under_joker(self._latest) & int(state.hands[taker])
        given = int(state.returned[int(state.classes[taker])])
        if lost and given == wire.held_cards(self._latest[: wire.CELLS]):
            self._lost |= lost
            take_away(state, taker, lost)


def _start(game: Game, messages: Round) -> State:
    """The state in which a round begins: what its first tables show, before the taxes.

    Raises:
        InputError: They do not show a deal.
    """
    tables = [own[0][1] if own else b"" for own in messages]
    if any(len(table) < wire.TABLE for table in tables):
        raise InputError("the round does not begin with a table to every client")
    status = wire.read_status(tables[0])
    held = [wire.held_cards(table[: wire.CELLS]) for table in tables]
    hands = [hand for hand in held if hand is not None]
    ranked = any(status.classes)
    if len(hands) < PLAYERS or (ranked and sorted(status.classes) != list(range(PLAYERS))):
        raise InputError("the first tables show no hands or no classes")
    for pair, tax in enumerate(TAXES if ranked else ()):
        winner, loser = status.classes.index(pair), status.classes.index(PLAYERS - 1 - pair)
        hands[winner] &= ~int(best_cards(np.uint64(hands[loser]), tax))
    classes = "".join(map(str, status.classes)) if ranked else "-"
    seats = "".join(map(str, status.seats))
    return game.parse_deal(";".join([seats, classes, *("".join(cards_in(h)) for h in hands)]))


class _Differences(NamedTuple):
    """Differences between what a client heard and what ours says.

    Attributes:
        counts: Numbers of tables, of bytes, of bytes that differ, and of tables that differ in the
            row of classes alone.
        first: Number of the message and text of the first difference, or None.
    """

    counts: tuple[int, int, int, int]
    first: tuple[int, str] | None


def _differences(heard: Sequence[bytes], ours: bytes) -> _Differences:
    tables = size = different = class_rows = 0
    first = None
    for number, data in enumerate(heard):
        own = ours[size : size + len(data)]
        size += len(data)
        in_tricks = tables > 0
        tables += len(data) == wire.TABLE
        if own == data:
            continue
        if len(data) == len(own) == wire.TABLE and in_tricks:
            patched = own[: CLASS_ROW.start] + data[CLASS_ROW] + own[CLASS_ROW.stop :]
            if patched == data:
                class_rows += 1
                continue
            own = patched
        different += len(data) - sum(a == b for a, b in zip(data, own, strict=False))
        first = first or (number, f"message {number}: {_difference(data, own)}")
    if len(ours) > size:
        different += len(ours) - size
        first = first or (len(heard), f"message {len(heard)}: only ours says more")
    return _Differences((tables, size, different, class_rows), first)


def _difference(data: bytes, own: bytes) -> str:
    """Where a message and ours differ first."""
    if len(own) < len(data):
        return "ours says no more"
    pairs = zip(range(len(data) // 4), _each_number(data), _each_number(own), strict=True)
    place, value, ours = next(each for each in pairs if each[1] != each[2])
    if len(data) < wire.TABLE:
        return f"{value}, ours {ours}"
    return f"{place // wire.COLUMNS}.{place % wire.COLUMNS} is {value}, ours {ours}"


def _each_number(data: bytes) -> list[int]:
    return np.frombuffer(data, ">i4").tolist()


def _replay_recording(path: Path) -> Iterator[Replay]:
    """Replay every round of a recording, counted from 0."""
    for number, compared in enumerate(compare(read(path))):
        record = logs.round_record(compared.values) if compared.values else None
        wrong = f"{compared.different:,} bytes differ; {compared.first}"
        error = f"round {number}: {wrong}" if compared.first else None
        returns = record.returns if record and not error else None
        detail = (
            f"{compared.tables:,} tables, {compared.size:,} bytes, {compared.different:,} differ"
        )
        yield Replay(number, record, returns, error, unit="round", detail=detail)


def _records(path: Path) -> list[Record]:
    """The rounds of a recording as records.

    Raises:
        InputError: The file is no recording, or ours differs, or a card was lost in the exchange.
    """
    records = []
    for number, compared in enumerate(compare(read(path))):
        if compared.first or compared.lost or compared.values is None:
            why = compared.first or f"the server lost {compared.lost}, as no record can say"
            raise InputError(f"{path}, round {number}: {why}")
        records.append(logs.round_record(compared.values))
    return records


TRAFFIC = LogReader(
    name="recording of a UECda server and its clients",
    recognises=is_recording,
    replay=_replay_recording,
    records=_records,
)

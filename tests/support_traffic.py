"""Comparison of our server with a recorded one, by replaying the answers of its clients.

1. Read a round: the messages of the server and the answers of its five clients.
2. Build the state that its first tables show, and let our server play from there.
3. Give each client's recorded answers to our server, one for each question.
4. Compare our messages with the recorded ones, byte by byte, and report the first difference.

The recording has a line of JSON for each round and client, in this order, with all messages between
server and client: lists of 120 numbers or of one, marked `r` if the client read them and `w` if it
wrote them:

    {"client": 0, "round": 0, "messages": [["r", [0, 1, …]], ["w", [0, …]], ["r", [9]]]}
"""

import gzip
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from support import DATA

from closedhand import make_agent, make_game
from closedhand.competitions.uecda import wire
from closedhand.competitions.uecda.remote_players import RemotePlayer
from closedhand.competitions.uecda.table import Seat, Table
from closedhand.core.game import Game, State
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.exchange import TAXES, best_cards
from closedhand.games.daihinmin.plays import cards_in
from closedhand.games.daihinmin.replaying import take_away
from closedhand.games.daihinmin.state import PLAYERS

TRAFFIC = DATA / "uecda_traffic.jsonl.gz"
"""60 rounds of an official server with five clients that send legal and all other tables."""
SERVER, CLIENT = "r", "w"
"""Marks of a message by its sender: the client read it, or wrote it."""
Message = tuple[str, bytes]
"""`SERVER` or `CLIENT`, and the bytes of a table or of a single number."""
Round = list[list[Message]]
"""The messages of a round by client."""
CLASS_ROW = slice(4 * (6 * wire.COLUMNS + PLAYERS), 4 * (6 * wire.COLUMNS + 2 * PLAYERS))
"""Bytes of a table with the classes. The official server leaves stray numbers there in tricks."""


def read() -> Iterator[Round]:
    """Read the rounds one at a time."""
    with gzip.open(TRAFFIC, "rt", encoding="utf-8") as lines:
        while clients := list(islice(lines, PLAYERS)):
            yield [
                [(side, np.array(numbers, ">i4").tobytes()) for side, numbers in own]
                for own in (json.loads(line)["messages"] for line in clients)
            ]


@dataclass
class Comparison:
    """Differences between our server and a recorded round."""

    values: dict[str, str] | None  # for a log; None if answers are missing, see `_OtherCourse`
    first: str  # the first difference; empty: none
    lost: str  # cards that the recorded server lost in the exchange, in the notation of logs
    tables: int = 0  # number of recorded tables
    size: int = 0  # number of recorded bytes, in tables and numbers
    different: int = 0  # number of bytes that differ, except those of `class_rows`
    class_rows: int = 0  # number of tables during tricks that differ only in the row of classes

    def add(self, recorded: Sequence[bytes], ours: bytes) -> tuple[int, str] | None:
        """Count differences between the recorded messages to a client in a round and ours, joined.

        Return the number, from 0, of the first message that differs, and how; None if none does.
        """
        end, first = 0, None
        for number, data in enumerate(recorded):
            own = ours[end : end + len(data)]
            end += len(data)
            self.tables += len(data) == wire.TABLE
            if own == data:
                continue
            # The first table of a round shows the real classes; in later ones ignore their row.
            if number > 0 and len(data) == len(own) == wire.TABLE:
                own = own[: CLASS_ROW.start] + data[CLASS_ROW] + own[CLASS_ROW.stop :]
                if own == data:
                    self.class_rows += 1
                    continue
            # Bytes that `own` lacks count as different.
            self.different += len(data) - sum(a == b for a, b in zip(data, own, strict=False))
            first = first or (number, f"message {number}: {_difference(data, own)}")
        self.size += end
        if len(ours) > end:
            self.different += len(ours) - end
            first = first or (len(recorded), f"message {len(recorded)}: only ours sends more")
        return first


def compare(rounds: Iterable[Round]) -> Iterator[Comparison]:
    """Let our server play recorded rounds with the recorded answers, and compare the messages.

    Two deviations of the official server do not count as differences. During tricks it leaves stray
    numbers in the row of classes. In the exchange it loses a card if the joker is given in the cell
    of another card that the giver holds: that card is removed here, too, and named in `lost`.
    """
    yield from map(_Replay().replay, rounds)


class _OtherCourse(Exception):
    """Our server asks a client for more answers than the recording has."""


class _RecordedClient(RemotePlayer):
    """A client that gives recorded answers; it keeps the messages of our server in `sent`."""

    gone = ""

    def __init__(self, name: str) -> None:  # it has no socket
        self.name = name
        self.sent: list[bytes] = []
        self._answers: Iterator[bytes] = iter(())

    def begin(self, messages: Sequence[Message]) -> None:
        self.sent = []
        self._answers = iter([data for side, data in messages if side == CLIENT])

    def queue(self, message: bytes) -> None:
        self.sent.append(message)

    def flush(self) -> None:
        pass

    ask = flush

    def answer(self, meanwhile: Callable[[], None]) -> bytes:
        try:
            return next(self._answers)
        except StopIteration:
            raise _OtherCourse from None


class _Replay(Table):
    """A match of our server, from recorded first tables and with recorded answers."""

    def __init__(self) -> None:
        self._game = make_game("daihinmin", rounds=2)  # no recorded round is the last of a match
        own = make_agent(make_game("daihinmin"), "random")
        self._scripts = [_RecordedClient(f"player_{player}") for player in range(PLAYERS)]
        seats = [Seat(own, script) for script in self._scripts]
        state = self._game.empty(1)[0]
        super().__init__(self._game, seats, state, lambda line: None, lambda: None)
        self._lost = 0
        self._latest = wire.BLANK

    def replay(self, messages: Round) -> Comparison:
        self._state = _start(self._game, messages)
        self._lost = 0
        for script, own in zip(self._scripts, messages, strict=True):
            script.begin(own)
        values, course = None, ""
        try:
            values = self.play_round()
        except _OtherCourse:
            course = "ours asks for another answer"
        found = Comparison(values, course, logs.cards_text(self._lost))
        firsts: list[tuple[int, str]] = []
        for client, (script, own) in enumerate(zip(self._scripts, messages, strict=True)):
            recorded = [data for side, data in own if side == SERVER]
            first = found.add(recorded, b"".join(script.sent))
            if first:
                firsts.append((first[0], f"to player {client} {first[1]}"))
        if firsts:  # the earliest, as it may cause the others
            found.first = min(firsts)[1]
        return found

    def _answer(self, player: int) -> bytes | None:
        table = super()._answer(player)
        self._latest = table or wire.BLANK
        return table

    def _give(self, taker: int, number: int) -> None:
        """Let the taker of a tax give cards back, and lose a card as the official server does."""
        super()._give(taker, number)
        state = self._state
        lost = _under_joker(self._latest) & int(state.hands[taker])
        given = int(state.returned[int(state.classes[taker])])
        if lost and given == wire.held_cards(self._latest[: wire.CELLS]):
            self._lost |= lost
            take_away(state, taker, lost)


def _start(game: Game, messages: Round) -> State:
    """Build the state at the start of a round, before the tax, from its first tables."""
    tables = [own[0][1] for own in messages]
    status = wire.read_status(tables[0])
    hands = [wire.held_cards(table[: wire.CELLS]) or 0 for table in tables]
    ranked = any(status.classes)
    # The tables show the tax in the hands of both sides: take it out of the winners'.
    for pair, tax in enumerate(TAXES if ranked else ()):
        winner, loser = status.classes.index(pair), status.classes.index(PLAYERS - 1 - pair)
        hands[winner] &= ~int(best_cards(np.uint64(hands[loser]), tax))
    classes = "".join(map(str, status.classes)) if ranked else "-"
    seats = "".join(map(str, status.seats))
    return game.parse_deal(";".join([seats, classes, *("".join(cards_in(h)) for h in hands)]))


def _under_joker(table: bytes) -> int:
    """Return the card in whose cell the joker lies, as a set of bits; 0 if it lies elsewhere."""
    numbers = np.frombuffer(table, ">i4", 4 * wire.COLUMNS).reshape(4, wire.COLUMNS)
    cards = 0
    for row, column in np.argwhere(numbers[:, 1:-1] == 2).tolist():
        cards |= 1 << 4 * column + 3 - row
    return cards


def _difference(data: bytes, own: bytes) -> str:
    """Describe the first difference between a recorded message and ours."""
    if len(own) < len(data):
        return "ours sends no more"
    pairs = zip(range(len(data) // 4), _each_number(data), _each_number(own), strict=True)
    place, value, ours = next(each for each in pairs if each[1] != each[2])
    if len(data) < wire.TABLE:
        return f"{value}, ours {ours}"
    return f"{place // wire.COLUMNS}.{place % wire.COLUMNS} is {value}, ours {ours}"


def _each_number(data: bytes) -> list[int]:
    return np.frombuffer(data, ">i4").tolist()

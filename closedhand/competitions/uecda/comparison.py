"""Comparison of our server with a recorded one, by replaying the answers of its clients.

1. Read a round of a recording: the messages of the server and the answers of its five clients.
2. Build the state that its first tables show, and let our server play from there.
3. Give each client's recorded answers to our server, one for each question.
4. Compare our messages with the recorded ones, byte by byte, and report the first difference.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from closedhand.competitions.uecda import wire
from closedhand.competitions.uecda.recordings import (
    CLIENT,
    SERVER,
    Message,
    Round,
    is_recording,
    read,
)
from closedhand.competitions.uecda.remote_players import RemotePlayer
from closedhand.competitions.uecda.table import Seat, Table
from closedhand.core.agents import make_agent
from closedhand.core.game import Game, InputError, State
from closedhand.core.records import LogReader, Record, Replay
from closedhand.core.registry import make_game
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.exchange import TAXES, best_cards
from closedhand.games.daihinmin.plays import cards_in
from closedhand.games.daihinmin.replaying import take_away
from closedhand.games.daihinmin.state import PLAYERS

CLASS_ROW = slice(4 * (6 * wire.COLUMNS + PLAYERS), 4 * (6 * wire.COLUMNS + 2 * PLAYERS))
"""Bytes of a table with the classes. The official server leaves stray numbers there in tricks."""


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

    An `InputError` refuses a round that does not begin with the hands of a deal.
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
        # For rounds that are not the last one of a match, and for the last one.
        self._games = [make_game("daihinmin", rounds=rounds) for rounds in (2, 1)]
        own = make_agent(make_game("daihinmin"), "random")
        self._scripts = [_RecordedClient(f"player_{player}") for player in range(PLAYERS)]
        seats = [Seat(own, script) for script in self._scripts]
        game = self._games[0]
        super().__init__(game, seats, game.empty(1)[0], lambda line: None, lambda: None)
        self._lost = 0
        self._latest = wire.BLANK

    def replay(self, messages: Round) -> Comparison:
        end = wire.NUMBER.pack(wire.MATCH_OVER)
        game = self._games[messages[0][-1:] == [(SERVER, end)]]
        self._rules, self._state = game.rules, _start(game, messages)
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
        lost = wire.under_joker(self._latest) & int(state.hands[taker])
        given = int(state.returned[int(state.classes[taker])])
        if lost and given == wire.held_cards(self._latest[: wire.CELLS]):
            self._lost |= lost
            take_away(state, taker, lost)


def _start(game: Game, messages: Round) -> State:
    """Build the state at the start of a round, before the tax, from its first tables."""
    tables = [own[0][1] if own else b"" for own in messages]
    if any(len(table) < wire.TABLE for table in tables):
        raise InputError("the round does not begin with a table to every client")
    status = wire.read_status(tables[0])
    held = [wire.held_cards(table[: wire.CELLS]) for table in tables]
    hands = [hand for hand in held if hand is not None]
    ranked = any(status.classes)
    if len(hands) < PLAYERS or (ranked and sorted(status.classes) != list(range(PLAYERS))):
        raise InputError("the first tables show no hands or no classes")
    # The tables show the tax in the hands of both sides: take it out of the winners'.
    for pair, tax in enumerate(TAXES if ranked else ()):
        winner, loser = status.classes.index(pair), status.classes.index(PLAYERS - 1 - pair)
        hands[winner] &= ~int(best_cards(np.uint64(hands[loser]), tax))
    classes = "".join(map(str, status.classes)) if ranked else "-"
    seats = "".join(map(str, status.seats))
    return game.parse_deal(";".join([seats, classes, *("".join(cards_in(h)) for h in hands)]))


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


def _replay_recording(path: Path) -> Iterator[Replay]:
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
    """Convert the rounds of a recording to records; refuse one with differences or a lost card."""
    records = []
    for number, compared in enumerate(compare(read(path))):
        if compared.first or compared.lost or compared.values is None:
            why = compared.first or f"the server lost {compared.lost}, which no record can express"
            raise InputError(f"{path}, round {number}: {why}")
        records.append(logs.round_record(compared.values))
    return records


TRAFFIC = LogReader(
    name="recording of a UECda server and its clients",
    recognises=is_recording,
    replay=_replay_recording,
    read=_records,
)

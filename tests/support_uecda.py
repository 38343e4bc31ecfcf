"""Servers, clients and logs of the competition for tests."""

import re
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
from support import DATA

from closedhand import make_game
from closedhand.competitions.uecda import client, wire
from closedhand.competitions.uecda.follow import Follower
from closedhand.competitions.uecda.remote_players import Limits
from closedhand.competitions.uecda.server import Server
from closedhand.competitions.uecda.table import Result
from closedhand.core import records
from closedhand.core.agents import Agent
from closedhand.core.game import State
from closedhand.games.daihinmin import logs

GAME = make_game("daihinmin")
LONG = 30.0

START = (
    "20413;41302;4c4s6h7c8c9hJdJhAs2s*;4d5d5s7h8h8sTcJcKdKs;3h3s5h7s9cThJsQcKcAc2c;"
    "3d5c6c6s7d9dTdQdQh2d2h;3c4h6d8d9sTsQsKhAdAh"
)
"""A round with an exchange: player_3 is the daifugo, and player_1 the fugo."""


class Lowest:
    """Plays the lowest legal id and records its views."""

    name = "lowest"

    def __init__(self) -> None:
        self.views: list[State] = []

    def act(self, view: State) -> int:
        self.views.append(view)
        return int(GAME.legal(view)[0])


class Clock:
    """A clock that stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Match:
    """A match in another thread, by default of one client against random players.

    Settings are arguments of `Server` and fields of its `Limits`.
    """

    def __init__(self, log: Path | None, start: State | None = None, **settings: Any) -> None:
        limits = {
            field.name: settings.pop(field.name)
            for field in fields(Limits)
            if field.name in settings
        }
        usual = {
            "agents": ["random"] * 4 + ["net"],
            "fallback": "random",
            "limits": Limits(**{"seconds": LONG, **limits}),
        }
        self.log = log or Path()
        self.notes: list[str] = []
        self.server = Server(**{**usual, **settings}, port=0, log=log, note=self.notes.append)
        if start is not None:
            self.server._start = start
        self._result: Future[Result] = Future()
        # A daemon: a server whose client never comes must not keep the tests from ending.
        Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._result.set_result(self.server.run())
        except BaseException as error:
            self._result.set_exception(error)

    def end(self) -> Result:
        return self._result.result(LONG)

    def connect(self) -> socket.socket:
        return socket.create_connection(self.server.address, LONG)


def play_as_client(sock: socket.socket, agent: Agent) -> client.Result:
    """Play the match of a server at a socket, as `Client.play` does."""
    connection = client.Connection(sock)
    follower = Follower(client.round_game(), connection.join("golden"))
    return client.Match(connection, follower, agent).play()


class Recording(client.Connection):
    """A connection that records all bytes it has read."""

    heard = b""

    def read(self, size: int) -> bytes:
        data = super().read(size)
        self.heard += data
        return data


class Raw:
    """A client that answers every question by a function of itself and its hand."""

    def __init__(
        self, sock: socket.socket, see: Callable[[wire.Status], None] = lambda status: None
    ) -> None:
        self.sock = sock
        self._see = see
        self.connection = Recording(sock)
        self.questions = 0
        self.replies: list[bytes] = []
        self.status = wire.Status()
        self.hands: list[list[int]] = []
        self.connection.send(wire.profile("raw"))
        self.me = self.connection.number()

    def play(self, answer: "Answer") -> None:
        """Play until the match or the connection ends."""
        with suppress(EOFError, OSError), self.sock:
            while True:
                table = self.connection.table()
                status = wire.read_status(table)
                if status.exchange:
                    self.hands.append([])
                self.status = status
                self._see(status)
                self.hands[-1].append(wire.held_cards(table[: wire.CELLS]) or 0)
                if status.my_turn or status.to_give:
                    self.questions += 1
                    data = answer(self, self.hands[-1][-1])
                    if data is not None:
                        self.sock.sendall(data)
                if status.my_turn:
                    self.replies.append(self.connection.read(4))
                if not status.exchange:
                    self.connection.table()
                    if self.connection.number() == wire.MATCH_OVER:
                        return


Answer = Callable[[Raw, int], bytes | None]


@dataclass(frozen=True)
class Log:
    """A log as text by key: of the header, and of each round, the first of which has a number."""

    header: dict[str, str]
    rounds: list[dict[str, str]]
    first: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.header.get(logs.NAMES, "").split())

    @property
    def options(self) -> dict[str, Any]:
        return logs.options_of(self.header)

    def text(self) -> str:
        ends = (logs.TIME_END, logs.TOTAL, logs.SEED)
        first = {key: value for key, value in self.header.items() if key not in ends}
        last = {key: self.header[key] for key in ends if key in self.header}
        rounds = [logs.round_text(i, values) for i, values in enumerate(self.rounds, self.first)]
        return "".join([logs.header_text(first), *rounds, logs.header_text(last)])


def read_log(path: Path) -> Log:
    """A whole log."""
    header: dict[str, str] = {}
    numbered = list(logs.read_rounds(path, header))
    return Log(header, [values for _, values in numbered], numbered[0][0] if numbered else 0)


def decisions(log: Log) -> Iterator[tuple[int, State]]:
    """Yield every decision of a log: the player and its view in the match."""
    points = [0] * 5
    for number, values in enumerate(log.rounds):
        record = logs.round_record(values)
        state = GAME.parse_deal(record.deal or "")
        state.round_number, state.points[:] = number, points
        for action in record.actions:
            yield int(state.player), GAME.view(state, int(state.player))
            GAME.play(state, GAME.parse(action))
        points = state.points.tolist()


def cards_table(play: int) -> bytes:
    return wire.play_cells(play).ljust(wire.TABLE, b"\0")


def check_log(path: Path, rounds: int) -> Log:
    """Every round of a log replays to its result, and the log is written as it was read."""
    log = read_log(path)
    assert len(log.rounds) == rounds and log.text() == path.read_text()
    for values in log.rounds:
        records.replay(logs.round_record(values, log.names, **log.options))
    assert log.header[logs.TOTAL] == log.rounds[-1]["points"]
    return log


# Recorded messages of the server (`S`) and the client (`C`); tables without their zeros.
GOLDEN = DATA / "uecda_exchange.txt"


def golden() -> Iterator[tuple[str, bytes]]:
    for line in GOLDEN.read_text().splitlines():
        side, kind, *cells = line.split()
        table = np.zeros((8, 15), ">i4")
        for cell in cells:
            row, column, value = map(int, re.split("[.=]", cell))
            table[row, column] = value
        yield side, table.tobytes() if kind == "table" else wire.NUMBER.pack(int(kind))

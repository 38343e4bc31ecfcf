"""Servers, clients and logs of the competition for tests."""

import re
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from support import DATA

from closedhand import make_game
from closedhand.core import records
from closedhand.core.game import State
from closedhand.games.daihinmin import logs
from closedhand.games.daihinmin.uecda import client, wire
from closedhand.games.daihinmin.uecda.server import Server
from closedhand.games.daihinmin.uecda.table import Result

GAME = make_game("daihinmin")
LONG = 30.0


class Lowest:
    """Plays the lowest legal id; keeps the views that it saw."""

    name = "lowest"

    def __init__(self) -> None:
        self.views: list[State] = []

    def act(self, view: State) -> int:
        self.views.append(view)
        return int(GAME.legal(view)[0])


class Match:
    """A match in another thread, by default of one client against random players."""

    def __init__(self, log: Path, **settings: Any) -> None:
        usual = {"agents": ["random"] * 4 + ["net"], "fallback": "random", "seconds": LONG}
        self.log = log
        self.notes: list[str] = []
        self.server = Server(**{**usual, **settings}, port=0, log=log, note=self.notes.append)
        self._result = ThreadPoolExecutor(1).submit(self.server.run)

    def end(self) -> Result:
        return self._result.result(LONG)

    def connect(self) -> socket.socket:
        return socket.create_connection(self.server.address, LONG)


class Raw:
    """A client by hand: it answers every question with what a function makes of the table."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock
        self.connection = client.Connection(sock)
        self.questions = 0
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
                self.hands[-1].append(wire.held_cards(table[: wire.CELLS]) or 0)
                if status.my_turn or status.to_give:
                    self.questions += 1
                    data = answer(self, self.hands[-1][-1])
                    if data is not None:
                        self.sock.sendall(data)
                if status.my_turn:
                    self.connection.read(4)
                if not status.exchange:
                    self.connection.table()
                    if self.connection.number() == wire.MATCH_OVER:
                        return


Answer = Callable[[Raw, int], bytes | None]


def cards_table(play: int) -> bytes:
    return wire.play_cells(play).ljust(wire.TABLE, b"\0")


def check_log(path: Path, rounds: int) -> logs.Log:
    """Every round of a log replays to its result, and the log is written as it was read."""
    log = logs.read(path)
    assert len(log.rounds) == rounds and logs.log_text(log) == path.read_text()
    for values in log.rounds:
        records.replay(logs.round_record(values, log.names, **log.options))
    assert log.header[logs.TOTAL] == log.rounds[-1]["points"]
    return log


# Recorded: `S` is what the server says, `C` what the client does; tables without their zeros.
GOLDEN = DATA / "uecda_exchange.txt"


def golden() -> Iterator[tuple[str, bytes]]:
    for line in GOLDEN.read_text().splitlines():
        side, kind, *cells = line.split()
        table = np.zeros((8, 15), ">i4")
        for cell in cells:
            row, column, value = map(int, re.split("[.=]", cell))
            table[row, column] = value
        yield side, table.tobytes() if kind == "table" else wire.NUMBER.pack(int(kind))

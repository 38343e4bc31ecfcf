"""A web server in this process, and a client that speaks the page's protocol."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import uvicorn
from support_uecda import Match
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from closedhand.competitions.uecda.client import Client
from closedhand.core.agents import make_agent
from closedhand.core.records import from_state
from closedhand.core.registry import make_game
from closedhand.web import advice, catalogue, study
from closedhand.web.game_explorer import GameExplorer
from closedhand.web.guard import Guard
from closedhand.web.lobby import Lobby
from closedhand.web.remote_seat import Address
from closedhand.web.serialization import describe_table, prepare
from closedhand.web.server import configured, make_app
from closedhand.web.table import Seat, Table

STOP_SECONDS = 30
"""Longest time for a server to end."""


@cache
def compile_table(name: str, agent: str = "random") -> None:
    """Compile what a table of a game needs, ahead of tests with time limits."""
    game, rng = make_game(name).flat, np.random.default_rng(0)
    prepare(game)
    catalogue.agents(name)
    player = make_agent(game, agent, 0)
    seats = [Seat(agent=agent)] * game.num_players
    table = Table("t", game, seats, game.deal(rng))
    while not table.over:
        seat = int(table.state["player"])
        describe_table(table, seat)
        table.play(int(player.act(game.view(table.state, seat))))
    describe_table(table, 0)


@cache
def compile_advice(name: str, by: str) -> None:
    """Compile what hints of an agent and the judgement of records need."""
    compile_table(name)
    game, rng = make_game(name).flat, np.random.default_rng(0)
    state = game.deal(rng)
    player = int(state["player"])
    view = game.view(state, player)
    first = advice.suggest(game, view, by)["action"]["id"]
    next(advice.values(game, view, first, 0, by), None)
    advice.card_chances(game, view, player, 0)
    if not game.simultaneous:  # else no record can hold it
        record = from_state(game, game.playout(state, rng), ["x"] * game.num_players)
        next(study.Study(record).judgements(0))


@cache
def compile_small(name: str) -> None:
    """Compile what the solvers of a small game need."""
    compile_table(name)
    game = GameExplorer(make_game(name).flat)
    game.play("random")
    game.respond(0)
    next(game.solve("cfr+", 0))


@cache
def compile_client() -> None:
    """Compile what a seat at a server of the competition needs, by a round played there."""
    compile_table("daihinmin")
    match = Match(None, rounds=1)
    Client("random", *match.server.address, watch=lambda *_: None).play()
    match.end()


@contextmanager
def serving(
    folder: Path | None = None,
    token: str = "",
    runs: Path | None = None,
    servers: Sequence[Address] = (),
    **added: list[str],
) -> Iterator[int]:
    """A server on a free port, in a thread of its own; yields the port."""
    listener = socket.create_server(("127.0.0.1", 0))
    spare = TemporaryDirectory()
    lobby = Lobby(folder or Path(spare.name), added, runs, servers)
    server = uvicorn.Server(configured(make_app(lobby, Guard("127.0.0.1"), token)))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(STOP_SECONDS)
        assert not thread.is_alive(), "the server does not end"
        spare.cleanup()


class Wire:
    """A client connection that sends requests and keeps all pushes."""

    def __init__(self, socket: ClientConnection, token: str = "") -> None:
        self.socket = socket
        self.pushed: list[dict[str, Any]] = []
        self.number = 0
        self.owner = self.ask("hello", token=token)["owner"]

    @property
    def table(self) -> dict[str, Any]:
        """The table as it was pushed last."""
        return next(data for data in reversed(self.pushed) if data["push"] == "table")

    def receive(self) -> dict[str, Any]:
        """Receive the next message; a push is kept as well."""
        data = json.loads(self.socket.recv(timeout=60))
        if "push" in data:
            self.pushed.append(data)
        return data

    def send(self, what: str, **given: Any) -> dict[str, Any]:
        """Send a request and return the whole answer."""
        self.number += 1
        self.socket.send(json.dumps({"do": what, "n": self.number, **given}))
        while (data := self.receive()).get("re") != self.number:
            pass
        return data

    def ask(self, what: str, **given: Any) -> Any:
        """Send a request and return the result; it must be granted."""
        return self.send(what, **given)["ok"]

    def refused(self, what: str, **given: Any) -> str:
        """Send a request and return its error; it must be refused."""
        return self.send(what, **given)["error"]

    def until(self, holds: Any, since: int | None = None) -> dict[str, Any]:
        """Wait for the first push that meets a condition: a further one, or one from `since` on."""
        for data in self.pushed[since:] if since is not None else ():
            if holds(data):
                return data
        while True:
            data = self.receive()
            if "push" in data and holds(data):
                return data


def to_socket(port: int, **options: Any) -> ClientConnection:
    """A WebSocket to a server, opened as a browser does for a page of that server."""
    origin = Origin(f"http://127.0.0.1:{port}")
    return connect(f"ws://127.0.0.1:{port}/ws", origin=origin, **options)


@contextmanager
def wired(port: int, token: str = "", **options: Any) -> Iterator[Wire]:
    """A connection to a server."""
    with to_socket(port, max_size=None, **options) as socket:
        yield Wire(socket, token)

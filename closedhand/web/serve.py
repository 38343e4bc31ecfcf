"""Running the server until it is stopped."""

import asyncio
import logging
import math
import secrets
import socket
import webbrowser
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from closedhand.core.agents import traits_of
from closedhand.core.game import InputError
from closedhand.core.registry import make_game
from closedhand.core.text import reason_of
from closedhand.web.guard import (
    ANSWER_SECONDS,
    MOST_MESSAGE,
    MOST_OPEN,
    REFUSED_FROM,
    SILENT_SECONDS,
    Guard,
    RateLimitedLog,
    is_local,
    is_origin,
)
from closedhand.web.lobby import Lobby
from closedhand.web.remote_seat import parse_address
from closedhand.web.server import make_app


def run(
    host: str,
    port: int,
    folder: Path | None,
    token: str | None,
    origins: Collection[str],
    added: Mapping[str, Sequence[str]],
    runs: Path | None,
    servers: Sequence[str],
    browser: bool,
    tell: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C.

    Args:
        host: Address to listen at.
        port: Port; 0 takes any free one.
        folder: Where tables are kept, see `Lobby`.
        token: Secret of the owner; None: one is made up where others can reach the server.
        origins: Public addresses of proxies.
        added: Agents to offer besides those of the catalogue, by game.
        runs: Folder of results to show.
        servers: Servers of competitions at which a seat may be taken, see `away.parse_address`.
        browser: Whether to open a browser.
        tell: Told the link to open.

    Raises:
        InputError: The address cannot be listened at, or there is no such agent or server.
    """
    for name, texts in added.items():
        for text in texts:
            traits_of(make_game(name).flat, text)
    for origin in origins:
        if not is_origin(origin):
            raise InputError(f"an origin is http://NAME or https://NAME, not {origin!r}")
    if token is None:
        token = "" if is_local(host) and not origins else secrets.token_urlsafe(16)
    elif not token:
        raise InputError("an empty token is none")
    listener = _listen(host, port)
    shown = host if ":" not in host else f"[{host}]"
    link = f"http://{shown}:{listener.getsockname()[1]}/"
    link += f"#/?token={quote(token, safe='')}" if token else ""
    logging.basicConfig(format="closedhand: %(message)s")
    house = Lobby(folder, added, runs, [parse_address(text) for text in servers])
    app = make_app(house, Guard(host, origins), token)
    server = uvicorn.Server(configured(app))
    tell(f"the table is at {link}; Ctrl-C ends it")
    if browser:
        webbrowser.open(link)
    with seldom(house.complaints):
        asyncio.run(server.serve([listener]))


@contextmanager
def seldom(complaints: RateLimitedLog) -> Generator[None]:
    """Keep uvicorn's log from strangers: what it says of their requests counts as a refusal."""

    def admit(record: logging.LogRecord) -> bool:
        text = record.getMessage()
        # These are faults of the app, which a traceback explains.
        if record.levelno < logging.WARNING or "ASGI" in text:
            return True
        complaints.reported(text.rstrip("."))
        return False

    log = logging.getLogger("uvicorn.error")
    log.addFilter(admit)
    try:
        yield
    finally:
        log.removeFilter(admit)


class Watched:
    """A connection that goes if it keeps its place for too long without use: mixed into uvicorn's.

    Uvicorn lets those be that send half a request now and then, never finish the handshake of a
    WebSocket, or do not read what is to be sent before they are closed.

    Attributes:
        since: When it was last of use, in the time of the loop.
    """

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    connections: set[Any]
    since: float

    @property
    def allowed(self) -> float:
        """Seconds in which it has to be of use again."""
        raise NotImplementedError

    def watch(self) -> None:
        """Let it go in time; where there are too many, the first one in line goes at once."""
        self.since = self.loop.time()
        if len(self.connections) >= MOST_OPEN:
            others = (each for each in self.connections if each is not self)
            first = min(others, key=lambda each: each.since + each.allowed)
            if first.allowed < math.inf:
                first.transport.abort()
        self._check()

    def _check(self) -> None:
        if self not in self.connections:
            return
        if self.allowed == math.inf:
            self.since = self.loop.time()
        elif self.since + self.allowed <= self.loop.time():
            self.transport.abort()
            return
        self.loop.call_later(SILENT_SECONDS / 4, self._check)


class HttpConnection(Watched, H11Protocol):
    """A connection to the server: it asks for something soon, and takes the answer."""

    def connection_made(self, transport: Any) -> None:
        """Wait for a request."""
        super().connection_made(transport)
        self.watch()

    def on_response_complete(self) -> None:
        """Wait for the next one."""
        super().on_response_complete()
        self.since = self.loop.time()

    @property
    def allowed(self) -> float:
        """Seconds for a request, and for its answer."""
        # It is None before the first request, whatever its annotation says.
        cycle: Any = self.cycle
        is_busy = cycle is not None and not cycle.response_complete
        return ANSWER_SECONDS if is_busy else SILENT_SECONDS


class Socket(Watched, WebSocketsSansIOProtocol):
    """A WebSocket: it may stay once it is open, and is gone soon after that."""

    def connection_made(self, transport: Any) -> None:
        """Wait for the handshake."""
        super().connection_made(transport)
        self.watch()

    @property
    def allowed(self) -> float:
        """Seconds for the handshake, or for what is left to be sent at the end."""
        is_ending = self.close_sent or self.transport.is_closing()
        return math.inf if self.handshake_complete and not is_ending else SILENT_SECONDS


def configured(app: Starlette) -> uvicorn.Config:
    """The settings of a server."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        ws=Socket,
        ws_max_size=MOST_MESSAGE,
        http=HttpConnection,
        limit_concurrency=REFUSED_FROM,
        server_header=False,
        lifespan="on",
        timeout_graceful_shutdown=2,
    )


def _listen(host: str, port: int) -> socket.socket:
    listener = None
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # a browser may come before the server is ready: it waits
    except (OSError, TypeError, ValueError) as error:  # some of a name that no host can have
        if listener is not None:
            listener.close()
        raise InputError(f"cannot listen at {host}, port {port}: {reason_of(error)}") from None
    return listener

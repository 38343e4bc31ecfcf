"""Run the server until it is stopped, with deadlines for idle connections."""

import asyncio
import logging
import math
import secrets
import socket
import threading
import webbrowser
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import uvicorn
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from closedhand.core.agents import traits_of
from closedhand.core.game import InputError
from closedhand.core.registry import GAMES, make_game
from closedhand.core.text import reason_of
from closedhand.web.guard import MOST_MESSAGE, Guard, is_local, is_origin
from closedhand.web.lobby import Lobby
from closedhand.web.preparation import Preparation
from closedhand.web.remote_seat import parse_address
from closedhand.web.server import make_app

MOST_OPEN, REFUSED_FROM = 384, 512
"""Numbers of connections from which on the one nearest its deadline is closed; and from which on
requests are refused."""
SILENT_SECONDS, ANSWER_SECONDS = 10.0, 60.0
"""Seconds within which a browser has to send a request, and to read its answer."""


def run(
    host: str,
    port: int,
    folder: Path,
    token: str | None,
    origins: Collection[str],
    added: Mapping[str, Sequence[str]],
    runs: Path,
    servers: Sequence[str],
    browser: bool,
    note: Callable[[str], None],
) -> None:
    """Serve until Ctrl-C; `note` gets a line that states the link.

    Port 0 is any free port. `token` is the secret of the owner; None makes a random one, or none at
    a local address without `origins`. `origins` are public addresses of proxies, `servers` texts
    for `parse_address`; for `added` and the folders see `Lobby`.

    Raises:
        InputError: An argument is not valid, or the server cannot listen at the address.
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
        raise InputError("the token is empty; leave the option out for a random one")
    listener = _listen(host, port)
    shown = host if ":" not in host else f"[{host}]"
    link = f"http://{shown}:{listener.getsockname()[1]}/"
    link += f"#/?token={quote(token, safe='')}" if token else ""
    logging.basicConfig(format="closedhand: %(message)s")
    preparation = Preparation(list(GAMES), folder / "compiled.txt")
    lobby = Lobby(folder, added, runs, [parse_address(text) for text in servers], preparation)
    app = make_app(lobby, Guard(host, origins), token)
    server = uvicorn.Server(configured(app))
    note(f"the table is at {link}; Ctrl-C ends it")
    if browser:
        # In a thread: a browser of the terminal does not return before it has been closed.
        threading.Thread(target=webbrowser.open, args=(link,), daemon=True).start()
    refusals = logging.getLogger("uvicorn.error")
    refusals.addFilter(lobby.log.admits)
    try:
        asyncio.run(server.serve([listener]))
    finally:
        refusals.removeFilter(lobby.log.admits)


class TimedConnection(asyncio.Protocol):
    """Mixin of uvicorn's connections that closes a connection after a time without progress.

    Uvicorn has no deadline for slow requests, unfinished WebSocket handshakes, or unread answers.
    """

    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    connections: set[Any]
    since: float  # time of the latest progress, by the clock of the event loop

    @property
    def allowed(self) -> float:
        """Seconds after `since` in which the connection must make progress; inf: no deadline."""
        raise NotImplementedError

    def connection_made(self, transport: Any) -> None:
        """Begin the checks; of too many connections, close the one nearest to its deadline."""
        super().connection_made(transport)
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


class HttpConnection(TimedConnection, H11Protocol):
    """An HTTP connection with deadlines for the request and for reading the answer."""

    def on_response_complete(self) -> None:
        """Begin the time for the next request."""
        super().on_response_complete()
        self.since = self.loop.time()

    @property
    def allowed(self) -> float:
        """Seconds for a request, or for reading its answer."""
        # The cycle is None before the first request, against its annotation.
        cycle: Any = self.cycle
        is_busy = cycle is not None and not cycle.response_complete
        return ANSWER_SECONDS if is_busy else SILENT_SECONDS


class Socket(TimedConnection, WebSocketsSansIOProtocol):
    """A WebSocket with deadlines for the handshake and for closing, and none in between."""

    @property
    def allowed(self) -> float:
        """Seconds for the handshake, or for sending the rest when it closes; inf while open."""
        is_ending = self.close_sent or self.transport.is_closing()
        return math.inf if self.handshake_complete and not is_ending else SILENT_SECONDS


def configured(app: Starlette) -> uvicorn.Config:
    """Return the settings of the uvicorn server of an application."""
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
    """Listen for browsers; one that connects before the server is ready waits."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    dual = ":" in host and socket.has_dualstack_ipv6()
    try:
        *_, address = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, dualstack_ipv6=dual)
    except (OSError, ValueError) as error:  # the latter for impossible host names
        reason, *_ = reason_of(error).split(" (while attempting")  # it would repeat the address
        raise InputError(f"cannot listen at {host!r}, port {port}: {reason}") from None

"""Running the server until it is stopped."""

import asyncio
import logging
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

from closedhand.core.agents import traits_of
from closedhand.core.game import InputError
from closedhand.core.registry import make_game
from closedhand.core.text import reason_of
from closedhand.web.away import parse_address
from closedhand.web.guard import (
    MOST_MESSAGE,
    MOST_OPEN,
    REFUSED_FROM,
    SILENT_SECONDS,
    Complaints,
    Guard,
    is_local,
    is_origin,
)
from closedhand.web.house import House
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
        folder: Where tables are kept, see `House`.
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
    house = House(folder, added, runs, [parse_address(text) for text in servers])
    app = make_app(house, Guard(host, origins), token)
    server = uvicorn.Server(configured(app))
    tell(f"the table is at {link}; Ctrl-C ends it")
    if browser:
        webbrowser.open(link)
    with seldom(house.complaints):
        asyncio.run(server.serve([listener]))


@contextmanager
def seldom(complaints: Complaints) -> Generator[None]:
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


class Connection(H11Protocol):
    """A connection to the server. It asks for something soon, or makes room for others."""

    def connection_made(self, transport: Any) -> None:
        """Wait for a request; if there are too many connections, the first silent one goes."""
        super().connection_made(transport)
        self._since = self.loop.time()
        self.loop.call_later(SILENT_SECONDS, self._end_if_silent)
        if len(self.connections) >= MOST_OPEN:
            others = (each for each in self.connections if isinstance(each, Connection))
            first = min((each for each in others if each.is_silent), key=lambda each: each._since)
            first._end_if_silent()

    @property
    def is_silent(self) -> bool:
        """Whether it has asked for nothing yet, and not become a WebSocket."""
        return self.cycle is None and self in self.connections

    def _end_if_silent(self) -> None:
        if self.is_silent:
            self.transport.close()


def configured(app: Starlette) -> uvicorn.Config:
    """The settings of a server."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        ws="websockets-sansio",
        ws_max_size=MOST_MESSAGE,
        http=Connection,
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

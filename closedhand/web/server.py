"""The server: the files of one page, one WebSocket for everything else, and their deadlines."""

import asyncio
import logging
import math
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib import resources
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from closedhand.core.game import InputError
from closedhand.core.parsing import NATURAL, TEXT, check_fields, parse_json
from closedhand.core.text import reason_of
from closedhand.core.version import __version__
from closedhand.web import catalogue, requests
from closedhand.web.connection import Connection
from closedhand.web.guard import MOST_MESSAGE, Bucket, Guard, is_secret
from closedhand.web.lobby import Lobby

HELLO_SECONDS = 10.0
"""Seconds in which a browser has to send its first message."""

MOST_OPEN, REFUSED_FROM = 384, 512
"""From `MOST_OPEN` connections on, a new one makes the server close the one nearest its deadline.
From `REFUSED_FROM` on, the server refuses requests."""
SILENT_SECONDS, ANSWER_SECONDS = 10.0, 60.0
"""Seconds within which a browser has to send a request, and to read its answer."""

TYPES = {
    "index.html": "text/html; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "app.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""All files that are served, and their types. No request can name another path of the disk."""

MOST_CONNECTIONS = 256
"""Maximum number of browsers; one more replaces the oldest non-owner at no table, or is refused."""

MOST_ANSWERED = 50
"""Unanswered messages of a browser beyond which the next one is read only after an answer."""

LEAST_COMPRESSED = 1000
"""Bytes from which an answer is compressed."""

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
    "Cache-Control": "no-cache",
}

POLICY_VIOLATION, TOO_BIG, TRY_LATER = 1008, 1009, 1013
"""Codes with which a WebSocket is closed (RFC 6455 and the IANA registry)."""


def make_app(lobby: Lobby, guard: Guard, token: str = "") -> Starlette:
    """Make the ASGI application; without a `token`, the owner's secret, all browsers are owners."""
    requests.register()
    log = lobby.log
    folder = resources.files("closedhand.web") / "static"
    files = {name: (folder / name).read_bytes() for name in TYPES}
    connected: dict[Connection, None] = {}  # an ordered set, the oldest first

    async def file(request: Request, wrong_method: Exception | None = None) -> Response:
        if not guard.admits(request.headers):
            log.refused("a foreign origin or host", request.client.host if request.client else "?")
            return PlainTextResponse("this server does not answer to that name", 421, HEADERS)
        if wrong_method:
            return PlainTextResponse("use GET", 405, {**HEADERS, "Allow": "GET, HEAD"})
        name = request.path_params["name"] or "index.html"
        if name not in files:
            return PlainTextResponse("not found", 404, HEADERS)
        return Response(files[name], headers={**HEADERS, "Content-Type": TYPES[name]})

    async def connect(websocket: WebSocket) -> None:
        peer = websocket.client.host if websocket.client else "?"

        async def refuse(kind: str, code: int = POLICY_VIOLATION) -> None:
            log.refused(kind, peer)
            await websocket.close(code)

        if not guard.admits(websocket.headers, is_socket=True):
            return await refuse("a foreign origin or host")
        if len(connected) >= MOST_CONNECTIONS:
            log.refused("more connections than there may be", peer)
            # Anonymous connections must not lock out owners and players.
            anonymous = next((c for c in connected if not c.owner and c.table is None), None)
            if anonymous is None:
                await websocket.close(TRY_LATER)
                return
            del connected[anonymous]
            anonymous.end()
        connection = Connection(lobby, owner=not token)
        connected[connection] = None
        try:
            await websocket.accept()
            await _serve(websocket, connection, token, refuse)
        except (WebSocketDisconnect, RuntimeError):
            pass  # the browser has disconnected
        except KeyError:  # Starlette's `receive_text` on a binary message
            with suppress(RuntimeError):
                await refuse("a message that is not text")
        finally:
            connected.pop(connection, None)
            connection.leave()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        ready = asyncio.ensure_future(lobby.in_thread(catalogue.games))
        lobby.preparation.start()
        yield
        ready.cancel()
        lobby.close()

    routes = [Route("/{name:path}", file), WebSocketRoute("/ws", connect)]
    # A method other than GET and HEAD gets the check and the headers, too.
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={405: file})
    app.add_middleware(GZipMiddleware, minimum_size=LEAST_COMPRESSED)
    return app


async def _introduced(websocket: WebSocket, connection: Connection, token: str) -> bool:
    """Receive the first message: its token may make an owner. Return False if invalid or late."""
    with suppress(TimeoutError, KeyError, ValueError, AttributeError):
        text = await asyncio.wait_for(websocket.receive_text(), HELLO_SECONDS)
        fields = {"n": NATURAL, "token": TEXT}
        hello = check_fields(parse_json(text[:1000]), "hello", {"do": TEXT}, fields)
        if hello["do"] != "hello":
            return False
        if token:
            connection.owner = is_secret(token, hello.get("token", ""))
        about = {"owner": connection.owner, "version": __version__}
        connection.push({"re": hello.get("n"), "ok": about})
        return True
    return False


async def _serve(
    websocket: WebSocket, connection: Connection, token: str, refuse: Callable[..., Awaitable[None]]
) -> None:
    """Answer messages after a valid first one, and send pushes, until one side disconnects."""
    bucket = Bucket()
    answers: set[asyncio.Task[None]] = set()

    async def receive() -> None:
        if not await _introduced(websocket, connection, token):
            return await refuse("a connection without a valid introduction")
        while True:
            text = await websocket.receive_text()
            if len(text) > MOST_MESSAGE:
                return await refuse("a message that is too large", TOO_BIG)
            if not bucket.take():
                return await refuse("more messages than there may be")
            answer = asyncio.create_task(connection.answer(text))
            answers.add(answer)
            answer.add_done_callback(answers.discard)
            if len(answers) > MOST_ANSWERED:
                await asyncio.wait(answers, return_when=asyncio.FIRST_COMPLETED)

    async def send() -> None:
        while (text := await connection.outbox.get()) is not None:
            await websocket.send_text(text)
        await websocket.close(TRY_LATER)

    works = [asyncio.ensure_future(receive()), asyncio.ensure_future(send())]
    _, others = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
    for work in (*others, *answers):
        work.cancel()
    # Both may fail at once when a browser disconnects: retrieve every error.
    for end in await asyncio.gather(*works, *answers, return_exceptions=True):
        if isinstance(end, Exception):
            raise end


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


def listen(host: str, port: int) -> socket.socket:
    """Listen for browsers, at any free port for port 0; those that connect before `run` wait.

    Raises:
        InputError: The server cannot listen at the address.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    dual = ":" in host and socket.has_dualstack_ipv6()
    try:
        *_, address = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, dualstack_ipv6=dual)
    except (OSError, ValueError) as error:  # ValueError: an impossible host name
        reason, *_ = reason_of(error).split(" (while attempting")  # the rest repeats the address
        raise InputError(f"cannot listen at {host!r}, port {port}: {reason}") from None


def run(lobby: Lobby, guard: Guard, token: str, listener: socket.socket) -> None:
    """Serve the browsers that connect to a listening socket, until Ctrl-C; see `make_app`."""
    logging.basicConfig(format="closedhand: %(message)s")
    server = uvicorn.Server(configured(make_app(lobby, guard, token)))
    refusals = logging.getLogger("uvicorn.error")
    refusals.addFilter(lobby.log.admits)
    try:
        asyncio.run(server.serve([listener]))
    finally:
        refusals.removeFilter(lobby.log.admits)

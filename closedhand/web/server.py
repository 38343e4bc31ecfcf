"""The server: one page, its files, and one WebSocket for everything else."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib import resources
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from closedhand.core.parsing import SEED, TEXT, Kind, check_fields, parse_json
from closedhand.core.version import __version__
from closedhand.web import catalogue
from closedhand.web.connection import Connection
from closedhand.web.guard import (
    HEADERS,
    MOST_CONNECTIONS,
    MOST_MESSAGE,
    Bucket,
    Guard,
    RateLimitedLog,
    is_secret,
)
from closedhand.web.lobby import Lobby
from closedhand.web.requests import solver, study, table

HELLO: dict[str, Kind] = {"n": SEED, "token": TEXT}
"""What an introduction may say."""
HELLO_SECONDS = 10.0
"""Seconds in which a browser has to introduce itself."""

REQUESTS = (table, study, solver)
"""Where the requests of browsers are answered."""

TYPES = {
    "index.html": "text/html; charset=utf-8",
    "app.js": "text/javascript; charset=utf-8",
    "app.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
"""All files that are served, and their types: no path of the disk is ever looked up."""

LEAST_COMPRESSED = 1000
"""Bytes from which an answer is compressed."""

POLICY_VIOLATION, TOO_BIG, TRY_LATER = 1008, 1009, 1013


def make_app(house: Lobby, guard: Guard, token: str = "") -> Starlette:
    """The application.

    Args:
        house: The tables.
        guard: Who may talk to the server.
        token: Secret of the owner; empty: whoever reaches the server is one.
    """
    complaints = house.complaints
    folder = resources.files("closedhand.web") / "static"
    files = {name: (folder / name).read_bytes() for name in TYPES}
    connected: dict[Connection, None] = {}  # in the order in which they came

    async def file(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in files:
            return PlainTextResponse("not found", 404)
        return Response(files[name], headers={"Content-Type": TYPES[name]})

    async def socket(websocket: WebSocket) -> None:
        peer = websocket.client.host if websocket.client else "?"
        if not guard.admits(websocket.headers, is_socket=True):
            complaints.refused("a foreign origin or host", peer)
            await websocket.close(POLICY_VIOLATION)
            return
        if len(connected) >= MOST_CONNECTIONS:
            complaints.refused("more connections than there may be", peer)
            # Strangers keep no place from the owner and those who have a seat.
            stranger = next((each for each in connected if each.is_stranger), None)
            if stranger is None:
                await websocket.close(TRY_LATER)
                return
            del connected[stranger]
            stranger.end()
        visitor = Connection(house, owner=not token)
        connected[visitor] = None
        try:
            await websocket.accept()
            await _serve(websocket, visitor, token, complaints, peer)
        except (WebSocketDisconnect, RuntimeError):
            pass  # the browser has gone
        except KeyError:
            complaints.refused("a message that is no text", peer)
            with suppress(RuntimeError):
                await websocket.close(POLICY_VIOLATION)
        finally:
            connected.pop(visitor, None)
            visitor.leave()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        ready = asyncio.ensure_future(house.think(catalogue.games))
        yield
        ready.cancel()
        house.close()

    routes = [
        Route("/", file),
        Route("/{name}", file),
        WebSocketRoute("/ws", socket),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)
    app.add_middleware(GZipMiddleware, minimum_size=LEAST_COMPRESSED)
    app.add_middleware(Checked, guard=guard, complaints=complaints)
    return app


async def _introduced(websocket: WebSocket, visitor: Connection, token: str) -> bool:
    """Receive the first message, which may make the visitor an owner; False if it is none."""
    with suppress(TimeoutError, KeyError, ValueError, AttributeError):
        text = await asyncio.wait_for(websocket.receive_text(), HELLO_SECONDS)
        hello = check_fields(parse_json(text[:1000]), "hello", {"do": TEXT}, HELLO)
        if hello.get("do") != "hello":
            return False
        if token:
            visitor.owner = is_secret(token, hello.get("token", ""))
        visitor.push({"re": hello.get("n"), "ok": {"owner": visitor.owner, "version": __version__}})
        return True
    return False


async def _serve(
    websocket: WebSocket, visitor: Connection, token: str, complaints: RateLimitedLog, peer: str
) -> None:
    """Answer messages after an introduction, and send what is pushed, until one of both ends."""
    bucket = Bucket()

    async def receive() -> None:
        if not await _introduced(websocket, visitor, token):
            complaints.refused("a connection without a valid introduction", peer)
            await websocket.close(POLICY_VIOLATION)
            return
        while True:
            text = await websocket.receive_text()
            if len(text) > MOST_MESSAGE:
                complaints.refused("a message that is too large", peer)
                await websocket.close(TOO_BIG)
                return
            if not bucket.take():
                complaints.refused("more messages than there may be", peer)
                await websocket.close(POLICY_VIOLATION)
                return
            await visitor.answer(text)

    async def send() -> None:
        while (text := await visitor.outbox.get()) is not None:
            await websocket.send_text(text)
        await websocket.close(TRY_LATER)

    works = [asyncio.ensure_future(receive()), asyncio.ensure_future(send())]
    _, others = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
    for work in others:
        work.cancel()
    # Both may fail at once when a browser goes: every error is looked at.
    for end in await asyncio.gather(*works, return_exceptions=True):
        if isinstance(end, Exception):
            raise end


class Checked:
    """Middleware: refuses foreign hosts and origins, and adds the headers of every answer."""

    def __init__(self, app: Any, guard: Guard, complaints: RateLimitedLog) -> None:
        self._app, self._guard, self._complaints = app, guard, complaints

    async def __call__(
        self,
        scope: dict[str, Any],
        receive: Callable[[], Awaitable[Any]],
        send: Callable[[Any], Awaitable[None]],
    ) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        request = Request(scope)
        if self._guard.admits(request.headers):
            await self._app(scope, receive, send_with_headers)
            return
        peer = request.client.host if request.client else "?"
        self._complaints.refused("a foreign origin or host", peer)
        answer = PlainTextResponse("this server does not answer to that name", 421)
        await answer(scope, receive, send_with_headers)

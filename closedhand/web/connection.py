"""A connection of a browser: its messages, its rights, and the computations done for it.

A message is a JSON object: `do` is the name of a request, `n` a number that the answer repeats as
`re`, and the other fields are arguments. The answer has the result as `ok`, or an `error`. A push,
which answers no message, has its name as `push`. The requests are in `closedhand.web.requests`.

A browser with the server's token is an owner; one with only the link of a table is its guest.
"""

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterator, Mapping
from concurrent.futures import Future
from threading import Event
from typing import Any, TypeVar

from closedhand.core.game import InputError
from closedhand.core.parsing import NATURAL, TEXT, check_fields, parse_json
from closedhand.search import stopping
from closedhand.web.game_explorer import GameExplorer
from closedhand.web.lobby import Lobby
from closedhand.web.requests import REQUESTS, request
from closedhand.web.serialization import WATCHING, describe_table, names_file
from closedhand.web.study import Study
from closedhand.web.table import Table

T = TypeVar("T")
MOST_WAITING = 200
"""Maximum number of messages that wait for a browser; with more it is disconnected."""
MOST_GUEST_MESSAGE = 10_000
"""Most characters in a guest's message: parsing `guard.MOST_MESSAGE` bytes takes half a second."""


class Connection:
    """State of the connection of one browser."""

    def __init__(self, lobby: Lobby, owner: bool) -> None:
        self.lobby = lobby
        self.owner = owner  # whether the browser may open tables and study games
        self.table: Table | None = None  # the table that the browser has joined, if any
        self.token = ""  # secret of its seat there, which follows the player when seats rotate
        # Messages to be sent; None ends the connection.
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)
        self.works: dict[str, asyncio.Task[None]] = {}  # computations for the browser, by name
        self.study: Study | None = None
        self.explorer: GameExplorer | None = None
        self._pushed = -1  # version of the table in the last push; -1: none
        # Requests of one lock are answered in their order, see `Request.independent`.
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._working: dict[str, Future[Any]] = {}  # the latest long work of each computation

    def push(self, data: Mapping[str, Any]) -> None:
        """Queue a message, whose numbers are finite; end the connection if the queue is full."""
        text = json.dumps(data, separators=(",", ":"), allow_nan=False)
        try:
            self.outbox.put_nowait(text)
        except asyncio.QueueFull:
            self.end()

    def end(self) -> None:
        """Drop the queued messages and end the connection."""
        while not self.outbox.empty():
            self.outbox.get_nowait()
        self.outbox.put_nowait(None)

    @property
    def seat(self) -> int:
        """Number of the browser's seat at the table; `WATCHING` if it has none."""
        seat = self.table.seat_of(self.token) if self.table is not None else None
        return WATCHING if seat is None else seat

    def join(self, table: Table, token: str) -> None:
        """Join a table at the seat of `token`; push the table now and after every change."""
        self.leave()
        self.table, self.token = table, token
        table.listeners.add(self.push_table)
        self.push_table()

    def leave(self) -> None:
        """Leave the table and stop all computations for this browser."""
        if self.table is not None:
            self.table.listeners.discard(self.push_table)
        self.table = None
        for name in list(self.works):
            self.stop(name)

    def push_table(self) -> None:
        """Push the joined table as this browser may see it, or `closed` for a closed table."""
        if self.table is None:
            return
        if self.table.id not in self.lobby.tables:
            self.push({"push": "closed"})
        else:
            links = self.table.links() if self.owner else None
            data = describe_table(self.table, self.seat, self.private_agents(self.table))
            if self.table.version != self._pushed:
                for work in ("hint", "chances"):
                    self.stop(work)  # its position is no longer shown
            self._pushed = self.table.version
            self.push({"push": "table", **data, "links": links})

    def private_agents(self, table: Table) -> Collection[str]:
        """List a table's agents whose files are hidden from this browser; none for an owner."""
        agents = () if self.owner else {seat.agent for seat in table.seats}
        added = self.lobby.added.get(table.game.name, ())
        return [agent for agent in agents if agent in added or names_file(agent)]

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Start a computation; it replaces one of the same name."""
        self.stop(name)
        self.works[name] = asyncio.create_task(work, name=name)

    async def run_long(self, work: Callable[..., T], *arguments: Any) -> T:
        """Run long work in a thread; to be called in a computation that `start` has begun.

        If the computation is stopped, the work ends at its next `stopping.check`. As an agent may
        never call `check`, the next computation of the same name waits until the work ends. So a
        browser occupies at most one thread for each name.
        """
        task = asyncio.current_task()
        assert task is not None
        name, stop = task.get_name(), Event()
        if name in self._working:
            before = asyncio.wrap_future(self._working[name])
            await asyncio.gather(before, return_exceptions=True)
        self._working[name] = self.lobby.advisers.submit(stopping.run, stop, work, *arguments)
        try:
            return await asyncio.wrap_future(self._working[name])
        finally:
            stop.set()

    async def follow(self, steps: Iterator[T]) -> AsyncIterator[T]:
        """Yield the items of an iterator, none of them None, each computed by `run_long`."""
        while (one := await self.run_long(lambda: next(steps, None))) is not None:
            yield one

    def reason(self, error: Exception, what: str) -> str:
        """Say why a computation failed, and log any error other than an `InputError`."""
        if isinstance(error, InputError):
            return str(error)
        self.lobby.log.failed(what)
        return f"{what}: {type(error).__name__}"

    def stop(self, name: str) -> None:
        """Stop the computation of a name, if there is one."""
        if task := self.works.pop(name, None):
            task.cancel()

    async def answer(self, text: str) -> None:
        """Answer a message after all earlier ones, unless its `Request` is independent."""
        number: Any = None
        try:
            if not self.owner and len(text) > MOST_GUEST_MESSAGE:
                raise InputError(
                    f"a message of a guest has at most {MOST_GUEST_MESSAGE:,} characters"
                )
            message = check_fields(parse_json(text), "a message", {"do": TEXT}, {"n": NATURAL})
            number = message.get("n")
            request = REQUESTS.get(message["do"])
            if request is None:
                raise InputError(f"no request {message['do'][:40]!r}")
            if request.for_owner and not self.owner:
                raise InputError("this link is for one table only")
            check_fields(message, message["do"], request.needed, request.others)
            fields = [*request.needed, *request.others]
            arguments = {name: message[name] for name in fields if message.get(name) is not None}
            async with self._locks[message["do"] if request.independent else ""]:
                self.push({"re": number, "ok": await request.answer(self, **arguments)})
        except InputError as error:
            self.push({"re": number, "error": str(error)})
        except Exception:  # a bug here must not end the games of others
            self.lobby.log.failed("a request")
            self.push({"re": number, "error": "the server failed to answer this"})

    def at_table(self) -> Table:
        """Return the joined table; refuse if there is none or it is closed."""
        if self.table is None or self.table.id not in self.lobby.tables:
            raise InputError("you have joined no table")
        return self.table

    def seated(self, version: int | None = None) -> Table:
        """Return the table where this browser has a seat, or where an owner watches only agents.

        Raises:
            InputError: It may not act at a table, or the table has changed since `version`.
        """
        table = self.at_table()
        if self.seat < 0 and not (self.owner and not table.persons):
            raise InputError("you are only watching")
        if version is not None and version != table.version:
            raise InputError("the table has changed")
        return table


@request("ping", for_owner=False, independent=True)
async def _ping(connection: Connection) -> None:
    """Answer, so that a browser knows that the server can be reached."""


@request("stop", for_owner=False)
async def _stop(connection: Connection, work: str) -> None:
    connection.stop(work)

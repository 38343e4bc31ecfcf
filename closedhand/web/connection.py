"""A connection of a browser: its messages, who may send them, and what is computed for it.

A message is a JSON object with the name of a request, `do`, a number `n` that comes back as `re`
with the answer, and the arguments. Whoever opens the page with the server's token is an owner;
whoever has only the link of a seat is a guest of that table.
"""

import asyncio
import json
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Coroutine,
    Iterator,
    Mapping,
)
from concurrent.futures import Future
from typing import Any, TypeVar

from closedhand.core.game import InputError
from closedhand.core.parsing import SEED, TEXT, Kind, check_fields, parse_json
from closedhand.core.records import Record
from closedhand.web.game_explorer import GameExplorer
from closedhand.web.lobby import Lobby, told
from closedhand.web.serialization import WATCHING
from closedhand.web.study import Study
from closedhand.web.table import Table

T = TypeVar("T")
Answer = Callable[["Connection", dict[str, Any]], Awaitable[Any]]

MOST_WAITING = 200
"""Messages that may wait for a browser; one that does not read them is let go."""
MOST_OF_GUEST = 10_000
"""Most characters in a message of a guest: reading what an owner may send takes half a second."""


class Connection:
    """A connection of a browser.

    Attributes:
        house: The house.
        owner: Whether it may open tables and study games.
        table: The table it is at.
        token: Secret of its seat there, which moves with it.
        outbox: Messages that wait to be sent; None ends the connection.
        works: Computations for this browser, by name.
        records: The games it studies.
        study: The one that is replayed.
        small: The small game that it looks into.
    """

    def __init__(self, house: Lobby, owner: bool) -> None:
        self.house = house
        self.owner = owner
        self.table: Table | None = None
        self.token = ""
        self.outbox: asyncio.Queue[str | None] = asyncio.Queue(MOST_WAITING)
        self.works: dict[str, asyncio.Task[None]] = {}
        self.records: list[Record] = []
        self.study: Study | None = None
        self.small: GameExplorer | None = None
        self._leave: Callable[[], None] = lambda: None
        self._turn = asyncio.Lock()
        self._working: Future[Any] | None = None

    @property
    def is_stranger(self) -> bool:
        """Whether it is neither an owner nor at a table."""
        return not self.owner and self.table is None

    def push(self, data: Mapping[str, Any]) -> None:
        """Queue a message.

        Raises:
            ValueError: It holds a number that JSON has none for.
        """
        text = json.dumps(data, separators=(",", ":"), allow_nan=False)
        try:
            self.outbox.put_nowait(text)
        except asyncio.QueueFull:
            self.end()

    def end(self) -> None:
        """End the connection."""
        while not self.outbox.empty():
            self.outbox.get_nowait()
        self.outbox.put_nowait(None)

    @property
    def seat(self) -> int:
        """Its seat at the table at present; `WATCHING` if it has none."""
        seat = self.table.seat_of(self.token) if self.table is not None else None
        return WATCHING if seat is None else seat

    def sit(self, table: Table, token: str) -> None:
        """Take the seat of a secret, and be told of all that happens at the table."""
        self.leave()
        self.table, self.token = table, token
        self._leave = self.house.listen(table.id, self.tell)
        self.tell()

    def leave(self) -> None:
        """Leave the table, and end what is computed for this browser."""
        self._leave()
        self._leave = lambda: None
        self.table = None
        for name in list(self.works):
            self.stop(name)

    def tell(self) -> None:
        """Push the position at the table."""
        if self.table is None:
            return
        if self.table.id not in self.house.tables:
            self.push({"push": "closed"})
        else:
            links = self.table.links() if self.owner else None
            data = told(self.table, self.seat, self.kept_back(self.table.game.name))
            self.push({"push": "table", **data, "links": links})

    def kept_back(self, game: str) -> Collection[str]:
        """Texts of agents of a game that name files, which are for the owner alone."""
        return () if self.owner else self.house.added.get(game, ())

    def start(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Begin a computation in place of the one of that name."""
        self.stop(name)
        self.works[name] = asyncio.ensure_future(work)

    async def advise(self, work: Callable[..., T], *arguments: Any) -> T:
        """Do long work in a thread, when that of the call before is done.

        Threads cannot be stopped: so a browser keeps one busy, however often it asks.
        """
        async with self._turn:
            if self._working is not None and not self._working.done():
                before = asyncio.wrap_future(self._working)
                await asyncio.wait([before])
                before.exception()
            self._working = self.house.advise(work, *arguments)
            return await asyncio.wrap_future(self._working)

    async def follow(self, steps: Iterator[T]) -> AsyncIterator[T]:
        """Go through an iterator, each step of which is long work."""

        def step() -> T | None:
            return next(steps, None)

        while (one := await self.advise(step)) is not None:
            yield one

    def stop(self, name: str) -> None:
        """End a computation."""
        task = self.works.pop(name, None)
        if task:
            task.cancel()

    async def answer(self, text: str) -> None:
        """Answer a message."""
        number: Any = None
        try:
            if not self.owner and len(text) > MOST_OF_GUEST:
                raise InputError(f"a message of a guest has at most {MOST_OF_GUEST:,} characters")
            message = _message(text)
            number = message.get("n")
            request = REQUESTS.get(message["do"])
            if request is None:
                raise InputError(f"no request {message['do'][:40]!r}")
            if request.for_owner and not self.owner:
                raise InputError("this link is for one table only")
            fields = {**request.needed, **request.others}
            arguments = {name: message[name] for name in fields if name in message}
            check_fields(arguments, message["do"], request.needed, request.others)
            told = await request.answer(self, arguments)
            self.push({"re": number, "ok": told})
        except InputError as error:
            self.push({"re": number, "error": str(error)})
        except Exception:  # a fault of ours must not end the games of others
            self.house.complaints.failed("a request")
            self.push({"re": number, "error": "the server failed to answer this"})

    def at_table(self) -> Table:
        """The table this browser is at.

        Raises:
            InputError: It is at none.
        """
        if self.table is None or self.table.id not in self.house.tables:
            raise InputError("you are at no table")
        return self.table

    def seated(self) -> Table:
        """The table at which this browser has a seat.

        Raises:
            InputError: It has none.
        """
        table = self.at_table()
        if self.seat < 0 and not (self.owner and not table.persons):
            raise InputError("you are only watching")
        return table


def _message(text: str) -> dict[str, Any]:
    """A message as an object with a text `do`.

    Raises:
        InputError: It is none.
    """
    return check_fields(parse_json(text), "a message", {"do": TEXT}, {"n": SEED})


class Request:
    """A request: its fields, who may send it, and the function that answers it."""

    def __init__(
        self,
        answer: Answer,
        needed: Mapping[str, Kind],
        others: Mapping[str, Kind],
        for_owner: bool,
    ) -> None:
        self.answer, self.needed, self.others, self.for_owner = answer, needed, others, for_owner


REQUESTS: dict[str, Request] = {}


def request(
    name: str,
    needed: Mapping[str, Kind] = {},
    others: Mapping[str, Kind] = {},
    for_owner: bool = True,
) -> Callable[[Answer], Answer]:
    """Decorator of the function that answers a request."""

    def decorate(answer: Answer) -> Answer:
        REQUESTS[name] = Request(answer, needed, others, for_owner)
        return answer

    return decorate


@request("stop", {"work": TEXT}, for_owner=False)
async def _stop(visitor: Connection, given: dict[str, Any]) -> Any:
    visitor.stop(given["work"])

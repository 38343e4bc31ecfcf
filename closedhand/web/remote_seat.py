"""A seat at a table elsewhere: a person, or an agent, plays at the server of a competition.

The table is what the player sees of it, a view, which follows what that server sends.
"""

import asyncio
import logging
import queue
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Agent, make_agent
from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import parse_whole
from closedhand.core.registry import load, make_game, spec_of
from closedhand.web.serialization import WATCHING, prepare
from closedhand.web.table import MOST_HANDS, PACE, Chair, Hand, Table

LOG = logging.getLogger("closedhand.web")


class Address(NamedTuple):
    """A server of a competition.

    Attributes:
        game: Name of the game.
        options: Options of the rules that the server uses, as texts.
        host: Host.
        port: Port.
    """

    game: str
    options: dict[str, str]
    host: str
    port: int

    def __str__(self) -> str:
        """As people are told it."""
        return f"{self.game}, {self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Parse `GAME[KEY=VALUE,…]:HOST:PORT`.

    Raises:
        InputError: It has another form, or the game has no client for such servers.
    """
    spec = AgentSpec.parse(text)
    name = spec.name.replace("-", "_")
    host, colon, port = (spec.argument or "").rpartition(":")
    if not colon or not host:
        raise InputError(f"a server is GAME:HOST:PORT, not {text!r}")
    if spec_of(name).client is None:
        raise InputError(f"{name} has no client for the servers of a competition")
    make_game(name, **spec.texts)
    return Address(name, dict(spec.texts), host, parse_whole(port, "the port", 1, 65535))


class RemoteSeat(Table):
    """A table elsewhere, as the player of one seat sees it.

    Attributes:
        own: The seat.
        asked: Whether a person's decision is awaited.
    """

    is_own = False

    def __init__(
        self, game: Game, view: State, own: int, chair: Chair, leave: Callable[[], None]
    ) -> None:
        """Set up the table at the beginning of a match.

        Args:
            game: The game.
            view: What the player sees.
            own: Seat of the player.
            chair: Who plays.
            leave: Leaves the match.
        """
        self.own, self.asked = own, False
        self._leave = leave
        self._answers: queue.Queue[int | None] = queue.Queue()
        chairs = [Chair(agent=f"player_{seat}") for seat in range(game.num_players)]
        chairs[own] = chair
        super().__init__(
            secrets.token_urlsafe(9), game, chairs, view, watch=secrets.token_urlsafe(12), pace=PACE
        )

    @property
    def persons(self) -> list[int]:
        """The seat of the person who plays here, if there is one."""
        return [] if self.chairs[self.own].agent else [self.own]

    def awaits(self, seat: int) -> bool:
        """Whether the server waits for the person: not before it has asked, nor after an answer."""
        return self.asked and seat == self.own

    def see(self, view: State, player: int) -> None:
        """Follow a turn, of a player or, -1, of nobody."""
        number = len(self.game.history(view))
        known = self.actors[:number]
        self.actors = [*known, *[WATCHING] * (number - len(known))]
        if number > len(known):
            self.actors[-1] = player
        was_over, self.state = self.over, view
        self.version += 1
        if self.over and not was_over:
            sitters = [chair.sitter for chair in self.chairs]
            returns = self.game.returns(view).tolist()
            self.hands = [*self.hands, Hand(returns, sitters, self.deal)][-MOST_HANDS:]
            self.deal += 1

    def ask(self) -> None:
        """Await the decision of the person in what was seen last."""
        self.version += 1
        self.asked = True

    def wait(self) -> int:
        """The person's decision, waited for in a thread.

        Raises:
            EOFError: The match was left.
        """
        action = self._answers.get()
        if action is None:
            raise EOFError
        return action

    def play(self, action: int) -> None:
        """Decide."""
        self.asked = False
        self.version += 1
        self._answers.put(action)

    def close(self) -> None:
        """Leave the match."""
        self._leave()

    def finish(self, reason: str) -> None:
        """Await nothing more."""
        self.trouble, self.asked = reason, False
        self.version += 1
        self._answers.put(None)

    def undo(self, seat: int) -> None:
        """Refuse.

        Raises:
            InputError: Always.
        """
        raise InputError("nothing can be taken back at a server")

    def again(self, same: bool) -> None:
        """Refuse.

        Raises:
            InputError: Always.
        """
        raise InputError("the server begins the next round")

    def saved(self) -> dict[str, Any]:
        """What lists of tables show; a table elsewhere is not kept."""
        return {**super().saved(), "start": ""}


class Guest:
    """The agent that a client plays: a person at a table in a browser, or an agent that waits."""

    def __init__(self, stay: "Stay", agent: Agent | None) -> None:
        """Play for a person, or by an agent."""
        self.name = stay.chair.sitter
        self._stay, self._agent = stay, agent

    def act(self, view: State) -> int:
        """The decision."""
        if self._agent is None:
            self._stay.tell(RemoteSeat.ask)
            return self._stay.table_in_thread().wait()
        action = int(self._agent.act(view))
        time.sleep(self._stay.pace)
        return action


class Stay:
    """A seat at a server: taken, played at, and left.

    The thread of the client may be anywhere when the seat is left: it ends as soon as it can, and
    changes nothing more.

    Attributes:
        address: The server.
        chair: Who plays.
        table: The table, once the match has begun.
        end: Why it is over; empty while it goes on.
        pace: Seconds that an agent takes for a decision at least.
    """

    def __init__(
        self,
        address: Address,
        chair: Chair,
        opened: Callable[[RemoteSeat], None],
        changed: Callable[[RemoteSeat], None],
    ) -> None:
        """Prepare.

        Args:
            address: The server.
            chair: Who plays.
            opened: Called with the table when the match begins, in the event loop.
            changed: Called after every change of the table, in the event loop.
        """
        self.address, self.chair = address, chair
        self.table: RemoteSeat | None = None
        self.end, self.pace = "", PACE
        self._opened, self._changed = opened, changed
        self._client: Any = None
        self._begun = threading.Event()
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        """Play in a thread, which ends with the process."""
        threading.Thread(target=self._play, name="away", daemon=True).start()

    def _play(self) -> None:
        reason = "the match is over"
        try:
            name, options, host, port = self.address
            self._client = client = load(spec_of(name).client or "")(
                self._guest, host, port, self.chair.sitter, watch=self._see, **options
            )
            if self.end:  # before there was a client to be told
                client.leave()
            self._game: Game = client.game
            prepare(self._game)
            if not client.play().complete:
                reason = "the server has closed the connection"
        except InputError as error:
            reason = str(error)
        except Exception as error:  # an agent is anybody's code
            LOG.exception("a seat at %s was lost", self.address)
            reason = type(error).__name__
        if not self.end:  # else the loop may have ended, too
            self._loop.call_soon_threadsafe(self._finish, reason)

    def leave(self) -> None:
        """Give the seat up, in the event loop: at once, whatever the server and the client do."""
        self._finish("you have left")  # first: a client that comes after it looks for that
        if self._client is not None:
            self._client.leave()

    def _guest(self, game: Game) -> "Guest":
        name = self.chair.agent
        return Guest(self, make_agent(game, name) if name else None)

    def _see(self, view: State, seat: int, player: int) -> None:
        """Follow what the client sees, in its thread."""
        if self.end:
            raise EOFError
        if not self._begun.is_set():
            self._loop.call_soon_threadsafe(self._open, view, seat)
            self._begun.wait()
        else:
            self.tell(lambda table: table.see(view, player))

    def _open(self, view: State, own: int) -> None:
        self.table = RemoteSeat(self._game, view, own, self.chair, self.leave)
        if self.end:  # meanwhile it was left
            self.table.finish(self.end)
        else:
            self._opened(self.table)
        self._begun.set()

    def tell(self, change: Callable[[RemoteSeat], None]) -> None:
        """Change the table, in the event loop."""

        def work() -> None:
            if self.table is not None and not self.end:
                self.pace = self.table.pace
                change(self.table)
                self._changed(self.table)

        self._loop.call_soon_threadsafe(work)

    def table_in_thread(self) -> RemoteSeat:
        """The table, for the thread of the client."""
        self._begun.wait()
        assert self.table is not None
        return self.table

    def _finish(self, reason: str) -> None:
        if self.end:
            return
        self.end = reason
        if self.table is not None:
            self.table.finish(reason)
            self._changed(self.table)

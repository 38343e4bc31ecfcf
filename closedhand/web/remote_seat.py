"""A seat at the server of a competition, taken by a person or an agent.

The table here holds the view of that seat, updated by the messages of the server.
"""

import asyncio
import queue
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.game import Game, InputError, State
from closedhand.core.parsing import parse_whole
from closedhand.core.registry import load, spec_of
from closedhand.web.guard import LOG
from closedhand.web.serialization import WATCHING
from closedhand.web.table import PACE, Seat, Table


class Address(NamedTuple):
    """A server of a competition; `options` are those of its rules."""

    game: str
    options: dict[str, str]
    host: str
    port: int

    def __str__(self) -> str:
        """Return the address as the page shows it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.game}, {host}:{self.port}"


def parse_address(text: str) -> Address:
    """Parse `GAME[KEY=VALUE,…]:HOST:PORT`; refuse wrong options, and a game without a client."""
    spec = AgentSpec.parse(text)
    name = spec.name.replace("-", "_")
    host, _, port = (spec.argument or "").rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    if not host:
        raise InputError(f"a server is GAME:HOST:PORT, not {text!r}")
    client = spec_of(name).client
    if client is None:
        raise InputError(f"{name} has no client for the servers of a competition")
    load(client).check(**spec.options)
    return Address(name, dict(spec.options), host, parse_whole(port, "the port", 1, 65535))


class RemoteSeat(Table):
    """A table at a remote server, as one player sees it; no agents are made for the others."""

    is_own = False

    def __init__(
        self, game: Game, view: State, own: int, seat: Seat, leave: Callable[[], None]
    ) -> None:
        self.own = own
        self.asked = False  # whether a person's decision is awaited
        self.close = leave
        self._answers: queue.Queue[int | None] = queue.Queue()
        seats = [
            Seat(agent=f"player_{number}", player=number) for number in range(game.num_players)
        ]
        seats[own] = replace(seat, player=own)
        super().__init__(
            secrets.token_urlsafe(9), game, seats, view, watch=secrets.token_urlsafe(12), pace=PACE
        )

    def awaits(self, seat: int) -> bool:
        """Return whether the server has asked for a decision of this seat and has no answer yet."""
        return self.asked and seat == self.own

    def see(self, view: State, player: int) -> None:
        """Show the view after an action of `player`, -1 if nobody acted; score an ended round."""
        number = len(self.game.history(view))
        known = self.actors[:number]
        self.actors = [*known, *[WATCHING] * (number - len(known))]
        if number > len(known):
            self.actors[-1] = player
        was_over, self.state = self.over, view
        self.version += 1
        if self.over and not was_over:
            self.score()
            self.deal += 1

    def ask(self) -> None:
        """Ask the person for a decision in the current view."""
        self.version += 1
        self.asked = True

    def wait(self) -> int:
        """Wait in the client's thread for the person's decision; `EOFError` if the match ends."""
        action = self._answers.get()
        if action is None:
            raise EOFError
        return action

    def play(self, action: int) -> None:
        """Answer the server with a decision of the person; `see` brings the state that follows."""
        self.asked = False
        self.version += 1
        self._answers.put(action)

    def finish(self, reason: str) -> None:
        """End the match at this table, and wake the thread that waits for a decision."""
        self.trouble, self.asked = reason, False
        self.version += 1
        self._answers.put(None)

    def undo(self, seat: int) -> None:
        """Refuse with an `InputError`."""
        raise InputError("a play at a remote server cannot be undone")

    def again(self, same: bool) -> None:
        """Refuse with an `InputError`."""
        raise InputError("the remote server begins the next round; wait for it")


class RemoteMatch:
    """A match at a remote server; also the agent by which a person plays in the client.

    The client runs in a thread, and the seat may be left at any time. The thread then ends as soon
    as it can, and changes nothing here once `end` is set.
    """

    def __init__(
        self,
        address: Address,
        seat: Seat,
        bind: Callable[[str, Mapping[str, Any]], Game],
        opened: Callable[[RemoteSeat], None],
        changed: Callable[[RemoteSeat], None],
    ) -> None:
        """Prepare a match in the event loop; its table goes to `opened` once, then to `changed`."""
        self.address, self.seat, self.name = address, seat, seat.occupant
        self.table: RemoteSeat | None = None  # None before the match begins
        self.end = ""  # why the match is over; empty while it goes on
        self._bind, self._opened, self._changed = bind, opened, changed
        self._client: Any = None
        self._loop = asyncio.get_running_loop()

    def start(self) -> None:
        """Play in a daemon thread, which does not keep the process alive."""
        threading.Thread(target=self._play, name="remote match", daemon=True).start()

    def _play(self) -> None:
        """Connect and play, in the thread of the client, then report why the match is over."""
        reason = "the match is over"
        try:
            name, options, host, port = self.address
            self._bind(name, options)  # compiles before connecting: the server waits only seconds
            if self.end:  # the seat was left meanwhile
                return
            self._client = client = load(spec_of(name).client or "")(
                self.seat.agent or self, host, port, self.seat.occupant, watch=self._see, **options
            )
            if self.end:  # the seat was left before there was a client for `leave`
                client.leave()
            self._game: Game = client.game
            if not client.play().complete:
                reason = "the server has closed the connection"
        except InputError as error:
            reason = str(error)
        except Exception as error:  # an agent may be third-party code, and raise anything
            LOG.exception("a seat at %s was lost", self.address)
            reason = type(error).__name__
        if not self.end:  # after `leave` the event loop may be closed
            self._loop.call_soon_threadsafe(self._finish, reason)

    def leave(self) -> None:
        """Give up the seat at once, waiting for nobody; call it in the event loop."""
        self._finish("you have left")  # sets `end` first: a client created later checks it
        if self._client is not None:
            self._client.leave()

    def act(self, view: State) -> int:
        """Wait for a person's action and return it, in the thread of the client."""
        self._update(RemoteSeat.ask)
        assert self.table is not None
        return self.table.wait()

    def _see(self, view: State, seat: int, player: int) -> None:
        """Update the table with a view, in the client's thread; raise `EOFError` after the end."""
        if self.end:
            raise EOFError
        if self.table is None:
            self.table = RemoteSeat(self._game, view, seat, self.seat, self.leave)
            self._loop.call_soon_threadsafe(self._open, self.table)
        else:
            self._update(lambda table: table.see(view, player))
            if self.seat.agent and player == seat:
                time.sleep(self.table.pace)

    def _open(self, table: RemoteSeat) -> None:
        if self.end:  # left after the thread had scheduled this call, or before there was a table
            table.finish(self.end)
        else:
            self._opened(table)

    def _update(self, change: Callable[[RemoteSeat], None]) -> None:
        """Schedule a change of the table in the event loop; callable from any thread."""

        def work() -> None:
            if self.table is not None and not self.end:
                change(self.table)
                self._changed(self.table)

        self._loop.call_soon_threadsafe(work)

    def _finish(self, reason: str) -> None:
        if self.end:
            return
        self.end = reason
        if self.table is not None:
            self.table.finish(reason)
            self._changed(self.table)

"""Clients as a server sees them: any may be slow, silent, faulty or disconnected at any time."""

import contextlib
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from closedhand.competitions.uecda import wire
from closedhand.core.game import InputError
from closedhand.core.interrupt import WAIT
from closedhand.core.text import reason_of

PROFILE_SECONDS = 2.0
MOST_LATE = 3
"""Number of consecutive late answers with which a client loses its seat."""
FLOOD = 65536
"""Number of unrequested bytes, received at once, that ends a connection."""
MOST_WAITING = 32
"""Largest number of connections without a profile; the oldest is closed for a further one."""

Clock = Callable[[], float]
"""Seconds that have passed, such as `time.monotonic`."""


class Guest:
    """A client at the table.

    Attributes:
        name: Name in its profile.
        gone: Reason why it lost its seat; empty while it has it.
    """

    def __init__(
        self, sock: socket.socket, name: str, seconds: float, clock: Clock = time.monotonic
    ) -> None:
        """Seat a client.

        Args:
            sock: Connection to the client.
            name: Name in its profile.
            seconds: Time limit for every answer, and for receiving what it is sent.
            clock: Clock of the time limit for answers.
        """
        self.name = name
        self.gone = ""
        self._sock = sock
        self._seconds = seconds
        self._clock = clock
        self._deadline = 0.0
        self._outgoing: list[bytes] = []
        self._owed = 0
        self._late = 0

    def tell(self, message: bytes) -> None:
        """Queue a message for `flush`."""
        self._outgoing.append(message)

    def flush(self) -> None:
        """Send all queued messages in one write.

        Clients read each table with a single read, so it must arrive whole. At most a turn's result
        and the next turn's table are sent at once, which fit into a network packet.
        """
        data = b"".join(self._outgoing)
        self._outgoing.clear()
        if self.gone or not data:
            return
        try:
            self._sock.settimeout(self._seconds)
            self._sock.sendall(data)
        except OSError as error:
            self.leave("reads nothing" if isinstance(error, TimeoutError) else "is gone")

    def ask(self) -> None:
        """Send the queue as a question, like `flush`; discard input from before the question.

        The time for the answer begins now: two clients that are asked together lose no time of
        each other's.
        """
        if self.gone:
            return
        self._deadline = self._clock() + self._seconds
        try:
            self._sock.setblocking(False)
            early = self._sock.recv(FLOOD)
            if not early:
                self.leave("is gone")
            elif len(early) == FLOOD:
                self.leave("sends too much")
            self._owed = max(0, self._owed - len(early))
        except BlockingIOError:
            pass
        except OSError:
            self.leave("is gone")
        self.flush()

    def answer(self, meanwhile: Callable[[], None]) -> bytes | None:
        """The table that answers the question, or None if it does not arrive in time.

        The protocol has one table for every question. So a late one is still to come, and is
        discarded when it arrives before the answer to a later question. What has arrived by the
        time of this call counts as in time.

        Args:
            meanwhile: Callback at intervals while waiting for the answer.
        """
        if self.gone:
            return None
        missing = self._owed + wire.TABLE
        data = self._receive(missing, min(self._deadline, self._clock() + WAIT))
        while len(data) < missing and not self.gone and (now := self._clock()) < self._deadline:
            meanwhile()
            data += self._receive(missing - len(data), min(self._deadline, now + WAIT))
        if self.gone:
            return None
        self._owed = missing - len(data)
        self._late = self._late + 1 if self._owed else 0
        if self._late == MOST_LATE:
            self.leave(f"was late {MOST_LATE} times in a row")
        return None if self._owed else data[-wire.TABLE :]

    def _receive(self, size: int, deadline: float) -> bytes:
        """Up to `size` bytes, as many as arrive before a deadline, or have arrived already."""
        data = b""
        while len(data) < size:
            try:
                self._sock.settimeout(max(0.0, deadline - self._clock()))
                chunk = self._sock.recv(size - len(data))
            except (TimeoutError, BlockingIOError):
                break
            except OSError:
                chunk = b""
            if not chunk:
                self.leave("is gone")
                break
            data += chunk
        return data

    def leave(self, reason: str) -> None:
        """Close the connection for good."""
        self.gone = self.gone or reason
        self._outgoing.clear()
        self._sock.close()

    def stray(self) -> bool:
        """Whether a client waiting for the match has disconnected or sent anything; if so, drop it.

        A client must stay silent until the match begins.
        """
        with contextlib.suppress(OSError):
            self._sock.setblocking(False)
            self.leave("speaks out of turn" if self._sock.recv(1) else "is gone")
        return bool(self.gone)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens for clients; port 0 is any free port.

    Raises:
        InputError: The port is in use, or there is no such address.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((address[0], port), family=family, backlog=MOST_WAITING)
    except (OSError, OverflowError, ValueError) as error:  # some of a name that no host can have
        reason = reason_of(error)
        raise InputError(f"cannot listen at {host}:{port}: {reason}") from None


@dataclass
class Newcomer:
    """A connection that has not sent a complete profile yet."""

    deadline: float
    data: bytearray = field(default_factory=bytearray)


class Lobby:
    """A lobby, which waits until there is a client for each of the given seats."""

    def __init__(
        self,
        listener: socket.socket,
        players: Sequence[int],
        seconds: float,
        note: Callable[[str], None],
        profile_seconds: float = PROFILE_SECONDS,
        most_waiting: int = MOST_WAITING,
        clock: Clock = time.monotonic,
    ) -> None:
        """Prepare to wait for clients.

        Args:
            listener: Socket from `listen`.
            players: Numbers assigned to clients, in the order in which their profiles arrive.
            seconds: Time limit for every answer in the match.
            note: Callback that receives a line about each client that comes or goes, and one about
                all connections that were closed without a seat.
            profile_seconds: Time limit for the profile.
            most_waiting: Largest number of connections without a profile.
            clock: Clock of all time limits.
        """
        self._listener = listener
        self._free = sorted(players)
        self._seconds = seconds
        self._note = note
        self._profile_seconds = profile_seconds
        self._most_waiting = most_waiting
        self._clock = clock
        self._refused = 0
        self._selector = selectors.DefaultSelector()
        self._waiting: dict[socket.socket, Newcomer] = {}
        self._seated: dict[socket.socket, tuple[int, Guest]] = {}

    def gather(self) -> dict[int, Guest]:
        """Wait for all clients and return them by number; other connections are closed."""
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)
        try:
            while self._free:
                # New connections last: who has spoken is read before one that has not makes way.
                ready = [key.fileobj for key, _ in self._selector.select(self._patience())]
                for sock in sorted(ready, key=lambda sock: sock is self._listener):
                    assert isinstance(sock, socket.socket)
                    if sock is self._listener:
                        self._accept()
                    elif sock in self._waiting:
                        self._read(sock)
                    else:
                        self._watch(sock)
                self._dismiss_late()
        except BaseException:
            for _, guest in self._seated.values():
                guest.leave("was sent away")
            raise
        finally:
            for sock in list(self._waiting):
                self._dismiss(sock)
            self._selector.close()
        if self._refused:
            self._note(f"{self._refused} connections without a seat were closed")
        return dict(self._seated.values())

    def _patience(self) -> float | None:
        """The seconds until the clock is looked at again, or None if no profile is awaited."""
        if not self._waiting:
            return None
        first = min(newcomer.deadline for newcomer in self._waiting.values())
        return min(WAIT, max(0.0, first - self._clock()))

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            sock, _ = self._listener.accept()
            # Connections that say nothing must not keep out a client, which speaks at once.
            if len(self._waiting) >= self._most_waiting:
                self._dismiss(next(iter(self._waiting)))
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._waiting[sock] = Newcomer(self._clock() + self._profile_seconds)
            self._selector.register(sock, selectors.EVENT_READ)

    def _read(self, sock: socket.socket) -> None:
        newcomer = self._waiting[sock]
        try:
            chunk = sock.recv(wire.TABLE - len(newcomer.data))
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        newcomer.data += chunk
        if not chunk:
            self._dismiss(sock)
        elif len(newcomer.data) == wire.TABLE:
            name = wire.read_profile(bytes(newcomer.data))
            if name is None or not self._free:
                self._dismiss(sock)
            else:
                self._seat(sock, name)

    def _seat(self, sock: socket.socket, name: str) -> None:
        del self._waiting[sock]
        player = self._free.pop(0)
        guest = Guest(sock, name, self._seconds, self._clock)
        self._seated[sock] = player, guest
        self._note(f"{name} is player_{player}")
        guest.tell(wire.NUMBER.pack(player))
        guest.flush()
        self._watch(sock)

    def _watch(self, sock: socket.socket) -> None:
        """Free the seat of a client that has disconnected, or does not wait for the match."""
        player, guest = self._seated[sock]
        # A closed socket has no file descriptor, by which the selector knows it.
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(sock)
        if guest.stray():
            del self._seated[sock]
            self._free = sorted([*self._free, player])
            self._note(f"{guest.name} {guest.gone}: player_{player} is free again")
        else:
            self._selector.register(sock, selectors.EVENT_READ)

    def _dismiss(self, sock: socket.socket) -> None:
        self._refused += 1
        self._selector.unregister(sock)
        del self._waiting[sock]
        sock.close()

    def _dismiss_late(self) -> None:
        now = self._clock()
        for sock in [sock for sock, new in self._waiting.items() if new.deadline <= now]:
            self._dismiss(sock)

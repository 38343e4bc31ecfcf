"""Remote players of a server: clients that may be slow, faulty or disconnected at any time."""

import contextlib
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from closedhand.competitions.uecda import MOST_WAITING, wire
from closedhand.core.game import InputError
from closedhand.core.interrupt import WAIT
from closedhand.core.text import reason_of

MOST_LATE = 3
"""Number of consecutive late answers after which a client loses its seat."""
FLOOD = 65536
"""Number of unrequested bytes, received at once, that ends a connection."""


@dataclass(frozen=True)
class Limits:
    """Limits of a server for its clients."""

    seconds: float = 10.0  # for a client to answer, and to read a message
    profile_seconds: float = 2.0  # for the profile
    most_waiting: int = MOST_WAITING  # connections without a profile; one more displaces the oldest
    clock: Callable[[], float] = time.monotonic  # of all time limits, in seconds


class RemotePlayer:
    """A client that has a seat."""

    def __init__(self, sock: socket.socket, name: str, limits: Limits) -> None:
        self.name = name
        self.gone = ""  # reason why it lost its seat; empty while it has one
        self.late = 0  # number of questions that it has not answered in time
        self._sock = sock
        self._seconds, self._clock = limits.seconds, limits.clock
        self._deadline = 0.0
        self._outgoing: list[bytes] = []
        self._owed = 0  # bytes of late answers that are still to arrive
        self._late = 0  # consecutive late answers

    def queue(self, message: bytes) -> None:
        """Queue a message for `flush`."""
        self._outgoing.append(message)

    def flush(self) -> None:
        """Send all queued messages in one write.

        Clients read each table with a single read, so it must arrive whole. A write holds at most
        the result of a turn and the table of the next one, which fit into a network packet.
        """
        data = b"".join(self._outgoing)
        self._outgoing.clear()
        if not data:
            return
        try:
            self._sock.settimeout(self._seconds)
            self._sock.sendall(data)
        except OSError as error:
            self.leave("does not read" if isinstance(error, TimeoutError) else "disconnected")

    def ask(self) -> None:
        """Send all queued messages as a question; discard input that arrived before it.

        The time for the answer begins now. So two clients that are asked together have the same
        time, although `answer` is called for one after the other.
        """
        if self.gone:
            return
        self._deadline = self._clock() + self._seconds
        # An error: nothing has arrived, or the connection is broken, as `flush` or `answer` notes.
        with contextlib.suppress(OSError):
            self._sock.setblocking(False)
            early = len(self._sock.recv(FLOOD))
            if early == FLOOD:
                self.leave("sent too much")
            self._owed = max(0, self._owed - early)
        self.flush()

    def answer(self, meanwhile: Callable[[], None]) -> bytes | None:
        """Wait for the table that answers the question; None if it is late or the client is gone.

        The protocol has one table for every question. So a late answer is still to arrive, and its
        bytes are discarded before the answer to a later question. A table that has arrived by the
        time of this call is in time. `meanwhile` is called at intervals.
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
        self.late += self._owed > 0
        self._late = self._late + 1 if self._owed else 0
        if self._late == MOST_LATE:
            self.leave(f"was late {MOST_LATE} times in a row")
        return None if self._owed else data[-wire.TABLE :]

    def _receive(self, size: int, deadline: float) -> bytes:
        """Receive up to `size` bytes: those that have arrived, or arrive before a deadline."""
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
                self.leave("disconnected")
                break
            data += chunk
        return data

    def leave(self, reason: str) -> None:
        """Close the connection; the first reason is kept."""
        self.gone = self.gone or reason
        self._outgoing.clear()
        self._sock.close()

    def drop_unless_silent(self) -> bool:
        """Drop a client that disconnected, or sent data before the match; True if dropped."""
        with contextlib.suppress(OSError):  # nothing to read: the client is silent, as it must be
            self._sock.setblocking(False)
            self.leave("sent data before the match" if self._sock.recv(1) else "disconnected")
        return bool(self.gone)


def listen(host: str, port: int) -> socket.socket:
    """Listen for clients; port 0 is any free one. An `InputError`: the address is not available."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((address[0], port), family=family, backlog=MOST_WAITING)
    except (OSError, OverflowError, ValueError) as error:  # the latter two: bad host or port
        raise InputError(f"cannot listen at {host}:{port}: {reason_of(error)}") from None


class Lobby:
    """Waiting room that gives each of some seats a client, and refuses other connections."""

    def __init__(
        self,
        listener: socket.socket,
        players: Sequence[int],
        limits: Limits,
        note: Callable[[str], None],
    ) -> None:
        """Prepare to wait at a socket from `listen` for clients of the seats `players`.

        The lowest free seat goes to the first profile. `note` gets a line about each client that
        takes or loses a seat, and one about all connections that were closed without a seat.
        """
        self._listener = listener
        self._free = sorted(players)
        self._limits = limits
        self._note = note
        self._clock = limits.clock
        self._refused = 0
        self._selector = selectors.DefaultSelector()
        # Connections without a complete profile: the deadline, and the bytes so far.
        self._waiting: dict[socket.socket, tuple[float, bytearray]] = {}
        self._seated: dict[socket.socket, tuple[int, RemotePlayer]] = {}

    def gather(self) -> dict[int, RemotePlayer]:
        """Wait for all clients and return them by seat; close other connections."""
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)
        try:
            while self._free:
                # Wake up for the deadlines of profiles, even if no socket is ready.
                deadlines = [deadline for deadline, _ in self._waiting.values()]
                seconds = None
                if deadlines:
                    seconds = min(WAIT, max(0.0, min(deadlines) - self._clock()))
                # New connections last: a pending one is read before a new one may displace it.
                ready = [key.fileobj for key, _ in self._selector.select(seconds)]
                for sock in sorted(ready, key=lambda sock: sock is self._listener):
                    assert isinstance(sock, socket.socket)
                    if sock is self._listener:
                        self._accept()
                    elif sock in self._waiting:
                        self._read(sock)
                    else:
                        self._watch(sock)
                now = self._clock()
                for sock in [sock for sock, (end, _) in self._waiting.items() if end <= now]:
                    self._dismiss(sock)
        except BaseException:
            for _, remote in self._seated.values():
                remote.leave("was disconnected")
            raise
        finally:
            for sock in list(self._waiting):
                self._dismiss(sock)
            self._selector.close()
        if self._refused:
            self._note(f"{self._refused} connections without a seat were closed")
        return dict(self._seated.values())

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            sock, _ = self._listener.accept()
            # Silent connections must not keep out a client, which sends its profile at once.
            if len(self._waiting) >= self._limits.most_waiting:
                self._dismiss(next(iter(self._waiting)))
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._waiting[sock] = self._clock() + self._limits.profile_seconds, bytearray()
            self._selector.register(sock, selectors.EVENT_READ)

    def _read(self, sock: socket.socket) -> None:
        _, data = self._waiting[sock]
        try:
            chunk = sock.recv(wire.TABLE - len(data))
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        data += chunk
        if not chunk:
            self._dismiss(sock)
        elif len(data) == wire.TABLE:
            name = wire.read_profile(bytes(data))
            if name is None or not self._free:
                self._dismiss(sock)
            else:
                self._seat(sock, name)

    def _seat(self, sock: socket.socket, name: str) -> None:
        del self._waiting[sock]
        player = self._free.pop(0)
        remote = RemotePlayer(sock, name, self._limits)
        self._seated[sock] = player, remote
        self._note(f"{name} is player_{player}")
        remote.queue(wire.NUMBER.pack(player))
        remote.flush()
        self._watch(sock)

    def _watch(self, sock: socket.socket) -> None:
        """Free the seat of a client that disconnected, or sent data before the match."""
        player, remote = self._seated[sock]
        # Unregister before a close: the selector finds sockets by their file descriptors.
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(sock)
        if remote.drop_unless_silent():
            del self._seated[sock]
            self._free = sorted([*self._free, player])
            self._note(f"{remote.name} {remote.gone}: player_{player} is free again")
        else:
            self._selector.register(sock, selectors.EVENT_READ)

    def _dismiss(self, sock: socket.socket) -> None:
        self._refused += 1
        self._selector.unregister(sock)
        del self._waiting[sock]
        sock.close()

"""Clients as a server sees them: any of them may be slow, silent, wrong or gone at any time."""

import contextlib
import ipaddress
import selectors
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from closedhand.core.game import InputError
from closedhand.core.interrupt import WAIT
from closedhand.games.daihinmin.uecda import wire

PROFILE_SECONDS = 2.0
MOST_LATE = 3
"""Answers in a row that may be late before a client loses its seat."""
FLOOD = 65536
"""Bytes that nobody asked for, at once, that end a connection."""
NEARBY = 8192
"""Bytes that a client on this machine may be sent at once."""
QUICK = 0.05
"""Seconds after which an answer is not a quick one, and all that is in line is sent."""
MOST_WAITING = 32
"""Connections without a profile; those beyond are closed."""


class Guest:
    """A client at the table.

    Attributes:
        name: Of its profile.
        gone: Why it lost its seat; empty while it has it.
    """

    def __init__(self, sock: socket.socket, name: str, seconds: float) -> None:
        """Seat a client.

        Args:
            sock: The connection to it.
            name: Of its profile.
            seconds: For every answer, and for taking what it is sent.
        """
        self.name = name
        self.gone = ""
        self._sock = sock
        self._seconds = seconds
        self._outgoing: list[bytes] = []
        self._patience = NEARBY - wire.TABLE if _is_near(sock) else 0
        self._owed = 0
        self._late = 0

    def tell(self, message: bytes) -> None:
        """Put a message in line for `flush`."""
        self._outgoing.append(message)

    def flush(self) -> None:
        """Send what is in line, in one write.

        Clients read each table with one read, and have to get it whole. To another machine a turn's
        result and the next turn's table go, less than a network packet takes; on this one there are
        no packets to split.
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

    def offer(self) -> None:
        """Send what is in line if it is enough for a write, and is not asked for.

        Writes cost more than all else, so a client on this machine waits a little.
        """
        if sum(map(len, self._outgoing)) > self._patience:
            self.flush()

    def ask(self) -> None:
        """Send a question: as `flush`, and what came before it is no answer to it."""
        if self.gone:
            return
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
        """The table that answers the question, or None if there is none in time.

        The protocol has a table for every question. So one that is late is still to come, and is
        left out when it comes before the answer to a later question.

        Args:
            meanwhile: What there is to do while the answer is awaited.
        """
        if self.gone:
            return None
        now = time.monotonic()
        deadline = now + self._seconds
        missing = self._owed + wire.TABLE
        data = self._receive(missing, now + min(QUICK, self._seconds))
        while len(data) < missing and not self.gone and (now := time.monotonic()) < deadline:
            meanwhile()
            data += self._receive(missing - len(data), min(deadline, now + WAIT))
        if self.gone:
            return None
        self._owed = missing - len(data)
        self._late = self._late + 1 if self._owed else 0
        if self._late == MOST_LATE:
            self.leave(f"was late {MOST_LATE} times in a row")
        return None if self._owed else data[-wire.TABLE :]

    def _receive(self, size: int, deadline: float) -> bytes:
        """So many bytes, or those that come before a deadline."""
        data = b""
        patience = deadline - time.monotonic()
        while len(data) < size and patience > 0:
            try:
                self._sock.settimeout(patience)
                chunk = self._sock.recv(size - len(data))
            except TimeoutError:
                break
            except OSError:
                chunk = b""
            if not chunk:
                self.leave("is gone")
                break
            data += chunk
            patience = deadline - time.monotonic()
        return data

    def leave(self, reason: str) -> None:
        """Close the connection for good."""
        self.gone = self.gone or reason
        self._outgoing.clear()
        self._sock.close()

    def stray(self) -> bool:
        """Look whether a client that waits for the match is still there, and silent."""
        with contextlib.suppress(OSError):
            self._sock.setblocking(False)
            self.leave("speaks out of turn" if self._sock.recv(1) else "is gone")
        return bool(self.gone)


def _is_near(sock: socket.socket) -> bool:
    """Whether the other end of a connection is on this machine."""
    with contextlib.suppress(OSError, ValueError):
        return ipaddress.ip_address(sock.getpeername()[0]).is_loopback
    return False


def listen(host: str, port: int) -> socket.socket:
    """A socket that waits for clients; port 0 is any free one.

    Raises:
        InputError: The port is busy, or there is no such address.
    """
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server((address[0], port), family=family, backlog=MOST_WAITING)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot listen at {host}:{port}: {reason}") from None


@dataclass
class Newcomer:
    """A connection that has not sent a whole profile yet."""

    deadline: float
    data: bytearray = field(default_factory=bytearray)


class Lobby:
    """Waits until there is a client for each of some seats."""

    def __init__(
        self,
        listener: socket.socket,
        players: Sequence[int],
        seconds: float,
        note: Callable[[str], None],
        profile_seconds: float = PROFILE_SECONDS,
    ) -> None:
        """Wait for clients.

        Args:
            listener: Of `listen`.
            players: Numbers that clients get, in the order in which their profiles arrive.
            seconds: For every answer in the match.
            note: Takes a line about each that comes or goes.
            profile_seconds: For the profile.
        """
        self._listener = listener
        self._free = sorted(players)
        self._seconds = seconds
        self._note = note
        self._profile_seconds = profile_seconds
        self._selector = selectors.DefaultSelector()
        self._waiting: dict[socket.socket, Newcomer] = {}
        self._seated: dict[socket.socket, tuple[int, Guest]] = {}

    def gather(self) -> dict[int, Guest]:
        """The clients by number, when all are there; other connections are closed."""
        self._listener.setblocking(False)
        self._selector.register(self._listener, selectors.EVENT_READ)
        try:
            while self._free:
                for key, _ in self._selector.select(self._patience()):
                    sock = key.fileobj
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
            for sock in self._waiting:
                sock.close()
            self._selector.close()
        return dict(self._seated.values())

    def _patience(self) -> float | None:
        """The seconds until the next profile is late."""
        if not self._waiting:
            return None
        first = min(newcomer.deadline for newcomer in self._waiting.values())
        return max(0.0, first - time.monotonic())

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            sock, _ = self._listener.accept()
            if len(self._waiting) >= MOST_WAITING:
                sock.close()
                return
            sock.setblocking(False)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._waiting[sock] = Newcomer(time.monotonic() + self._profile_seconds)
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
        guest = Guest(sock, name, self._seconds)
        self._seated[sock] = player, guest
        self._note(f"{name} is player_{player}")
        guest.tell(wire.NUMBER.pack(player))
        guest.flush()
        self._watch(sock)

    def _watch(self, sock: socket.socket) -> None:
        """Give the seat of a client away that has gone, or does not wait for the match."""
        player, guest = self._seated[sock]
        # A closed socket has no number by which the selector knows it.
        with contextlib.suppress(KeyError, ValueError):
            self._selector.unregister(sock)
        if guest.stray():
            del self._seated[sock]
            self._free = sorted([*self._free, player])
            self._note(f"{guest.name} {guest.gone}: player_{player} is free again")
        else:
            self._selector.register(sock, selectors.EVENT_READ)

    def _dismiss(self, sock: socket.socket) -> None:
        self._selector.unregister(sock)
        del self._waiting[sock]
        sock.close()

    def _dismiss_late(self) -> None:
        now = time.monotonic()
        for sock in [sock for sock, new in self._waiting.items() if new.deadline <= now]:
            self._dismiss(sock)

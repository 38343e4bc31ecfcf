"""Limits of the server: allowed hosts and origins, message rates, and log entries."""

import hmac
import ipaddress
import logging
import math
import time
from collections.abc import Collection, Mapping
from contextlib import suppress
from urllib.parse import urlsplit

LOG = logging.getLogger("closedhand.web")

MOST_MESSAGE = 2 * 2**20
"""Most bytes of a message from a browser."""
RATE, BURST = 20.0, 60.0
"""Messages that a browser may send: on average per second, and at once."""
LOG_EVERY = 60.0
"""Least time between two log entries about refusals, or two about failures, in seconds."""

SCHEMES = ("http", "https")
LOCAL = ("127.0.0.1", "localhost", "::1")
"""Names that always mean this machine."""


def _numeric(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    return None


def is_local(host: str) -> bool:
    """Return whether only this machine can reach a server that listens on an address."""
    address = _numeric(host)
    return host in LOCAL or (address is not None and address.is_loopback)


def host_of(url: str) -> str:
    """Return the host in a URL such as `//name:port`, in lower case; empty if there is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def is_origin(text: str) -> bool:
    """Return whether a text has the form of an origin, such as `https://cards.example.org`."""
    scheme, _, name = text.rstrip("/").partition("://")
    return scheme in SCHEMES and "/" not in name and bool(host_of(f"//{name}"))


class Guard:
    """Check of the headers `Host` and `Origin`, which no page can forge.

    `Origin` reveals a page of another site that opens a WebSocket to this server. `Host` reveals a
    name of another site that resolves to this server (DNS rebinding).
    """

    def __init__(self, host: str, origins: Collection[str] = ()) -> None:
        """Allow the address that the server listens at, and its public origins behind a proxy."""
        self._origins = {origin.rstrip("/").lower() for origin in origins}
        self._names = {*LOCAL, host.lower(), *map(host_of, self._origins)}
        self._is_local = is_local(host)

    def admits(self, headers: Mapping[str, str], is_socket: bool = False) -> bool:
        """Return whether a request may be answered, by its headers with names in lower case.

        A page of any site may open a WebSocket, and browsers always state the page's origin. So a
        WebSocket without an origin is refused.
        """
        host = headers.get("host", "")
        name = host_of(f"//{host}")
        # A numeric address is safe: DNS rebinding needs a name.
        if name not in self._names and (self._is_local or _numeric(name) is None):
            return False
        origin = headers.get("origin")
        if origin is None:
            return not is_socket
        own = {f"{scheme}://{host.lower()}" for scheme in SCHEMES}
        return origin.lower() in own | self._origins


def is_secret(secret: str, given: str) -> bool:
    """Compare a given text with a secret in constant time."""
    one, other = (text.encode("utf-8", "surrogatepass") for text in (secret, given))
    return hmac.compare_digest(one, other)


class Bucket:
    """A token bucket, full at first: `RATE` messages per second, with bursts up to `BURST`."""

    def __init__(self) -> None:
        self._left, self._at = BURST, time.monotonic()

    def take(self) -> bool:
        """Take a token for a message; False if the bucket is empty."""
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._at) * RATE)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class RateLimitedLog:
    """Log of refusals and failures, with at most one entry of each kind in `LOG_EVERY` seconds."""

    def __init__(self) -> None:
        # By kind: time of the latest entry, and number of those suppressed since.
        self._entries: dict[str, tuple[float, int]] = {}

    def refused(self, kind: str, peer: str) -> None:
        """Log a refused message or connection of a peer."""
        self._write("refusals", f"refused {kind} from {peer}")

    def admits(self, record: logging.LogRecord) -> bool:
        """Return whether uvicorn may log a record; log warnings of bad requests as refusals."""
        text = record.getMessage()
        # Warnings about the ASGI app report bugs of this package, with a traceback: they pass.
        if record.levelno < logging.WARNING or "ASGI" in text:
            return True
        self._write("refusals", text.rstrip("."))
        return False

    def failed(self, what: str) -> None:
        """Log the exception that is being handled, with its traceback."""
        self._write("failures", f"{what} failed", is_error=True)

    def _write(self, kind: str, text: str, is_error: bool = False) -> None:
        now = time.monotonic()
        last, suppressed = self._entries.get(kind, (-math.inf, 0))
        if now - last < LOG_EVERY:
            self._entries[kind] = last, suppressed + 1
            return
        before = f" ({suppressed} more since the last one)" if suppressed else ""
        level = logging.ERROR if is_error else logging.WARNING
        message = "%s%s; further %s are not logged for a minute"
        LOG.log(level, message, text, before, kind, exc_info=is_error)
        self._entries[kind] = now, 0

"""Who may talk to the server, and how much."""

import hmac
import ipaddress
import logging
import math
import time
from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

LOG = logging.getLogger("closedhand.web")

MOST_MESSAGE = 2 * 2**20
"""Most bytes of a message from a browser."""
MOST_CONNECTIONS = 256
"""Most browsers at once. Of strangers, who have neither the token nor a seat, the first one goes
when another browser comes."""
MOST_OPEN, REFUSED_FROM = 384, 512
"""Open connections at which the first one in line goes, and at which requests are refused."""
SILENT_SECONDS, ANSWER_SECONDS = 10.0, 60.0
"""Seconds in which a connection has to ask for something, and to take the answer."""
RATE, BURST = 20.0, 60.0
"""Messages a second that a browser may send on average, and at once."""
LOG_EVERY = 60.0
"""Seconds between two entries in the log about refusals, and about failures."""

SCHEMES = ("http", "https")
"""Schemes of the origins of pages."""

LOCAL = ("127.0.0.1", "localhost", "::1")
"""Names of this machine that no other machine can answer to."""

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


def is_local(host: str) -> bool:
    """Whether an address to listen at can be reached from this machine only."""
    if host in LOCAL:
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """The name in an address of the form `//name:port`, in lower case; empty if it is none."""
    try:
        return (urlsplit(url).hostname or "").lower()
    except ValueError:
        return ""


def is_origin(text: str) -> bool:
    """Whether a text has the form of an origin, such as `https://cards.example.org`."""
    scheme, _, name = text.rstrip("/").partition("://")
    return scheme in SCHEMES and "/" not in name and bool(host_of(f"//{name}"))


class Guard:
    """Checks `Host` and `Origin`.

    A page of another site can open a WebSocket to this server, and a name of another site can be
    made to lead here (DNS rebinding); both are told by these headers, which no page can forge.
    """

    def __init__(self, host: str, origins: Collection[str] = ()) -> None:
        """Set up.

        Args:
            host: Address that the server listens at.
            origins: Other origins whose pages are ours, such as `https://cards.example.org`.
        """
        self._origins = {origin.rstrip("/").lower() for origin in origins}
        self._names = {*LOCAL, host.lower()}
        self._names |= {host_of(origin) for origin in self._origins}
        self._is_local = is_local(host)

    def admits(self, headers: Mapping[str, str], is_socket: bool = False) -> bool:
        """Whether a request may be answered.

        Args:
            headers: Its headers, by names in lower case.
            is_socket: Whether it is to become a WebSocket. Browsers state the origin of each, and
                no rule of theirs keeps pages of other sites from opening one: without an origin it
                is refused.
        """
        host = headers.get("host", "")
        if not self._knows(host_of(f"//{host}")):
            return False
        origin = headers.get("origin")
        if origin is None:
            return not is_socket
        own = {f"{scheme}://{host.lower()}" for scheme in SCHEMES}
        return origin.lower() in own | self._origins

    def _knows(self, name: str) -> bool:
        if name in self._names:
            return True
        if self._is_local:
            return False
        try:  # an address is not a name that another site could make lead here
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def is_secret(secret: str, given: str) -> bool:
    """Whether a given text is a secret, in the time that any other text takes."""
    one, other = (text.encode("utf-8", "surrogatepass") for text in (secret, given))
    return hmac.compare_digest(one, other)


class Bucket:
    """A bucket of messages that fills at a rate."""

    def __init__(self, rate: float = RATE, burst: float = BURST) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._at = burst, time.monotonic()

    def take(self) -> bool:
        """Take a message out; False if the bucket is empty."""
        now = time.monotonic()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class RateLimitedLog:
    """One entry in the log for many refusals, and one for many failures."""

    def __init__(self) -> None:
        self._told: dict[str, tuple[float, int]] = {}

    def refused(self, kind: str, peer: str) -> None:
        """Tell of something that was refused."""
        self._tell("refusals", f"refused {kind} from {peer}")

    def reported(self, text: str) -> None:
        """Tell of something that the server below refused, of its own accord."""
        self._tell("refusals", text)

    def failed(self, what: str) -> None:
        """Tell of the error that is being handled, with its traceback."""
        self._tell("failures", f"{what} failed", is_error=True)

    def _tell(self, kind: str, text: str, is_error: bool = False) -> None:
        """Write an entry, unless one was written a moment ago; the next one counts the others."""
        now = time.monotonic()
        last, untold = self._told.get(kind, (-math.inf, 0))
        if now - last < LOG_EVERY:
            self._told[kind] = last, untold + 1
            return
        before = f" ({untold} more since the last one)" if untold else ""
        level = logging.ERROR if is_error else logging.WARNING
        told = "%s%s; further %s are not told for a minute"
        LOG.log(level, told, text, before, kind, exc_info=is_error)
        self._told[kind] = now, 0

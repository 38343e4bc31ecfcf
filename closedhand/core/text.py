"""Messages of one line, characters that a terminal cannot show, and names of files."""

import codecs
import re
import zlib
from typing import TextIO

MOST = 1000
"""Maximum number of characters in a message; a longer one loses its middle."""

PLAIN = {
    "▒": "#", "…": "...", "±": "+-", "µ": "u", "♣": "c", "♦": "d", "♥": "h", "♠": "s",
}  # fmt: skip
"""ASCII replacements of characters that this package prints."""

UNPAIRED = "backslashreplace"
"""Error handler that escapes unpaired surrogates, as in names of files in another encoding."""

FALLBACK = "closedhand.plain"
"""Error handler that replaces characters that an encoding lacks by `PLAIN`, else by an escape."""


def escaped(character: str) -> str:
    r"""Escape a character in ASCII as Python does: `\xe9`, `\n`."""
    return repr(character)[1:-1].encode("ascii", "backslashreplace").decode()


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(PLAIN.get(c) or escaped(c) for c in lost), error.end


codecs.register_error(FALLBACK, _plain)


def showable(text: str, stream: TextIO | None) -> str:
    """Replace characters that the encoding of a stream lacks by ASCII; None counts as UTF-8."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, FALLBACK).decode(encoding)


def reason_of(error: BaseException) -> str:
    """Return the reason of an error: the system's, the first line of the message, or the type."""
    said = getattr(error, "strerror", None) or str(error).partition("\n")[0]
    return said or type(error).__name__


def one_line(text: str) -> str:
    """Escape line ends and invisible characters of a text, and cut it to `MOST` characters."""
    return _cut("".join(c if c.isprintable() else escaped(c) for c in _cut(text)))


def _cut(text: str) -> str:
    half = MOST // 2 - 2
    return text if len(text) <= MOST else f"{text[:half]} … {text[-half:]}"


CLEAR = re.compile(r"\w+([ ,]\w+)*")
"""Texts that, if short, get no checksum from `slug`: words with single spaces or commas between."""


def slug(text: str) -> str:
    """Convert a text to a part of a file's name, with a checksum if it is long or not `CLEAR`.

    Without it `a=1` and `a=-1` would have one name: two matches would share a file of results.
    The part has at most 100 bytes, as file systems limit the length of a name.
    """
    name = re.sub(r"\W+", "-", text)
    if len(name.encode()) <= 100 and CLEAR.fullmatch(text):
        return name
    begin = name.encode()[:90].decode(errors="ignore")
    return f"{begin}-{zlib.crc32(text.encode(errors=UNPAIRED)):08x}"

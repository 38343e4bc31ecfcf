"""Text for terminals: messages of one line, and characters that a stream cannot show."""

import codecs
from typing import TextIO

MOST = 1000
"""Most characters in a message; of a longer one the middle is left out."""

PLAIN = {
    "▒": "#", "…": "...", "±": "+-", "µ": "u", "♣": "c", "♦": "d", "♥": "h", "♠": "s",
}  # fmt: skip
"""ASCII for characters that this package prints."""

UNPAIRED = "backslashreplace"
"""Error handler that encodes surrogates without a partner, as in names of files in another
encoding, the way JSON does."""

FALLBACK = "closedhand.plain"
"""Name of the error handler that encodes what an encoding lacks as ASCII: by `PLAIN`, or escaped.
It serves `str.encode` and the streams of the command line."""


def escaped(character: str) -> str:
    r"""A character in ASCII, as Python writes it in a string: `\xe9`, `\n`."""
    return repr(character)[1:-1].encode("ascii", "backslashreplace").decode()


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(PLAIN.get(c) or escaped(c) for c in lost), error.end


codecs.register_error(FALLBACK, _plain)


def showable(text: str, stream: TextIO | None) -> str:
    """A text as a stream can show it, with ASCII in place of what its encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, FALLBACK).decode(encoding)


def reason_of(error: BaseException) -> str:
    """Why something failed: what the system says, the first line of the message, or the type."""
    said = getattr(error, "strerror", None) or str(error).partition("\n")[0]
    return said or type(error).__name__


def one_line(text: str) -> str:
    """A text as one line that is safe to print.

    Line ends, control characters and others that are invisible are escaped, and a text longer than
    `MOST` loses its middle.
    """
    text = _cut(text)
    if text.isprintable():
        return text
    return _cut("".join(c if c.isprintable() else escaped(c) for c in text))


def _cut(text: str) -> str:
    half = MOST // 2 - 2
    return text if len(text) <= MOST else f"{text[:half]} … {text[-half:]}"

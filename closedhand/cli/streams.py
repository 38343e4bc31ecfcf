"""The standard streams of the command line: open, able to take any text, and closed in order.

Whoever pipes a command's output elsewhere chooses encoding, width and end of the stream. What an
encoding lacks is shown in ASCII (`closedhand.core.text`).
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TextIO, cast

import typer

from closedhand.core.game import InputError
from closedhand.core.reading import MOST_LINE, beyond, limit
from closedhand.core.text import FALLBACK, reason_of

OUTPUT, ERRORS = 1, 2
"""File descriptors of the standard streams that are written."""


def prepare() -> None:
    """Open streams that are closed, and let none of them fail because of a character."""
    _fill_gaps()
    for stream in (sys.stdout, sys.stderr):
        _reconfigure(stream, FALLBACK)
    _reconfigure(sys.stdin, "replace")


def _fill_gaps() -> None:
    """Open the null device in place of closed streams.

    A file that is opened later must not get the number of one: what is printed would end up in it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, so this one
    if cast(TextIO | None, sys.stdin) is None:
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)


def _reconfigure(stream: TextIO | None, errors: str) -> None:
    # In notebooks and tests a stream may be an object of another kind, or read from already.
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        with suppress(OSError):
            reconfigure(errors=errors)


_objects: list[str] | None = None
"""What `print_object` has got so far while only that may be printed; None otherwise."""


@contextmanager
def objects_only(wanted: bool) -> Generator[None]:
    """Let nothing but what `print_object` gets reach the standard output.

    Whatever else is printed, by other packages in this process or in workers, goes to the standard
    error. The objects are printed at the end of the block, also if an error ends it.

    Args:
        wanted: Whether to do so.
    """
    global _objects
    if not wanted:
        yield
        return
    before, _objects = _objects, []
    flush()
    kept = os.dup(OUTPUT)
    os.dup2(ERRORS, OUTPUT)  # worker processes inherit it
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        with suppress(OSError):
            sys.stderr.flush()
        os.dup2(kept, OUTPUT)
        os.close(kept)
        printed, _objects = _objects, before
        for text in printed:
            typer.echo(text)


def print_object(text: str) -> None:
    """Print a text that is the output of a command with `--json`."""
    if _objects is None:
        typer.echo(text)
    else:
        _objects.append(text)


def read_line(prompt: str) -> str:
    """Print a prompt and read a line from the standard input, as `input` does, within the limit.

    Raises:
        EOFError: The input has ended.
        InputError: The line is longer than a line of a file may be; the rest of it is not read.
    """
    sys.stdout.write(prompt)
    sys.stdout.flush()
    most = limit(MOST_LINE)
    line = sys.stdin.readline(most + 1)
    if not line:
        raise EOFError
    if len(line) > most:
        raise beyond("standard input", "the line has", MOST_LINE)
    return line.rstrip("\r\n")


def flush() -> None:
    """Write out what was printed.

    Raises:
        InputError: It cannot be written, because a disk is full, for example.
        BrokenPipeError: Nobody reads it any more.
    """
    try:
        for stream in (sys.stdout, sys.stderr):
            if cast(TextIO | None, stream) is not None:
                stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop()
        raise InputError(f"cannot write the output: {reason_of(error)}") from None


def drop(number: int = OUTPUT) -> None:
    """Discard what was printed and not written yet: writing it at exit would fail again.

    Args:
        number: File descriptor of the stream, `OUTPUT` or `ERRORS`; what follows is lost, too.
    """
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)

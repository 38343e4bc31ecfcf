"""The standard streams of the command line: open, able to take any text, and closed in order.

Characters that the encoding of a stream lacks are written in ASCII (`closedhand.core.text`).
"""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout, suppress

import typer

from closedhand.core.game import InputError
from closedhand.core.text import FALLBACK, reason_of

OUTPUT, ERRORS = 1, 2
"""File descriptors of the standard streams that are written."""


def prepare() -> None:
    """Open closed streams, and make all of them accept every character."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:  # closed: a file opened later would get this number
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            mode = "w" if number else "r"
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))
        # In notebooks and tests a stream may be an object of another type, or already read from.
        with suppress(AttributeError, OSError):
            getattr(sys, name).reconfigure(errors=FALLBACK if number else "replace")


_objects: list[str] | None = None
"""Texts passed to `print_object` so far inside `objects_only`; None outside."""


@contextmanager
def objects_only(wanted: bool) -> Generator[None]:
    """Print only texts passed to `print_object` on the standard output, if `wanted`.

    Other output, of other packages in this process or in workers, goes to the standard error. The
    objects are printed at the end of the block, also after an error.
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


def flush() -> None:
    """Flush the standard output and the standard error.

    Raises:
        InputError: One cannot be written, for example because a disk is full.
        BrokenPipeError: The reader has closed the pipe.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop()
        raise InputError(f"cannot write the output: {reason_of(error)}") from None


def drop(number: int = OUTPUT) -> None:
    """Discard buffered and later output of `OUTPUT` or `ERRORS`, which would fail again at exit."""
    with suppress(OSError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, number)
        os.close(null)

"""Ctrl-C at safe points only.

Python raises `KeyboardInterrupt` at any point. Inside a call of a kernel it can cause odd errors or
a crash; between two lines of a log it leaves the log incomplete.
"""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

WAIT = 0.25
"""Seconds between two checks for Ctrl-C while waiting."""


class Deferral:
    """The state of a deferred Ctrl-C; a loop calls it at its safe points."""

    def __init__(self) -> None:
        self.presses = 0  # number of times that Ctrl-C was pressed

    def __call__(self) -> None:
        """Raise `KeyboardInterrupt` if there was a Ctrl-C."""
        if self.presses:
            raise KeyboardInterrupt

    def press(self, number: int, frame: Any) -> None:
        """Handle the signal: the first one waits, a second one raises at once."""
        self.presses += 1
        if self.presses > 1:
            raise KeyboardInterrupt


_present: Deferral | None = None


@contextmanager
def deferred() -> Generator[Deferral]:
    """Defer Ctrl-C in a block; a second one acts at once.

    This has no effect outside the main thread, or where Ctrl-C is ignored, as after `nohup`.
    Nested blocks share one `Deferral`: one Ctrl-C ends all of them.
    """
    global _present
    # None: the handler was not installed from Python, as in a program that embeds Python. Python
    # could not restore it, so it stays.
    ignored = signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None)
    if ignored or threading.current_thread() is not threading.main_thread():
        yield Deferral()
        return
    if _present is not None:
        yield _present
        return
    before = signal.getsignal(signal.SIGINT)
    try:
        _present = Deferral()
        signal.signal(signal.SIGINT, _present.press)
        yield _present
    finally:
        _present = None
        try:
            signal.signal(signal.SIGINT, before)
        finally:
            # The call above first handles a pending Ctrl-C, and changes nothing if that raises.
            signal.signal(signal.SIGINT, before)


@contextmanager
def postponed() -> Generator[None]:
    """Delay a Ctrl-C in a block to the block's end; a second one acts at once.

    Each Ctrl-C is passed to the handler that was there before. This is for code that fails in odd
    ways if cut short. The block has no effect outside the main thread, or without a Python handler.
    """
    before: Any = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    presses = 0

    def press(number: int, frame: Any) -> None:
        nonlocal presses
        presses += 1
        if presses == 2:
            before(number, frame)  # pass on the first press, too: an outer block counts it
        if presses > 1:
            before(number, frame)

    try:
        signal.signal(signal.SIGINT, press)
        yield
    finally:
        try:
            signal.signal(signal.SIGINT, before)
        finally:
            signal.signal(signal.SIGINT, before)  # as in `deferred`
        # A second press has been passed on by the handler, whose count pyright does not see.
        if presses == 1:  # pyright: ignore[reportUnnecessaryComparison]
            signal.raise_signal(signal.SIGINT)


def check() -> None:
    """Raise `KeyboardInterrupt` if Ctrl-C was pressed and is deferred: a safe point."""
    if _present is not None:
        _present()

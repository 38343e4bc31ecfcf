"""Ctrl-C at safe points only.

Python raises `KeyboardInterrupt` wherever it is, also inside a call of a kernel, which then fails
in odd ways or crashes, and between the lines of a log.
"""

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

WAIT = 0.25
"""Seconds after which somebody who waits has to look whether there was a Ctrl-C."""


class Deferral:
    """A Ctrl-C that waits for a safe point; called there, it raises `KeyboardInterrupt`.

    Attributes:
        presses: How often Ctrl-C was pressed.
    """

    def __init__(self) -> None:
        """Nothing was pressed yet."""
        self.presses = 0

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
    """Put Ctrl-C off; a second one works at once. Without effect outside the main thread.

    Inside another one it is the same deferral: one Ctrl-C ends all that is nested.

    Yields:
        A function that raises `KeyboardInterrupt` if there was a Ctrl-C.
    """
    global _present
    if threading.current_thread() is not threading.main_thread():
        yield Deferral()
        return
    if _present is not None:
        yield _present
        return
    _present = Deferral()
    before = signal.signal(signal.SIGINT, _present.press)
    try:
        yield _present
    finally:
        signal.signal(signal.SIGINT, before)
        _present = None


def check() -> None:
    """Raise `KeyboardInterrupt` if Ctrl-C was pressed and is deferred: a safe point."""
    if _present is not None:
        _present()

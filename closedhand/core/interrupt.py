"""Ctrl-C at safe points only.

Python raises `KeyboardInterrupt` wherever it is, also inside a call of a kernel, which then fails
in odd ways or crashes, and between the lines of a log.
"""

import signal
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

WAIT = 0.25
"""Seconds after which somebody who waits has to look whether there was a Ctrl-C."""


@contextmanager
def deferred() -> Generator[Callable[[], None]]:
    """Put Ctrl-C off; a second one works at once. Without effect outside the main thread.

    Yields:
        A function that raises `KeyboardInterrupt` if there was a Ctrl-C.
    """
    asked = threading.Event()

    def handle(number: int, frame: Any) -> None:
        if asked.is_set():
            raise KeyboardInterrupt
        asked.set()

    def check() -> None:
        if asked.is_set():
            raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():
        yield check
        return
    before = signal.signal(signal.SIGINT, handle)
    try:
        yield check
    finally:
        signal.signal(signal.SIGINT, before)

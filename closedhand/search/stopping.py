"""Stop long work that nobody waits for any more.

A thread cannot be stopped from outside: searches call `check` between short pieces of their work.
"""

from collections.abc import Callable
from contextvars import ContextVar
from threading import Event
from typing import Any, TypeVar

T = TypeVar("T")

_stop: ContextVar[Event | None] = ContextVar("stop", default=None)


class Stopped(Exception):
    """The work has been stopped."""


def run(stop: Event, work: Callable[..., T], *arguments: Any) -> T:
    """Call a function, whose searches end by `Stopped` soon after an event is set."""
    token = _stop.set(stop)
    try:
        return work(*arguments)
    finally:
        _stop.reset(token)


def check() -> None:
    """Raise `Stopped` if the event of `run` is set; without effect outside of `run`."""
    stop = _stop.get()
    if stop is not None and stop.is_set():
        raise Stopped

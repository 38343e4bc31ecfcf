"""Stop long work that nobody waits for any more.

A thread cannot be stopped from outside: searches call `check` between short pieces of their work.
"""

from collections.abc import Callable, Generator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event
from typing import Any, TypeVar

T = TypeVar("T")

_stops: ContextVar[tuple[Event, ...]] = ContextVar("stops", default=())


class Stopped(Exception):
    """The work has been stopped."""


def run(stop: Event, work: Callable[..., T], *arguments: Any) -> T:
    """Call a function in which `check` raises `Stopped` once the event `stop` is set."""
    with _until(stop):
        return work(*arguments)


@contextmanager
def threads(number: int) -> Generator[Executor]:
    """Make a thread pool in whose work `check` raises `Stopped` once this block is left.

    So Ctrl-C ends the threads. The work has to run in a copy of the block's context.
    """
    left = Event()
    with _until(left), ThreadPoolExecutor(number) as executor:
        try:
            yield executor
        finally:
            left.set()


def check() -> None:
    """Raise `Stopped` if a `run` or `threads` around this call is to stop."""
    if any(stop.is_set() for stop in _stops.get()):
        raise Stopped


@contextmanager
def _until(stop: Event) -> Generator[None]:
    """Let `check` in this block also raise `Stopped` once the event `stop` is set."""
    token = _stops.set((*_stops.get(), stop))
    try:
        yield
    finally:
        _stops.reset(token)

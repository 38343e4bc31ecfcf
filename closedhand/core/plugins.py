"""Entry points, by which packages offer games and agents: whose they are, and loading them."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from typing import Any

from closedhand.core.checks import InputError

OWN = "closedhand"
"""The name of this distribution."""


def owner_of(point: EntryPoint) -> str:
    """The name of the distribution that offers an entry point; empty if it is not known."""
    return "" if point.dist is None else point.dist.name


def is_own(point: EntryPoint) -> bool:
    """Whether an entry point is one of this package."""
    return owner_of(point) == OWN


def order(point: EntryPoint) -> tuple[bool, str, str]:
    """The key by which entry points are sorted: ours first, then by name and distribution.

    So it does not depend on the order in which packages were installed who has a name.
    """
    return not is_own(point), point.name, owner_of(point)


def described(point: EntryPoint) -> str:
    """An entry point for messages: its name, the distribution and what it refers to."""
    return f"{point.name} of the package {owner_of(point) or '?'} ({point.value})"


@contextmanager
def kept_running(whose: str = "") -> Generator[None]:
    """Let code of other packages not end the program: a `sys.exit` in it becomes an `InputError`.

    No code of this package calls it while a command runs.

    Args:
        whose: Whose code it is, for the message; by default the module that called.

    Raises:
        InputError: The code has called `sys.exit`.
    """
    try:
        yield
    except SystemExit as error:
        whose = whose or _caller(error)
        raise InputError(f"{whose} called sys.exit({error.code!r})") from None


def _caller(error: BaseException) -> str:
    """Who raised an error: the module, or a worker process, of which nothing more is known."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if error.__cause__ is not None or trace is None:
        return "code in a worker process"
    return f"the module {trace.tb_frame.f_globals.get('__name__')}"


def load_point(point: EntryPoint) -> Any:
    """What an entry point refers to.

    Raises:
        InputError: Its module has called `sys.exit`.
    """
    with kept_running(described(point)):
        return point.load()

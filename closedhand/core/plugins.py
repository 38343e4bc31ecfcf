"""Entry points, by which packages offer games and agents: their owners, and loading them."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import EntryPoint
from traceback import walk_tb
from typing import Any

from closedhand.core.checks import InputError

OWN = "closedhand"


def owner_of(point: EntryPoint) -> str:
    """Return the name of the distribution of an entry point; empty if it is not known."""
    return "" if point.dist is None else point.dist.name


def is_own(point: EntryPoint) -> bool:
    """Return whether an entry point belongs to this package."""
    return owner_of(point) == OWN


def order(point: EntryPoint) -> tuple[bool, str, str]:
    """Return the sort key of an entry point: ours first, then by name and distribution."""
    return not is_own(point), point.name, owner_of(point)


def description_of(point: EntryPoint) -> str:
    """Describe an entry point for messages: its name, distribution and reference."""
    return f"{point.name} of the package {owner_of(point) or '?'} ({point.value})"


@contextmanager
def kept_running(whose: str = "") -> Generator[None]:
    """Turn a `sys.exit` in the block into an `InputError`.

    Code of other packages must not end the program. The message names `whose` code it is, by
    default the calling module. A `sys.exit` because of a closed output pipe is raised unchanged.
    """
    try:
        yield
    except SystemExit as error:
        if isinstance(error.__context__, BrokenPipeError):
            raise  # Rich, which writes tables and help, exits so when nobody reads the output
        whose = whose or _caller(error)
        raise InputError(f"{whose} called sys.exit({error.code!r})") from None


def _caller(error: BaseException) -> str:
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    if error.__cause__ is not None or not frames:
        return "code in a worker process"
    return f"the module {frames[-1].f_globals.get('__name__')}"


def load_point(point: EntryPoint) -> Any:
    """Load the object of an entry point; a `sys.exit` of its module raises an `InputError`."""
    with kept_running(description_of(point)):
        return point.load()

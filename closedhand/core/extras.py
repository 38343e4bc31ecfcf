"""Libraries that come with an extra of the package, and may not be installed."""

from collections.abc import Iterator
from contextlib import contextmanager

from closedhand.core.game import InputError


@contextmanager
def needing(extra: str) -> Iterator[None]:
    """Name the extra to install if an import in the block fails.

    Args:
        extra: Name of the extra that brings the imported library.

    Raises:
        InputError: The library is missing or too old.
    """
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "closedhand":
            raise  # our own mistake: no extra mends it
        raise InputError(
            f"the module {error.name} is missing or too old: pip install 'closedhand[{extra}]'"
        ) from None

"""Checks of arguments: numbers, seats, generators, arrays.

Kernels do not check their arguments: a wrong seat causes an access out of bounds, and another type
one more compilation or an error of the compiler. So every public function that calls a kernel
checks its arguments here first. Whether the rules allow a state takes longer to check: only
functions that take states from outside do so, by `Game.valid`.

A check returns the value, converted to its type, or raises an `InputError` that shows the value.
"""

from collections.abc import Generator
from contextlib import contextmanager
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedhand.core.text import one_line

INTEGERS: Any = (int, np.integer)
"""Types of a seat or an id."""

WIDTH = 60
"""Maximum length of a value in a message, in characters."""


class InputError(ValueError):
    """Input of the user that cannot be used; the message says why, on one line (`one_line`)."""

    def __init__(self, message: object = "") -> None:
        super().__init__(one_line(str(message)))


class UnknownOption(InputError, TypeError):
    """An option that a game, agent or trainer does not have.

    It is a `TypeError`, too, which libraries catch when they try keyword arguments.
    """

    # Gymnasium re-raises a maker's error by calling its class with one text: `name` has a default.
    def __init__(self, message: object, name: str = "") -> None:
        super().__init__(message)
        self.name = name


@contextmanager
def prefixed(place: str) -> Generator[None]:
    """Put a place, such as `games.jsonl, line 3`, before the message of an `InputError`."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{place}: {error}") from None


def shown(value: Any) -> str:
    """Write a value of the user for a message: at most 60 characters on one line."""
    try:
        text = repr(value)
    except Exception:  # such as the repr of an integer of thousands of digits
        text = f"a value of type {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def whole_number(
    value: Any, name: str = "an action", least: int | None = None, most: int | None = None
) -> int:
    """Check a whole number, no bool, between limits; None: no limit. `name` is for messages."""
    try:
        if not isinstance(value, bool):
            number = index(value)
            if most is not None and number > most:
                raise InputError(f"{name} is at most {most:,}, not {shown(value)}")
            if least is None or number >= least:
                return number
    except TypeError:
        pass
    above = "" if least is None else f" of {least} or more"
    raise InputError(f"{name} is a whole number{above}, not {shown(value)}")


def check_seed(seed: Any) -> int:
    """Check a seed, a whole number of 0 or more."""
    return whole_number(seed, "a seed", 0)


def check_learner_seed(seed: Any) -> int:
    """Check a seed of a learner, at most 2^64 - 1: PyTorch's generators take none above."""
    return whole_number(check_seed(seed), "a seed of a learner", most=2**64 - 1)


MOST_DEALS = 10**8
"""Most deals of a match: all results are in memory."""


def check_deals(deals: Any, what: str) -> int:
    """Check a number of deals, 1 to `MOST_DEALS`."""
    return whole_number(deals, f"the number of deals of {what}", 1, MOST_DEALS)


def id_or_illegal(number: int, num_actions: int) -> int:
    """Return `number`, of any size, if it is an action id, else -1, illegal in every game."""
    return number if 0 <= number < num_actions else -1


def integers(what: str, values: Any, number: int, each: str = "game") -> NDArray[np.int64]:
    """Check integers, one for each thing called `each`, and convert them to int64 [number].

    `what` is their name in the plural, for the message.
    """
    array = as_array(values)
    if array.shape != (number,) or (number and array.dtype.kind not in "iu"):
        wanted = f"{number} whole numbers, one for each {each}"
        raise InputError(f"{what} are {wanted}, not {shown(values)}")
    # Unsigned numbers beyond int64 become negative, which every later check of a range refuses.
    return array.astype(np.int64)


def as_array(values: Any) -> NDArray[Any]:
    """Convert values to an array; to an empty one, [0, 0], if NumPy refuses them (ragged lists)."""
    try:
        return np.asarray(values)
    except (ValueError, OverflowError):
        return np.empty((0, 0))


def check_text(text: Any, name: str) -> str:
    """Check a text; `name` is for the message."""
    if not isinstance(text, str):
        raise InputError(f"{name} is a text, not {shown(text)}")
    return text


def generator(rng: Any) -> np.random.Generator:
    """Check a NumPy generator."""
    if not isinstance(rng, np.random.Generator):
        raise InputError(f"rng is a numpy.random.Generator, not {shown(rng)}")
    return rng

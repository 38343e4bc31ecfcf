"""Checks of what callers hand in: numbers, seats, generators, arrays.

Kernels trust their arguments: a wrong seat is an index out of bounds, and an argument of another
type is one more compilation or an error of the compiler. So every public function that leads to a
kernel checks its arguments here first, without going through states. The states themselves are
checked by `Game.valid` where they come from outside: `load`, `reset(options={"state": …})` and the
vector env's `states`.
"""

from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from closedhand.core.text import one_line

INTEGERS: Any = (int, np.integer)
"""Types of a seat or an id."""

WIDTH = 60
"""Longest text of a value in a message, in characters."""


class InputError(ValueError):
    """Input of the user that cannot be used; the message says why.

    The message stays one line that a terminal can show, whatever it quotes: see `text.one_line`.
    """

    def __init__(self, message: object = "") -> None:
        super().__init__(one_line(str(message)))


class UnknownOption(InputError, TypeError):
    """An option that a game, agent or trainer does not have.

    It is a `TypeError` too, since libraries try keyword arguments on constructors and catch that.

    Attributes:
        name: Name of the option.
    """

    # Gymnasium raises an error of an env's maker again, as its class called with a text alone.
    def __init__(self, message: object, name: str = "") -> None:
        super().__init__(message)
        self.name = name


def shown(value: Any) -> str:
    """A value that a user gives, for a message: at most 60 characters on one line."""
    try:
        text = repr(value)
    except Exception:  # such as that of a whole number of thousands of digits
        text = f"a value of type {type(value).__name__}"
    text = " ".join(text.split())
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 3]}..."


def whole_number(value: Any, name: str = "an action", least: int | None = None) -> int:
    """The value as an `int`.

    Args:
        value: Any object; a bool is no number.
        name: What the value should be, for the message.
        least: Least value allowed; None: any.

    Raises:
        InputError: It is no such number.
    """
    try:
        if not isinstance(value, bool):
            number = index(value)
            if least is None or number >= least:
                return number
    except TypeError:
        pass
    above = "" if least is None else f" of {least} or more"
    raise InputError(f"{name} is a whole number{above}, not {shown(value)}")


def check_seed(seed: Any) -> int:
    """Check a seed, and return it.

    Raises:
        InputError: It is not a whole number of 0 or more.
    """
    return whole_number(seed, "a seed", 0)


MOST_DEALS = 10**8
"""Most deals of a match: all results are in memory."""


def check_deals(deals: Any, what: str) -> int:
    """Check a number of deals, and return it.

    Raises:
        InputError: It is not a whole number from 1 to `MOST_DEALS`.
    """
    number = whole_number(deals, f"the number of deals of {what}", 1)
    if number > MOST_DEALS:
        raise InputError(f"{what} has at most {MOST_DEALS:,} deals")
    return number


def id_or_illegal(number: int, num_actions: int) -> int:
    """The number if it is the id of an action, else -1, which no game admits.

    Kernels take integers of 64 bits, and a number may have more.
    """
    return number if 0 <= number < num_actions else -1


def integers(what: str, values: Any, number: int, each: str = "game") -> NDArray[np.int64]:
    """One integer for each game, or for each of something else, as int64 [number].

    Args:
        what: What the values are, in the plural, for the message.
        values: Any object.
        number: Number of values that are needed.
        each: What there is one value for.

    Raises:
        InputError: The values are not so many integers.
    """
    array = as_array(values)
    if array.shape != (number,) or (number and array.dtype.kind not in "iu"):
        raise InputError(f"{what} are {number} whole numbers, one for each {each}")
    # Unsigned numbers beyond int64 become negative ones, which no check of a range lets pass.
    return array.astype(np.int64)


def as_array(values: Any) -> NDArray[Any]:
    """The values as an array, which is empty if they have none, as lists of several lengths."""
    try:
        return np.asarray(values)
    except (ValueError, OverflowError):
        return np.empty((0, 0))


def generator(rng: Any) -> np.random.Generator:
    """Check a generator, and return it.

    Raises:
        InputError: It is not one.
    """
    if not isinstance(rng, np.random.Generator):
        raise InputError(f"rng is a numpy.random.Generator, not {shown(rng)}")
    return rng

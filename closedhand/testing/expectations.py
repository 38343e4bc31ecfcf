"""Expectations of the checks; a failing one becomes a `ContractError` of one line."""

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from closedhand.core.game import Game, InputError, State


class ContractError(AssertionError):
    """A game breaks the contract. The message names the fault and the place in one line."""


class Broken(Exception):
    """An expectation that does not hold; `reporting` adds the game, the part and the place."""


def expect(holds: Any, text: str, *values: Any) -> None:
    """Raise `Broken` with `text`, formatted with `values`, if something does not hold."""
    if not holds:
        raise Broken(text.format(*values))


@contextmanager
def reporting(game: Game, part: str, where: object = "") -> Iterator[None]:
    """Turn an error inside into a `ContractError`; `part` is what is checked, `where` the place."""
    try:
        yield
    except Exception as error:
        text = str(error)
        if not isinstance(error, Broken):
            *_, last = traceback.extract_tb(error.__traceback__)
            text = f"{type(error).__name__}: {error}, at {Path(last.filename).name}:{last.lineno}"
        place = f" ({where})" if str(where) else ""
        message = f"{game.name}: {part}: {' '.join(text.split())[:500]}{place}"
        raise ContractError(message) from (None if isinstance(error, Broken) else error)


def refuses(call: Callable[[], object], what: str) -> None:
    """Check that a call, `what` in messages, raises an `InputError` of one line."""
    try:
        call()
    except InputError as error:
        expect("\n" not in str(error), "the message about {} has several lines", what)
    except Exception as error:
        raise Broken(f"{what} raises {type(error).__name__}, no InputError: {error}") from error
    else:
        raise Broken(f"{what} raises no InputError")


def same(game: Game, one: State, other: State, rule: str) -> None:
    """Check that two states are equal, as `rule` says; otherwise name the fields that differ."""
    if one.tobytes() != other.tobytes():
        fields = [name for name in game.dtype.names or () if (one[name] != other[name]).any()]
        raise Broken(f"{rule}, but {', '.join(map(repr, fields)) or 'padding'} differ")

"""Parse text from outside: whole numbers and JSON; check the fields of JSON data."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

import numpy as np

from closedhand.core.game import InputError

LARGEST = 2**63 - 1
"""Largest int64, and so the largest whole number that kernels can hold."""
MOST_DIGITS = 300
"""Maximum number of digits of a whole number in JSON, about that of the largest float."""
MOST_DEPTH = 50
"""Maximum number of levels to which JSON may be nested."""

WHOLE = re.compile(r"-?[0-9]{1,19}", re.ASCII)
STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"')
"""A string in valid JSON."""


def parse_whole(text: str, name: str, least: int = 0, most: int = LARGEST) -> int:
    """Parse a whole number from `least` to `most` in ASCII digits, possibly between spaces.

    Raises:
        InputError: The text is not such a number; `name` is for the message.
    """
    digits = text.strip()
    if WHOLE.fullmatch(digits) and least <= int(digits) <= most:
        return int(digits)
    above = f" of {least} or more" if most == LARGEST else f" from {least} to {most}"
    raise InputError(f"{name} is a whole number{above}, not {text!r}")


def parse_json(text: str) -> Any:
    """Parse a JSON text, strictly by the standard (RFC 8259) and within limits.

    Raises:
        InputError: The text is not JSON, holds NaN or a number that is too large, names a key twice
            in one object, or is nested too deeply.
    """
    try:
        data = _DECODER.decode(text)
        # Counting all brackets is fast and gives an upper bound, enough for most texts.
        if text.count("[") + text.count("{") > MOST_DEPTH and _depth(text) > MOST_DEPTH:
            raise RecursionError
    except RecursionError:
        raise InputError(f"JSON is nested to more than {MOST_DEPTH} levels") from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error}") from None
    return data


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise InputError(f"a number of {len(digits)} digits, more than {MOST_DIGITS}")
    return int(digits)


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise InputError(f"the number {text} is too large")
    return value


def _constant(text: str) -> float:
    raise InputError(f"not JSON: {text}")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise InputError(f"the key {key!r} appears twice")
    return found


_DECODER = json.JSONDecoder(
    parse_int=_whole, parse_float=_float, parse_constant=_constant, object_pairs_hook=_object
)


def _depth(text: str) -> int:
    marks = np.frombuffer(STRING.sub("", text).encode("ascii", "replace"), np.uint8)
    opened = (marks == ord("[")) | (marks == ord("{"))
    closed = (marks == ord("]")) | (marks == ord("}"))
    return int(np.cumsum(opened.astype(np.int32) - closed).max(initial=0))


class Kind(NamedTuple):
    """A kind of JSON value."""

    name: str  # name of a value in messages, such as `a text`
    plural: str  # name of several values, such as `texts`
    holds: Callable[[Any], bool]  # whether a value is of this kind


def is_number(value: Any) -> bool:
    """Return whether a value is a number; True and False are not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _of(*types: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, types)


TEXT = Kind("a text", "texts", _of(str))
TRUTH = Kind("true or false", "truth values", _of(bool))
NUMBER = Kind("a number", "numbers", is_number)
OPTIONS = Kind("an object", "objects", _of(dict))


def whole(least: int, most: float = math.inf) -> Kind:
    """Make the kind of whole numbers from `least` to `most`."""

    def holds(value: Any) -> bool:
        return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most

    limits = f"of {least} or more" if most == math.inf else f"from {least} to {most}"
    return Kind(f"a whole number {limits}", f"whole numbers {limits}", holds)


NATURAL = whole(0)


def list_of(kind: Kind) -> Kind:
    """Make the kind of lists whose items are of one kind."""

    def holds(value: Any) -> bool:
        return isinstance(value, list) and all(map(kind.holds, cast(list[Any], value)))

    return Kind(f"a list of {kind.plural}", f"lists of {kind.plural}", holds)


def check_fields(
    data: Any, name: str, needed: Mapping[str, Kind], others: Mapping[str, Kind] | None = None
) -> dict[str, Any]:
    """Return JSON data, called `name` in messages, if it is an object with certain fields.

    Fields `needed` must be there, `others` may be absent or null; further fields are not checked.

    Raises:
        InputError: The data is not an object, lacks a field, or has a value of another kind.
    """
    if not isinstance(data, dict):
        raise InputError(f"{name} is a JSON object, not {data!r}")
    found = cast(dict[str, Any], data)
    for key, kind in needed.items():
        if key not in found:
            raise InputError(f"{name} lacks {key!r}")
        if not kind.holds(found[key]):
            raise InputError(f"{key!r} is {kind.name}, not {found[key]!r}")
    for key, kind in (others or {}).items():
        if found.get(key) is not None and not kind.holds(found[key]):
            raise InputError(f"{key!r} is {kind.name}, not {found[key]!r}")
    return found

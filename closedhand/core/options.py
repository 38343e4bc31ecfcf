"""Options of games and agents: one typed table for each, and one parser.

A table, `Options`, states the name, type, default, range and meaning of every option. Options from
a command line are texts, and options from Python are values; both are parsed and checked here.

A function that takes options has its table in one of two places. `takes` attaches a table to it::

    OPTIONS = Options("poker", Option("ante", 1, "chips paid before the deal", least=1))

    @takes(OPTIONS)
    def make(**given: Any) -> Game:
        options = OPTIONS.complete(given)

Otherwise the table is the function's signature, with a text and a `Range` in the annotations::

    def make(ante: Annotated[int, Range(1), "chips paid before the deal"] = 1) -> Game: ...
"""

import inspect
import json
import math
import re
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import NoneType, SimpleNamespace, UnionType
from typing import Any, NamedTuple, TypeVar

import numpy as np

from closedhand.core.checks import INTEGERS, InputError, UnknownOption, shown

LARGEST = 10**9 - 1
"""Largest absolute value of a whole number without a stated limit; it fits in an int32."""
DIGITS = "of at most 9 digits"

WORDS = {
    "true": True, "yes": True, "on": True, "1": True,
    "false": False, "no": False, "off": False, "0": False,
}  # fmt: skip

NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|NaN|-?Infinity|true|false")
WHOLE = re.compile(r"[+-]?[0-9]{1,20}")

Function = TypeVar("Function", bound=Callable[..., Any])


class Range(NamedTuple):
    """Least and greatest value of an annotated number; None: no limit, but for int ±`LARGEST`."""

    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class Option:
    """One option.

    Attributes:
        default: Value if the option is left out; an option with the default None also takes None.
        text: Its meaning: Markdown on one line, without a full stop.
        kind: Type of its values: `bool`, `int`, `float`, `str`, or `object` for any. By default
            `str` with `choices`, else the type of `default`, or `object` if that is None.
        choices: All texts allowed; empty: any.
        only_form: Whether the option, such as `actions` of Daihinmin, changes only which actions
            stand for plays. Records consist of plays and leave the option out.
    """

    name: str
    default: Any
    text: str = ""
    kind: type | None = None
    choices: tuple[str, ...] = ()
    least: float | None = None
    most: float | None = None
    only_form: bool = False

    @property
    def _kind(self) -> type:
        kind: Any = self.kind or (str if self.choices else type(self.default))
        return kind if kind in READERS else object

    @property
    def values(self) -> str:
        """Noun phrase for the allowed values, such as `a number from 0 to 1`."""
        if self.choices:
            *others, last = self.choices
            phrase = f"{', '.join(others)} or {last}" if others else last
        elif self._kind in (int, float) and (self.least, self.most) != (None, None):
            phrase = f"{NOUNS[self._kind]} {self._range()}"
            if self._kind is int and None in (self.least, self.most):
                phrase += f", {DIGITS}"
        else:
            phrase = f"{NOUNS[int]} {DIGITS}" if self._kind is int else NOUNS[self._kind]
        return f"{phrase}, or none" if self.default is None and self._kind is not object else phrase

    def _range(self) -> str:
        if self.least is None:
            return f"of at most {self.most}"
        if self.most is None:
            return f"of {self.least} or more"
        return f"from {self.least} to {self.most}"

    def read(self, value: Any) -> Any:
        """Parse a value of the user, a text or a Python value.

        Raises:
            ValueError: The option does not take the value.
        """
        if self.default is None and (
            value is None or (isinstance(value, str) and value.lower() in ("none", "null"))
        ):
            return None
        found = READERS[self._kind](value)
        if self.choices and found not in self.choices:
            raise ValueError
        if self._kind in (int, float):
            bound = LARGEST if self._kind is int else math.inf
            least = -bound if self.least is None else self.least
            most = bound if self.most is None else self.most
            if not least <= found <= most:
                raise ValueError
        return found


def _read_bool(value: Any) -> bool:
    if isinstance(value, str) and value.strip().lower() in WORDS:
        return WORDS[value.strip().lower()]
    truth_values: Any = (bool, np.bool_)
    if not isinstance(value, truth_values):
        raise ValueError
    return bool(value)


def _read_int(value: Any) -> int:
    if isinstance(value, str) and WHOLE.fullmatch(value.strip()):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, INTEGERS):
        raise ValueError
    return int(value)


def _read_float(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, str | int | float | np.number):
        raise ValueError
    try:
        found = float(value)  # type: ignore[arg-type]
    except (OverflowError, TypeError):
        raise ValueError from None
    if not math.isfinite(found):
        raise ValueError
    return found


def _read_str(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _read_any(value: Any) -> Any:
    """Parse the text of a JSON number, NaN, Infinity or truth value; return others unchanged."""
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        return value
    try:
        return json.loads(value)
    except ValueError:  # an integer of thousands of digits
        return value


READERS: Mapping[type, Callable[[Any], Any]] = {
    bool: _read_bool, int: _read_int, float: _read_float, str: _read_str, object: _read_any,
}  # fmt: skip
NOUNS: Mapping[type, str] = {
    bool: "true or false", int: "a whole number", float: "a number", str: "a text",
    object: "any value",
}  # fmt: skip


class Options:
    """Options of a game, an agent or a learner.

    Attributes:
        defaults: Default of every option by name.
    """

    def __init__(
        self,
        owner: str,
        *options: Option,
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        is_open: bool = False,
    ) -> None:
        """Create a table.

        Args:
            owner: Name of the game or agent, for messages.
            *options: The options, in the order in which they are shown.
            presets: Values of options by name, for each preset; the option `rules` chooses one.
            is_open: Whether options outside the table are accepted, unchecked.
        """
        self.owner = owner
        self.presets: Mapping[str, Mapping[str, Any]] = presets or {}
        self._options = {option.name: option for option in options}
        self._is_open = is_open
        self.defaults = {option.name: option.default for option in options}

    def __iter__(self) -> Iterator[Option]:
        return iter(self._options.values())

    def __contains__(self, name: str) -> bool:
        return name in self._options

    def __getitem__(self, name: str) -> Option:
        return self._options[name]

    def read(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Parse and check the options that a user gives, texts or Python values; add no defaults.

        Raises:
            InputError: An unknown option, a value that an option does not take, or no mapping.
        """
        if not isinstance(given, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(f"{self.owner}: options are values by name, not {shown(given)}")
        return {name: self._read(name, value) for name, value in given.items()}

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options: the defaults, overridden by the preset, then by those given."""
        read = self.read(given)
        preset = self.presets.get(str(read.get("rules", self.defaults.get("rules"))), {})
        return {**self.defaults, **preset, **read}

    def _read(self, name: str, value: Any) -> Any:
        option = self._options.get(name)
        if option is None and not self._is_open:
            text = f"{self.owner} has no option {name!r}; it has {self._names()}"
            raise UnknownOption(text, name)
        option = option or Option(name, None)
        try:
            return option.read(value)
        except ValueError:
            raise InputError(
                f"{self.owner}: {name} is {option.values}, not {shown(value)}; "
                f"the options are {self._names()}"
            ) from None

    def _names(self) -> str:
        return ", ".join(self._options) or "none"


def takes(options: Options) -> Callable[[Function], Function]:
    """Decorate a function with the table of its options."""

    def decorate(function: Function) -> Function:
        function.options = options  # type: ignore[attr-defined]
        return function

    return decorate


def options_of(function: Callable[..., Any], owner: str, skip: int = 0) -> Options:
    """Return the table that is attached to a function, or else the table of its signature.

    `owner` is for messages; the first `skip` parameters are no options.
    """
    attached = getattr(function, "options", None)
    if isinstance(attached, Options):
        return attached
    found: list[Option] = []
    is_open = False
    for each in list(inspect.signature(function).parameters.values())[skip:]:
        if each.kind is each.VAR_KEYWORD:
            is_open = True
        elif each.kind is not each.VAR_POSITIONAL:
            default = None if each.default is each.empty else each.default
            found.append(Option(each.name, default, **_facts_in(_hint_of(function, each))))
    return Options(owner, *found, is_open=is_open)


def _hint_of(function: Callable[..., Any], parameter: inspect.Parameter) -> Any:
    """Return the type hint of a parameter; None if a name in it is unknown."""
    maker = function
    while isinstance(maker, partial):
        maker = maker.func
    maker = inspect.unwrap(maker.__init__ if isinstance(maker, type) else maker)
    if not hasattr(maker, "__globals__"):
        maker = type(maker).__call__  # an instance of a class with `__call__`
    space = getattr(maker, "__globals__", {})
    alone = SimpleNamespace(__annotations__={"": parameter.annotation}, __globals__=space)
    try:
        return typing.get_type_hints(alone, include_extras=True)[""]
    except (NameError, TypeError):
        return None


def _facts_in(hint: Any) -> dict[str, Any]:
    """Return the attributes of an option that its type hint states."""
    members = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Annotated:
        facts = _facts_in(members[0])
        for note in members[1:]:
            if isinstance(note, str):
                facts["text"] = note
            elif isinstance(note, Range):
                facts |= note._asdict()
        return facts
    if typing.get_origin(hint) in (typing.Union, UnionType):
        others = [each for each in members if each is not NoneType]
        return _facts_in(others[0] if len(others) == 1 else object)
    if typing.get_origin(hint) is typing.Literal and all(isinstance(each, str) for each in members):
        return {"choices": members}
    return {"kind": hint} if hint in READERS else {}

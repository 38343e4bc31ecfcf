"""The grammar of agents' texts: `name[key=value,...]:argument`.

Options and argument may be absent. A value or argument with commas, colons or brackets is put in
single or double quotes; there is no escape character.
Functions raise an `InputError` for a text that does not follow the grammar or is too long.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self

from closedhand.core.game import InputError, shown

QUOTES = "\"'"
LONGEST = 10_000
"""Maximum number of characters in the text of agents: finding brackets takes quadratic time."""

BRACKET = re.compile(r"[\w.-]*\[")
"""Matches a name and an opening bracket, at the beginning of an agent's text or in a value."""
INNER_BRACKET = re.compile(r"[\w.-]+\[(?=\s*(\w+\s*=|\]))")
"""Matches a name and `[` before `key=` or `]`, in an argument: other brackets belong to paths."""


@dataclass(frozen=True)
class AgentSpec:
    """The parsed text of an agent.

    Attributes:
        options: Values by key. Parsed values are texts without their enclosing quotes: the agent's
            table of options decides whether `2024` is a number or a text.
        argument: Text after the colon behind name and options, without enclosing quotes, or None.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict[str, Any], hash=False)
    argument: str | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse `name[key=value,...]:argument`.

        Examples:
            >>> AgentSpec.parse("search[threads=1]:100ms")
            AgentSpec(name='search', options={'threads': '1'}, argument='100ms')
        """
        _check_length(text)
        name = re.split(r"[\[:]", text, maxsplit=1)[0]
        options: dict[str, str] = {}
        rest = text[len(name) :]
        if rest.startswith("["):
            end = _behind_bracket(rest, 0)
            if end < 0:
                raise InputError(f"the bracket in {shown(text)} is not closed")
            options, rest = _read_options(rest[1 : end - 1]), rest[end:]
            if rest and not rest.startswith(":"):
                raise InputError(f"a colon is missing after the bracket in {shown(text)}")
        return cls(name, options, unquoted(rest[1:]) or None)

    def __str__(self) -> str:
        """Write the text that parses to this agent; options that are None are left out.

        Raises:
            InputError: A value or the argument needs quotes, and holds both kinds of them.
        """
        given = {key: value for key, value in self.options.items() if value is not None}
        options = ",".join(f"{key}={_write(value)}" for key, value in given.items())
        text = f"{self.name}[{options}]" if options else self.name
        return text if self.argument is None else f"{text}:{quoted(self.argument)}"


def split_agents(text: str) -> list[str]:
    """Split a comma-separated list of agents; commas in brackets and quotes do not count.

    Examples:
        >>> split_agents("search[threads=1,worlds=20]:100ms,strategy:'a,b.npz', random")
        ['search[threads=1,worlds=20]:100ms', "strategy:'a,b.npz'", 'random']
    """
    return [piece.lstrip() for piece in split_outside(text, ",")]


def split_outside(text: str, separator: str, parts: int = -1) -> list[str]:
    """Split a text at each `separator`, a comma or a colon, outside brackets and quotes.

    The list has at most `parts` texts, the last of which holds the rest; -1: any number.
    """
    _check_length(text)
    pieces: list[str] = []
    begin = i = 0
    before = separator  # `:`, `=` or `,` if a quote or an agent's name may begin here, else ""
    while i < len(text) and len(pieces) != parts - 1:
        if before and text[i] in QUOTES:
            i, before = _behind_quote(text, i), ""
            continue
        pattern = INNER_BRACKET if before == ":" else BRACKET
        opening = pattern.match(text, i) if before else None
        end = _behind_bracket(text, opening.end() - 1) if opening else -1
        if end > 0:
            i, before = end, ""
            continue
        if text[i] == separator:
            pieces.append(text[begin:i])
            begin = i + 1
        if not (before and text[i].isspace()):
            before = text[i] if text[i] in ":=," else ""
        i += 1
    return [*pieces, text[begin:]]


def _check_length(text: str) -> None:
    if len(text) > LONGEST:
        raise InputError(f"agents have at most {LONGEST:,} characters, not {len(text):,}")


def _behind_quote(text: str, i: int) -> int:
    end = text.find(text[i], i + 1)
    if end < 0:
        raise InputError(f"the quote in {shown(text)} is not closed")
    return end + 1


def _behind_bracket(text: str, i: int) -> int:
    """Return the index after the bracket that closes the one at `i`; -1 if there is none."""
    depth, starts = 0, False  # number of open brackets, and whether a quote may begin at `i`
    while i < len(text):
        char = text[i]
        if starts and char in QUOTES:
            i, starts = _behind_quote(text, i), False
            continue
        depth += (char == "[") - (char == "]")
        i += 1
        if depth == 0:
            return i
        starts = char in "[,=" or (starts and char.isspace())
    return -1


def unquoted(text: str) -> str:
    """Strip quotes that enclose a whole text; return another text unchanged."""
    split_outside(text, ":")  # raises if a quote is not closed
    if len(text) > 1 and text[0] in QUOTES and text.find(text[0], 1) == len(text) - 1:
        return text[1:-1]
    return text


def quoted(text: str, separators: str = ",") -> str:
    """Write an agent's argument, or a section of it, in quotes if it needs them.

    Without quotes, a character of `separators` would end the text.

    Raises:
        InputError: The text needs quotes, and holds both kinds of them.
    """
    with suppress(InputError):
        # In an agent's text a colon precedes the argument. After it, `INNER_BRACKET` decides which
        # brackets protect separators. A split at colons also cuts at this colon: one piece more.
        cuts = [len(split_outside(f":{text}", each)) - (each == ":") for each in separators]
        if max(cuts) == 1 and unquoted(text) == text:
            return text
    return _in_quotes(text)


def _in_quotes(text: str) -> str:
    for quote in QUOTES:
        if quote not in text:
            return f"{quote}{text}{quote}"
    raise InputError(
        f"no text of an agent holds {shown(text)}: it needs quotes, and has both kinds of them"
    )


def _read_options(text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for piece in split_outside(text, ",") if text.strip() else ():
        key, equals, value = piece.partition("=")
        key, value = key.strip(), value.strip()
        if not (equals and key.isidentifier()):
            form = shown(piece.strip())
            raise InputError(f"an option of an agent has the form key=value, not {form}")
        if key in options:
            raise InputError(f"the option {key} is given twice")
        options[key] = unquoted(value)
    return options


def _write(value: Any) -> str:
    """Write a value so that `AgentSpec.parse` reads it back."""
    if not isinstance(value, str):
        return json.dumps(value)
    is_plain = value == value.strip() and not set(value) & set("[],\"'")
    if (is_plain and value) or (set(QUOTES) < set(value) and _is_read_back(value)):
        return value
    return _in_quotes(value)


def _is_read_back(value: str) -> bool:
    with suppress(InputError):
        return AgentSpec.parse(f"a[b={value}]") == AgentSpec("a", {"b": value})
    return False

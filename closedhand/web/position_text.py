"""Positions as text: a line of Python that builds the view.

`make_game('doudizhu').view_from(0, '3456789TJQK', ['33', 'PASS'], public='345')`
"""

import ast
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from closedhand.core import contract
from closedhand.core.checks import shown
from closedhand.core.game import Game, InputError
from closedhand.core.options import WORDS
from closedhand.core.records import stated_options

LONGEST = 20_000
"""Most characters of a position."""
NUMBER = r"-?[0-9]{1,19}(?:\.[0-9]{1,19})?(?:e[+-]?[0-9]{1,2})?"
ONE = rf"""(?:'[^'\\]*'|"[^"\\]*"|{NUMBER}|True|False|None)"""
MANY = rf"\[\s*(?:{ONE}\s*(?:,\s*{ONE}\s*)*)?\]"
NAME = r"[^\W\d]\w{0,39}"
NAMED = rf"\s*,\s*({NAME})\s*=\s*({ONE}|{MANY})"
"""Regular expressions of a number, a literal, a list of literals, a name, and `, name=value`."""
POSITION = re.compile(
    rf"\s*(?:make_game\(\s*(?P<game>{ONE})(?P<options>(?:{NAMED})*)\s*\)|{NAME})"
    rf"\s*\.\s*view_from\(\s*(?P<player>[0-9]{{1,2}})\s*,\s*(?P<hand>{ONE})"
    rf"\s*,\s*(?P<actions>{MANY})(?P<facts>(?:{NAMED})*)\s*\)\s*"
)
MANY_OF = Sequence, list, tuple
"""Types of facts that take a list."""
LITERAL = re.compile(rf"\s*({ONE}|{MANY})\s*")


class Position(NamedTuple):
    """A view as texts."""

    game: str  # name of the game; empty if the text names none
    options: dict[str, Any]
    player: int  # seat of the player, who holds `hand`
    hand: str
    actions: list[str]
    facts: dict[str, Any]  # further knowledge of the player, by name, such as public cards


def written(
    game: Game, player: int, hand: str, actions: Sequence[str], facts: Mapping[str, Any]
) -> str:
    """Write a position as text that `read` reads."""
    options, known = (
        "".join(f", {name}={value!r}" for name, value in each.items())
        for each in (stated_options(game), facts)
    )
    view = f"view_from({player}, {hand!r}, {list(actions)!r}{known})"
    return f"make_game({game.name!r}{options}).{view}"


def read(text: str) -> Position:
    """Read a position; refuse any other text. No code runs: only literals are evaluated."""
    found = POSITION.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        raise InputError("a position is a line such as make_game('GAME').view_from(0, 'HAND', [])")
    game = _literal(found["game"]) if found["game"] else ""
    hand, actions = _literal(found["hand"]), _literal(found["actions"])
    if not all(isinstance(each, str) for each in (game, hand, *actions)):
        raise InputError("game, hand and actions of a position are texts")
    options, facts = _named(found["options"] or ""), _named(found["facts"])
    return Position(game, options, int(found["player"]), hand, actions, facts)


def _named(text: str) -> dict[str, Any]:
    return {name: _literal(value) for name, value in re.findall(NAMED, text)}


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text.strip())
    except (SyntaxError, ValueError):
        raise InputError(f"a position holds Python's literals; {shown(text)} is none") from None


def typed(game: Game, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Convert facts typed by a person into arguments of `Game.view_from`.

    Lists, quoted texts, and numbers where the game expects one are read as literals; other texts
    remain texts. A list of numbers needs no brackets. Truth values are the words of options, such
    as `yes`. Values that are not texts are kept.

    Raises:
        InputError: The game has no such fact, a literal is not valid Python, such as 007, or a text
            is no truth value.
    """
    game.check_facts(facts)  # `view_from` also has parameters that are not facts
    build, _ = contract.plain_function(game.rules, "view_from")
    hints = get_type_hints(build) if build else {}
    return {
        name: _fact(value, hints.get(name)) if isinstance(value, str) else value
        for name, value in facts.items()
    }


def _fact(text: str, hint: Any) -> Any:
    text = text.strip()
    wanted = (hint,) if get_origin(hint) in MANY_OF else (hint, *get_args(hint))
    if bool in wanted and text != "None":
        if text.lower() not in WORDS:  # as a text it would be true
            raise InputError(f"a fact is true or false, not {shown(text)}")
        return WORDS[text.lower()]
    numbers = any(int in get_args(each) for each in wanted if get_origin(each) in MANY_OF)
    literal = f"[{text}]" if numbers and text[:1] != "[" else text
    has_literals = any(each in (int, float, bool) for each in wanted)
    is_literal = has_literals or literal[:1] in ("[", "'", '"')
    return _literal(literal) if is_literal and LITERAL.fullmatch(literal) else text

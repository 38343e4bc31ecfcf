"""Rules of games in words, for people: the spec of a game names a `Rulebook`.

The page of `closedhand web`, `closedhand show rules GAME` and the page of an environment show it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from closedhand.core.game import InputError
from closedhand.core.registry import load, spec_of


class Section(NamedTuple):
    """A part of the rules, such as the course of play.

    Attributes:
        title: Its title.
        text: Its paragraphs.
        plays: Pairs of a name and the texts of cards, separated by spaces, that show it.
    """

    title: str
    text: tuple[str, ...]
    plays: tuple[tuple[str, str], ...] = ()


Rulebook = Mapping[str, tuple[Section, ...]]
"""The sections by language: `en`, and by choice `zh` and `ja`."""

ENGLISH = "en"


def rules_in_words(name: str, language: str = ENGLISH) -> tuple[Section, ...]:
    """Return the rules of a game in words, in English where there is no translation.

    Args:
        name: Name of the game.
        language: Code of a language, such as `zh`.

    Raises:
        InputError: There is no such game, or it states no rules in words.
    """
    ref = spec_of(name).rulebook
    if ref is None:
        raise InputError(f"{name} states no rules in words: its spec has no rulebook")
    book: Rulebook = load(ref)
    return book.get(language, book[ENGLISH])


def as_markdown(sections: tuple[Section, ...]) -> str:
    """Write the rules as Markdown."""
    parts: list[str] = []
    for section in sections:
        parts += [f"### {section.title}", *section.text]
        plays = [f"- {name}: {cards}" for name, cards in section.plays]
        if plays:
            parts.append("\n".join(plays))
    return "\n\n".join(parts)

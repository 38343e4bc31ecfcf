"""Rules of games in words, for people: Markdown, which the spec of a game names or holds.

The page of `closedhand web`, `closedhand show rules GAME` and the page of an environment show them.
"""

import re
from typing import NamedTuple

from closedhand.core.game import InputError
from closedhand.core.registry import spec_of
from closedhand.core.translations import by_language


class Section(NamedTuple):
    """A part of the rules, such as the course of play, in paragraphs.

    `plays` are pairs of a name and the texts of cards, separated by spaces, that show it.
    """

    title: str
    text: tuple[str, ...]
    plays: tuple[tuple[str, str], ...] = ()


ENGLISH = "en"


def rules_in_words(name: str, language: str = ENGLISH) -> tuple[Section, ...]:
    """Return the rules of a game in words, in English where there is no translation.

    Raises:
        InputError: There is no such game, or it states no rules in words, or without sections.
    """
    book = by_language(spec_of(name).rulebook or {}, "md")
    if ENGLISH not in book:
        raise InputError(f"{name} states no rules in words: its spec has no English rulebook")
    sections = from_markdown(book.get(language, book[ENGLISH]))
    if not sections:
        raise InputError(f"the rulebook of {name} has no sections: begin each with a line ## TITLE")
    return sections


def from_markdown(text: str) -> tuple[Section, ...]:
    r"""Parse rules: sections under `## TITLE`, of paragraphs and of lists of plays `- NAME: CARDS`.

    Examples:
        >>> from_markdown("## Plays\n\nOf equal\nranks.\n\n- pair: 9 9")
        (Section(title='Plays', text=('Of equal ranks.',), plays=(('pair', '9 9'),)),)
    """
    sections: list[Section] = []
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        blocks = re.split(r"\n\s*\n", body.strip()) if body.strip() else []
        paragraphs = [" ".join(block.split("\n")) for block in blocks if block[:2] != "- "]
        listed = [line[2:] for block in blocks if block[:2] == "- " for line in block.split("\n")]
        plays = [(name, cards) for name, _, cards in (line.rpartition(": ") for line in listed)]
        sections.append(Section(title.strip(), tuple(paragraphs), tuple(plays)))
    return tuple(sections)


def as_markdown(sections: tuple[Section, ...]) -> str:
    """Write the rules as Markdown."""
    parts: list[str] = []
    for section in sections:
        parts += [f"### {section.title}", *section.text]
        plays = [f"- {name}: {cards}" for name, cards in section.plays]
        if plays:
            parts.append("\n".join(plays))
    return "\n\n".join(parts)

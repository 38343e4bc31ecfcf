"""Texts of a game by language: its rules in words, as Markdown, and terms shown at its table.

The spec of a game has them as mappings, or names files of a package: `kuhn_poker:rulebook` are the
files `rulebook.en.md`, `rulebook.zh.md` and so on, one a language, in the package `kuhn_poker`.
"""

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, NamedTuple

from closedhand.core.game import InputError
from closedhand.core.registry import spec_of


class Section(NamedTuple):
    """A section of the rules in words, such as the course of play."""

    title: str
    text: tuple[str, ...]  # paragraphs
    plays: tuple[tuple[str, str], ...] = ()  # name of a play, and example cards with spaces


ENGLISH = "en"


def rules_in_words(name: str, language: str = ENGLISH) -> tuple[Section, ...]:
    """Return the rules of a game in words, in English where there is no translation.

    Raises:
        InputError: There is no such game, it has no rules in words, or these have no sections.
    """
    book = _by_language(spec_of(name).rulebook or {}, "md")
    if ENGLISH not in book:
        raise InputError(f"{name} states no rules in words: its spec has no English rulebook")
    sections = from_markdown(book.get(language, book[ENGLISH]))
    if not sections:
        raise InputError(f"the rulebook of {name} has no sections: begin each with a line ## TITLE")
    return sections


def from_markdown(text: str) -> tuple[Section, ...]:
    r"""Parse sections: a line `## TITLE`, then paragraphs and lists of plays `- NAME: CARDS`.

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
    """Write the rules as Markdown, each section under `### TITLE`."""
    parts: list[str] = []
    for section in sections:
        parts += [f"### {section.title}", *section.text]
        plays = [f"- {name}: {cards}" for name, cards in section.plays]
        if plays:
            parts.append("\n".join(plays))
    return "\n\n".join(parts)


def terms_of(name: str) -> dict[str, Mapping[str, str]]:
    """Return the terms of a game by language and English term; see `GameSpec.terms`."""
    found = _by_language(spec_of(name).terms or {}, "json")
    return {
        language: json.loads(terms) if isinstance(terms, str) else terms
        for language, terms in found.items()
    }


def _by_language(given: str | Mapping[str, Any], ending: str) -> Mapping[str, Any]:
    """Return texts by the code of their language, such as `zh`: `given`, or the files it names."""
    if not isinstance(given, str):
        return given
    package, _, stem = given.partition(":")
    form = re.compile(rf"{re.escape(stem)}\.(\w+)\.{ending}")
    named = [(form.fullmatch(file.name), file) for file in files(package).iterdir()]
    return {found[1]: file.read_text(encoding="utf-8") for found, file in named if found}

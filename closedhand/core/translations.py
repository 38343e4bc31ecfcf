"""Texts of a game by language: the rules in words, and the terms of the table in a browser.

The spec of a game has them as mappings, or names files of a package: `kuhn_poker:rulebook` are the
files `rulebook.en.md`, `rulebook.zh.md` and so on, one a language, in the package `kuhn_poker`.
"""

import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from closedhand.core.registry import spec_of


def by_language(given: str | Mapping[str, Any], ending: str) -> Mapping[str, Any]:
    """Return texts by the code of their language, such as `zh`: `given`, or the files it names."""
    if not isinstance(given, str):
        return given
    package, _, stem = given.partition(":")
    form = re.compile(rf"{re.escape(stem)}\.(\w+)\.{ending}")
    named = [(form.fullmatch(file.name), file) for file in files(package).iterdir()]
    return {found[1]: file.read_text(encoding="utf-8") for found, file in named if found}


def terms_of(name: str) -> dict[str, Mapping[str, str]]:
    """Return the terms of a game by language and English term; see `GameSpec.terms`.

    Raises:
        InputError: There is no such game.
    """
    found = by_language(spec_of(name).terms or {}, "json")
    return {
        language: json.loads(terms) if isinstance(terms, str) else terms
        for language, terms in found.items()
    }

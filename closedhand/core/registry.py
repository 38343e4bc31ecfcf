"""All games by name, and how a `Game` is made."""

from collections.abc import Hashable
from functools import lru_cache
from importlib import import_module
from types import ModuleType
from typing import Any

from closedhand.core.game import Game, InputError

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "doudizhu": ("doudizhu", {}),
    "daihinmin": ("daihinmin", {}),
    "uh_leduc": ("leduc", {"rules": "uh"}),
    "leduc": ("leduc", {"rules": "standard"}),
    "chinese_poker": ("chinese_poker", {}),
}
"""All games by name: the folder here whose `make` builds the `Game`, and options given to it."""


def make_game(name: str, **options: Any) -> Game:
    """The `Game` of that name under the given rules.

    Args:
        name: One of `GAMES`.
        **options: See the game's page. `rules` names a preset, `substeps=True` factors actions.

    Raises:
        InputError: An unknown game, preset or option.
    """
    if name not in GAMES:
        raise InputError(f"no game {name!r}; there are {', '.join(GAMES)}")
    for key, value in options.items():
        if not isinstance(value, Hashable):
            raise InputError(f"{key} cannot be {value!r}")
    # 1 and True are equal and no two of them may share a game.
    return _make(name, tuple(sorted((key, type(value), value) for key, value in options.items())))


@lru_cache
def _make(name: str, options: tuple[tuple[str, type, Any], ...]) -> Game:
    _, preset = GAMES[name]
    game = package(name).make(**{**preset, **{key: value for key, _, value in options}})
    if game.name != name:
        raise InputError(
            f"the rules {game.options['rules']!r} are those of {game.name}, not {name}"
        )
    return game


def package(name: str) -> ModuleType:
    """The package of a game that there is."""
    return import_module(f"closedhand.games.{GAMES[name][0]}")

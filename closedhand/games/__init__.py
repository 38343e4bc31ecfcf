"""The rules of every game: NumPy and Numba only."""

from functools import lru_cache
from importlib import import_module
from typing import Any

from closedhand.games.game import Game, InputError

GAMES = ("doudizhu",)
"""The names of all games; each is a folder here, whose `make` builds the `Game`."""


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
    return _make(name, tuple(sorted(options.items())))


@lru_cache
def _make(name: str, options: tuple[tuple[str, Any], ...]) -> Game:
    return import_module(f"closedhand.games.{name}").make(**dict(options))

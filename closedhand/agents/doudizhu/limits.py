"""Checks of the variants of Dou Dizhu that an agent or learner, named `who`, supports."""

from closedhand.core.game import Game, InputError
from closedhand.games.doudizhu.plays import PRESETS, WHOLE
from closedhand.games.doudizhu.state import SEATS


def check_three(game: Game, who: str) -> None:
    """Raise an `InputError` unless a game has three players."""
    if game.num_players < SEATS:
        raise InputError(f"{who} is for games of three: not rules={game.options['rules']}")


def check_plain(game: Game, who: str) -> None:
    """Raise an `InputError` unless three players with all 54 cards begin with a lead."""
    check_three(game, who)
    if PRESETS[game.options["rules"]].deck != WHOLE:
        raise InputError(f"{who} is for games of 54 cards: not rules={game.options['rules']}")
    for option in ("bidding", "doubling", "open_hand"):
        if game.options[option]:
            raise InputError(f"{who} is for games without {option}")

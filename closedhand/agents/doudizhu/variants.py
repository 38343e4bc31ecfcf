"""Which variants of Dou Dizhu a player or a learner is for."""

from closedhand.core.game import Game, InputError
from closedhand.games.doudizhu.state import SEATS


def check_three(game: Game, who: str) -> None:
    """Check that a game has three players.

    Args:
        game: Dou Dizhu with any options.
        who: Who knows such games only, for the message.

    Raises:
        InputError: It is a game of two.
    """
    if game.num_players < SEATS:
        raise InputError(f"{who} is for games of three: not rules={game.options['rules']}")


def check_plain(game: Game, who: str) -> None:
    """Check that a game has three players, and that the landlord leads at once.

    Args:
        game: Dou Dizhu with any options.
        who: Who knows such games only, for the message.

    Raises:
        InputError: It is another game; the message names the option.
    """
    check_three(game, who)
    for option in ("bidding", "doubling", "open_hand"):
        if game.options[option]:
            raise InputError(f"{who} is for games without {option}")

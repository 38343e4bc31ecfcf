"""Checks of the variants of Daihinmin that an agent supports."""

from closedhand.core.game import Game, InputError
from closedhand.games.daihinmin.state import PLAYERS


def check_five(game: Game, who: str) -> None:
    """Check that a game has five players.

    Args:
        game: Daihinmin with any options.
        who: Name of the agent, for the message.

    Raises:
        InputError: The game has another number of players.
    """
    if game.num_players != PLAYERS:
        raise InputError(f"{who} is for games of five: not players={game.num_players}")


def check_one_joker(game: Game, who: str) -> None:
    """Check that a game has one joker.

    Args:
        game: Daihinmin with any options.
        who: Name of the agent, for the message.

    Raises:
        InputError: The game has two jokers.
    """
    if game.flat.rules.options.jokers > 1:
        raise InputError(f"{who} is for games with one joker: not jokers=2")

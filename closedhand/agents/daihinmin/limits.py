"""Checks that an agent can play a variant of Daihinmin; an `InputError` names the agent, `who`."""

from closedhand.core.game import Game, InputError
from closedhand.games.daihinmin.state import PLAYERS


def check_one_joker(game: Game, who: str) -> None:
    """Check that a game has one joker."""
    if game.flat.rules.options.jokers > 1:
        raise InputError(f"{who} is for games with one joker: not jokers=2")


def check_no_gifts(game: Game, who: str) -> None:
    """Check that no cards are given after sevens or discarded after tens."""
    if game.flat.rules.has_gifts:
        raise InputError(f"{who} is for games without seven_give and ten_discard")


def check_known(game: Game, who: str) -> None:
    """Check that a game is one that learned policies play: five players, one joker, no gifts."""
    check_no_gifts(game, who)
    if game.num_players != PLAYERS:
        raise InputError(f"{who} is for games of five: not players={game.num_players}")
    check_one_joker(game, who)

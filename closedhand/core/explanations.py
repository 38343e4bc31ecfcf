"""What people at a table are told: the notation, why an action is refused, which cards are out.

A game's notation may have an attribute `explanations`, an `Explanations`. All of it is optional:
games that have none are explained by examples, and illegal actions are refused without a reason.
"""

from collections.abc import Callable
from typing import NamedTuple

from closedhand.core.game import Game, InputError, State

Reason = Callable[[Game, State, int], str]
"""Why an action is illegal in a state, a view or a full one: one line, empty if for another reason.

An action of a game is asked about only if it is illegal there, and only while the game runs.
"""

EXAMPLES = 6


class Cards(NamedTuple):
    """What a player knows of the cards in play.

    Attributes:
        seen: Text of each card that lies open or has been played, low to high.
        unseen: Text of each card that the player has not seen, low to high: others may hold it.
    """

    seen: list[str]
    unseen: list[str]


class Explanations(NamedTuple):
    """What a game tells people.

    Attributes:
        help: How cards and actions are written, a few short lines.
        reasons: Why an action may be illegal, asked in this order: the first that answers counts.
        cards: Cards that a player has seen and has not, from the player's view.
    """

    help: str = ""
    reasons: tuple[Reason, ...] = ()
    cards: Callable[[Game, State, int], Cards] | None = None


def _explanations(game: Game) -> Explanations:
    return getattr(game.notation, "explanations", Explanations())


def notation_help(game: Game, state: State) -> str:
    """How the actions of a game are written; without a text of its own, legal ones as examples."""
    told = _explanations(game).help
    if told or game.over(state):
        return told
    some = game.legal(state)[:EXAMPLES]
    return "Actions are written like " + ", ".join(game.text(int(a), state) for a in some)


def why_not(game: Game, state: State, action: int) -> str:
    """Why the player to act may not play an action now: one line, empty if it is legal.

    Args:
        game: The game.
        state: A state, or a view of the player to act.
        action: Id of an action.

    Raises:
        InputError: There is no such action.
    """
    text = game.text(action, state)
    if game.over(state):
        return "the game is over"
    if action in game.legal(state):
        return ""
    reasons = (reason(game, state, action) for reason in _explanations(game).reasons)
    return next(filter(None, reasons), f"{text} is not legal now")


def known_cards(game: Game, view: State, player: int) -> Cards:
    """Cards that a player has seen and those it has not.

    Args:
        game: The game.
        view: View of the player.
        player: Seat of the player.

    Raises:
        InputError: The game does not tell, or there is no such player.
    """
    tell = _explanations(game).cards
    if tell is None:
        raise InputError(f"{game.name} does not tell which cards are out")
    return tell(game, view, game.seat(player))

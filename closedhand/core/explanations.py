"""Explanations for people: the notation, why actions are illegal, and cards seen and unseen.

A game's notation may have an attribute `explanations`, an `Explanations`, whose fields are
optional: without `help` legal actions serve as examples, without `reason` no reason is given.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from closedhand.core.game import Game, InputError, State

EXAMPLES = 6
MOST_LOOKED_UP = 40_000
"""Maximum number of actions of a game whose plays are looked up by their cards."""


class Cards(NamedTuple):
    """The cards that a player does not hold, by the player's knowledge.

    Attributes:
        seen: Text of each card that lies open or has been played, low to high.
        unseen: Text of each card that the player has not seen, low to high: others may hold it.
    """

    seen: list[str]
    unseen: list[str]


class Explanations(NamedTuple):
    """Explanations of a game for people.

    Attributes:
        help: The notation of cards and actions, a few short lines.
        reason: Function of a game, a state or view, and an action that is illegal there while the
            game runs. It returns the reason in one line, or an empty text if it knows of none.
        cards: Function of a game, a view and its player for `known_cards`; None: no such list.
        kind: Function that names an action's kind of play, a term such as `pair`; None: no kinds.
    """

    help: str = ""
    reason: Callable[[Game, State, int], str] | None = None
    cards: Callable[[Game, State, int], Cards] | None = None
    kind: Callable[[Game, int], str] | None = None


def _explanations(game: Game) -> Explanations:
    return getattr(game.notation, "explanations", Explanations())


def notation_help(game: Game, state: State) -> str:
    """Explain how actions are written: by the game's `help`, else by legal actions, if any."""
    text = _explanations(game).help
    if text or game.over(state):
        return text
    some = game.legal(state)[:EXAMPLES]
    return "Actions are written like " + ", ".join(game.text(int(a), state) for a in some)


def why_not(game: Game, state: State, action: int) -> str:
    """Explain in one line why an action may not be played in a state or view; empty if it may."""
    text = game.text(action, state)
    if game.over(state):
        return "the game is over"
    if action in game.legal(state):
        return ""
    reason = _explanations(game).reason
    return (reason(game, state, action) if reason else "") or f"{text} is not legal now"


def kind_of(game: Game, action: int) -> str:
    """Name the kind of play that an action is; empty if it has none."""
    kind = _explanations(game).kind
    return kind(game, action) if kind else ""


def reason_against(game: Game, state: State, cards: Sequence[str]) -> str:
    """Explain in one line why the player to act may not play cards, given by their texts.

    The text is empty if some play of the cards is legal, or if the game has more than
    `MOST_LOOKED_UP` actions. The first call for a game is slow: it lists the cards of all plays.
    """
    if game.num_actions > MOST_LOOKED_UP:
        return ""
    found = _plays_by_cards(game).get(tuple(sorted(cards)), ())
    reasons = [why_not(game, state, action) for action in found]
    return "these cards form no play" if not reasons else "" if "" in reasons else reasons[0]


@lru_cache(8)
def _plays_by_cards(game: Game) -> dict[tuple[str, ...], list[int]]:
    """Map the sorted texts of cards to the actions with these cards."""
    state = game.deal(np.random.default_rng(0))
    plays: dict[tuple[str, ...], list[int]] = {}
    for action in range(game.num_actions):
        plays.setdefault(tuple(sorted(game.cards(action, state))), []).append(action)
    plays.pop((), None)
    return plays


def known_cards(game: Game, view: State, player: int) -> Cards:
    """Return the cards outside the hand that the player of a view has seen, and those not seen.

    Raises:
        InputError: The game does not list the cards, or there is no such player.
    """
    cards_of = _explanations(game).cards
    if cards_of is None:
        raise InputError(f"{game.name} does not list the cards that have been seen")
    return cards_of(game, view, game.seat(player))

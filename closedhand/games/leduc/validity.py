"""Validation of Leduc states: the deck must have the cards, the actions must lead to the rest."""

import numpy as np

from closedhand.core import validity
from closedhand.games.leduc.plays import ACTIONS, LONGEST
from closedhand.games.leduc.rules import begin
from closedhand.games.leduc.state import SEATS, UNKNOWN, Rules


def valid(rules: Rules, state: np.record, player: int | None = None) -> str:
    """Return why `state`, a view if `player` is given, is invalid; an empty text if it is valid."""
    bounds = {"moves": (0, LONGEST), "cards": (UNKNOWN, int(rules.tables.kinds) - 1)}
    if wrong := validity.outside(state, bounds) or _misdealt(rules, state, player):
        return wrong
    if player is not None:
        return validity.unlike_redealt(rules, state, player, lambda full: valid(rules, full))
    start = state.copy()
    begin(start)
    wrong = validity.replay(rules, start, state.history[: state.moves], len(ACTIONS))
    return wrong or validity.difference(state, start, SEATS)


def _misdealt(rules: Rules, state: np.record, player: int | None) -> str:
    """Return why no deal, or view of `player`, has these cards; an empty text if one has."""
    cards = state.cards.tolist()
    for i, card in enumerate(cards):
        if card == UNKNOWN and player is None:
            return f"cards[{i}] is not known"
        if card != UNKNOWN and cards.count(card) > rules.tables.copies[card]:
            return f"the deck does not hold {cards.count(card)} cards of kind {card}"
    return ""

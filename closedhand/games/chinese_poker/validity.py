"""Validation of Chinese Poker states: the reason why the rules do not allow one.

All fields are checked. Any players may have set their hands or, in sub-steps, chosen their backs.
The player to act may be any whose hand is not set, and at the end any player.
"""

from typing import Any

import numpy as np

from closedhand.core import validity
from closedhand.games.chinese_poker import rules as flat
from closedhand.games.chinese_poker.plays import HAND
from closedhand.games.chinese_poker.state import DECK, HIDDEN, UNKNOWN, UNSET, Rules

SCRATCH = 1
"""Size of the scratch space for ids, which `is_legal` of this game does not use."""


def valid(rules: Any, state: np.record, player: int | None = None) -> str:
    """Return why `state`, a view if `player` is given, is invalid; an empty text if it is valid."""
    whole: Rules = getattr(rules, "flat", rules)
    bounds = {"player": (0, whole.players - 1), "moves": (0, whole.players)}
    if wrong := validity.outside(state, bounds) or _misdealt(whole, state, player):
        return wrong
    over = state.moves == whole.players
    if not over and state.history[state.player] not in (UNSET, HIDDEN):
        return f"player_{state.player}, who is to act, has set a hand already"
    if player is not None and not over:
        return validity.unlike_redealt(rules, state, player, lambda full: valid(rules, full))
    start = state.copy()
    flat.begin(whole, start)
    for seat in range(whole.players):
        chosen, back = int(state.history[seat]), int(state.backs[seat])
        start.player = seat
        if chosen != UNSET:
            wrong = validity.replay(whole, start, [chosen], SCRATCH, f"player_{seat}'s action")
        elif back != UNSET and rules is not whole:
            wrong = validity.replay(rules, start, [back], SCRATCH, f"player_{seat}'s back")
        if wrong:
            return wrong
    start.player = state.player
    return validity.difference(state, start, whole.players)


def _misdealt(rules: Rules, state: np.record, player: int | None) -> str:
    """Return why no deal, or view of `player`, has these hands; an empty text if one has."""
    dealt: list[int] = []
    for seat, hand in enumerate(state.hands.tolist()):
        hidden = player not in (None, seat) and state.moves < rules.players
        if seat >= rules.players or hidden:
            if hand != [UNKNOWN] * HAND:
                whom = "nobody has them" if seat >= rules.players else f"player_{player} is asked"
                return f"the cards of player_{seat} are not hidden, though {whom}"
        elif hand != sorted(hand, reverse=True) or not 0 <= hand[-1] <= hand[0] < DECK:
            return f"the hand of player_{seat} is not {HAND} cards, high to low"
        else:
            dealt += hand
    return "" if len(set(dealt)) == len(dealt) else "a card appears twice"

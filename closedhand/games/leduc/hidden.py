"""Views of Leduc and their determinisations; a view shows all actions and the revealed flop."""

import numpy as np

from closedhand.core.cards import draw_place, total
from closedhand.core.numba.jit import kernel
from closedhand.games.leduc.plays import KINDS
from closedhand.games.leduc.state import FLOP, SEATS, UNKNOWN, revealed


@kernel
def hide(rules, state, player):
    """Set to `UNKNOWN` the opponent's card, also at the end, and an unrevealed flop, in place."""
    state.cards[1 - player] = UNKNOWN
    if not revealed(rules, state):
        state.cards[FLOP] = UNKNOWN


@kernel
def redeal(rules, view, player, rng):
    """Replace every `UNKNOWN` card, in place, by a uniformly random one of those left."""
    copies = np.empty(KINDS, np.int64)[: rules.tables.kinds]
    for kind in range(len(copies)):
        copies[kind] = rules.tables.copies[kind]
    for card in view.cards:
        if card != UNKNOWN:
            copies[card] -= 1
    for i in range(SEATS + 1):
        if view.cards[i] == UNKNOWN:
            view.cards[i] = draw_place(copies, total(copies), rng)

"""Views, in which others' boards are hidden until all hands are set, and determinisations."""

import numpy as np

from closedhand.core.cards import shuffle
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.games.chinese_poker.plays import ARRANGEMENTS, FRONTS, HAND, PARTS
from closedhand.games.chinese_poker.rules import evaluate, over, take
from closedhand.games.chinese_poker.state import DECK, HIDDEN, UNKNOWN, UNSET


@kernel
def hide(rules, state, player):
    """Until all hands are set, make others' cards `UNKNOWN` and choices `HIDDEN`, in place."""
    if over(rules, state):
        return
    for seat in range(rules.players):
        if seat != player:
            for i in range(HAND):
                state.hands[seat, i] = UNKNOWN
            if state.history[seat] != UNSET:
                state.history[seat] = HIDDEN
            if state.backs[seat] != UNSET:
                state.backs[seat] = HIDDEN


@kernel
def redeal(rules, view, player, rng):
    """Draw, in place, what `hide` replaced: uniformly random cards, then legal arrangements."""
    deck = np.arange(DECK)
    for seat in range(rules.players):
        if view.hands[seat, 0] != UNKNOWN:
            for card in view.hands[seat]:
                deck[card] = UNKNOWN
    left = 0
    for card in range(DECK):  # move the unseen cards to the front; `left` never passes `card`
        if deck[card] != UNKNOWN:
            deck[left] = deck[card]
            left += 1
    shuffle(deck[:left], seed_in_kernel(rng))
    dealt = 0
    parts = np.empty(len(PARTS), np.int64)
    for seat in range(rules.players):
        hand = view.hands[seat]
        if hand[0] == UNKNOWN:
            take(deck[dealt : dealt + HAND], hand)
            dealt += HAND
        if view.backs[seat] == HIDDEN:
            # Rejection sampling: about a third of all arrangements are legal.
            action = np.int64(rng.random() * ARRANGEMENTS)
            while not (evaluate(rules, hand, action, parts) or rules.fouls):
                action = np.int64(rng.random() * ARRANGEMENTS)
            view.backs[seat] = action // FRONTS
            if view.history[seat] == HIDDEN:
                view.history[seat] = action

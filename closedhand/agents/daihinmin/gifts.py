"""Choices of cards: to give back in the exchange, and to give or discard after sevens and tens."""

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.cards import bit
from closedhand.games.daihinmin.plays import BOTH, JOKER, PASS
from closedhand.games.daihinmin.seven_ten_rules import cards_to_hand_over, due_of

MOST_GIFTS = (JOKER + 1) * JOKER // 2
"""Number of pairs of different cards."""


@kernel
def list_gifts(cards, chosen, number, out):
    """Write all choices of one or two (`number`) of the `cards` to `out`; return how many they are.

    A choice is a row of `out`, int64 [MOST_GIFTS, 2]: two cards in ascending order, or one card
    twice. `chosen` is the set of the first of two cards if that is already chosen, else empty.
    """
    two, n = number == 2, 0
    for first in range(JOKER + 1):
        if not (chosen if chosen else cards) & bit(first):
            continue
        for second in range(first + 1 if two else first, JOKER + 1 if two else first + 1):
            if cards & bit(second):
                out[n, 0], out[n, 1] = first, second
                n += 1
    return n


@kernel
def choose_gift(view):
    """Choose the next card to give or discard after a 7 or a 10; pass if only jokers are left."""
    # The lowest of the weakest cards, since cards are handed over in ascending order.
    cards = cards_to_hand_over(view) & ~BOTH
    weakest = np.uint64(0)
    for _ in range(min(due_of(view), bits.size(cards))):
        rest = cards & ~weakest
        weakest |= bit(bits.highest(rest) if view.revolution else bits.lowest(rest))
    return np.int64(bits.lowest(weakest)) if weakest else PASS

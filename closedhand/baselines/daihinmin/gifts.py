"""The cards that an agent may give back in the exchange."""

from closedhand.core.kernel import kernel
from closedhand.games.daihinmin.cards import bit
from closedhand.games.daihinmin.plays import JOKER

MOST_GIFTS = (JOKER + 1) * JOKER // 2
"""Number of pairs of different cards."""


@kernel
def list_gifts(cards, chosen, number, out):
    """Write the choices of `number` cards to give, one or two, to `out`; return how many there are.

    A choice is a row of `out`, int64 [MOST_GIFTS, 2], in ascending order; a single card stands in
    both places. The first of two cards is `chosen`, if that is not empty: it is given already.
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

"""Division of a hand into plays, and its weakness, for kou (the paper's sections 4.1, 4.5).

1. Take out the kaidan (`take_kaidan`).
2. Take out the 8s and the strongest card left, not the joker, as singles, so that they can end a
   trick. With `top_if_strong`, as in `kou`, the strongest card is taken out only if it is strong.
3. The other cards of each rank form a group. The joker is a single.
4. Rate the strength of each play (`strength.py`). By its strength a play adds 2, 1, 0 or -1 to the
   weakness of the hand; parameters can set what the joker and groups of the top rank add.

`numbers` are parameters (`variants.Numbers`), `foes` unseen cards (`strength.Foes`), `parts` plays
of a division. Ranks and cards are **turned**: under revolution reversed (`strength.turned`).
"""

import numpy as np

from closedhand.agents.daihinmin.kou.strength import foes_of, strength, turned
from closedhand.agents.daihinmin.kou.variants import BY_STRENGTH
from closedhand.core import bits
from closedhand.core.layout import record_type
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.cards import EACH_RANK, bit, in_runs, ranks_between, ranks_with
from closedhand.games.daihinmin.plays import ALL_SUITS, FIRST_KAIDAN, JOKER_BIT, NUM_RANKS, SHORTEST

MOST_PARTS = 32
"""Room for the plays of a division. There are at most 30: 12 kaidan (three of a suit), 13 groups,
three more because the four 8s are singles, the highest card, and the joker."""

PART = record_type(
    [
        ("cards", "u8"),  # turned
        ("family", "i8"),  # as in `plays`: size - 1 for a group; a kaidan: `FIRST_KAIDAN` or more
        ("low", "i8"),  # lowest rank, turned; 13 for the lone joker
        ("high", "i8"),  # highest rank, turned; 13 for the lone joker
        ("strength", "i8"),  # by `strength.strength`
    ]
)
"""A play that a hand divides into."""


@kernel
def decompose(numbers, foes, hand, parts):
    """Write the plays of a hand, which is not turned, to `parts` [MOST_PARTS]; return how many."""
    cards = turned(hand & ~JOKER_BIT, foes.revolution)
    n = take_kaidan(numbers, foes, cards, parts) if foes.kaidan else 0
    for i in range(n):
        cards &= ~parts[i].cards
    alone = cards & ranks_between(foes.eight, foes.eight)
    if cards:
        highest = bits.highest(cards)
        value = strength(numbers, foes, 0, highest // 4, highest // 4)
        if not numbers.top_if_strong or value >= numbers.threshold:
            alone |= bit(highest)
    while cards:
        highest = bits.highest(cards)
        rank = highest // 4
        group = bit(highest) if alone & bit(highest) else cards & ranks_between(rank, rank)
        cards &= ~group
        n = add(numbers, foes, group, bits.size(group) - 1, rank, rank, parts, n)
    if hand & JOKER_BIT:
        n = add(numbers, foes, JOKER_BIT, 0, NUM_RANKS, NUM_RANKS, parts, n)
    return n


@kernel
def divide_rest(rules, numbers, view, hand, play, parts):
    """Do `decompose` for the cards left after a play; a play with a revolution reverses ranks."""
    revolution = np.int64(view.revolution)
    if rules.options.revolution and rules.plays.revolts[play]:
        revolution = 1 - revolution
    foes = foes_of(rules, view, revolution, 0, 0)
    return decompose(numbers, foes, hand & ~rules.plays.need[play], parts)


@kernel
def add(numbers, foes, cards, family, low, high, parts, n):
    """Rate a play, and write it to `parts` after `n` others; return the new number of plays."""
    parts[n].cards = cards
    parts[n].family = family
    parts[n].low = low
    parts[n].high = high
    parts[n].strength = strength(numbers, foes, family, low, high)
    return n + 1


@kernel
def take_kaidan(numbers, foes, cards, parts):
    """Write the kaidan of cards outside groups to `parts`; return their number.

    With `kaidan_with_groups` a kaidan may contain cards of groups, unless the hand has a pair of
    every rank of the kaidan other than the 8.
    """
    n = 0
    own = cards & ranks_between(0, NUM_RANKS - 1 - numbers.kaidan_to_ace)
    if not numbers.kaidan_with_groups:
        own &= ~(ranks_with(cards, 2) * np.uint64(ALL_SUITS))
    left = in_runs(own)
    unpaired = ~ranks_with(cards, 2) & ~ranks_between(foes.eight, foes.eight)
    while left:
        first = bits.lowest(left)
        length = 1
        while left & bit(first + 4 * length):
            length += 1
        low, high = first // 4, first // 4 + length - 1
        ranks = ranks_between(low, high) & EACH_RANK
        run = ranks << np.uint64(first % 4)  # a card is 4 * rank + suit
        left &= ~run
        if not numbers.kaidan_with_groups or ranks & unpaired:
            family = FIRST_KAIDAN + length - SHORTEST
            n = add(numbers, foes, run, family, low, high, parts, n)
    return n


@kernel
def weakness(numbers, parts, n):
    """Sum the weakness of a hand of `n` plays."""
    total = 0
    for i in range(n):
        total += weakness_of(numbers, parts[i])
    return total


@kernel
def weakness_of(numbers, part):
    """Return the weakness that a play adds to its hand."""
    if part.low == NUM_RANKS and numbers.weakness_of_joker != BY_STRENGTH:
        return numbers.weakness_of_joker
    if part.low == NUM_RANKS - 1 and part.family > 0 and numbers.weakness_of_top != BY_STRENGTH:
        return numbers.weakness_of_top * (part.family + 1)
    if part.strength <= numbers.weak:
        return 2
    if part.strength <= numbers.middling:
        return 1
    return 0 if part.strength <= numbers.strong else -1


@kernel
def count_below(parts, n, threshold):
    """Count the plays below a strength threshold; a winning form (`agent.py`) has at most one."""
    below = 0
    for i in range(n):
        below += parts[i].strength < threshold
    return below

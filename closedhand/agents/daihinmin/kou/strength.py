"""Strengths of plays for kou, 1 to 101: how likely a play is to end its trick (section 4.2).

1. Collect the unseen cards and the opponents who can answer (`foes_of`). Assume the worst: one
   opponent holds all unseen cards, the joker included.
2. Turn the cards, so that the higher rank is always the stronger one: under revolution rank r
   becomes 12 - r.
3. A play with an 8 that ends the trick has the strength `eight`. A play has the strength `sure` if
   it has more cards than the hand of any opponent who can answer.
4. Otherwise count the ranks or kaidan with which opponents may beat the play, without the joker and
   only with it (`stronger_plays`). Deduct points for each from `sure`.

Names such as `eight` are parameters, in kernels `numbers` (`variants.Numbers`).
"""

from typing import NamedTuple

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import Integer, kernel
from closedhand.games.daihinmin.cards import bit, mirrored, of_suits, ranks_between, ranks_with
from closedhand.games.daihinmin.hidden import unseen
from closedhand.games.daihinmin.plays import (
    EIGHT,
    FIRST_KAIDAN,
    JOKER,
    JOKER_BIT,
    NUM_RANKS,
    SPADE_THREE,
)
from closedhand.games.daihinmin.state import PLAYERS
from closedhand.games.daihinmin.tricks import lock_after

NOWHERE = -9
"""Rank of the 8 where it does not end the trick: outside every play."""


class Foes(NamedTuple):
    """Unseen cards and opponents that a play faces; ranks and cards are turned."""

    cards: np.uint64  # unseen cards, without the joker, of the suits that count
    joker: Integer  # 1 if the joker is unseen
    spade_three: Integer  # 1 if the 3 of spades is unseen and beats the joker
    finished: Integer  # five minus the players left, at least 0
    most: Integer  # size of the largest hand among the players who can answer
    eight: Integer  # rank of the 8, or `NOWHERE` if it does not end the trick
    kaidan: Integer  # 1 if the rules have kaidan
    revolution: Integer  # whether the ranks are reversed


@kernel
def turned(cards, revolution):
    """Reverse the ranks of a set of cards under revolution, except the joker."""
    if not revolution:
        return cards
    return mirrored(cards & ~JOKER_BIT) | (cards & JOKER_BIT)


@kernel
def turned_ranks(rules, revolution, play):
    """Return the lowest and highest rank of a play, turned; both are 13 for the lone joker."""
    low, high = np.int64(rules.plays.low[play]), np.int64(rules.plays.high[play])
    if revolution and play != JOKER:
        return NUM_RANKS - 1 - high, NUM_RANKS - 1 - low
    return low, high


@kernel
def foes_of(rules, view, revolution, passed, lock):
    """Collect the unseen cards and the opponents for plays of the player to act.

    `revolution` is 1 if low ranks beat high ones at the time of these plays. `passed` has the bits
    of the players who cannot answer. Only cards in the suits of `lock` count; 0: all suits.
    """
    hidden = unseen(view, view.player)
    most = 0
    for other in range(len(view.hands)):
        if other != view.player and not passed & (1 << other):
            most = max(most, np.int64(view.left[other]))
    eight = NOWHERE
    if rules.options.eight_stop:
        eight = NUM_RANKS - 1 - EIGHT if revolution else EIGHT
    return Foes(
        turned(hidden & of_suits(lock), revolution),
        np.int64(hidden >> np.uint64(JOKER)),
        np.int64(rules.options.spade_three != 0 and hidden & bit(SPADE_THREE) != 0),
        max(np.int64(0), PLAYERS - len(view.hands) + np.int64(view.out)),
        most,
        eight,
        np.int64(rules.options.kaidan),
        np.int64(revolution),
    )


@kernel
def foes_after(rules, view, play):
    """Collect the `Foes` of a play: players who have not passed, cards of the lock after it."""
    lock = np.int64(lock_after(rules, view, play))
    return foes_of(rules, view, np.int64(view.revolution), np.int64(view.passed), lock)


@kernel
def count_waiting(view):
    """Count the other players who can still answer in this trick."""
    return len(view.hands) - bits.size(np.uint64(view.passed | 1 << view.player))


@kernel
def strength(numbers, foes, family, low, high):
    """Rate the strength of a play by its family and turned ranks."""
    if low <= foes.eight and foes.eight <= high:
        return numbers.eight
    # No opponent who can answer has as many cards.
    if foes.most < (family + 1 if family < FIRST_KAIDAN else high - low + 1):
        return numbers.sure
    if low == NUM_RANKS:  # the lone joker, which only the 3 of spades beats
        return numbers.least if foes.spade_three else numbers.sure
    if family == 0:
        less = against_single(numbers, foes, low)
    elif family < FIRST_KAIDAN:
        less = against_group(numbers, foes, family + 1, low)
    else:
        less = against_kaidan(numbers, foes, low, high)
    return max(numbers.sure - less, numbers.least)


@kernel
def strength_of(rules, numbers, foes, play):
    """Rate the strength of a play, an action id."""
    low, high = turned_ranks(rules, foes.revolution, play)
    return strength(numbers, foes, np.int64(rules.plays.family[play]), low, high)


@kernel
def stronger_plays(foes, family, low, high):
    """Return how many stronger plays opponents may have: without the joker, and only with it.

    Groups are counted by rank, kaidan by first card. Groups of five (family 4) contain the only
    joker, so opponents have none.
    """
    higher = foes.cards & ranks_between(low + 1, NUM_RANKS)
    if family == 0:
        return bits.size(ranks_with(higher, 1)), np.int64(foes.joker)
    if family >= FIRST_KAIDAN:
        whole, lacking = runs(foes.cards, high - low + 1)
        above = ranks_between(high + 1, NUM_RANKS)
        return bits.size(whole & above), foes.joker * bits.size(lacking & above)
    if family == 4:
        return np.int64(0), np.int64(0)
    whole = bits.size(ranks_with(higher, family + 1))
    return whole, foes.joker * (bits.size(ranks_with(higher, family)) - whole)


@kernel
def against_single(numbers, foes, rank):
    """Return the deduction from the strength of a single card."""
    whole, joker = stronger_plays(foes, 0, rank, rank)
    each = numbers.stronger_rank if numbers.joker_as_card else numbers.unseen_joker
    return numbers.stronger_rank * whole + each * joker


@kernel
def against_group(numbers, foes, number, rank):
    """Return the deduction from the strength of a group of `number` cards."""
    whole, lacking = stronger_plays(foes, number - 1, rank, rank)
    few = PLAYERS - foes.finished < numbers.group_players
    total = 0
    if few:
        total = numbers.stronger_rank * whole
    elif whole:
        higher = foes.cards & ranks_between(rank + 1, NUM_RANKS)
        for held in range(number, 5):
            more = bits.size(ranks_with(higher, held + 1)) if held < 4 else 0
            ranks = bits.size(ranks_with(higher, held)) - more  # with exactly `held` cards
            total += ranks * weight_of_group(numbers, held - number + foes.finished)
    each = numbers.joker_group
    if numbers.joker_as_card:
        each = numbers.stronger_rank if few else weight_of_group(numbers, foes.finished)
    return total + each * lacking


@kernel
def weight_of_group(numbers, spare):
    """Return the paper's f(n), n = `spare`: the deduction for a rank with a stronger group."""
    weights = numbers.group_0, numbers.group_1, numbers.group_2, numbers.group_3
    return weights[min(max(spare, 0), 3)]


@kernel
def against_kaidan(numbers, foes, low, high):
    """Return the deduction from the strength of a kaidan."""
    whole, lacking = stronger_plays(foes, FIRST_KAIDAN, low, high)
    each = numbers.stronger_kaidan * (foes.finished + 1)
    if foes.finished >= PLAYERS - 2:
        each = numbers.last_kaidan
    return each * whole + (each if numbers.joker_as_card else numbers.joker_kaidan) * lacking


@kernel
def runs(cards, length):
    """Return two sets of first cards: of all kaidan of a length, and of those that lack one card.

    No kaidan extends below the lowest rank, 3, or above the highest rank, 2.
    """
    # After each step `whole` has the first cards of kaidan whose cards so far are all held,
    # `lacking` those of kaidan with at most one card missing.
    whole = ranks_between(0, NUM_RANKS - length)
    lacking = whole
    for i in range(length):
        here = cards >> np.uint64(4 * i)
        lacking = (lacking & here) | whole
        whole &= here
    return whole, lacking & ~whole


@kernel
def starts_lock(rules, view, play):
    """Return whether a play starts a lock."""
    return not view.lock and lock_after(rules, view, play) != 0


@kernel
def has_strongest(rules, numbers, hand, play, foes):
    """Return whether the hand's best play of the family of `play` is unbeatable under the new lock.

    `play` starts the lock, and `foes` are the `Foes` under this lock. `hand` is not turned.
    """
    family = np.int64(rules.plays.family[play])
    if family == 0 and numbers.joker_as_card and hand & JOKER_BIT and not foes.spade_three:
        return True
    own = turned(hand & of_suits(rules.plays.suits[play]), foes.revolution)
    low, high = turned_ranks(rules, foes.revolution, play)
    length = high - low + 1
    if family < FIRST_KAIDAN:
        found = ranks_with(own, min(family + 1, 4))
    else:
        found, _ = runs(own, length)
    if found:
        low = max(low, np.int64(bits.highest(found) // 4))
    whole, lacking = stronger_plays(foes, family, low, low + length - 1)
    return whole == 0 and (lacking == 0 or not numbers.joker_as_card)

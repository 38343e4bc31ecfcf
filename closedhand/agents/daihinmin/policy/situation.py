"""Inputs of the pattern policy's features: hands counted by strength, and the state of the trick.

Ranks are numbered by **slots**, from weak to strong in the current order, so that a pattern keeps
its meaning in a revolution. Slots 0 to 11 are the ranks without the 8. Slot 12 is the 8, which ends
tricks in both orders, and slot 13 is the joker. A hand becomes a `uint64` of counts: four bits per
slot hold its number of cards.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.daihinmin.policy.shared import SeenCards, answers, seen_cards_of, stage
from closedhand.core import bits
from closedhand.core.numba.jit import Integer, inlined, kernel
from closedhand.games.daihinmin.cards import bit, counts_by_rank, mirrored, of_suits
from closedhand.games.daihinmin.plays import EIGHT, JOKER, JOKER_BIT, NUM_RANKS
from closedhand.games.daihinmin.state import PLAYERS
from closedhand.games.daihinmin.tricks import lock_after, revolution_after, stops

SLOTS = 14
EIGHT_SLOT, JOKER_SLOT = 12, 13
SIZES = 6
"""Number of classes of the number of cards in a hand, see `size_class`."""
MOST_BEATING = 6
"""Greatest value of `Effect.beating`."""


class Situation(NamedTuple):
    """Inputs that all actions of a decision share; a size is a `size_class`."""

    seen: SeenCards
    own: np.uint64  # counts by slot of the hand
    unseen: np.uint64  # counts by slot of the cards that the player has not seen
    stage: int  # stage of the hand, 0 to 3
    early: int  # 1 with more than five cards in the hand, else 0
    follow: int  # 1 for a follower, 0 for a leader
    active: int  # number of others who may still play in the trick
    most: Integer  # greatest number of cards of an `active` player; 0 if there is none
    least: int  # smallest size of the hands of the others who are still in the round
    next_size: int  # size of the hand of the next `active` player; 5 if there is none
    owner_size: int  # size of the hand of the owner of the play to beat
    players: Integer  # number of players still in the round minus 2: 0 to 3


@kernel
def size_class(cards):
    """Return the class, 0 to 5, of a number of cards: 0 to 1, 2, 3, 4, 5 to 6, or more."""
    if cards < 5:
        return max(0, cards - 1)
    return 4 if cards < 7 else 5


@kernel
def by_slot(cards, revolution):
    """Count the cards of every slot, four bits each."""
    # Cut out the rank of the 8, move the ranks above it down by one, and append 8 and joker.
    counts = counts_by_rank(cards)
    place = EIGHT
    if revolution:
        counts = mirrored(counts)
        place = NUM_RANKS - 1 - EIGHT
    shift = np.uint64(4 * place)
    below = counts & (bit(4 * place) - np.uint64(1))
    above = counts >> (shift + np.uint64(4))
    eights = ((counts >> shift) & np.uint64(15)) << np.uint64(4 * EIGHT_SLOT)
    joker = ((cards >> np.uint64(JOKER)) & np.uint64(1)) << np.uint64(4 * JOKER_SLOT)
    return below | (above << shift) | eights | joker


@inlined
def lowest_slot(counts):
    """Split `counts`, not 0: return 4 x its lowest slot, the number there, and the other counts."""
    place = bits.lowest(counts) // 4 * 4
    shift = np.uint64(place)
    return place, np.int64((counts >> shift) & np.uint64(15)), counts & ~(np.uint64(15) << shift)


@kernel
def slot_of(rank, revolution):
    """Return the slot of a rank, 0 to 12."""
    if rank == EIGHT:
        return EIGHT_SLOT
    strength = NUM_RANKS - 1 - rank if revolution else rank
    return strength - 1 if strength > (NUM_RANKS - 1 - EIGHT if revolution else EIGHT) else strength


@kernel
def slot_of_play(rules, play, revolution):
    """Return the slot of the weakest rank of a play."""
    if play == JOKER:
        return JOKER_SLOT
    rank = np.int64(rules.plays.high[play] if revolution else rules.plays.low[play])
    return slot_of(min(max(rank, 0), NUM_RANKS - 1), revolution)


@kernel
def situation_of(rules, state):
    """Collect the situation of the player to act."""
    player = np.int64(state.player)
    seen = seen_cards_of(state)
    active, most, least, next_size = 0, 0, 20, SIZES - 1  # no hand has more than 20 cards
    other = np.int64(state.next[player])
    while other != player:
        if state.places[other] < 0:
            left = np.int64(state.left[other])
            least = min(least, left)
            if not state.passed & (1 << other):
                if active == 0:
                    next_size = size_class(left)
                active += 1
                most = max(most, left)
        other = np.int64(state.next[other])
    return Situation(
        seen,
        by_slot(seen.hand, state.revolution),
        by_slot(seen.others, state.revolution),
        stage(seen.left),
        1 if seen.left > 5 else 0,
        1 if state.target >= 0 else 0,
        active,
        most,
        size_class(least),
        next_size,
        size_class(np.int64(state.left[state.owner])),
        PLAYERS - 2 - np.int64(state.out),
    )


class Effect(NamedTuple):
    """Effect of a play on the trick."""

    revolution: Integer  # whether low ranks are strong after the play
    locked: int  # 0: the trick is not locked, 1: the play locks it, 2: it was locked before
    beating: int  # number of unseen ranks, or kaidan, that can beat the play; 6: six or more
    sure: int  # 1 if nobody can answer the play, so that its player leads next, else 0


@kernel
def effect_of(rules, state, here, action):
    """Compute the `Effect` of a play (not a pass) of the player to act; `here` is a `Situation`."""
    lock = np.int64(lock_after(rules, state, action))
    locked = 0
    if lock:
        locked = 2 if state.lock else 1
    revolution = revolution_after(rules, state, action)
    others = here.seen.others & (of_suits(lock) | JOKER_BIT)
    beating = min(MOST_BEATING, answers(rules, others, action, revolution))
    if here.active == 0 or here.most < rules.plays.length[action] or state.target == JOKER:
        beating = 0
    sure = 1 if beating == 0 or stops(rules, action) else 0
    return Effect(revolution, locked, beating, sure)


@kernel
def beaters(unseen, slot, size):
    """Count the slots, at most 7, whose unseen cards beat a group of `size` cards at `slot`."""
    stronger = unseen >> np.uint64(4 * slot + 4) if slot < EIGHT_SLOT else np.uint64(0)
    n = 0
    while stronger:
        _, number, stronger = lowest_slot(stronger)
        if number >= size:
            n += 1
    return min(n, 7)

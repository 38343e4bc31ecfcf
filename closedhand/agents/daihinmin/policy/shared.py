"""Functions of both the light and the pattern policy: actions and cards."""

from typing import NamedTuple

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.cards import bit, in_runs, ranks_between, ranks_with
from closedhand.games.daihinmin.hidden import unseen
from closedhand.games.daihinmin.legality import legal
from closedhand.games.daihinmin.plays import (
    BOTH,
    DECK,
    EIGHT,
    FIRST_KAIDAN,
    JOKER,
    JOKER_BIT,
    NUM_RANKS,
    PASS,
    SPADE_THREE,
    is_pair_of_jokers,
)

KINDS = 7
"""Number of kinds: single, pair, triple, larger group, kaidan of 3, kaidan of 4, longer kaidan."""
STAGES = 4
"""Number of stages of a hand, by its number of cards."""


@kernel
def options(rules, state, ids):
    """Write the actions that a policy chooses from; return their number, at least 1.

    These are a play of the whole hand alone, if legal, else all legal actions but a leader's pass.
    """
    n = legal(rules, state, ids)
    if state.leader < 0:
        return n
    k = settled(rules, state, ids, n)
    if k >= 0:
        ids[0] = ids[k]
        return 1
    return without_idle_pass(state, ids, n)


@kernel
def settled(rules, state, ids, n):
    """Return the index of the legal action to take at once, or -1 if the policy has to choose.

    It is the only action or a play of the whole hand; in the exchange always the first action.
    """
    if n == 1 or state.leader < 0:
        return 0
    for k in range(n):
        if ids[k] != PASS and rules.plays.length[ids[k]] == state.left[state.player]:
            return k
    return -1


@kernel
def without_idle_pass(state, ids, n):
    """Remove a leader's pass from the `n` legal actions in `ids`; return the new number."""
    if state.target >= 0 or n == 1:
        return n
    k = n - 1
    while k > 0 and ids[k] > PASS:
        k -= 1
    if ids[k] != PASS:
        return n
    for following in range(k + 1, n):
        ids[following - 1] = ids[following]
    return n - 1


class SeenCards(NamedTuple):
    """Card sets at a decision that the features of all its actions share, and the hand's size."""

    hand: np.uint64
    others: np.uint64  # cards that the player has not seen
    kaidan: np.uint64  # cards of the hand in runs of three or more
    left: int  # number of cards in the hand
    # Cards of ranks that no group of one, two, three or four unseen cards beats, see `unbeaten`:
    above_single: np.uint64
    above_pair: np.uint64
    above_triple: np.uint64
    above_four: np.uint64


@kernel
def seen_cards_of(state):
    """Collect the `SeenCards` of the player to act."""
    hand = state.hands[state.player]
    others = unseen(state, state.player)
    kaidan = in_runs(hand & ~BOTH)
    return compared(hand, others, kaidan, int(state.left[state.player]), state.revolution)


@kernel
def compared(hand, others, kaidan, left, revolution):
    """Make `SeenCards` from its first four fields; `revolution`: whether low ranks are strong."""
    return SeenCards(
        hand, others, kaidan, left,
        unbeaten(others, 1, revolution), unbeaten(others, 2, revolution),
        unbeaten(others, 3, revolution), unbeaten(others, 4, revolution),
    )  # fmt: skip


@kernel
def unbeaten(others, number, revolution):
    """Return the cards of ranks that no group of `number` unseen cards beats, and the eights."""
    ranks = ranks_with(others, number)
    if not ranks:
        return DECK
    if revolution:
        return ranks_between(0, bits.lowest(ranks) // 4) | ranks_between(EIGHT, EIGHT)
    return ranks_between(bits.highest(ranks) // 4, NUM_RANKS - 1) | ranks_between(EIGHT, EIGHT)


@kernel
def form_of(seen, cards, most_weak, most_strong):
    """Encode how many ranks of some cards of the hand are weak, and how many are strong.

    The others can beat a weak rank, and not a strong one. The code is `weak * (most_strong + 1) +
    strong`, where `weak` is at most `most_weak` and `strong` at most `most_strong`.
    """
    # The jokers count as one strong rank, and all kaidan together as one weak rank.
    # `singles` contains `pairs` and so on: differences count a rank once, by its number of cards.
    own = cards & ~BOTH
    kaidan = in_runs(own)
    strong = 1 if cards & BOTH else 0
    weak = 1 if kaidan else 0
    own &= ~kaidan
    fours = ranks_with(own, 4)
    triples = ranks_with(own, 3)
    pairs = ranks_with(own, 2)
    singles = ranks_with(own, 1)
    ranks = bits.size(singles)
    strong_ranks = bits.size(singles & ~pairs & seen.above_single)
    if pairs:
        strong_ranks += bits.size(pairs & ~triples & seen.above_pair)
        strong_ranks += bits.size(triples & ~fours & seen.above_triple)
        strong_ranks += bits.size(fours & seen.above_four)
    weak += ranks - strong_ranks
    strong += strong_ranks
    return min(weak, most_weak) * (most_strong + 1) + min(strong, most_strong)


@kernel
def stage(cards):
    """Return the stage, 0 to 3, of a hand by its number of cards."""
    if cards <= 2:
        return 0
    if cards <= 4:
        return 1
    return 2 if cards <= 7 else 3


@kernel
def kind_of(rules, play):
    """Return the kind of a play, from 0, in the order of `KINDS`."""
    family = np.int64(rules.plays.family[play])
    return min(family, 3) if family < FIRST_KAIDAN else min(family - FIRST_KAIDAN + 4, KINDS - 1)


@kernel
def answers(rules, others, play, revolution):
    """Count the ranks, or kaidan, of the cards `others` (jokers included) that beat a play."""
    if play == JOKER:
        return 1 if others & bit(SPADE_THREE) else 0
    if is_pair_of_jokers(rules, play):
        return 0
    family = np.int64(rules.plays.family[play])
    higher = ranks_between(rules.plays.high[play] + 1, NUM_RANKS - 1)
    if revolution:
        higher = ranks_between(0, rules.plays.low[play] - 1)
    joker = 1 if others & JOKER_BIT else 0
    if family < FIRST_KAIDAN:
        return bits.size(ranks_with(others & higher, family + 1)) + joker
    runs = others & higher  # simplified: the joker lengthens a run, but fills no gap
    for _ in range(rules.plays.length[play] - 1 - joker):
        runs &= runs >> np.uint64(4)
    return bits.size(runs)

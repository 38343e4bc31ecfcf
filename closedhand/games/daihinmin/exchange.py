"""The exchange of cards between classes: the pairs of players, the legal picks, and the transfers.

1. The losers, daihinmin and hinmin, pay their best cards as **taxes** when a round begins.
2. The daifugo chooses the cards that it gives back, one by one, in ascending order.
3. The fugo chooses the card that it gives back.

The **winner** and the **loser** of pair 0 are the daifugo and the daihinmin, those of pair 1 the
fugo and the hinmin. Three players have only pair 0. A **pick** is a card chosen to be given back.
"""

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.cards import added, alike, bit, kinds, removed
from closedhand.games.daihinmin.plays import JOKER
from closedhand.games.daihinmin.state import NOBODY, two_jokers
from closedhand.games.daihinmin.tricks import lead_first

TAXES = (2, 1)
"""Number of cards paid by daihinmin and by hinmin; as many are given back."""
PICKS = (2, 3)
"""Number of picks in the round after which the exchange of pair 0, and of pair 1, is over."""


@kernel
def has_exchange(rules, state):
    """Return whether cards are exchanged in this round."""
    return rules.options.exchange and state.classes[0] >= 0


@kernel
def of_class(state, rank):
    """Return the player with the class `rank`, from 0 for the daifugo on, or `NOBODY`."""
    for player in range(len(state.hands)):
        if state.classes[player] == rank:
            return player
    return NOBODY


@kernel
def winner(state, pair):
    """Return the daifugo (pair 0) or the fugo (pair 1)."""
    return of_class(state, pair)


@kernel
def loser(state, pair):
    """Return the daihinmin (pair 0) or the hinmin (pair 1)."""
    return of_class(state, len(state.classes) - 1 - pair)


@kernel
def pair_in_exchange(state):
    """Return the pair whose winner chooses cards now, 0 or 1; 2 once tricks are played."""
    if state.leader >= 0:
        return 2
    return 0 if state.moves < PICKS[0] else 1


@kernel
def number_of_picks(state):
    """Return the number of cards that are given back in a round with an exchange."""
    return PICKS[len(state.taxed) - 1]


@kernel
def seen_in_exchange(rules, state, player):
    """Return two sets: cards that a player knows it gave, picks included, and knows it got."""
    given, got = np.uint64(0), np.uint64(0)
    if has_exchange(rules, state):
        for pair in range(len(state.taxed)):
            if player == winner(state, pair):
                given = state.returned[pair]
            elif player == loser(state, pair):
                given = state.taxed[pair]
                if is_complete(state, pair):
                    got = state.returned[pair]
    return given, got


@kernel
def is_complete(state, pair):
    """Return whether the exchange of a pair is over, in a round with an exchange."""
    return state.moves >= PICKS[pair]


@kernel
def best_cards(cards, number):
    """Return the best `number` cards for taxes: the joker, then by rank, then by suit s h d c."""
    best = np.uint64(0)
    for _ in range(number):
        best |= bit(bits.highest(cards & ~best))
    return alike(best)


@kernel
def give(state, cards, giver, taker):
    """Move cards from the hand of `giver` to that of `taker`."""
    state.hands[giver] = removed(state, state.hands[giver], cards)
    state.hands[taker] = added(state, state.hands[taker], cards)
    state.left[giver] -= bits.size(cards)
    state.left[taker] += bits.size(cards)


@kernel
def picks(state, hand):
    """Return the cards, a set, that the winner to act may give now."""
    pair = pair_in_exchange(state)
    # The second card is above the first: `(x << 1) - 1` has the bit of x and all lower ones, so one
    # joker may follow the other. The first of two is not the highest, so that a second can follow.
    if state.returned[pair]:
        rest = hand & ~((state.returned[pair] << np.uint64(1)) - np.uint64(1))
    else:
        rest = hand & ~bit(bits.highest(hand)) if TAXES[pair] == 2 else hand
    return kinds(rest) if two_jokers(state) else rest


@kernel
def can_pick(state, action):
    """Return whether `action`, any integer, is a card that may be given in the exchange now."""
    if action < 0 or action > JOKER:
        return False
    return picks(state, state.hands[state.player]) & bit(action) != np.uint64(0)


@kernel
def best_pick(state):
    """Return the id of the best card that may be given in the exchange now."""
    return bits.highest(picks(state, state.hands[state.player]))


@kernel
def pick(state, card):
    """Choose a card in the exchange; a winner's last choice moves all its chosen cards."""
    pair = pair_in_exchange(state)
    state.history[state.moves] = card
    state.moves += 1
    state.returned[pair] = added(state, state.returned[pair], bit(card))
    if bits.size(state.returned[pair]) < TAXES[pair]:
        return
    give(state, state.returned[pair], winner(state, pair), loser(state, pair))
    if pair + 1 < len(state.taxed):
        state.player = winner(state, pair + 1)
    else:
        lead_first(state)

"""Views of Dou Dizhu, and determinisations consistent with a view.

All players see all plays, the public cards once there is a landlord, and all cards of a landlord
who has shown them.
"""

import numpy as np

from closedhand.core.cards import draw_place, total
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.games.doudizhu.auction import is_shown
from closedhand.games.doudizhu.counts import count, one, size
from closedhand.games.doudizhu.state import SEATS, clear


@kernel
def known_public(state):
    """Return the public cards that the landlord must still hold, packed; 0 in an auction.

    A card that the landlord has played counts as a public card of its rank, if there is one.
    """
    known = np.uint64(0)
    if state.landlord >= 0:
        for rank in range(15):
            left = count(state.public, rank) - count(state.played[state.landlord], rank)
            known += np.uint64(max(left, 0)) << np.uint64(4 * rank)
    return known


@kernel
def known_landlord(rules, state):
    """Return the cards known to be in the landlord's hand, packed: public ones, or all if shown."""
    if is_shown(rules, state):
        return np.uint64(state.hands[state.landlord])
    return known_public(state)


@kernel
def cards_of_others(rules, state, player):
    """Return the cards that are neither held by `player` nor played, packed."""
    played = state.played[0] + state.played[1] + state.played[2]
    return rules.options.deck - state.hands[player] - played


@kernel
def unseen(rules, state, player):
    """Return the cards, packed, that are neither played nor known to `player` to be in a hand."""
    cards = cards_of_others(rules, state, player)
    return cards if player == state.landlord else cards - known_landlord(rules, state)


@kernel
def hide(rules, state, player):
    """Set to 0 what `player` cannot know, and clear another's incomplete play, in place."""
    shown = is_shown(rules, state)
    for seat in range(SEATS):
        if seat != player and not (shown and seat == state.landlord):
            state.hands[seat] = np.uint64(0)
    state.seed = np.uint64(0)
    if player != state.player:
        clear(state)
    if state.landlord < 0:
        state.public = np.uint64(0)


@kernel
def redeal(rules, view, player, rng):
    """Draw the hands, public cards and seed that `hide` blanked for `player`, in place.

    Each hidden card is equally likely to be in any free place of a hand or of the public cards.
    That is not quite the distribution of uniform deals given the ranks played: there, a hand that
    has played cards of a rank holds more of it less often. A cleared incomplete play stays cleared.
    """
    hidden = unseen(rules, view, player)
    # Number of unknown cards of each seat, then that of unknown public cards.
    room = np.empty(SEATS + 1, np.int64)
    for seat in range(SEATS):
        room[seat] = 0 if seat == player else view.left[seat]
    room[SEATS] = 0
    if view.landlord < 0:
        room[SEATS] = rules.options.public
    elif view.landlord != player:
        known = known_landlord(rules, view)
        view.hands[view.landlord] = known
        room[view.landlord] -= size(known)
    left = total(room)
    for rank in range(15):
        for _ in range(count(hidden, rank)):
            taker = draw_place(room, left, rng)
            left -= 1
            if taker < SEATS:
                view.hands[taker] += one(rank)
            else:
                view.public += one(rank)
    view.seed = seed_in_kernel(rng)

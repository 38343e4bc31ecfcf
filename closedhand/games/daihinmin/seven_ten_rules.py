"""Cards given to the next player after sevens, and discarded after tens.

Cards are given face up: all players know who holds them. After n sevens or tens up to n cards are
chosen, one by one in ascending order; a pass ends the choice. States under these rules have fields
for this. For other states the readers here return constants, and the writers do nothing.

The **own** cards of a player are its hand at the first trick, after the exchange: the cards that it
holds, or has played or discarded, less those that it got, plus those that it gave away.
"""

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.cards import added, bit, kinds, removed
from closedhand.games.daihinmin.plays import FIRST_KAIDAN, JOKER, SEVEN, TEN
from closedhand.games.daihinmin.state import reader, two_jokers, writer

NONE = np.uint64(0)

due_of = reader("due", np.int64(0))
"""Number of cards that the player to act may still give or discard now."""

least_of = reader("least", np.int64(0))
"""The id of the lowest card that may be given or discarded now."""

back_of = reader("back", np.bool_(False))
"""Whether a jack has reversed the order of the ranks in this trick."""

shown_by = reader("shown", NONE)
"""The cards, a set, that a player got after a seven and still holds."""

away_from = reader("away", NONE)
"""The own cards, a set, that a player gave away after a seven."""

_spent_by = reader("spent", NONE)

set_due, set_least, set_back = map(writer, ("due", "least", "back"))
set_shown, set_away, set_spent = map(writer, ("shown", "away", "spent"))


@kernel
def clear_gifts(state):
    """Clear all fields of given cards, at the start of a round or of its first trick."""
    for player in range(len(state.hands)):
        set_shown(state, player, NONE)
        set_away(state, player, NONE)
        set_spent(state, player, NONE)
    set_due(state, 0)
    set_least(state, 0)
    set_back(state, 0)


@kernel
def spent_by(state, player):
    """Return the cards, a set, that a player got after a seven and has played or discarded."""
    # With two jokers `played` does not tell which one was played, so there is a field for it.
    if two_jokers(state):
        return _spent_by(state, player)
    given = NONE
    for giver in range(len(state.hands)):
        given |= away_from(state, giver)
    return state.played[player] & given


@kernel
def got_by(state, player):
    """Return the cards, a set, that a player got after a seven, whether still held or not."""
    return added(state, shown_by(state, player), spent_by(state, player))


@kernel
def gone_from(state, player):
    """Return the own cards that a player has played, discarded or given away."""
    played = removed(state, state.played[player], spent_by(state, player))
    return added(state, played, away_from(state, player))


@kernel
def own_of(state, player, hand):
    """Return a player's own cards, if it holds `hand` now."""
    cards = removed(state, added(state, hand, state.played[player]), got_by(state, player))
    return added(state, cards, away_from(state, player))


@kernel
def number_owned(state, player):
    """Return the number of a player's own cards; the hand may be hidden."""
    got = got_by(state, player)
    total = np.int64(state.left[player]) + bits.size(state.played[player])
    return total - bits.size(got) + bits.size(away_from(state, player))


@kernel
def owed_after(rules, state, action):
    """Return the number of cards that a player may give or discard after a play just made."""
    options = rules.options
    if options.seven_give + options.ten_discard == 0 or rules.plays.family[action] >= FIRST_KAIDAN:
        return 0
    rank = rules.plays.low[action]  # the only rank: a kaidan never gives or discards
    if (options.seven_give and rank == SEVEN) or (options.ten_discard and rank == TEN):
        return min(np.int64(rules.plays.length[action]), np.int64(state.left[state.player]))
    return 0


@kernel
def lay_down(state, player, cards):
    """Note cards as played or discarded by a player; a joker got after a seven goes first."""
    state.played[player] = added(state, state.played[player], cards)
    shown = shown_by(state, player)
    kept = removed(state, shown, cards)
    if two_jokers(state):
        # Removing twice gives the intersection of `shown` and `cards`, with jokers counted.
        set_spent(state, player, added(state, spent_by(state, player), removed(state, shown, kept)))
    set_shown(state, player, kept)


@kernel
def hand_over(rules, state, card):
    """Give or discard a card of the player to act, after a seven or a ten."""
    player = np.int64(state.player)
    cards, shown = bit(card), shown_by(state, player)
    state.hands[player] = removed(state, state.hands[player], cards)
    state.left[player] -= 1
    if rules.plays.low[state.target] == SEVEN:
        taker = np.int64(state.next[player])
        while state.places[taker] >= 0:
            taker = np.int64(state.next[taker])
        # Of two jokers a received one is given first.
        set_away(state, player, added(state, away_from(state, player), cards & ~shown))
        set_shown(state, player, removed(state, shown, cards))
        set_shown(state, taker, added(state, shown_by(state, taker), cards))
        state.hands[taker] = added(state, state.hands[taker], cards)
        state.left[taker] += 1
    else:
        lay_down(state, player, cards)
    left = np.int64(state.left[player])
    set_due(state, due_of(state) - 1 if left else 0)
    # One joker may follow the other.
    set_least(state, card if two_jokers(state) and card == JOKER else card + 1)


@kernel
def cards_to_hand_over(state):
    """Return the cards, a set, that the player to act may give or discard now."""
    cards = state.hands[state.player] & ~(bit(least_of(state)) - np.uint64(1))
    return kinds(cards) if two_jokers(state) else cards

"""Cards given to the next player after sevens, and discarded after tens.

They are given face up: everybody knows who holds them until they are played. They are chosen one by
one, in ascending order, and the pass ends that. The fields of `GIVING_STATE` hold all of it; where
states have no such fields, the functions here answer as if nothing could be given. Which of the two
it is, is decided when a kernel is compiled, and costs nothing at run time.
"""

from typing import Any

import numpy as np

from closedhand.core import bits, parts
from closedhand.core.kernel import State, kernel
from closedhand.games.daihinmin.cards import added, bit, kinds, removed
from closedhand.games.daihinmin.plays import FIRST_KAIDAN, JOKER, PASS, SEVEN, TEN
from closedhand.games.daihinmin.state import two_jokers

NONE = np.uint64(0)


def _has_fields(state: Any) -> bool:
    """Whether states of a Numba type have the fields."""
    return "due" in state.fields


def due_of(state: State) -> Any:
    """The number of cards that the player to act may still give or discard now."""
    return np.int64(state["due"]) if "due" in (state.dtype.names or ()) else np.int64(0)


@parts.overload(due_of)
def _due_of(state):
    if _has_fields(state):
        return lambda state: np.int64(state.due)
    return lambda state: np.int64(0)


def least_of(state: State) -> Any:
    """The lowest card that may be given or discarded now."""
    return np.int64(state["least"]) if "least" in (state.dtype.names or ()) else np.int64(0)


@parts.overload(least_of)
def _least_of(state):
    if _has_fields(state):
        return lambda state: np.int64(state.least)
    return lambda state: np.int64(0)


def set_due(state: State, due: Any, least: Any) -> None:
    """Let the player to act give or discard so many cards, the lowest of which is `least`."""
    if "due" in (state.dtype.names or ()):
        state["due"], state["least"] = due, least


@parts.overload(set_due)
def _set_due(state, due, least):
    if _has_fields(state):

        def with_fields(state, due, least):
            state.due = due
            state.least = least

        return with_fields
    return lambda state, due, least: None


def back_of(state: State) -> Any:
    """Whether a jack has turned the order of the ranks in this trick."""
    return bool(state["back"]) if "back" in (state.dtype.names or ()) else False


@parts.overload(back_of)
def _back_of(state):
    if _has_fields(state):
        return lambda state: state.back != 0
    return lambda state: False


def set_back(state: State, back: Any) -> None:
    """Note whether a jack has turned the order of the ranks in this trick."""
    if "back" in (state.dtype.names or ()):
        state["back"] = back


@parts.overload(set_back)
def _set_back(state, back):
    if _has_fields(state):

        def with_fields(state, back):
            state.back = back

        return with_fields
    return lambda state, back: None


def shown_by(state: State, player: Any) -> Any:
    """The cards, a set, that a player got after a seven and still holds."""
    return state["shown"][player] if "shown" in (state.dtype.names or ()) else NONE


@parts.overload(shown_by)
def _shown_by(state, player):
    if _has_fields(state):
        return lambda state, player: state.shown[player]
    return lambda state, player: NONE


def away_from(state: State, player: Any) -> Any:
    """The cards, a set, of a player's own hand that were given away after a seven."""
    return state["away"][player] if "away" in (state.dtype.names or ()) else NONE


@parts.overload(away_from)
def _away_from(state, player):
    if _has_fields(state):
        return lambda state, player: state.away[player]
    return lambda state, player: NONE


def set_gifts(state: State, player: Any, shown: Any, away: Any) -> None:
    """Set what `shown_by` and `away_from` tell of a player."""
    if "shown" in (state.dtype.names or ()):
        state["shown"][player], state["away"][player] = shown, away


@parts.overload(set_gifts)
def _set_gifts(state, player, shown, away):
    if _has_fields(state):

        def with_fields(state, player, shown, away):
            state.shown[player] = shown
            state.away[player] = away

        return with_fields
    return lambda state, player, shown, away: None


def spent_by(state: State, player: Any) -> Any:
    """The cards, a set, that a player got after a seven and has played or discarded.

    Only states with two jokers tell, whose own one could not be known from the other otherwise.
    """
    return state["spent"][player] if "spent" in (state.dtype.names or ()) else NONE


@parts.overload(spent_by)
def _spent_by(state, player):
    if "spent" in state.fields:
        return lambda state, player: state.spent[player]
    return lambda state, player: NONE


def set_spent(state: State, player: Any, cards: Any) -> None:
    """Set what `spent_by` tells of a player."""
    if "spent" in (state.dtype.names or ()):
        state["spent"][player] = cards


@parts.overload(set_spent)
def _set_spent(state, player, cards):
    if "spent" in state.fields:

        def with_field(state, player, cards):
            state.spent[player] = cards

        return with_field
    return lambda state, player, cards: None


@kernel
def clear_gifts(state):
    """Begin a round, or its first trick, in which nothing has been given yet."""
    for player in range(len(state.hands)):
        set_gifts(state, player, NONE, NONE)
        set_spent(state, player, NONE)
    set_due(state, 0, 0)
    set_back(state, 0)


@kernel
def gifted(state):
    """All cards, a set, that have been given after sevens."""
    cards = NONE
    for player in range(len(state.hands)):
        cards |= away_from(state, player)
    return cards


@kernel
def got_by(state, player):
    """The cards, a set, that a player got after a seven, and holds or has played."""
    if two_jokers(state):
        return added(state, shown_by(state, player), spent_by(state, player))
    return (shown_by(state, player) | state.played[player]) & gifted(state)


@kernel
def gone_from(state, player):
    """The cards, a set, that a player began the first trick with and has played or given away."""
    if two_jokers(state):
        played = removed(state, state.played[player], spent_by(state, player))
        return added(state, played, away_from(state, player))
    return (state.played[player] & ~gifted(state)) | away_from(state, player)


@kernel
def own_of(state, player, hand):
    """The cards that a player began the first trick with, if it holds `hand` now."""
    if two_jokers(state):
        cards = added(state, hand, state.played[player])
        cards = removed(state, cards, got_by(state, player))
        return added(state, cards, away_from(state, player))
    return ((hand | state.played[player]) & ~gifted(state)) | away_from(state, player)


@kernel
def number_owned(state, player):
    """The number of cards that a player began the first trick with; the hand may be hidden."""
    got = got_by(state, player)
    total = np.int64(state.left[player]) + bits.size(state.played[player])
    return total - bits.size(got) + bits.size(away_from(state, player))


@kernel
def owed_after(rules, state, action):
    """The number of cards that the player who has made a play may give or discard."""
    options = rules.options
    if options.seven_give + options.ten_discard == 0 or rules.plays.family[action] >= FIRST_KAIDAN:
        return 0
    rank = rules.plays.low[action]
    if (options.seven_give and rank == SEVEN) or (options.ten_discard and rank == TEN):
        return min(np.int64(rules.plays.length[action]), np.int64(state.left[state.player]))
    return 0


@kernel
def lay_down(state, player, cards):
    """Take cards out of those that a player has shown, of two jokers the shown one first."""
    shown = shown_by(state, player)
    set_gifts(state, player, removed(state, shown, cards), away_from(state, player))


@kernel
def hand_over(rules, state, card):
    """Give or discard a card of the player to act, after a seven or a ten."""
    player = np.int64(state.player)
    cards = bit(card)
    # Of two jokers one that was got goes first.
    first = cards & ~(shown_by(state, player) if two_jokers(state) else gifted(state))
    state.hands[player] = removed(state, state.hands[player], cards)
    state.left[player] -= 1
    lay_down(state, player, cards)
    if rules.plays.low[state.target] == SEVEN:
        taker = np.int64(state.next[player])
        while state.places[taker] >= 0:
            taker = np.int64(state.next[taker])
        away = added(state, away_from(state, player), first)
        set_gifts(state, player, shown_by(state, player), away)
        shown = added(state, shown_by(state, taker), cards)
        set_gifts(state, taker, shown, away_from(state, taker))
        state.hands[taker] = added(state, state.hands[taker], cards)
        state.left[taker] += 1
    else:
        state.played[player] = added(state, state.played[player], cards)
        set_spent(state, player, added(state, spent_by(state, player), cards & ~first))
    left = np.int64(state.left[player])
    # One joker may follow the other.
    least = card if two_jokers(state) and card == JOKER else card + 1
    set_due(state, due_of(state) - 1 if left else 0, least)


@kernel
def cards_to_hand_over(state):
    """The cards, a set, that the player to act may give or discard now."""
    cards = state.hands[state.player] & ~(bit(least_of(state)) - np.uint64(1))
    return kinds(cards) if two_jokers(state) else cards


@kernel
def legal_gifts(state, out):
    """Write the cards that may be given or discarded now, and the pass; return their number."""
    cards = cards_to_hand_over(state)
    n = 0
    while cards:
        out[n] = bits.lowest(cards)
        cards &= cards - np.uint64(1)
        n += 1
    out[n] = PASS
    return n + 1

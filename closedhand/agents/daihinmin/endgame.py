"""Sure wins of Daihinmin, and the game of the last two players.

A **sure** play ends the trick whatever the others hold: it has an 8 that stops the trick, no unseen
cards beat it, or all others are out of the trick. The search for a sure win:

1. List the legal plays of the player, who leads or follows.
2. A play of the whole hand wins. Otherwise try each sure play: after it the player leads again.
3. Search the rest of the hand in the same way, depth first. The hand wins if all its plays except
   the last one are sure.
"""

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin import tricks
from closedhand.games.daihinmin.cards import bit, removed
from closedhand.games.daihinmin.hidden import unseen
from closedhand.games.daihinmin.legality import both_between, legal, plays_between
from closedhand.games.daihinmin.plays import (
    JACK,
    JOKER,
    NUM_RANKS,
    PASS,
    SPADE_THREE,
    is_pair_of_jokers,
)

DEEPEST = 12
"""Maximum depth of the search, in plays of one hand."""
MOST_NODES = 3000
"""Maximum number of plays that are examined."""


@kernel
def is_sure(rules, state, action, others, ids):
    """Return whether an action surely ends the trick and gives the player to act the lead.

    A pass does so over the player's own trick when all others have passed. `others` are the unseen
    cards, and `ids` is scratch space, int32 [num_actions].
    """
    alone = tricks.everybody(state) & ~state.passed == 1 << state.player
    if action == PASS:
        return alone and state.target >= 0 and state.owner == state.player
    if tricks.stops(rules, action):
        return True
    if alone or state.target == JOKER or is_pair_of_jokers(rules, action):
        return True
    if action == JOKER:
        return not (rules.options.spade_three and others & bit(SPADE_THREE))
    return not is_beatable(rules, state, action, others, ids)


@kernel
def is_beatable(rules, state, action, others, ids):
    """Return whether the unseen cards `others` could beat a play if they were all in one hand.

    `state` is the one before the play; the lock and the order of ranks are those after the play.
    """
    # Nobody with fewer cards than the play has can beat it.
    most = 0
    for player in range(len(state.hands)):
        if player != state.player and not state.passed & (1 << player):
            most = max(most, np.int64(state.left[player]))
    if most < rules.plays.length[action]:
        return False
    lock = tricks.lock_after(rules, state, action)
    revolution = tricks.revolution_after(rules, state, action)
    low, high = np.int64(rules.plays.high[action]) + 1, NUM_RANKS
    if revolution:
        low, high = -1, np.int64(rules.plays.low[action]) - 1
    family = np.int64(rules.plays.family[action])
    n = plays_between(rules, others, family, low, high, lock, ids, 0)
    return both_between(rules, others, family, low, high, lock, ids, n) > 0


@kernel
def wins(rules, view, action):
    """Return whether an action plays the whole hand and is no forbidden finish."""
    whole = rules.plays.length[action] == view.left[view.player]
    return whole and not tricks.is_forbidden_finish(rules, action, view.revolution)


@kernel
def sure_win(rules, views, actions, ids):
    """Find the first play of a sure win; -1 if there is none within the limits of the search.

    The rules are without gifts. `views` are states [DEEPEST]: the first is the view of the player
    to act, not in the exchange. The other views are scratch space, as are `actions`, int32
    [DEEPEST, num_actions], and `ids`, int32 [num_actions].
    """
    others = unseen(views[0], views[0].player)  # the same at all depths: only the player plays
    number = np.empty(DEEPEST, np.int64)
    tried = np.zeros(DEEPEST, np.int64)
    number[0] = legal(rules, views[0], actions[0])
    for k in range(number[0]):
        if wins(rules, views[0], np.int64(actions[0, k])):
            return np.int64(actions[0, k])
    # Each depth has a view, its legal actions and the number of those tried. The plays so far are
    # the last ones tried at each depth, so the first of them is `actions[0, tried[0] - 1]`.
    depth = 0
    for _ in range(MOST_NODES):
        while tried[depth] == number[depth]:
            depth -= 1
            if depth < 0:
                return -1
        view = views[depth]
        action = np.int64(actions[depth, tried[depth]])
        tried[depth] += 1
        if wins(rules, view, action):
            return np.int64(actions[0, tried[0] - 1])
        # A last play that does not win is a forbidden finish.
        more = rules.plays.length[action] < view.left[view.player]
        if more and depth + 1 < DEEPEST and is_sure(rules, view, action, others, ids):
            depth += 1
            views[depth] = view
            lead_on(rules, views[depth], action)
            number[depth] = legal(rules, views[depth], actions[depth])
            tried[depth] = 0
    return -1


@kernel
def lead_on(rules, view, action):
    """Update the view by a sure play, after which its player leads again."""
    player = np.int64(view.player)
    view.hands[player] = removed(view, view.hands[player], rules.plays.need[action])
    view.left[player] -= rules.plays.length[action]
    view.revolution = tricks.revolution_after(rules, view, action)
    is_jack_back = rules.options.jack_back != 0 and tricks.covers(rules, action, JACK)
    if tricks.is_back(rules, view) or is_jack_back:
        view.revolution = 1 - view.revolution
    tricks.new_trick(view, player)


@kernel
def is_duel(view):
    """Return whether two players, who know each other's hands, play for the last two places."""
    return view.out == len(view.hands) - 2 and tricks.placed_last(view) == 0


@kernel
def open_hands(view):
    """Add the opponent's hand to a view of one of the last two players, who knows it."""
    for player in range(len(view.hands)):
        if view.places[player] < 0 and player != view.player:
            view.hands[player] = unseen(view, view.player)

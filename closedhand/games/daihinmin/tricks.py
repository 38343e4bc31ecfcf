"""Tricks: who leads, the effects of a play, whose turn is next, and who is out.

Kernels trust their callers to pass legal plays only.
"""

import numpy as np

from closedhand.core.cards import shuffle
from closedhand.core.kernel import kernel
from closedhand.games.daihinmin.cards import bit
from closedhand.games.daihinmin.plays import DIAMOND_THREE, JOKER
from closedhand.games.daihinmin.state import EVERYBODY, PLAYERS


@kernel
def lead_first(state):
    """Start the first trick, led by the holder of the three of diamonds."""
    for player in range(PLAYERS):
        if state.hands[player] & bit(DIAMOND_THREE):
            state.leader = player
    new_trick(state, state.leader)


@kernel
def new_trick(state, leader):
    """Clear the table; `leader` leads, or the next player who is not out."""
    state.target = -1
    state.lock = 0
    state.passed = 0
    for player in range(PLAYERS):
        state.trick[player] = np.uint64(0)
        if state.places[player] >= 0:
            state.passed |= 1 << player
    while state.passed & (1 << leader):
        leader = state.next[leader]
    state.player = leader
    state.owner = leader


@kernel
def lock_after(rules, state, action):
    """The suits to which a play locks the trick, as bits; 0 for none."""
    if action == JOKER:
        return np.int64(0) if rules.options.joker_unlocks else np.int64(state.lock)
    suits, beaten = np.int64(rules.plays.suits[action]), np.int64(state.target)
    if rules.options.lock and beaten >= 0 and rules.plays.suits[beaten] == suits:
        return suits
    return np.int64(state.lock)


@kernel
def revolution_after(rules, state, action):
    """Whether there is a revolution after a play."""
    if rules.options.revolution and rules.plays.revolts[action]:
        return 1 - np.int64(state.revolution)
    return np.int64(state.revolution)


@kernel
def lay(rules, state, action):
    """Apply a play: put its cards on the table, with all effects."""
    player = np.int64(state.player)
    cards = rules.plays.need[action]
    state.hands[player] &= ~cards
    state.played[player] |= cards
    state.trick[player] |= cards
    state.left[player] -= rules.plays.length[action]
    state.passes = 0
    beaten = np.int64(state.target)
    state.lock = lock_after(rules, state, action)
    state.revolution = revolution_after(rules, state, action)
    state.target = action
    state.owner = player
    if state.left[player] == 0:
        go_out(state, player)
        if state.out == PLAYERS - 1:
            for last in range(PLAYERS):
                if state.places[last] < 0:
                    go_out(state, last)
            return
    if (rules.options.eight_stop and rules.plays.eight[action]) or beaten == JOKER:
        new_trick(state, player)
    else:
        move_on(rules, state)


@kernel
def move_on(rules, state):
    """Give the turn to the next player who can play on; without one, begin a new trick.

    The trick's owner may play over its own cards, unless the rules forbid it.
    """
    waiting = EVERYBODY & ~state.passed
    if not rules.options.overplay and state.target >= 0:
        waiting &= ~(1 << state.owner)
    if waiting == 0:
        new_trick(state, state.owner)
        return
    player = state.next[state.player]
    while not waiting & (1 << player):
        player = state.next[player]
    state.player = player


@kernel
def go_out(state, player):
    """Give a player the next place; the player is out and acts no more."""
    state.places[player] = state.out
    state.out += 1
    state.passed |= 1 << player


@kernel
def rank_rest(state):
    """Rank the players who are not out at random.

    The order is drawn from their cards, which nobody knows completely, so that a round follows from
    its deal and its actions.
    """
    seed = np.uint64(state.moves)
    order = np.arange(PLAYERS)
    for player in range(PLAYERS):
        seed = shuffle(order, seed ^ state.hands[player])
    shuffle(order, seed)
    for player in order:
        if state.places[player] < 0:
            go_out(state, player)

"""The rules of the Leduc family: deals, actions and payoffs.

Kernels do not check their arguments, which are those of `closedhand.core.contract`.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from closedhand.core.cards import shuffle
from closedhand.core.numba.jit import State, kernel
from closedhand.games.leduc.plays import ACTIONS, CARDS, LONGEST, SHOWDOWN, S, T
from closedhand.games.leduc.state import FLOP, SEATS, STATE, Rules


@kernel
def deal(rules, state, seed):
    """Deal the cards of `seed`, a uint64 other than 0, and start the game in `state`."""
    deck = np.empty(CARDS, np.int8)[: rules.tables.cards]  # made with a constant length, for GPUs
    for i in range(len(deck)):
        deck[i] = rules.tables.deck[i]
    shuffle(deck, seed)
    for i in range(SEATS + 1):
        state.cards[i] = deck[i]
    begin(state)


@kernel
def begin(state):
    """Reset all fields of `state` but the cards to the start of a game."""
    for i in range(LONGEST):
        state.history[i] = 0
    state.moves = 0
    state.node = 0
    state.player = S


def deals(rules: Rules) -> Iterator[tuple[State, float]]:
    """Iterate over all deals, by the kinds of the three cards, with their probabilities."""
    tables = rules.tables
    ways = permutations(range(tables.cards), SEATS + 1)
    counts = Counter(tuple(tables.deck[list(cards)].tolist()) for cards in ways)
    for kinds, number in counts.items():
        state = np.zeros(1, STATE)[0]
        state.cards[:] = kinds
        begin(state)
        yield state, number / counts.total()


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions, ascending; return their number."""
    n = 0
    for action in range(len(ACTIONS)):
        if rules.tables.nodes[state.node].next[action] >= 0:
            out[n] = action
            n += 1
    return n


@kernel
def play(rules, state, action):
    """Apply a legal action, and determine the next player to act."""
    state.history[state.moves] = action
    state.moves += 1
    state.node = rules.tables.nodes[state.node].next[action]
    if not over(rules, state):
        state.player = rules.tables.nodes[state.node].player


@kernel
def over(rules, state):
    """Return whether a player has folded, or the betting of phase 2 is over."""
    return rules.tables.nodes[state.node].player < 0


@kernel
def returns(rules, state, out):
    """Write the payoffs of a finished game: plus and minus the loser's bet, or 0 for a tie."""
    node = rules.tables.nodes[state.node]
    if node.winner == SHOWDOWN:
        sign = rules.tables.better[state.cards[S], state.cards[T], state.cards[FLOP]]
        won = sign * node.bets[S]
    else:
        won = -node.bets[S] if node.winner == T else node.bets[T]
    # `won` is an integer: for a tie, the minus of the float 0.0 would be -0.0.
    out[S], out[T] = won, -won

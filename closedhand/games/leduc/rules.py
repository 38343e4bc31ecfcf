"""The rules of the Leduc family: deals, actions and payoffs.

Kernels do not check their arguments, which are those of `closedhand.core.contract`.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from closedhand.core.cards import draw_of_seed
from closedhand.core.numba.jit import State, kernel
from closedhand.games.leduc.plays import ACTIONS, BITS, KINDS, LONGEST, SHOWDOWN, S, T
from closedhand.games.leduc.state import FLOP, SEATS, STATE, Rules


@kernel
def deal(rules, state, seed):
    """Deal the cards of `seed`, a uint64 other than 0, and start the game in `state`."""
    # As `core.cards.shuffle`, on a deck packed in a uint64: an array would be made on the heap.
    deck = rules.tables.packed
    for i in range(rules.tables.cards - 1, 0, -1):
        seed, j = draw_of_seed(seed, i + 1)
        changed = kind(deck, i) ^ kind(deck, j)
        deck ^= changed << np.uint64(BITS * i) ^ changed << np.uint64(BITS * j)
    for i in range(SEATS + 1):
        state.cards[i] = kind(deck, i)
    begin(state)


@kernel
def kind(deck, i):
    """Return the kind of card `i` of a packed deck, uint64."""
    return (deck >> np.uint64(BITS * i)) & np.uint64(KINDS - 1)


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
    following = rules.tables.nodes[state.node].next
    n = 0
    for action in range(len(ACTIONS)):
        out[n] = action  # written over if not legal: a branch would be hard to predict
        n += following[action] >= 0
    return n


@kernel
def is_legal(rules, state, action, ids):
    """Return whether `action`, any integer, leads to another node."""
    possible = 0 <= action < len(ACTIONS)
    return possible and rules.tables.nodes[state.node].next[action] >= 0


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

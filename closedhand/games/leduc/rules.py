"""The rules of the Leduc family: states and transitions.

A game consists of three cards, dealt at the start, and a path in the betting tree (`plays.py`).
Kernels do not check whether an action is legal, nor whether a view hides what they read.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np

from closedhand.core.cards import draw_place, shuffle, total
from closedhand.core.layout import record_type
from closedhand.core.numba.jit import State, kernel
from closedhand.games.leduc.plays import ACTIONS, CARDS, KINDS, LONGEST, SHOWDOWN, S, T

SEATS = 2
FLOP = 2
"""The index of the flop in `cards`, after the cards of S and T."""

UNKNOWN = -1

STATE = record_type(
    [
        ("cards", "i4", SEATS + 1),  # kinds of S's and T's card and the flop, or UNKNOWN
        ("history", "i4", LONGEST),  # all actions
        ("moves", "i4"),  # number of actions
        ("node", "i4"),  # node of the betting tree
        ("player", "i4"),  # the player to act; at the end, the last to have acted
    ]
)


class Rules(NamedTuple):
    """The rules of one member of the family.

    Attributes:
        tables: Tables of the game, a record of `plays.TABLES`.
    """

    kernels = "closedhand.games.leduc.game"

    tables: np.record


@kernel
def deal(rules, state, seed):
    """Deal the cards determined by a seed, and start."""
    deck = np.empty(CARDS, np.int8)[: rules.tables.cards]  # made with a constant length, for GPUs
    for i in range(len(deck)):
        deck[i] = rules.tables.deck[i]
    shuffle(deck, seed)
    for i in range(SEATS + 1):
        state.cards[i] = deck[i]
    begin(state)


@kernel
def begin(state):
    """Start a game with the cards in `state`."""
    for i in range(LONGEST):
        state.history[i] = 0
    state.moves = 0
    state.node = 0
    state.player = S


def deals(rules: Rules) -> Iterator[tuple[State, float]]:
    """Iterate over all deals, three kinds of cards, with their probabilities."""
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
    """Return whether a player has folded, or the second phase is closed."""
    return rules.tables.nodes[state.node].player < 0


@kernel
def returns(rules, state, out):
    """Write the payoffs of a finished game by player: the loser's bet goes to the winner."""
    node = rules.tables.nodes[state.node]
    if node.winner == SHOWDOWN:
        sign = rules.tables.better[state.cards[S], state.cards[T], state.cards[FLOP]]
        out[S] = sign * node.bets[S]
    else:
        out[S] = -node.bets[S] if node.winner == T else node.bets[T]
    out[T] = -out[S]


@kernel
def revealed(rules, state):
    """Return whether the flop is revealed."""
    return rules.tables.nodes[state.node].phase == 2


@kernel
def hide(rules, state, player):
    """Blank, in place, everything that `player` cannot know.

    The opponent's card stays hidden even at the end.
    """
    state.cards[1 - player] = UNKNOWN
    if not revealed(rules, state):
        state.cards[FLOP] = UNKNOWN


@kernel
def redeal(rules, view, player, rng):
    """Fill, in place, the cards that `hide` blanked for `player`, uniformly at random."""
    copies = np.empty(KINDS, np.int64)[: rules.tables.kinds]
    for kind in range(len(copies)):
        copies[kind] = rules.tables.copies[kind]
    for card in view.cards:
        if card != UNKNOWN:
            copies[card] -= 1
    for i in range(SEATS + 1):
        if view.cards[i] == UNKNOWN:
            view.cards[i] = draw_place(copies, total(copies), rng)

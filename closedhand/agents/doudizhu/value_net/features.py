"""Sparse inputs of the network of `value-net`: the indices of the inputs that are 1.

They describe the position, the hand that the play leaves, and the main group of the play. The
network also takes the features by which `decompose` describes the play (`decompose/features.py`).
All inputs are known to the player to act. About the other hands they tell the sizes, the unseen
cards together, and the public cards that the landlord still holds.
"""

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.counts import NIBBLE, RANKS, at_least, count
from closedhand.games.doudizhu.hidden import cards_of_others, known_public
from closedhand.games.doudizhu.plays import BOMB, GROUPS
from closedhand.games.doudizhu.state import SEATS
from closedhand.games.doudizhu.substeps import lowest_rank

COUNTS = 4
"""Inputs for each rank of a set of cards: one for each number of cards, 1 to 4."""
CARDS = len(RANKS) * COUNTS
"""Inputs for a set of cards: `COUNTS * rank + number - 1`."""
MOST_LEFT = 20
"""Greatest number of cards of a player: those of the landlord after the deal."""
RECENT_PLAYS = 9
"""Number of plays and passes before the decision that are inputs."""
MOST_BOMBS = 3
"""Greatest number of bombs that has an input; more count as this number."""

# Index of the first input of each sort. At most one input of a sort is 1. A set of cards has a sort
# for each rank, `RECENT` one for each turn. If a comment lists properties, the last varies fastest.
HAND = 0  # cards of the player after the play
UNSEEN = HAND + CARDS  # cards of the others, all together
PUBLIC = UNSEEN + CARDS  # public cards that the landlord is known to hold, for peasants
PLAYED_NEXT = PUBLIC + CARDS  # cards that the next player has played
PLAYED_LAST = PLAYED_NEXT + CARDS  # the same of the last player, who acts after the next one
LEFT_NEXT = PLAYED_LAST + CARDS  # number of cards left to the next player
LEFT_LAST = LEFT_NEXT + MOST_LEFT + 1
TARGET = LEFT_LAST + MOST_LEFT + 1  # owner (next, last), main group to beat
RECENT = TARGET + 2 * GROUPS  # turn, latest first; main group
BOMBS = RECENT + RECENT_PLAYS * GROUPS  # bombs played: 0, 1, 2, more
SITUATION = BOMBS + MOST_BOMBS + 1  # lead, beat an enemy, beat the partner
PLAY = SITUATION + 3  # main group of the play
ALWAYS = PLAY + GROUPS  # 1 in every position
INPUTS = ALWAYS + 1

SORTS = np.array([
    *range(HAND, LEFT_NEXT, COUNTS), LEFT_NEXT, LEFT_LAST, TARGET,
    *range(RECENT, BOMBS, GROUPS), BOMBS, SITUATION, PLAY, ALWAYS, INPUTS,
])  # fmt: skip
"""First inputs of the sorts, and the end of the last; each rank of a set of cards is a sort."""

MOST_HAND = len(RANKS)
"""Maximum number of inputs that are 1 for a hand: one for each rank."""
MOST_POSITION = 4 * MOST_HAND + 2 + 1 + RECENT_PLAYS + 3
"""Maximum number of inputs that are 1 for a position: those of four sets of cards, cards left, the
play to beat, recent plays, and three more."""
MOST_INPUTS = MOST_POSITION + MOST_HAND + 1
"""Maximum number of inputs that are 1 for a position and a play."""


@kernel
def known_group(rules, play):
    """Return the main group of a play; of a shuttle, which no network has met, its lowest bomb."""
    g = np.int64(rules.plays.group[play])
    if g < GROUPS:
        return g
    family = rules.plays.groups[g].family
    return np.int64(rules.plays.families[BOMB].first) + g - rules.plays.families[family].first


@kernel
def write_cards(cards, first, out, n):
    """Write the inputs of packed cards, numbered from `first`, behind `out[:n]`; return the end."""
    while cards:
        number = np.int64(cards & NIBBLE)
        out[n] = first + number - 1
        n += number > 0
        cards >>= np.uint64(4)
        first += COUNTS
    return n


@kernel
def describe_position(rules, state, out):
    """Write the inputs of a position to `out`, integers [MOST_POSITION]; return their number.

    The auction must be over. The hand of the player to act is left out: `write_cards` and
    `describe_change` write its inputs.
    """
    player = np.int64(state.player)
    landlord = np.int64(state.landlord)
    following, last = (player + 1) % SEATS, (player + 2) % SEATS
    n = write_cards(cards_of_others(rules, state, state.player), UNSEEN, out, 0)
    if player != landlord:
        n = write_cards(known_public(state), PUBLIC, out, n)
    n = write_cards(state.played[following], PLAYED_NEXT, out, n)
    n = write_cards(state.played[last], PLAYED_LAST, out, n)
    out[n] = LEFT_NEXT + np.int64(state.left[following])
    out[n + 1] = LEFT_LAST + np.int64(state.left[last])
    n += 2
    situation = 0
    if state.target >= 0:
        owner = np.int64(state.owner)
        side = GROUPS if owner == last else 0
        out[n] = TARGET + side + known_group(rules, state.target)
        n += 1
        situation = 2 if player != landlord and owner != landlord else 1
    # The history begins with the words, such as bids, which are not plays.
    moves = np.int64(state.moves)
    for i in range(min(RECENT_PLAYS, moves - np.int64(state.words))):
        out[n] = RECENT + i * GROUPS + known_group(rules, state.history[moves - 1 - i])
        n += 1
    out[n] = BOMBS + min(np.int64(state.bombs), MOST_BOMBS)
    out[n + 1] = SITUATION + situation
    out[n + 2] = ALWAYS
    return n + 3


@kernel
def describe_change(hand, cards, out):
    """Write the inputs of a hand that change when some of its `cards` are played, both packed.

    In `out`, integers [2 * MOST_HAND], inputs that are 1 only before the play come first, then
    those that are 1 only after it. The results are the ends of these two parts.
    """
    n = 0
    played, kept = at_least(cards, 1), hand - cards
    for cards_then in (hand, kept):
        ended, ranks = n, played
        while ranks:
            rank = lowest_rank(ranks)
            number = count(cards_then, rank)
            out[n] = HAND + rank * COUNTS + number - 1
            n += number > 0
            ranks &= ranks - np.uint64(1)
    return ended, n

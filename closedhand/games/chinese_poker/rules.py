"""The rules of Chinese Poker: deals, arrangements, and the scores of boards.

A board is an arranged hand, and a hand is 13 ids of cards, high to low. An action is the id of an
arrangement (`plays.py`). Kernels take the arguments of `closedhand.core.contract`; they do not
check whether an action is legal, nor whether a view hides what they read.
"""

import numpy as np

from closedhand.core.cards import shuffle
from closedhand.core.numba.jit import kernel
from closedhand.games.chinese_poker.plays import (
    ARRANGEMENTS,
    BACK,
    FIVES,
    FRONT,
    FRONTS,
    HAND,
    MIDDLE,
    PARTS,
    THREES,
    place_of,
)
from closedhand.games.chinese_poker.state import DECK, SEATS, UNKNOWN, UNSET

FOUL = -1
"""The strength of every part of a board that is out of order."""

NO_NATURAL, THREE_FLUSHES, THREE_STRAIGHTS, SIX_PAIRS, DRAGON = range(5)
"""The naturals, weakest first. The better one of two scores as if it won all three parts."""


@kernel
def deal(rules, state, seed):
    """Deal the cards of `seed`, a uint64 other than 0, and start the game in `state`."""
    deck = np.arange(DECK)
    shuffle(deck, seed)
    for seat in range(rules.players):
        take(deck[seat * HAND : (seat + 1) * HAND], state.hands[seat])
    begin(rules, state)


@kernel
def take(cards, hand):
    """Sort thirteen `cards` in place, and write them to `hand`, high to low."""
    cards.sort()
    for i in range(HAND):
        hand[i] = cards[HAND - 1 - i]


@kernel
def begin(rules, state):
    """Start a game with the hands in `state`; the cards of empty seats become `UNKNOWN`."""
    for seat in range(SEATS):
        state.history[seat] = UNSET
        state.backs[seat] = UNSET
        if seat >= rules.players:
            for i in range(HAND):
                state.hands[seat, i] = UNKNOWN
    state.moves = 0
    state.player = 0


@kernel
def strengths(rules, hand, fives, threes):
    """Write the strengths of a hand's sets, by id, to int16 `fives` [FIVES], `threes` [THREES]."""
    # The loops run in the order of the ids. Each adds its card's term of `place_of`, so that sets
    # share the terms of their first cards; the term of the last card c is C(c, 1) = c.
    tables = rules.tables
    n = 0
    for a in range(HAND - 4):
        place_a = tables.binomial[hand[a], 5]
        for b in range(a + 1, HAND - 3):
            place_b = place_a + tables.binomial[hand[b], 4]
            for c in range(b + 1, HAND - 2):
                place_c = place_b + tables.binomial[hand[c], 3]
                for d in range(c + 1, HAND - 1):
                    place_d = place_c + tables.binomial[hand[d], 2]
                    for e in range(d + 1, HAND):
                        fives[n] = tables.five[place_d + hand[e]]
                        n += 1
    n = 0
    for a in range(HAND - 2):
        for b in range(a + 1, HAND - 1):
            for c in range(b + 1, HAND):
                place = tables.binomial[hand[a], 3] + tables.binomial[hand[b], 2] + hand[c]
                threes[n] = tables.three[place]
                n += 1


@kernel
def legal(rules, state, out):
    """Write the ids of the legal arrangements, ascending; return their number."""
    if rules.fouls:
        for action in range(ARRANGEMENTS):
            out[action] = action
        return ARRANGEMENTS
    tables, hand = rules.tables, state.hands[state.player]
    fives, threes = np.empty(FIVES, np.int16), np.empty(THREES, np.int16)
    strengths(rules, hand, fives, threes)
    # A front is compared with a middle by `floor`, the weakest middle that it allows.
    for i in range(THREES):
        threes[i] = tables.floor[threes[i]]
    n = 0
    # Read the fields once: in uncompiled Python a read takes longer than the rest of the loop.
    middles, fronts = tables.middle, tables.front
    for back in range(FIVES):
        if is_hopeless(rules, hand, fives[back]):
            continue
        for action in range(FRONTS * back, FRONTS * (back + 1)):
            middle = fives[middles[action]]
            # Write every id; an illegal one is overwritten by the next. This avoids a branch that
            # the processor could not predict, since a third of the ids are legal.
            out[n] = action
            n += (fives[back] >= middle) & (middle >= threes[fronts[action]])
    return n


@kernel
def is_hopeless(rules, hand, strength):
    """Return whether a back of this strength is a high card below the hand's highest card."""
    # Such a back is never in order: the highest card makes the middle or the front stronger. `top`
    # is 13, above all ranks, for a back that is more than a high card.
    return rules.tables.top[strength] < hand[0] // 4


@kernel
def is_legal(rules, state, action, ids):
    """Return whether `action`, any integer, is a legal arrangement for the player to act."""
    if not 0 <= action < ARRANGEMENTS or over(rules, state):
        return False
    parts = np.empty(len(PARTS), np.int64)
    return evaluate(rules, state.hands[state.player], action, parts) or rules.fouls


@kernel
def evaluate(rules, hand, action, parts):
    """Write a board's strengths to `parts` [3], front first; return whether they are in order."""
    cards = np.empty(HAND, np.int64)
    for i in range(HAND):
        cards[i] = hand[rules.tables.positions[action, i]]
    parts[BACK] = rules.tables.five[place_of(rules.tables, cards[:5])]
    parts[MIDDLE] = rules.tables.five[place_of(rules.tables, cards[5:10])]
    parts[FRONT] = rules.tables.three[place_of(rules.tables, cards[10:])]
    return parts[BACK] >= parts[MIDDLE] and parts[MIDDLE] >= rules.tables.floor[parts[FRONT]]


@kernel
def play(rules, state, action):
    """Set the hand of the player to act; the turn goes to the next player whose hand is not set."""
    state.history[state.player] = action
    state.backs[state.player] = action // FRONTS
    state.moves += 1
    if not over(rules, state):
        while state.history[state.player] != UNSET:
            state.player = (state.player + 1) % rules.players


@kernel
def over(rules, state):
    """Return whether all hands are set."""
    return state.moves == rules.players


@kernel
def returns(rules, state, out):
    """Write the payoffs of a finished game by player: points against each opponent, summed."""
    parts = np.empty((SEATS, len(PARTS)), np.int64)
    naturals = np.zeros(SEATS, np.int64)
    for seat in range(rules.players):
        out[seat] = 0
        hand = state.hands[seat]
        if not evaluate(rules, hand, state.history[seat], parts[seat]):
            parts[seat, :] = FOUL
        if rules.naturals:
            naturals[seat] = natural(hand)
    for one in range(rules.players):
        for two in range(one + 1, rules.players):
            if naturals[one] or naturals[two]:
                points = worth(rules, len(PARTS) * np.sign(naturals[one] - naturals[two]))
            else:
                points = score(rules, parts[one], parts[two])
                if rules.royalties:
                    points += royalties(rules, parts[one]) - royalties(rules, parts[two])
            out[one] += points
            out[two] -= points


@kernel
def worth(rules, won):
    """Return the points of a board by `won`, -3 to 3: its parts won minus those lost."""
    return won + np.sign(won) * (rules.scoop if abs(won) == len(PARTS) else rules.majority)


@kernel
def score(rules, one, two):
    """Return the points of board `one` against `two`, strengths by part, without royalties."""
    won = 0
    for part in range(len(PARTS)):
        won += np.sign(one[part] - two[part])
    return worth(rules, won)


@kernel
def royalties(rules, parts):
    """Return the royalties that each opponent pays for strengths `parts`; 0 for a foul."""
    points = 0
    if parts[FRONT] != FOUL:
        for part in range(len(PARTS)):
            points += rules.tables.royalties[part, parts[part]]
    return points


@kernel
def natural(hand):
    """Return the highest natural of a hand, an array of 13 cards, or `NO_NATURAL`."""
    ranks = np.zeros(14, np.int64)  # index 1 is the deuce, 13 the ace; 0 is not used
    suits = np.zeros(4, np.int64)
    for card in hand:
        ranks[1 + card // 4] += 1
        suits[card % 4] += 1
    different, pairs, flushes = 0, 0, True
    for count in ranks:
        different += count > 0
        pairs += count // 2  # four of a rank are two pairs
    for count in suits:
        # Three flushes are one of three cards and two of five, of any suits: the number of cards
        # of each suit is a sum of none, some or all of 3, 5 and 5.
        flushes = flushes and count in (0, 3, 5, 8, 10, 13)
    if different == HAND:
        return DRAGON
    if pairs == 6:
        return SIX_PAIRS
    if are_runs(ranks):
        return THREE_STRAIGHTS
    return THREE_FLUSHES if flushes else NO_NATURAL


@kernel
def are_runs(ranks):
    """Return whether `ranks`, counted as in `natural`, are runs of 5, 5 and 3; if so, zero them."""
    for a in range(10):
        if lay_run(ranks, a, 5, -1):
            for b in range(10):
                if lay_run(ranks, b, 5, -1):
                    for c in range(12):
                        if lay_run(ranks, c, 3, -1):
                            return True
                    lay_run(ranks, b, 5, 1)
            lay_run(ranks, a, 5, 1)
    return False


@kernel
def lay_run(ranks, low, length, sign):
    """Remove a run (`sign` -1) from `ranks`, counted as in `natural`, or put it back (1).

    Return False if the counts lack it. A run from 0, the low ace, uses the count at 13 (`i or 13`).
    """
    for i in range(low, low + length):
        if ranks[i or 13] + sign < 0:
            return False
    for i in range(low, low + length):
        ranks[i or 13] += sign
    return True

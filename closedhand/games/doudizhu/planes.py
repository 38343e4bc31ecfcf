"""What a player sees: the DeepRocket paper's 15 x 19 x 21 binary planes and a short status vector.

Planes are indexed `[x, y, z]`, as in the paper's Table 2:

- `x`, 15 ranks: `3 4 5 6 7 8 9 T J Q K A 2 S B`.
- `y`, 19 rows: rows 0-3 say that at least 1, 2, 3, 4 cards of the rank are there; rows 4-18 are
  the fifteen categories of Table 3 and mark *main ranks* (the ranks of a play's main group). Of a
  play that was made its category's row marks its main ranks; a pass marks the whole row 18. Of a
  set of cards each row marks every rank that is a main rank of some play of that category that the
  cards hold, by the rules' preset and regardless of the play to beat.
- `z`, 21 planes: 0 everything played before the last six rounds; 1-18 the last six rounds, the
  oldest first, and in each round the observer, the down player, the up player; 19 the cards that
  the observer has not seen yet (not held, played, or known to be public cards in the landlord's
  hand); 20 his own hand. A round is counted from the observer's own action.

The status vector holds what the planes leave out, 10 numbers: 0-2 the observer's role as one-hot
(landlord, down peasant, up peasant; all zero during an auction), 3-5 the cards left to the
observer, the down and the up player, 6-8 their bids (-1: has not bid), 9 the bombs and rockets
played.
"""

import numpy as np

from closedhand.games.cards import NIBBLE
from closedhand.games.doudizhu.plays import PASS_FAMILY
from closedhand.games.doudizhu.rules import SEATS, has_play, lowest_ranks, pass_id, unseen
from closedhand.games.kernel import kernel

RANKS, ROWS, PLANES = 15, 19, 21
STATUS = 10
SHAPES = {"observation": (RANKS, ROWS, PLANES), "status": (STATUS,)}
SIZE = RANKS * ROWS * PLANES + STATUS

ROUNDS = 6
UNSEEN, HAND = 19, 20
CATEGORY_ROW = 4
PASS_ROW = 18


@kernel
def observe(rules, state, player, out):
    """Write the planes, then the status vector."""
    out[:] = 0
    draw_history(rules, state, player, out)
    for z, cards in ((UNSEEN, unseen(state, player)), (HAND, state.hands[player])):
        draw_cards(out, z, cards)
        draw_possible(rules, out, z, cards)
    draw_status(rules, state, player, out[RANKS * ROWS * PLANES :])


@kernel
def cell(x, y, z):
    """The index of a cell of the planes in the flat observation."""
    return (x * ROWS + y) * PLANES + z


@kernel
def draw_cards(out, z, cards):
    """Rows 0-3 of a plane."""
    x = 0
    while cards:
        for y in range(np.int64(cards & NIBBLE)):
            out[cell(x, y, z)] = 1
        cards >>= np.uint64(4)
        x += 1


@kernel
def draw_ranks(out, row, z, ranks):
    """One row of a plane from the bits of `ranks`."""
    i = cell(0, row, z)
    while ranks:
        if ranks & 1:
            out[i] = 1
        ranks >>= 1
        i += ROWS * PLANES


@kernel
def draw_possible(rules, out, z, cards):
    """Rows 4-18 of a set of cards."""
    f = 0
    while f < PASS_FAMILY:
        family = rules.plays.families[f]
        lowest = lowest_ranks(family, cards)
        g = np.int64(family.first)
        ranks = 0
        while lowest:
            if lowest & np.uint64(1) and has_play(rules.plays, g, cards):
                ranks |= rules.plays.groups[g].ranks
            lowest >>= np.uint64(4)
            g += 1
        draw_ranks(out, CATEGORY_ROW + family.category, z, ranks)
        # A chain holds the shorter ones of its category, so the shortest family marks all.
        f += 1 + family.longer


@kernel
def draw_history(rules, state, player, out):
    """Planes 0 to 18, from the latest action back."""
    before = np.uint64(0)
    age = 0
    for move in range(state.moves - 1, state.bids - 1, -1):
        seat = (state.landlord + move - state.bids) % SEATS
        z = 0
        if age < ROUNDS:
            z = 1 + SEATS * (ROUNDS - 1 - age) + (seat - player) % SEATS
        action = state.history[move]
        group = rules.plays.groups[rules.plays.group[action]]
        if age >= ROUNDS:
            before += rules.plays.need[action]
        elif action == pass_id(rules):
            draw_ranks(out, PASS_ROW, z, (1 << RANKS) - 1)
        else:
            draw_cards(out, z, rules.plays.need[action])
        draw_ranks(out, CATEGORY_ROW + rules.plays.families[group.family].category, z, group.ranks)
        if seat == player:
            age += 1
    draw_cards(out, 0, before)


@kernel
def draw_status(rules, state, player, out):
    """The status vector."""
    if state.landlord >= 0:
        out[(player - state.landlord) % SEATS] = 1
    for i in range(SEATS):
        seat = (player + i) % SEATS
        out[3 + i] = state.left[seat]
        out[6 + i] = state.history[seat] - pass_id(rules) if seat < state.bids else -1
    out[9] = state.bombs

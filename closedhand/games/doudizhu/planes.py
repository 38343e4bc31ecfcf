"""A player's observation: DeepRocket's 15 x 19 x 21 binary planes and a short status vector.

Planes are indexed `[x, y, z]`, as in the paper's Table 2:

- `x`, 15 ranks: `3 4 5 6 7 8 9 T J Q K A 2 S B`.
- `y`, 19 rows: rows 0-3 mark ranks with at least 1, 2, 3, 4 cards; rows 4-18 are the fifteen
  categories of Table 3 and mark *main ranks* (the ranks of a play's main group). In the plane of a
  play, the row of its category marks its main ranks; a pass marks the whole of row 18. In the plane
  of a set of cards, each row marks every main rank of every play of that category that the cards
  allow, under the rules' preset and regardless of the play to beat. A shuttle, a chain of fours,
  is marked in the row of a single four: bomb, four with two single cards, or with two pairs.
- `z`, 21 planes: 0 all cards played before the last six rounds (rows 0-3 only); 1-18 the last six
  rounds, the oldest first, and in each round the observer, the down player (next in turn), the up
  player (the one before the observer); 19 the cards that the observer has not seen yet (not held,
  not played, and not known to be in the landlord's hand); 20 the observer's hand. A round begins
  with the observer's action.

The status vector holds 10 further numbers: 0-2 the observer's role, one-hot
(landlord, down peasant, up peasant; all zero during an auction); 3-5 the number of cards left to
the observer, the down player and the up player; 6-8 their bids, or in an auction by calling and
robbing how often they called or robbed (-1: has not spoken); 9 the number of bombs and rockets
played. In a game of two there is no up player: its numbers and planes are zero.

With `doubling` or `open_hand` there is a last part, `opening`, of 19 numbers: 0-2 whether the
observer, the down player and the up player have doubled (-1: has not said yet); 3 the landlord has
shown all cards; 4-18 the cards that the landlord has shown and still holds, by rank.
"""

import numpy as np

from closedhand.core.numba.jit import inlined, kernel
from closedhand.core.numba.simd import write_bytes
from closedhand.games.doudizhu.auction import bid_of, doubled, is_shown
from closedhand.games.doudizhu.counts import EACH, at_least, count, one
from closedhand.games.doudizhu.hidden import unseen
from closedhand.games.doudizhu.plays import CATEGORIES, PASS_FAMILY, PASS_GROUP, SHUTTLES, mains_of
from closedhand.games.doudizhu.rules import chained, has_play, has_ranks
from closedhand.games.doudizhu.state import SEATS, Rules, around

RANKS, ROWS, PLANES = 15, 19, 21
STATUS = 10
"""Numbers of the status vector, which follows the planes."""
SHAPES = {"observation": (RANKS, ROWS, PLANES), "status": (STATUS,)}
SIZE = RANKS * ROWS * PLANES + STATUS

OPENING_SIZE = SEATS + 1 + RANKS
OPENING = {"opening": (OPENING_SIZE,)}

ROUNDS = 6
"""Number of latest rounds that have a plane for each player."""
UNSEEN, HAND = 19, 20
CATEGORY_ROW = 4
"""Row of the first category; the rows before it count cards."""
PASS_ROW = ROWS - 1
CELLS_AT_ONCE = 4
"""Number of cells drawn at once, without a branch: solos, pairs and trios have no more."""
EACH_BYTE = np.uint64(0x0101010101010101)
LANES = np.uint64(0x0001000100010001)
"""The lowest bit of each lane of 16 bits."""


def shapes(rules: Rules) -> dict[str, tuple[int, ...]]:
    """Return name and shape of each part of an observation."""
    return SHAPES | OPENING if rules.has_opening else SHAPES


@kernel
def observe(rules, state, player, out):
    """Write the planes, the status vector, and `opening` if observations have it, into zeros."""
    draw(rules, state, player, out)
    write_opening(rules, state, player, out)


@kernel
def draw(rules, state, player, out):
    """Write the planes, then the status vector, into a row of zeros."""
    draw_history(rules, state, player, out)
    draw_sets(rules, out, unseen(rules, state, player), state.hands[player])
    draw_status(rules, state, player, out[RANKS * ROWS * PLANES :])


@inlined
def cell(x, y, z):
    """Return the index of a cell of the planes in the flat observation."""
    return np.uint64((x * ROWS + y) * PLANES + z)  # Numba tests signed indices for wraparound


def cells_of_groups() -> np.ndarray:
    """List the cells of every main group in plane 0, uint16 [379, 33]: the number, then the cells.

    Indices run fastest over the planes, so the cells in plane z are these plus z. The last cell is
    repeated until the number is a multiple of `CELLS_AT_ONCE`.
    """
    groups = []
    names = [category.name for category in CATEGORIES]
    for category in (*CATEGORIES, *SHUTTLES):
        for length in category.lengths:
            for main in mains_of(category, length):
                # The pass has only the first cell of its row; `draw_passes` draws the whole row.
                rows = [*range(category.copies), CATEGORY_ROW + names.index(category.name)]
                cells = [(x * ROWS + y) * PLANES for x in main or [0] for y in rows]
                groups.append(cells + -len(cells) % CELLS_AT_ONCE * cells[-1:])
    table = np.zeros((len(groups), 1 + max(map(len, groups))), np.uint16)
    for g, cells in enumerate(groups):
        table[g, : 1 + len(cells)] = [len(cells), *cells]
    return table


CELLS = cells_of_groups()


@inlined
def draw_group(out, z, g):
    """Draw a main group into a plane; of the pass only the first cell of its row."""
    for first in range(1, 1 + CELLS[g, 0], CELLS_AT_ONCE):
        for k in range(first, first + CELLS_AT_ONCE):
            out[np.uint64(CELLS[g, k] + z)] = 1


@inlined
def draw_passes(out, passes):
    """Mark the whole row of passes in the planes 1 to 18 that are bits of `passes`."""
    # Eight planes are the bytes of a uint64.
    first, second = spread(passes >> np.uint64(1)), spread(passes >> np.uint64(9))
    last = spread(passes >> np.uint64(17))
    for x in range(RANKS):
        start = cell(x, PASS_ROW, 1)
        write_bytes(out, start, first)
        write_bytes(out, start + np.uint64(8), second)
        write_bytes(out, start + np.uint64(16), np.uint16(last & np.uint64(0xFFFF)))


@inlined
def spread(bits):
    """Return a uint64 whose eight bytes are the lowest eight bits of `bits`, 1 or 0 each."""
    marked = ((bits & np.uint64(0xFF)) * EACH_BYTE) & np.uint64(0x8040201008040201)
    return ((marked + np.uint64(0x7F) * EACH_BYTE) >> np.uint64(7)) & EACH_BYTE


@inlined
def draw_cards(out, z, cards):
    """Draw rows 0-3 of a plane: the ranks with at least 1, 2, 3, 4 of the packed `cards`."""
    for number in range(1, 5):
        ranks = at_least(cards, number)
        # Writing 0 as well avoids a branch that the processor could not predict.
        for x in range(RANKS):
            out[cell(x, number - 1, z)] = (ranks >> np.uint64(4 * x)) & np.uint64(1)


@kernel
def draw_sets(rules, out, unseen, hand):
    """Draw the planes of the unseen cards and of the hand, two sets of packed cards."""
    for number in range(1, 5):
        draw_pairs(out, number - 1, pairs_at_least(unseen, hand, number))
    f = 0
    while f < PASS_FAMILY:
        family = rules.plays.families[f]
        possible = possible_pairs(rules.plays, family, unseen, hand)
        draw_pairs(out, CATEGORY_ROW + family.category, possible)
        # A chain contains the shorter ones of its category, so the shortest family marks all.
        f += 1 + family.longer


@inlined
def pairs_at_least(unseen, hand, number):
    """Do `at_least` for two sets at once: bit 0 of a rank is for the unseen, bit 1 for the hand."""
    return at_least(unseen, number) | (at_least(hand, number) << np.uint64(1))


@inlined
def draw_pairs(out, row, pairs):
    """Draw a row of the planes `UNSEEN` and `HAND` from `pairs`, bits as in `pairs_at_least`."""
    # The planes are neighbours: both cells of a rank are one lane of 16 bits, and are written at
    # once. A uint64 has the lanes of every fourth rank.
    for first in range(4):
        shifted = pairs >> np.uint64(4 * first)
        lanes = (shifted & LANES) | ((shifted & (LANES << np.uint64(1))) << np.uint64(7))
        for i in range(4):
            x = first + 4 * i
            if x < RANKS:
                lane = np.uint16(lanes >> np.uint64(16 * i) & np.uint64(0xFFFF))
                write_bytes(out, cell(x, row, UNSEEN), lane)


@kernel
def possible_pairs(plays, family, unseen, hand):
    """Return the main ranks of a family's plays that each of two sets allows (`pairs_at_least`)."""
    within = family.within | (family.within << np.uint64(1))
    ranks = chained(pairs_at_least(unseen, hand, family.copies) & within, family.length)
    group = plays.groups[family.first]
    if group.kickers:
        of_hand = with_kickers(plays, family, (ranks >> np.uint64(1)) & EACH, hand)
        ranks = with_kickers(plays, family, ranks & EACH, unseen) | (of_hand << np.uint64(1))
    lowest = ranks  # the first ranks of chains; add their other ranks
    for i in range(1, family.length):
        ranks |= lowest << np.uint64(4 * i)
    return ranks


@inlined
def with_kickers(plays, family, lowest, cards):
    """Return the packed `lowest` ranks whose groups have enough kickers in `cards`."""
    # First `has_ranks`, equal in a family, as it rarely fails; `lowest` is harder to predict.
    if has_ranks(plays.groups[family.first], cards) or not lowest:
        return lowest
    return search_kickers(plays, family, lowest, cards)


@kernel
def search_kickers(plays, family, lowest, cards):
    """Do `with_kickers` by searching the plays of each group."""
    found = np.uint64(0)
    for g in range(family.first, family.end):
        rank = one(family.rank + g - family.first)
        if lowest & rank and has_play(plays, g, cards, 0):
            found |= rank
    return found


@kernel
def draw_history(rules, state, player, out):
    """Draw planes 0 to 18, from the latest action backwards."""
    # Begin with all cards played, and take away those of each move drawn; plane 0 gets the rest.
    before = state.played[0] + state.played[1] + state.played[2]
    passes = np.uint64(0)
    age = 0
    # The seat of a move relative to the observer, which decreases by one with each move back. A
    # round ends, backwards, with the observer's action.
    seat = around(rules, state.player - player)
    move = np.int64(state.moves)
    while move > state.words and age < ROUNDS:
        move -= 1
        seat = (seat if seat > 0 else rules.options.players) - 1
        action = np.int64(state.history[move])
        g = np.int64(rules.plays.group[action])
        z = 1 + SEATS * (ROUNDS - 1 - age) + seat
        # No branch on passes, which the processor could not predict.
        passes |= np.uint64(g == PASS_GROUP) << np.uint64(z)
        draw_group(out, z, g)
        cards = rules.plays.groups[g].need
        if rules.plays.groups[g].kickers:
            cards = rules.plays.need[action]
            draw_cards(out, z, cards)
        before -= cards
        if seat == 0:
            age += 1
    draw_passes(out, passes)
    draw_cards(out, 0, before)


@kernel
def draw_status(rules, state, player, out):
    """Write the status vector to `out`, which is all zero."""
    if state.landlord >= 0:
        # Distance from the landlord: 0 the landlord, 1 the down peasant, 2 the up peasant.
        out[around(rules, player - state.landlord)] = 1
    for i in range(rules.options.players):
        seat = around(rules, player + i)
        out[3 + i] = state.left[seat]
        out[6 + i] = bid_of(rules, state, seat) if state.words else -1
    out[9] = state.bombs


@kernel
def write_opening(rules, state, player, out):
    """Write the part `opening` to the end of `out`, if observations have this part."""
    first = len(out) - OPENING_SIZE
    if rules.options.double_word:
        for i in range(rules.options.players):
            out[first + i] = doubled(rules, state, around(rules, player + i))
    if is_shown(rules, state):
        out[first + SEATS] = 1
        for rank in range(RANKS):
            out[first + SEATS + 1 + rank] = count(state.hands[state.landlord], rank)

"""The cost of playing a hand out, by the cheapest partition of the hand into plays.

1. Give every group a cost (`set_costs`), on the scale of the bot RHCP: 7 per play minus a value by
   rank. Solos, pairs and trios cost less if few unseen groups beat them, and nothing if none does.
   Bombs and the rocket cost 0 or less.
2. Search depth first over all sets of chains. At the lowest rank where a chain can start, either no
   more chains start there, or one chain, of any possible kind and length, is taken out (`branch`).
3. The cards without chains are loose: all cards of a rank are one group. Trios and chains of trios
   take weak solos and pairs as kickers for free, the lowest first (`loose_cost`).
4. Keep the partition with the least total cost.
"""

import numpy as np

from closedhand.core.layout import record_type
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.counts import EACH, NIBBLE, at_least, contains, count, size
from closedhand.games.doudizhu.plays import CATEGORIES
from closedhand.games.doudizhu.substeps import lowest_rank

CHAINABLE = EACH & np.uint64((1 << 48) - 1)
"""The ranks 3 to A, one card each: chains contain no 2 and no joker."""
SHORTEST = (5, 3, 2)
"""Length of the shortest chain of 1, 2 and 3 cards per rank."""

_FIRST = np.cumsum([0] + [len(category.lengths) for category in CATEGORIES])
PLAIN_FAMILY = tuple(int(_FIRST[i]) for i in (0, 2, 4))
"""Families of a solo, a pair and a trio; the chains of each follow in ascending length."""

SOLO, PAIR, TRIO, BOMB, CHAIN, ROCKET = range(1, 7)
"""Rows of the table of costs (`set_costs`). Columns are ranks, for a chain its highest. The row of
loose cards of a rank is their number: 1 to 3, or 4 for a bomb. Row 0 is for no card."""
ROWS = 7

NODE = record_type(
    [("hand", "u8"), ("chains", "u8"), ("first", "i4"), ("kickers", "i4"), ("cost", "i8")]
)
"""Node of the search: a hand whose further chains start at rank `first` or above. The chains that
were taken out, `chains`, have the total cost `cost`; chains of trios take `kickers` kickers."""
CHAIN_BITS = 10
"""Bits of a chain in `chains`, lowest first: 2 for the cards per rank, 4 for the first rank, 4 for
the length. A hand has at most four chains, so 64 bits hold all. As a chain has at least one card
per rank, its bits are never 0, and 0 ends the list."""
MOST_NODES = 400
"""Size of the stack. A path passes at most 12 ranks and takes out at most 4 chains. Each of these
16 steps leaves at most 22 alternatives on the stack, 352 in all."""

JOKERS = np.uint64(0x11 << 4 * 13)
SPARE = 4
"""Greatest cost of a solo or pair that is kept, as it is too strong for a kicker."""


@kernel
def set_costs(others, costs):
    """Write costs of groups, int64 [ROWS, 15], given the cards of all other players, packed."""
    # From the highest rank down, `higher` counts the groups of the others that beat this one. The
    # cost is twice their number, but at most 14 - `rank`: 7 less the rank's value.
    costs[0, :] = 0
    for copies in (SOLO, PAIR, TRIO):
        higher = 0
        ranks = at_least(others, copies)
        for rank in range(14, -1, -1):
            costs[copies, rank] = min(14 - rank, 2 * higher)
            higher += np.int64((ranks >> np.uint64(4 * rank)) & NIBBLE)
    for rank in range(15):
        costs[CHAIN, rank] = max(0, 13 - rank)
        costs[BOMB, rank] = -rank
    costs[ROCKET, :] = -13


@kernel
def partition(hand, costs, nodes):
    """Find the cheapest partition of a packed hand.

    `costs`, int64 [ROWS, 15], are as from `set_costs`; `nodes` is scratch, `NODE` [MOST_NODES].

    Returns:
        The cost; the chains, `CHAIN_BITS` bits each, the last one lowest (0: none); the hand
        without the chains, packed; the number of kickers of its chains of trios.
    """
    nodes[0].hand = hand
    nodes[0].chains = 0
    nodes[0].first = 0
    nodes[0].kickers = 0
    nodes[0].cost = 0
    best = 1000  # above all costs of hands
    chains, rest, kickers = np.uint64(0), hand, 0
    n = 1
    while n > 0:
        n -= 1
        first = np.int64(nodes[n].first)
        starts = chain_starts(nodes[n].hand) >> np.uint64(4 * first)
        if starts:
            nodes[n].first = first + lowest_rank(starts)
            n = branch(costs, nodes, n)
            continue
        loose = loose_cost(nodes[n].hand, np.int64(nodes[n].kickers), costs)
        if np.int64(nodes[n].cost) + loose < best:
            best = np.int64(nodes[n].cost) + loose
            chains, rest, kickers = nodes[n].chains, nodes[n].hand, np.int64(nodes[n].kickers)
    return best, chains, rest, kickers


@kernel
def branch(costs, nodes, n):
    """Replace node n, where a chain can start, by its successors; return the number of nodes.

    See the module's step 2. The stack is explicit, as Numba 0.68 crashes when it loads a recursive
    kernel from its cache.
    """
    first = np.int64(nodes[n].first)
    hand = nodes[n].hand
    chains = nodes[n].chains << np.uint64(CHAIN_BITS)
    kickers = nodes[n].kickers
    spent = nodes[n].cost
    nodes[n].first = first + 1
    n += 1
    for copies in range(1, 4):
        card = np.uint64(copies) << np.uint64(4 * first)
        rest = hand
        length = 0
        while first + length < 12 and contains(rest, card):  # 12 ranks, 3 to A, form chains
            rest -= card
            card <<= np.uint64(4)
            length += 1
            if length >= SHORTEST[copies - 1]:
                nodes[n].hand = rest
                # Packed as `CHAIN_BITS` says; `take_apart` unpacks it.
                nodes[n].chains = chains | np.uint64(copies | first << 2 | length << 6)
                nodes[n].first = first
                nodes[n].kickers = kickers + (length if copies == 3 else 0)
                nodes[n].cost = spent + costs[CHAIN, first + length - 1]
                n += 1
    return n


@kernel
def chain_starts(hand):
    """Return the ranks, one card each, at which a chain of solos, pairs or trios can start."""
    # A shift by 4 bits is a shift by one rank. `twice` has runs of two; a run of five is two runs
    # of two next to each other and one more rank.
    solos = at_least(hand, 1) & CHAINABLE
    pairs = at_least(hand, 2) & CHAINABLE
    trios = at_least(hand, 3) & CHAINABLE
    one, two, four = np.uint64(4), np.uint64(8), np.uint64(16)
    twice = solos & solos >> one
    fives = twice & twice >> two & solos >> four
    return fives | pairs & pairs >> one & pairs >> two | trios & trios >> one


@kernel
def loose_cost(hand, kickers, costs):
    """Return the cost of a hand without chains, with weak solos and pairs as kickers."""
    total = 0
    if contains(hand, JOKERS):
        hand -= JOKERS
        total += costs[ROCKET, 0]
    for rank in range(15):
        total += costs[np.int64(hand >> np.uint64(4 * rank) & NIBBLE), rank]
    # `kickers` begins as the number for chains. Each trio, a rank of exactly three cards, adds one.
    # Solos and pairs become kickers, the lowest first: among solos or pairs these cost the most.
    kickers += size(at_least(hand, 3) ^ at_least(hand, 4))
    spare = at_least(hand, 1) ^ at_least(hand, 3)
    while spare and kickers > 0:
        rank = lowest_rank(spare)
        group = costs[count(hand, rank), rank]
        if group > SPARE:
            total -= group
            kickers -= 1
        spare &= spare - np.uint64(1)
    return total

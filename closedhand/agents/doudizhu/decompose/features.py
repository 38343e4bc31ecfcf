"""Features of the plays that the agent `decompose` chooses from.

A feature is an index into one vector of weights. A play has five to nine features, and one more for
each group in the partition of the remaining hand. Features are of several sorts. A feature is the
first index of its sort plus an offset: several properties, such as mode and rank, in mixed radix.
"""

from typing import Any, NamedTuple

import numpy as np

from closedhand.agents.doudizhu.decompose import partition
from closedhand.core import bits
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.auction import pass_id
from closedhand.games.doudizhu.counts import NIBBLE, at_least, contains, count
from closedhand.games.doudizhu.hidden import cards_of_others
from closedhand.games.doudizhu.plays import BOMB
from closedhand.games.doudizhu.rules import chained, is_bomb
from closedhand.games.doudizhu.state import SEATS
from closedhand.games.doudizhu.substeps import lowest_rank

KINDS = 8
"""Number of kinds: solo, pair, trio, a chain of each, bomb, rocket; kickers are ignored."""
KIND = np.array([0, 3, 1, 4, 2, 5, 2, 5, 2, 5, 2, 2, 6, 7])
"""The kind of each category except the pass; four with kickers counts as a trio."""
CATEGORIES = 14
MODES = 9
"""Number of modes, 3 * role + situation: roles are landlord, down peasant, up peasant; situations
are lead, beat an enemy, beat the partner."""
RANKS = 15
LEFTS = 7
"""Number of classes of the cards left to a player: 1, 2, 3, 4, 5 to 6, 7 to 9, more."""
STAGES = 4
"""Number of classes of the cards left to the player to act: 1 to 4, 5 to 8, 9 to 13, more."""
RIVALS = 8
"""Number of classes of a group's rivals, groups of others that may beat it: 0 to 6, more."""
MOST_WEAK, MOST_STRONG = 6, 3
FORMS = (MOST_WEAK + 1) * (MOST_STRONG + 1)
"""Number of forms of a hand: its numbers of weak groups, which others can beat, and of strong ones,
cut off at `MOST_WEAK` and `MOST_STRONG`."""
TURNS = 10
"""Number of classes of turns, the groups of a hand: 0 to 8, more."""
GAINS = 24
"""Number of classes of the decrease in the cost of a hand: -7 or less, each of -6 to 15, more."""
SHAPES = 3
"""Number of shapes: solo, pair, anything else."""

# First feature of each sort. Comments name the properties in its offset; the last varies fastest.
# The least enemy is the class of the fewest cards left to an enemy. A play is sure if no other
# player can hold a higher group of its family; bombs and the rocket always count as sure.
PLAY = 0  # mode, category, rank, stage
RIVALED = PLAY + MODES * CATEGORIES * RANKS * STAGES  # mode, kind, rivals, least enemy
LEAVING = RIVALED + MODES * KINDS * RIVALS * LEFTS  # mode, sure, form, least enemy
GAIN = LEAVING + MODES * 2 * FORMS * LEFTS  # mode, gain
REMAINING = GAIN + MODES * GAINS  # mode, sure, turns, least enemy
GROUPS = REMAINING + MODES * 2 * TURNS * LEFTS  # role, kind, rivals: of each group that is left
THREAT = GROUPS + 3 * KINDS * RIVALS  # mode, shape, rank, least enemy (1 to 3, more)
FEEDING = THREAT + MODES * SHAPES * RANKS * 4  # mode, shape, rank, partner (1 to 3, more)
RAISE = FEEDING + MODES * SHAPES * RANKS * 4  # mode, shape, ranks above the target
TABLED = RAISE + MODES * SHAPES * RANKS  # mode, shape, left to the next and to the last player
BOMBING = TABLED + MODES * SHAPES * LEFTS * LEFTS  # mode, turns, least enemy
PASSING = BOMBING + MODES * TURNS * LEFTS  # mode, category and rank to beat
PASSING_LEFT = PASSING + MODES * CATEGORIES * RANKS  # mode, kind to beat, left to its owner
PASSING_FORM = PASSING_LEFT + MODES * KINDS * LEFTS  # mode, form, left to the owner
PASSING_TURNS = PASSING_FORM + MODES * FORMS * LEFTS  # mode, turns, left to the owner
PASSING_TABLED = PASSING_TURNS + MODES * TURNS * LEFTS  # mode, left to the next and to the last
FEATURES = PASSING_TABLED + MODES * LEFTS * LEFTS
MOST_GROUPS = 20
MOST_FEATURES = 10 + MOST_GROUPS
"""Upper bound on the features of a play: ten, and one for each group of the remaining hand."""

SORTS = np.array([
    PLAY, RIVALED, LEAVING, GAIN, REMAINING, GROUPS, THREAT, FEEDING, RAISE, TABLED, BOMBING,
    PASSING, PASSING_LEFT, PASSING_FORM, PASSING_TURNS, PASSING_TABLED, FEATURES,
])  # fmt: skip
"""First features of the sorts, and the end of the last one."""
MOST_OF_SORT = np.where(SORTS[:-1] == GROUPS, MOST_GROUPS, 1)
"""Maximum number of features of each sort in a play."""


class StateInputs(NamedTuple):
    """Inputs that the features of all plays in a state share."""

    mode: Any  # role and situation, see `MODES`
    role: Any  # 0 landlord, 1 down peasant, 2 up peasant
    enemy: Any  # smallest number of cards in an enemy's hand
    partner: Any  # number of cards in the partner's hand; 20 for the landlord
    owner: Any  # number of cards of the player who made the play to beat; 0 for a lead
    most: Any  # greatest number of cards in another player's hand
    tabled: Any  # classes of the cards left to the next and to the last player, as one number
    others: np.uint64  # cards of the other players, all together, packed


@kernel
def inputs_of(rules, state):
    """Collect the inputs that the features of all plays of the player to act share."""
    player = np.int64(state.player)
    landlord = np.int64(state.landlord)
    role = (player - landlord) % SEATS
    enemy, partner, most = 20, 20, 0  # 20: the largest hand; a landlord's `partner` stays 20
    for i in range(1, SEATS):
        seat = (player + i) % SEATS
        left = np.int64(state.left[seat])
        most = max(most, left)
        if role == 0 or seat == landlord:
            enemy = min(enemy, left)
        else:
            partner = left
    mode = 3 * role
    owner = 0
    if state.target >= 0:
        mode += 2 if role > 0 and state.owner != landlord else 1  # the situation, see `MODES`
        owner = np.int64(state.left[state.owner])
    following, last = (player + 1) % SEATS, (player + 2) % SEATS
    tabled = left_class(state.left[following]) * LEFTS + left_class(state.left[last])
    others = cards_of_others(rules, state, player)
    return StateInputs(mode, role, enemy, partner, owner, most, tabled, others)


@kernel
def left_class(cards):
    """Return the class of a number of cards left, 0 to 6; see `LEFTS`."""
    if cards <= 4:
        return max(np.int64(cards), 1) - 1
    if cards <= 6:
        return 4
    return 5 if cards <= 9 else 6


@kernel
def rivals(copies, first, length, seen):
    """Count the rivals, at most 7, of a group of `length` ranks from `first`, `copies` each."""
    if copies * length > seen.most:
        return 0
    # A bit for each rank of which the others hold enough cards. For a chain, the bits are those of
    # ranks at which a chain of the length starts. Bits above `first` beat the group.
    ranks = at_least(seen.others, copies)
    if length > 1:
        ranks = chained(ranks & partition.CHAINABLE, length)
    return min(bits.size(ranks >> np.uint64(4 * first) >> np.uint64(4)), RIVALS - 1)


@kernel
def take_apart(hand, seen, costs, nodes, features):
    """Write a hand's groups to `features`; return their number, the hand's form and its cost."""
    # Indices of kinds are those of `KINDS`: 0 to 2 loose cards, 3 to 5 chains, 6 bomb, 7 rocket.
    spent, chains, hand, kickers = partition.partition(hand, costs, nodes)
    base = GROUPS + seen.role * KINDS * RIVALS
    n, strong = 0, 0
    while chains:
        copies = np.int64(chains & np.uint64(3))
        first = np.int64(chains >> np.uint64(2) & NIBBLE)
        length = np.int64(chains >> np.uint64(6) & NIBBLE)
        number = rivals(copies, first, length, seen)
        strong += 1 if number == 0 else 0
        features[n] = base + (2 + copies) * RIVALS + number
        n += 1
        chains >>= np.uint64(partition.CHAIN_BITS)
    if contains(hand, partition.JOKERS):
        hand -= partition.JOKERS
        features[n] = base + 7 * RIVALS
        n += 1
        strong += 1
    kickers += bits.size(at_least(hand, 3) ^ at_least(hand, 4))
    ranks = at_least(hand, 1)
    while ranks:
        rank = lowest_rank(ranks)
        cards = count(hand, rank)
        ranks &= ranks - np.uint64(1)
        if cards == 4:
            features[n] = base + 6 * RIVALS
            n += 1
            strong += 1
        elif cards < 3 and kickers > 0 and costs[cards, rank] > partition.SPARE:
            kickers -= 1  # part of a trio or a chain of trios, no group of its own
        else:
            number = rivals(cards, rank, 1, seen)
            strong += 1 if number == 0 else 0
            features[n] = base + (cards - 1) * RIVALS + number
            n += 1
    form = min(n - strong, MOST_WEAK) * (MOST_STRONG + 1) + min(strong, MOST_STRONG)
    return n, form, spent


@kernel
def describe(rules, state, seen, play, keep, costs, nodes, features):
    """Write the features of a play into `features`, int64 [MOST_FEATURES]; return their number.

    First come the groups of the remaining hand (`take_apart`), then one feature of each sort that
    applies. `play` is a flat play but no shuttle, or the pass if there is a play to beat; `seen` is
    from `inputs_of`, and `keep` the cost of the hand before the play. `costs` and `nodes` are
    as for `partition`.
    """
    plays = rules.plays
    hand = state.hands[state.player]
    mode = seen.mode
    if play == pass_id(rules):
        g = np.int64(plays.group[state.target])
        family = plays.families[plays.groups[g].family]
        category = np.int64(family.category)
        rank = np.int64(family.rank) + g - np.int64(family.first)
        owner = left_class(seen.owner)
        n, form, _ = take_apart(hand, seen, costs, nodes, features)
        turns = min(n, TURNS - 1)
        features[n] = PASSING + (mode * CATEGORIES + category) * RANKS + rank
        features[n + 1] = PASSING_LEFT + (mode * KINDS + KIND[category]) * LEFTS + owner
        features[n + 2] = PASSING_FORM + (mode * FORMS + form) * LEFTS + owner
        features[n + 3] = PASSING_TURNS + (mode * TURNS + turns) * LEFTS + owner
        features[n + 4] = PASSING_TABLED + mode * LEFTS * LEFTS + seen.tabled
        return n + 5
    g = np.int64(plays.group[play])
    group = plays.groups[g]
    family = plays.families[group.family]
    category = np.int64(family.category)
    rank = np.int64(family.rank) + g - np.int64(family.first)
    kind = KIND[category]
    shape = min(kind, 2)
    length = np.int64(family.length)
    enemy = left_class(seen.enemy)
    beating = rivals(np.int64(family.copies), rank, length, seen) if group.family < BOMB else 0
    own = np.int64(state.left[state.player])
    stage = 0 if own <= 4 else (1 if own <= 8 else (2 if own <= 13 else 3))
    n, form, spent = take_apart(hand - plays.need[play], seen, costs, nodes, features)
    turns = min(n, TURNS - 1)
    gain = min(max(keep - spent, -7), GAINS - 8) + 7  # clipped, and shifted to start at 0
    surely = 1 if beating == 0 else 0
    features[n] = PLAY + ((mode * CATEGORIES + category) * RANKS + rank) * STAGES + stage
    features[n + 1] = RIVALED + ((mode * KINDS + kind) * RIVALS + beating) * LEFTS + enemy
    features[n + 2] = LEAVING + ((mode * 2 + surely) * FORMS + form) * LEFTS + enemy
    features[n + 3] = GAIN + mode * GAINS + gain
    features[n + 4] = REMAINING + ((mode * 2 + surely) * TURNS + turns) * LEFTS + enemy
    features[n + 5] = THREAT + ((mode * SHAPES + shape) * RANKS + rank) * 4 + min(enemy, 3)
    features[n + 6] = TABLED + (mode * SHAPES + shape) * LEFTS * LEFTS + seen.tabled
    n += 7
    if seen.role > 0:
        partner = min(left_class(seen.partner), 3)
        features[n] = FEEDING + ((mode * SHAPES + shape) * RANKS + rank) * 4 + partner
        n += 1
    if is_bomb(group.family):
        features[n] = BOMBING + (mode * TURNS + turns) * LEFTS + enemy
        n += 1
    elif state.target >= 0:
        jump = g - np.int64(plays.group[state.target])
        features[n] = RAISE + (mode * SHAPES + shape) * RANKS + min(max(jump, 0), RANKS - 1)
        n += 1
    return n

"""A player's compact observation: a short vector of small numbers, for networks of dense layers.

Seats are relative to the observer: self, down, up. Cards are counted by rank. The category is given
for the play to beat only; the latest moves are given as cards. A move that was not made is all 0.
In sub-steps further numbers describe the play under way, all 0 except for the player who is picking
its kickers. With `doubling` or `open_hand`, the numbers at the end describe these. In a game of two
there is no up player.
"""

import numpy as np

from closedhand.core.features import Feature, FeatureTable, labels
from closedhand.core.numba.jit import inlined, kernel
from closedhand.core.numba.simd import write_bytes
from closedhand.games.doudizhu.auction import bid_of, pass_id
from closedhand.games.doudizhu.counts import RANKS, bytes_of_counts
from closedhand.games.doudizhu.hidden import known_public, unseen
from closedhand.games.doudizhu.planes import write_opening
from closedhand.games.doudizhu.plays import CATEGORIES
from closedhand.games.doudizhu.state import MOST_BOMBS, Rules, around

NUM_RANKS = len(RANKS)
SUITED = 13
"""Number of ranks without the jokers."""
MOVES = 15
"""Number of latest moves, as many as DouZero's networks see."""
MOST_LEFT = 20  # number of the landlord's cards at first
FOUR_BYTES = np.uint64(0x01010101)

PLACES = ("self", "down", "up")
AT_LEAST = [*labels(RANKS[:SUITED], range(1, 5)), *RANKS[SUITED:]]
NAMES = [category.name for category in CATEGORIES[:-1]]

FEATURES = FeatureTable(
    Feature("hand", AT_LEAST, "the observer holds at least 1, 2, 3, 4 cards of the rank"),
    Feature("unseen", AT_LEAST, "as many cards of the rank are neither held nor played, nor known "
            "to be public cards in the landlord's hand"),
    Feature("public", RANKS, "public cards known to be in the landlord's hand", most=3),
    Feature("played", labels(PLACES, RANKS), "cards that the player has played", most=4),
    Feature("left", labels(PLACES, range(1, MOST_LEFT + 1)),
            "the player has at least as many cards left"),
    Feature("role", ("landlord", "down peasant", "up peasant"),
            "the observer's role, all 0 during an auction"),
    Feature("bid", PLACES, "the player's bid, or how often the player called or robbed, -1: has "
            "not bid", most=3, least=-1),
    Feature("bombs", ("",), "number of bombs and rockets played", most=MOST_BOMBS),
    Feature("plays", PLACES, "number of plays of the player, without passes", most=MOST_LEFT),
    Feature("turn", PLACES, "the player is to act"),
    Feature("owner", PLACES, "the player made the play to beat, or leads; all 0 in an auction"),
    Feature("to beat", RANKS, "cards of the play to beat, kickers included; all 0 for who leads",
            most=4),
    Feature("to beat main", RANKS, "main ranks of the play to beat"),
    Feature("to beat is", NAMES, "category of the play to beat"),
    Feature("move", labels(range(1, MOVES + 1), [*RANKS, "pass"]),
            "cards of the latest moves of all players, the latest one first, and whether it was a "
            "pass", most=4),
)  # fmt: skip
"""The table of the compact observation without sub-steps."""

KICKERS = FeatureTable(
    Feature("main", RANKS, "main ranks of the play under way"),
    Feature("main is", NAMES, "its category"),
    Feature("picked", RANKS, "cards picked as its kickers so far", most=4),
    Feature("rest", RANKS, "cards that the observer keeps besides", most=4),
    Feature("to pick", ("solos", "pairs"), "number of kickers to pick yet", most=5),
)
"""The numbers that follow in sub-steps."""

OPENING = FeatureTable(
    Feature("doubled", PLACES, "the player has doubled, -1: has not said yet", least=-1),
    Feature("open", ("",), "the landlord has shown all cards"),
    Feature("shown", RANKS, "cards that the landlord has shown and still holds", most=4),
)
"""The last numbers with `doubling` or `open_hand`, the part `opening` of `planes.py`."""

(
    HAND, UNSEEN, PUBLIC, PLAYED, LEFT, ROLE, BID, BOMBS, PLAYS, TURN, OWNER, BEAT, BEAT_MAIN,
    BEAT_IS, MOVE,
) = FEATURES.starts  # fmt: skip
MAIN, MAIN_IS, PICKED, REST, TO_PICK = KICKERS.starts
SIZE = len(FEATURES)


def table(rules: Rules, *substeps: FeatureTable) -> FeatureTable:
    """Return a game's table: `FEATURES`, `substeps`, and `OPENING` for doubling or an open hand."""
    return sum((*substeps, *[OPENING] * rules.has_opening), FEATURES)


@kernel
def features(rules, state, player, out):
    """Write the numbers of `FEATURES`, and of `OPENING` if the game has them, into zeros."""
    write_opening(rules, state, player, out)
    write_at_least(out, HAND, state.hands[player])
    write_at_least(out, UNSEEN, unseen(rules, state, player))
    write_counts(out, PUBLIC, known_public(state))
    if state.landlord >= 0:
        out[ROLE + around(rules, player - state.landlord)] = 1
        out[OWNER + around(rules, state.owner - player)] = 1
    out[TURN + around(rules, state.player - player)] = 1
    out[BOMBS] = state.bombs
    for i in range(rules.options.players):
        seat = around(rules, player + i)
        write_counts(out, PLAYED + NUM_RANKS * i, state.played[seat])
        first = LEFT + MOST_LEFT * i
        out[first : first + state.left[seat]] = 1
        out[BID + i] = bid_of(rules, state, seat) if state.words else -1
        out[PLAYS + i] = state.plays[seat]
    if state.target >= 0:
        write_counts(out, BEAT, rules.plays.need[state.target])
        write_group(rules, np.int64(rules.plays.group[state.target]), out, BEAT_MAIN, BEAT_IS)
    move, first = np.int64(state.moves), MOVE
    while move > state.words and first < MOVE + MOVES * (NUM_RANKS + 1):
        move -= 1
        action = np.int64(state.history[move])
        if action == pass_id(rules):
            out[first + NUM_RANKS] = 1
        else:
            write_counts(out, first, rules.plays.need[action])
        first += NUM_RANKS + 1


@kernel
def kicker_features(rules, state, out):
    """Write the numbers of `KICKERS` for the player to act, who is picking kickers."""
    group = rules.plays.groups[state.group]
    write_group(rules, np.int64(state.group), out, MAIN, MAIN_IS)
    write_counts(out, PICKED, state.picked)
    write_counts(out, REST, state.hands[state.player] - group.need - state.picked)
    out[TO_PICK + group.unit - 1] = state.picks


@inlined
def write_at_least(out, first, cards):
    """Write, from `first` on, for each entry of `AT_LEAST` whether the packed `cards` reach it."""
    for rank in range(SUITED):
        number = (cards >> np.uint64(4 * rank)) & np.uint64(15)
        reached = ((np.uint64(1) << (np.uint64(8) * number)) - np.uint64(1)) & FOUR_BYTES
        write_bytes(out, first + 4 * rank, np.uint32(reached))
    for rank in range(SUITED, NUM_RANKS):
        out[first + 3 * SUITED + rank] = (cards >> np.uint64(4 * rank)) & np.uint64(1)


@inlined
def write_counts(out, first, cards):
    """Write the number of cards of each rank of a packed hand, from index `first` on."""
    write_bytes(out, first, bytes_of_counts(cards))
    write_bytes(out, first + 7, bytes_of_counts(cards >> np.uint64(4 * 7)))


@inlined
def write_group(rules, g, out, ranks, kinds):
    """Write a main group, not the pass: its ranks from index `ranks` on, category from `kinds`."""
    group = rules.plays.groups[g]
    for rank in range(NUM_RANKS):
        out[ranks + rank] = (group.ranks >> rank) & 1
    out[kinds + rules.plays.families[group.family].category] = 1

"""Dou Dizhu in kicker sub-steps: first the main group, then its kickers one by one.

There are 337 actions, the outputs of the paper's two networks: the 309 main groups (including the
pass), 15 solo kickers and 13 pair kickers. Words, such as bids (`auction.py`), follow from 337 on.
Kickers ascend, so exactly one path leads to each play of the **flat** game, without sub-steps. A
choice is legal only if some play completes it. The other players see complete plays only.

The kicker planes are binary, 15 x 9 x 3, indexed `[x, y, z]` by rank, row and channel (the paper's
Table 4). They are all zero except for a player who is picking a kicker:

- Channel 0: row 0 the kickers are pairs; 1 the observer is the down peasant; 2 the observer is the
  up peasant; 3-6 at least 1, 2, 3, 4 cards of the rank are left in the observer's hand; 7 legal
  solo kickers; 8 legal pair kickers.
- Channel 1: rows 0-3 at least 1, 2, 3, 4 cards of the rank have been played; 4 the main ranks;
  5, 6 the rank has been picked as a kicker at least once, at least twice; 7 the first n ranks,
  where the group has n kickers in all; 8 the first n ranks, where n kickers are still to pick.
- Channel 2: rows 0-3 at least 1, 2, 3, 4 cards of the rank are unseen; 4 legal kickers that would
  leave a card of the rank in hand; 5 public cards known to be in the landlord's hand; 6-8 the first
  n ranks, where the observer, the next player and the one after have n cards left (at most 15).
"""

from typing import NamedTuple

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import features as compact, planes, rules as flat, validity
from closedhand.games.doudizhu.auction import is_opening, legal_words, pass_id
from closedhand.games.doudizhu.counts import by_rank, contains, count, one
from closedhand.games.doudizhu.hidden import known_public, unseen
from closedhand.games.doudizhu.plays import GROUPS, PASS_GROUP
from closedhand.games.doudizhu.state import Rules as FlatRules, around, clear

FIRST_SOLO = GROUPS
FIRST_PAIR = FIRST_SOLO + 15
FIRST_BID = FIRST_PAIR + 13
"""First id of the words, if the game has any."""
ACTIONS = FIRST_BID
"""Number of actions without the words."""
MOST_KICKERS = 54 // 3
"""Upper bound on kickers in a game: each comes with at least two cards of a main group."""

ROWS, CHANNELS = 9, 3
SHAPES = {**planes.SHAPES, "kicker": (planes.RANKS, ROWS, CHANNELS)}


class Rules(NamedTuple):
    """The rules of the game in sub-steps."""

    kernels = "closedhand.games.doudizhu.substeps"

    flat: FlatRules


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions, ascending; return their number."""
    if is_opening(rules.flat, state):
        n = legal_words(rules.flat, state, out)
        for i in range(n):
            word = out[i] - pass_id(rules.flat)  # 0 is the pass, the last main group here
            out[i] = PASS_GROUP if word == 0 else FIRST_BID + word - 1
        return n
    if state.group >= 0:
        return legal_kickers(rules, state, out)
    hand = state.hands[state.player]
    least = flat.least_strength(rules.flat, state)
    n = 0
    for i in range(flat.legal_groups(rules.flat, state, out)):
        group = rules.flat.plays.groups[out[i]]
        if group.kickers == 0 or flat.has_play(rules.flat.plays, out[i], hand, least):
            out[n] = out[i]
            n += 1
    if state.target >= 0:
        out[n] = PASS_GROUP
        n += 1
    return n


@kernel
def is_legal(rules, state, action, ids):
    """Return whether `action`, any integer, is legal now; `ids` is scratch space."""
    if is_opening(rules.flat, state):
        word = 0 if action == PASS_GROUP else action - FIRST_BID + 1
        has_word = action == PASS_GROUP or action >= FIRST_BID
        return has_word and flat.is_said(rules.flat, state, pass_id(rules.flat) + word, ids)
    if action < 0 or flat.over(rules.flat, state):
        return False
    if state.group >= 0:
        for i in range(legal_kickers(rules, state, ids)):
            if ids[i] == action:
                return True
        return False
    if action >= PASS_GROUP:
        return action == PASS_GROUP and state.target >= 0
    group = rules.flat.plays.groups[action]
    hand = state.hands[state.player]
    if not (contains(hand, group.need) and flat.follows(rules.flat, state, action)):
        return False
    least = flat.least_strength(rules.flat, state)
    return group.kickers == 0 or flat.has_play(rules.flat.plays, action, hand, least)


@kernel
def legal_kickers(rules, state, out):
    """Write the ids of the kickers that may be picked next, ascending; return their number."""
    group = rules.flat.plays.groups[state.group]
    hand = state.hands[state.player]
    last = top_rank(state.picked)
    least = flat.least_strength(rules.flat, state)
    ranks = 0
    for play in range(group.first, group.end):
        kickers = rules.flat.plays.need[play] - group.need
        if flat.allows(rules.flat.plays, hand, play, least) and contains(kickers, state.picked):
            # Kickers are picked in ascending order, so none may be below the last pick.
            rank = lowest_rank(kickers - state.picked)
            if rank >= last:
                ranks |= 1 << rank
    n = 0
    for rank in range(15):
        if ranks >> rank & 1:
            out[n] = rank + (FIRST_SOLO if group.unit == 1 else FIRST_PAIR)
            n += 1
    return n


@kernel
def lowest_rank(cards):
    """Return the lowest rank of a packed hand, which must not be empty."""
    return bits.lowest(cards) >> 2


@kernel
def top_rank(cards):
    """Return the highest rank of a packed hand, -1 for an empty one."""
    return bits.highest(cards) >> 2 if cards else -1


@kernel
def play(rules, state, action):
    """Apply a legal action: a word, a main group or a kicker.

    While a play is incomplete, it is in `group`, `picked` and `picks`, and `state.player` stays the
    same. Once it is complete, it is applied as in the flat game.
    """
    if action >= FIRST_BID:
        flat.play(rules.flat, state, pass_id(rules.flat) + action - FIRST_BID + 1)
        return
    if action < GROUPS:
        group = rules.flat.plays.groups[action]
        if group.kickers == 0:
            flat.play(rules.flat, state, group.first)
        else:
            state.group = action
            state.picks = group.kickers
        return
    if action < FIRST_PAIR:
        state.picked += one(action - FIRST_SOLO)
    else:
        state.picked += one(action - FIRST_PAIR) << np.uint64(1)  # two cards of the rank
    state.picks -= 1
    if state.picks == 0:
        # One flat play of the main group has the picked kickers.
        chosen = rules.flat.plays.groups[state.group]
        flat_id = np.int64(chosen.first)
        while rules.flat.plays.need[flat_id] - chosen.need != state.picked:
            flat_id += 1
        clear(state)  # before the play, after which the state must equal the flat game's
        flat.play(rules.flat, state, flat_id)


@kernel
def next_step(rules, view, play, ids):
    """Return the next sub-step towards `play`, a flat id; see `closedhand.core.batch_agent`."""
    plays, word = rules.flat.plays, play - pass_id(rules.flat)
    if word > 0:
        return np.int64(FIRST_BID + word - 1)
    if view.group < 0:
        return np.int64(plays.group[play])
    if plays.group[play] == view.group:
        group = plays.groups[view.group]
        kickers = plays.need[play] - group.need
        if contains(kickers, view.picked):
            rank = lowest_rank(kickers - view.picked)
            if rank >= top_rank(view.picked):
                return rank + (FIRST_SOLO if group.unit == 1 else FIRST_PAIR)
    # No sub-steps lead from the begun play to this one: pick the first legal kicker.
    legal_kickers(rules, view, ids)
    return np.int64(ids[0])


@kernel
def observe(rules, state, player, out):
    """Write planes, status, kicker planes and, if observations have it, `opening` into zeros."""
    planes.observe(rules.flat, state, player, out)
    if player == state.player and state.group >= 0:
        draw_kickers(rules, state, out[planes.SIZE :])


@kernel
def features(rules, state, player, out):
    """Write the flat game's features, `KICKERS`, and `OPENING` if the game has it, into zeros."""
    compact.features(rules.flat, state, player, out)
    if player == state.player and state.group >= 0:
        compact.kicker_features(rules.flat, state, out[compact.SIZE :])


@kernel
def draw_kickers(rules, state, out):
    """Draw the kicker planes of the player to act, who has chosen a main group with kickers."""
    player = state.player
    group = rules.flat.plays.groups[state.group]
    kicker = group.unit
    kickers = np.empty(15, np.int64)
    legal_ranks = 0
    for i in range(legal_kickers(rules, state, kickers)):
        legal_ranks |= 1 << (kickers[i] - (FIRST_SOLO if kicker == 1 else FIRST_PAIR))
    everything = (1 << 15) - 1
    role = around(rules.flat, player - state.landlord)
    left = state.hands[player] - group.need - state.picked

    draw_row(out, 0, 0, everything if kicker == 2 else 0)
    draw_row(out, 0, 1, everything if role == 1 else 0)
    draw_row(out, 0, 2, everything if role == 2 else 0)
    draw_counts(out, 0, 3, left, 4)
    draw_row(out, 0, 7, legal_ranks if kicker == 1 else 0)
    draw_row(out, 0, 8, legal_ranks if kicker == 2 else 0)

    draw_counts(out, 1, 0, state.played[0] + state.played[1] + state.played[2], 4)
    draw_row(out, 1, 4, group.ranks)
    for rank in range(15):
        for times in range(min(2, count(state.picked, rank) // kicker)):
            out[place(rank, 5 + times, 1)] = 1
    draw_row(out, 1, 7, (1 << group.kickers) - 1)
    draw_row(out, 1, 8, (1 << state.picks) - 1)

    draw_counts(out, 2, 0, unseen(rules.flat, state, player), 4)
    for rank in range(15):
        if legal_ranks >> rank & 1 and count(left, rank) > kicker:
            out[place(rank, 4, 2)] = 1
    draw_counts(out, 2, 5, known_public(state), 1)
    for i in range(rules.flat.options.players):
        seat = around(rules.flat, player + i)
        draw_row(out, 2, 6 + i, (1 << min(15, state.left[seat])) - 1)


@kernel
def place(x, y, z):
    """Return the index of a cell of the kicker planes."""
    return (x * ROWS + y) * CHANNELS + z


@kernel
def draw_row(out, z, y, ranks):
    """Mark the ranks that are bits of `ranks` in row `y` of channel `z`."""
    for x in range(planes.RANKS):
        if ranks >> x & 1:
            out[place(x, y, z)] = 1


@kernel
def draw_counts(out, z, y, cards, rows):
    """Mark, in `rows` rows from `y` on, the ranks with at least 1, 2, … of the packed `cards`."""
    for x in range(planes.RANKS):
        for k in range(min(rows, count(cards, x))):
            out[place(x, y + k, z)] = 1


def valid(rules: Rules, state: np.record, player: int | None = None) -> str:
    """Return why `state`, a view if `player` is given, is invalid; an empty text if it is valid."""
    return validity.valid(rules.flat, state, player, rules, under_way(rules, state))


def under_way(rules: Rules, state: np.record) -> list[int]:
    """List the ids chosen so far in an incomplete play; `valid` refuses a group out of range."""
    group, picked = int(state.group), by_rank(state.picked)
    if not 0 <= group < GROUPS:
        return [group] if group != -1 else []
    unit = int(rules.flat.plays.groups[group].unit)
    first = FIRST_SOLO if unit == 1 else FIRST_PAIR
    kickers = [first + rank for rank, number in enumerate(picked) for _ in range(number // unit)]
    return [group, *kickers]

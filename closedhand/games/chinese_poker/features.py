"""A player's compact observation: a short vector of small numbers, for networks of dense layers.

Actions name positions in the hand, which is sorted high to low, so the cards are also given by
position. The other players' boards are left out, even at the end, when no decision remains.
"""

import numpy as np

from closedhand.core.features import Feature, FeatureTable, labels
from closedhand.core.numba.jit import kernel
from closedhand.games.chinese_poker.plays import CARDS, FRONTS, HAND, RANKS, SUITS
from closedhand.games.chinese_poker.state import SEATS, UNSET

POSITIONS = range(1, HAND + 1)

FEATURES = FeatureTable(
    Feature("hand", CARDS, "the observer holds the card"),
    Feature("rank", RANKS, "number of cards of the rank", most=4),
    Feature("suit", SUITS, "number of cards of the suit", most=HAND),
    Feature("position", labels(POSITIONS, RANKS + SUITS),
            "rank and suit of the card at the position"),
    Feature("back", labels(POSITIONS),
            "the card at the position is in the back, as soon as that is chosen"),
    Feature("middle", labels(POSITIONS),
            "the card is in the middle of the arrangement set"),
    Feature("front", labels(POSITIONS),
            "the card is in the front of the arrangement set"),
    Feature("seat", labels(range(SEATS)), "the observer's seat"),
    Feature("players", ("",), "number of players", most=SEATS),
    Feature("set", ("",), "number of hands set", most=SEATS),
)  # fmt: skip
"""The table of the compact observation, with and without sub-steps."""

CARD, RANK, SUIT, POSITION, BACK, _, _, SEAT, NUM_PLAYERS, SET = FEATURES.starts
NUM_RANKS, NUM_KINDS = len(RANKS), len(RANKS) + len(SUITS)


@kernel
def features(rules, state, player, out):
    """Write the compact observation, in the order of `FEATURES`, to `out`, which is all zero."""
    for i in range(HAND):
        card = np.int64(state.hands[player, i])
        out[CARD + card] = 1
        out[RANK + card // 4] += 1
        out[SUIT + card % 4] += 1
        out[POSITION + NUM_KINDS * i + card // 4] = 1
        out[POSITION + NUM_KINDS * i + NUM_RANKS + card % 4] = 1
    chosen = np.int64(state.history[player])
    positions = rules.tables.positions
    if chosen != UNSET:
        for i in range(HAND):
            out[BACK + HAND * (i // 5) + np.int64(positions[chosen, i])] = 1
    elif state.backs[player] != UNSET:
        for i in range(5):
            out[BACK + np.int64(positions[FRONTS * state.backs[player], i])] = 1
    out[SEAT + player] = 1
    out[NUM_PLAYERS] = rules.players
    out[SET] = state.moves

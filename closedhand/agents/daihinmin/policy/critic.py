"""Critic for the training of the pattern policy: expected points of a player in a situation.

Its estimate is 3, the mean points of a round, plus a weight for each feature: the ranks in the
hand, its form, the numbers of cards and players left, and the player's class. In the vector of all
weights those of the critic follow those of the policy. Only the training uses the critic.
"""

import numpy as np

from closedhand.agents.daihinmin.policy.patterns import (
    COUNTS,
    FEATURES,
    FORMS,
    MOST_STRONG,
    MOST_WEAK,
    ranks,
)
from closedhand.agents.daihinmin.policy.shared import STAGES, form_of
from closedhand.agents.daihinmin.policy.situation import SIZES, situation_of
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.state import PLAYERS

MOST_LEFT = 13
"""Number of cards from which on all hands count as equally large."""

# First index of each type of feature, after the features of the policy. The comments name what the
# type is indexed by, the slowest index first.
VALUE_RANK = FEATURES  # stage; slot, own and unseen cards of the slot
VALUE_FORM = VALUE_RANK + STAGES * COUNTS * 5  # form, players left, turn (leads, follows, exchange)
VALUE_SIZES = VALUE_FORM + FORMS * 4 * 3  # cards left, the others' least, players left
VALUE_CLASS = VALUE_SIZES + (MOST_LEFT + 1) * SIZES * 4  # class plus 1, or 0 without one
WEIGHTS = VALUE_CLASS + PLAYERS + 1
"""Number of weights of policy and critic."""
MOST_REASONS = 32
"""Room for the features of a situation: one for each of 14 slots, and three more."""


@kernel
def reasons(rules, state, out):
    """Write the features of the player to act to `out`, int [MOST_REASONS]; return their number."""
    here = situation_of(rules, state)
    player = state.player
    form = form_of(here.seen, here.seen.hand, MOST_WEAK, MOST_STRONG)
    turn = 2 if state.leader < 0 else here.follow
    n = ranks(here.own, here.unseen, VALUE_RANK + here.stage * COUNTS * 5, out, 0)
    out[n] = VALUE_FORM + (form * 4 + here.players) * 3 + turn
    left = min(np.int64(state.left[player]), MOST_LEFT)
    out[n + 1] = VALUE_SIZES + (left * SIZES + here.least) * 4 + here.players
    out[n + 2] = VALUE_CLASS + state.classes[player] + 1
    return n + 3

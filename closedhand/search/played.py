"""Playouts by the policy of any agent that decides in kernels (`closedhand.core.policies`).

Such a policy decides on views, but playouts have full states. So each decision is made on a copy of
the state, in which `hide` has blanked what the player cannot know.
"""

from typing import Any, NamedTuple

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import InputError
from closedhand.core.game import Game
from closedhand.core.numba.jit import (
    Ids,
    Integer,
    Policy,
    Rng,
    Rules,
    State,
    States,
    kernel,
    seed_in_kernel,
)
from closedhand.core.policies import Policies, decide_by
from closedhand.search.uniform import log_likelihood as log_likelihood


class Played(NamedTuple):
    """A policy of playouts that asks a policy of views.

    Attributes:
        policies: The policy of views, in a tuple of one.
        blank: A blank state, which is copied for each view, states [1].
        room: Number of ids that the policy needs space for.
    """

    kernels = "closedhand.search.played"

    policies: Policies
    blank: States
    room: int


def played(game: Game, policy: Policy) -> Played:
    """Make a policy of playouts from the `kernel_policy` of an agent."""
    return Played((policy,), game.empty(1), max(game.num_actions, game.flat.num_actions))


@kernel
def choose(policy: Any, rules: Rules, state: State, rng: Rng, ids: Ids) -> Integer:
    """Choose the action of the policy of views, admitted by `contract.admit`.

    Raises:
        InputError: `contract.admit` refuses the action.
    """
    views = policy.blank.copy()  # threads share the policy, so each call has a view of its own
    views[0] = state
    contract.hide(rules, views[0], state.player)
    streams = np.zeros((1, 2), np.uint64)
    streams[0, 0] = seed_in_kernel(rng)
    room = ids if len(ids) >= policy.room else np.empty(policy.room, np.int32)
    action = decide_by(policy.policies, 0, streams, 0, rules, views[0], room)
    admitted = contract.admit(rules, state, action, ids)
    if admitted < 0:
        raise InputError("the policy of the playouts chooses an action that is not legal")
    return admitted

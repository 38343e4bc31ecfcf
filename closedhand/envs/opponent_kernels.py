"""Kernels of the solo env: all between two turns of the user, in one call from Python.

They do not check their arguments, like those of `closedhand.core.batch_kernels`.
"""

import numpy as np

from closedhand.core import batch_kernels, contract
from closedhand.core.game_kernels import ILLEGAL, NONE, OVER, REFUSED, RUNNING
from closedhand.core.numba.fast_call import unpack
from closedhand.core.numba.jit import Floats, Integer, Planes, Rules, States, kernel
from closedhand.core.policies import Policies, decide_as

Masks = tuple[Planes, ...]

BEGIN = -2
"""In place of an action: begin a game. It differs from -1, an action out of range."""


@kernel
def play_first(rules: Rules, states: States, action: Integer, scratch: int) -> int:
    """Play an action in the first of `states`; return the status of the game."""
    return batch_kernels.play(rules, states[0], action, np.empty(scratch, np.int32))


@kernel
def show(
    rules: Rules, states: States, seat: Integer, staged: bool, compact: bool, observation: Planes,
    masks: Masks, returns: Floats,
) -> int:  # fmt: skip
    """Write the observation and the mask of the user's seat in the first of `states`, and payoffs.

    Args:
        rules: Rules of the game.
        states: The game.
        seat: The user's seat.
        staged: Whether returns accumulate during the game.
        compact: Whether the observation is that of `contract.features`.
        observation: Observation, int8 [observation_size] or [feature_size]; written.
        masks: Copies of the mask, int8 [num_actions] each; written.
        returns: Payoffs by player, written if the game is over or pays in stages.

    Returns:
        The status of the game.
    """
    ids = np.empty(len(masks[0]), np.int32)
    batch_kernels.observe(rules, states[0], seat, compact, observation, masks[0], ids)
    for mask in masks:
        for k in range(len(mask)):
            mask[k] = masks[0][k]
    over = contract.over(rules, states[0])
    if over or staged:
        contract.returns(rules, states[0], returns)
    return OVER if over else RUNNING


@kernel
def answer(
    rules: Rules, policies: Policies, states: States, seat: Integer, num_players: int,
    scratch: int, staged: bool, compact: bool, observation: Planes, masks: Masks, returns: Floats,
) -> tuple[int, Integer]:  # fmt: skip
    """Let policies play until the game is over or it is the user's turn, then `show`.

    Args:
        rules: Rules of the game.
        policies: Policies of the seats after the user's, in order.
        states: The game, the first of an array; changed in place.
        seat: The user's seat.
        num_players: Number of seats.
        scratch: Size of the scratch space for ids of `decide`.
        staged: As for `show`, like the others.
        compact: See `show`.
        observation: See `show`.
        masks: See `show`.
        returns: See `show`.

    Returns:
        The status of the game; and if it is `REFUSED`, the illegal action of a policy.
    """
    ids = np.empty(scratch, np.int32)
    views = states[:1].copy()
    state = states[0]
    while state.player != seat and not contract.over(rules, state):
        player = np.int64(state.player)
        views[0] = state
        contract.hide(rules, views[0], player)
        ahead = (player - seat) % num_players
        action = np.int64(decide_as(policies, ahead - 1, rules, views[0], ids))
        if batch_kernels.play(rules, state, action, ids) == ILLEGAL:
            return REFUSED, action
    return show(rules, states, seat, staged, compact, observation, masks, returns), np.int64(NONE)


@kernel
def take_turn(
    rules: Rules, policies: Policies, states: States, seat: Integer, num_players: int,
    scratch: int, staged: bool, compact: bool, observation: Planes, masks: Masks, returns: Floats,
    action: Integer, seed: np.uint64,
) -> tuple[int, Integer]:  # fmt: skip
    """Play the user's action in a single game, then `answer`.

    If the action is `BEGIN`, begin with a deal by the seed, or, if the seed is 0, with the game in
    `states`. One kernel does both, since each kernel contains the code of the whole game and of all
    policies. Rules and policies are packed.
    """
    rules, policies = unpack(rules), unpack(policies)
    if action == BEGIN:
        if seed:
            contract.deal(rules, states[0], seed)
    elif play_first(rules, states, action, scratch) == ILLEGAL:
        show(rules, states, seat, staged, compact, observation, masks, returns)
        for mask in masks:
            mask[:] = 0
        return ILLEGAL, np.int64(NONE)
    return answer(rules, policies, states, seat, num_players, scratch, staged, compact,
                  observation, masks, returns)  # fmt: skip

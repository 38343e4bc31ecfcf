"""The kernel of `SoloEnv`, which does everything between two turns of the user in one call.

As in `closedhand.core.batch_kernels`, arguments are not checked. A policy is an agent inside
kernels (`closedhand.core.policies`); packed values are those of `fast_call.pack`.
"""

import numpy as np

from closedhand.core import batch_kernels, contract
from closedhand.core.game_kernels import ALL_LEGAL, let_others_play
from closedhand.core.numba.fast_call import unpack
from closedhand.core.numba.jit import Flag, Floats, Integer, Masks, Planes, Rules, States, kernel
from closedhand.core.policies import Policies
from closedhand.core.status import ILLEGAL, OVER, REFUSED, RUNNING

BEGIN = -2
"""In place of an action: begin a game. It differs from -1, an action out of range."""


@kernel
def take_turn(
    rules: Rules, policies: Policies, states: States, seat: Integer, num_players: int,
    scratch: int, staged: bool, compact: Flag, observation: Planes, masks: tuple[Masks, ...],
    returns: Floats, action: Integer, seed: np.uint64,
) -> tuple[int, Integer]:  # fmt: skip
    """Play the user's action, let policies play until the user's turn, then show the game.

    If the action is `BEGIN`, begin with a deal by the seed, or, if the seed is 0, with the game in
    `states`. One kernel plays and begins: two would each compile the game and all policies.
    Rules and policies are packed; `scratch` is `Opponents.scratch`. Without policies only the user
    plays, and the game is shown even if another seat is to act.

    The game is `states[0]`, which an illegal action of the user does not change. Write it as `seat`
    sees it: to `observation`, int8, `contract.features` [feature_size] if `compact`, else
    `contract.observe` [observation_size]; to all `masks`, int8 [num_actions], its mask, or zeros
    after an illegal action; to `returns`, float64 [num_players], payoffs if it is over or `staged`.

    Returns:
        `RUNNING`, `OVER` or, after an illegal action of the user, `ILLEGAL`, with `ALL_LEGAL`. Or
        `REFUSED` and the illegal action that a policy chose: nothing is shown then.
    """
    rules, policies = unpack(rules), unpack(policies)
    ids = np.empty(scratch, np.int32)
    answer = np.int64(ALL_LEGAL)
    is_legal = True
    if action != BEGIN:
        is_legal = batch_kernels.play(rules, states[0], action, ids) != ILLEGAL
    elif seed:
        contract.deal(rules, states[0], seed)
    if is_legal:
        views = states[:1].copy()
        if len(policies):
            answer = let_others_play(
                rules, policies, states, None, 0, seat, num_players, views, 0, ids
            )  # fmt: skip
        if answer != ALL_LEGAL:
            return REFUSED, answer
    batch_kernels.observe(rules, states[0], seat, compact, observation, masks[0], ids)
    for mask in masks:
        for k in range(len(mask)):
            mask[k] = masks[0][k] if is_legal else 0
    over = contract.over(rules, states[0])
    if over or staged:
        contract.returns(rules, states[0], returns)
    status = OVER if over else RUNNING
    return status if is_legal else ILLEGAL, answer

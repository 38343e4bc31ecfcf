"""Kernels of `closedhand.core.batch` and of envs of one game: one call from Python for each step.

Callers check the arguments. Python passes states as an array [n], since passing a record costs
more; inlined functions take one record. `ids` is scratch space, int32 [num_actions].
"""

import numpy as np

from closedhand.core import contract
from closedhand.core.numba.fast_call import unpack
from closedhand.core.numba.jit import (
    Bools,
    Flag,
    Floats,
    Ids,
    Indices,
    Integer,
    Masks,
    Planes,
    Rng,
    Rules,
    Seats,
    Seeds,
    State,
    States,
    Statuses,
    inlined,
    kernel,
)
from closedhand.core.status import ILLEGAL, OVER, RUNNING


@kernel
def deal_all(rules: Rules, states: States, seeds: Seeds) -> None:
    """Start the game of `seeds[i]` in `states[i]`."""
    for i in range(len(states)):
        contract.deal(rules, states[i], seeds[i])


@inlined
def play(rules: Rules, state: State, action: Integer, ids: Ids) -> int:
    """Apply any integer as an action; return `RUNNING`, `OVER`, or `ILLEGAL` if nothing changed."""
    admitted = contract.admit(rules, state, action, ids)
    if admitted < 0:
        return ILLEGAL
    contract.play(rules, state, admitted)
    return OVER if contract.over(rules, state) else RUNNING


@inlined
def mark_legal(rules: Rules, state: State, mask: Masks, ids: Ids) -> None:
    """Write the action mask of the player to act, all zero if the game is over."""
    mask[:] = 0
    if not contract.over(rules, state):
        for k in range(contract.legal(rules, state, ids)):
            mask[ids[k]] = 1


@inlined
def observe(
    rules: Rules, state: State, player: Integer, compact: Flag, observation: Planes, mask: Masks,
    ids: Ids,
) -> None:  # fmt: skip
    """Do `contract.look` for `player`, and write the action mask, which is all zero out of turn."""
    contract.look(rules, state, player, compact, observation)
    if player == state.player:
        mark_legal(rules, state, mask, ids)
    else:
        mask[:] = 0


@kernel
def observe_one(
    rules: Rules, states: States, player: Integer, compact: Flag, observation: Planes, mask: Masks
) -> None:
    """Do `observe` in the first of `states`; `rules` may be packed (`fast_call.pack`)."""
    rules = unpack(rules)
    ids = np.empty(len(mask), np.int32)
    observe(rules, states[0], player, compact, observation, mask, ids)


@kernel
def play_one(
    rules: Rules, states: States, action: Integer, compact: Flag, observation: Planes, mask: Masks
) -> tuple[int, Integer]:
    """Do `play` in the first of `states`; return (status, player to act).

    Unless the status is `ILLEGAL`, do `observe` for that player. `rules` may be packed.
    """
    rules = unpack(rules)
    ids = np.empty(len(mask), np.int32)
    status = play(rules, states[0], action, ids)
    player = np.int64(states[0].player)
    if status != ILLEGAL:
        observe(rules, states[0], player, compact, observation, mask, ids)
    return status, player


@kernel
def play_together(
    rules: Rules, states: States, actions: Ids, num_actions: int, legal: Bools
) -> bool:
    """Play `actions[seat]` of every seat in the first of `states`, or none if one is illegal.

    All seats are to act. The field `player` has to be 0, and is 0 again if the game goes on. Write
    into `legal`, bool [seats], which actions are legal; return whether the game is over.
    """
    state = states[0]
    ids = np.empty(num_actions, np.int32)
    for seat in range(len(actions)):
        state.player = seat
        legal[seat] = contract.is_legal(rules, state, actions[seat], ids)
    if legal.all():
        for seat in range(len(actions)):
            state.player = seat
            contract.play(rules, state, actions[seat])
        if contract.over(rules, state):
            return True
    state.player = 0
    return False


@kernel
def play_all(
    rules: Rules, states: States, games: Indices, actions: Ids, num_actions: int, status: Statuses
) -> None:
    """Play `actions[k]` in the game `i = games[k]`, unless it is over; write `status[i]`."""
    ids = np.empty(num_actions, np.int32)
    for k in range(len(games)):
        i: Integer = games[k]
        if contract.over(rules, states[i]):
            status[i] = OVER
        else:
            status[i] = play(rules, states[i], actions[k], ids)


@kernel
def mark_all(rules: Rules, states: States, masks: Masks, ids: Ids) -> None:
    """Do `mark_legal` for `states[i]`, into row i of `masks`."""
    for i in range(len(states)):
        mark_legal(rules, states[i], masks[i], ids)


@kernel
def sample_all(rules: Rules, states: States, rng: Rng, ids: Ids, actions: Ids) -> None:
    """Write a uniformly random legal action of every game into `actions`; -1 where it is over."""
    for i in range(len(states)):
        actions[i] = -1
        if not contract.over(rules, states[i]):
            actions[i] = contract.random_action(rules, states[i], rng, ids)


@kernel
def play_out_all(rules: Rules, states: States, rng: Rng, ids: Ids) -> None:
    """Play every game to its end with uniformly random actions."""
    for i in range(len(states)):
        contract.random_playout(rules, states[i], rng, ids)


@kernel
def observe_all(
    rules: Rules, states: States, seats: Seats, compact: Flag, observations: Planes, masks: Masks
) -> None:
    """Do `observe` for the player `seats[i]` of `states[i]`, into row i."""
    ids = np.empty(masks.shape[1], np.int32)
    for i in range(len(states)):
        observe(rules, states[i], seats[i], compact, observations[i], masks[i], ids)


@kernel
def running(rules: Rules, states: States, out: Bools) -> None:
    """Write into `out`, bool [n], which games are not over."""
    for i in range(len(states)):
        out[i] = not contract.over(rules, states[i])


@kernel
def returns_all(rules: Rules, states: States, games: Indices, out: Floats) -> None:
    """Write the payoffs of `states[i]` for every i in `games` into `out[i]`."""
    i: Integer
    for i in games:
        contract.returns(rules, states[i], out[i])


@kernel
def hide_for(rules: Rules, states: States, seats: Seats) -> None:
    """Turn `states[i]` into the view of the player `seats[i]`."""
    for i in range(len(states)):
        contract.hide(rules, states[i], seats[i])

"""Kernels of envs with opponents: all between two turns of the user, in one call from Python.

They do not check their arguments, like those of `closedhand.core.batch_kernels`.
"""

import numpy as np

from closedhand.core import batch_kernels, contract, game_kernels
from closedhand.core.numba.fast_call import unpack
from closedhand.core.numba.jit import Floats, Ids, Integer, Planes, Rules, States, kernel
from closedhand.core.policies import Policies, decide_as
from closedhand.core.stream import Streams

Masks = tuple[Planes, ...]

NONE = -1
BEGIN = -2
"""In place of an action: begin a game. It differs from -1, an action out of range."""
REFUSED = 3
"""Status of a game in which a policy chose an illegal action, besides those of `batch_kernels`."""


@kernel
def let_others_play(
    rules: Rules, policies: Policies, states: States, seats: Ids, num_players: int,
    scratch: int,
) -> tuple[int, Integer]:  # fmt: skip
    """Let policies play in every game until it is over or it is the user's turn.

    The games take turns, one action each. So a policy draws random numbers in the same order as an
    agent in Python does in lockstep.

    Args:
        rules: Rules of the game.
        policies: Policies of the seats after the user's, in order.
        states: The games; changed in place.
        seats: The user's seat in each.
        num_players: Number of seats.
        scratch: Size of the scratch space for ids of `decide`.

    Returns:
        `NONE` twice; or, as soon as an action is illegal, the index of the game and the action.
    """
    ids = np.empty(scratch, np.int32)
    views = states[:1].copy()
    waiting = True
    while waiting:
        waiting = False
        for i in range(len(states)):
            player = np.int64(states[i].player)
            ahead = (player - seats[i]) % num_players
            if ahead == 0 or contract.over(rules, states[i]):
                continue
            waiting = True
            views[0] = states[i]
            contract.hide(rules, views[0], player)
            action = np.int64(decide_as(policies, ahead - 1, rules, views[0], ids))
            if batch_kernels.play(rules, states[i], action, ids) == batch_kernels.ILLEGAL:
                return i, action
    return NONE, np.int64(NONE)


@kernel
def start_all(
    rules: Rules, states: States, chosen: Ids, seeds: Ids, streams: Streams, dealing: bool,
    seat: Integer, num_players: int, seats: Ids,
) -> None:  # fmt: skip
    """Start games, each with the random numbers of its stream.

    Args:
        rules: Rules of the game.
        states: All games; changed in place.
        chosen: Indices of those to start.
        seeds: Seed of the next deal of each, 0 if its stream draws it; used once.
        streams: Their random numbers.
        dealing: Whether to deal; otherwise `states` hold the starts.
        seat: The user's seat, or `game_kernels.RANDOM_SEAT`.
        num_players: Number of seats.
        seats: The user's seat in each; written.
    """
    for k in range(len(chosen)):
        i: Integer = chosen[k]
        if dealing:
            game_kernels.deal_next(rules, states, seeds, streams, i)
        seats[i] = game_kernels.draw_seat(seat, num_players, streams, i)


@kernel
def let_all_play(
    rules: Rules, policies: Policies, states: States, streams: Streams, seats: Ids,
    num_players: int, scratch: int,
) -> tuple[int, Integer]:  # fmt: skip
    """Let policies play in every game, each with the random numbers of its stream.

    As `let_others_play` otherwise.
    """
    ids = np.empty(scratch, np.int32)
    views = states[:1].copy()
    for i in range(len(states)):
        action = game_kernels.let_others_play(
            rules, policies, states, streams, i, seats[i], num_players, views, 0, ids
        )
        if action != game_kernels.ALL_LEGAL:
            return i, action
    return NONE, np.int64(NONE)


@kernel
def look_all(rules: Rules, states: States, seats: Ids, compact: bool, observations: Planes) -> None:
    """Write the observation of player `seats[i]` in `states[i]` into row i, without a mask."""
    for i in range(len(states)):
        contract.look(rules, states[i], seats[i], compact, observations[i])


@kernel
def list_all(rules: Rules, states: States, seats: Ids, ids: Ids, out: Ids) -> Integer:
    """Write the ids of the legal actions of `states[i]` into row i, ascending, then -1.

    Args:
        rules: Rules of the game.
        states: The games.
        seats: Seats whose actions are listed; a seat that is not to act has none.
        ids: Scratch space, int32 [num_actions].
        out: The ids, int32 [n, width]; written.

    Returns:
        The length of the longest list, of which at most `width` ids are written.
    """
    longest: Integer = 0
    for i in range(len(states)):
        number: Integer = 0
        if seats[i] == states[i].player and not contract.over(rules, states[i]):
            number = contract.legal(rules, states[i], ids)
        longest = max(longest, number)
        for k in range(out.shape[1]):
            out[i, k] = ids[k] if k < number else -1
    return longest


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
    return batch_kernels.OVER if over else batch_kernels.RUNNING


@kernel
def answer(
    rules: Rules, policies: Policies, states: States, seat: Integer, num_players: int,
    scratch: int, staged: bool, compact: bool, observation: Planes, masks: Masks, returns: Floats,
) -> tuple[int, Integer]:  # fmt: skip
    """Do `let_others_play` in a single game, then `show`.

    Returns:
        The status of the game; and if it is `REFUSED`, the illegal action of a policy.
    """
    seats = np.empty(1, np.int64)
    seats[0] = seat
    where, action = let_others_play(rules, policies, states, seats, num_players, scratch)
    if where != NONE:
        return REFUSED, action
    return show(rules, states, seat, staged, compact, observation, masks, returns), action


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
    elif play_first(rules, states, action, scratch) == batch_kernels.ILLEGAL:
        show(rules, states, seat, staged, compact, observation, masks, returns)
        for mask in masks:
            mask[:] = 0
        return batch_kernels.ILLEGAL, np.int64(NONE)
    return answer(rules, policies, states, seat, num_players, scratch, staged, compact,
                  observation, masks, returns)  # fmt: skip

"""Kernels of `Game` for a single state; rules and states are packed (`fast_call.pack`).

They do not check their arguments; the methods of `Game` do.
"""

import numpy as np

from closedhand.core import batch_kernels, contract
from closedhand.core.numba.fast_call import unpack
from closedhand.core.numba.jit import Floats, Ids, Integer, Planes, Rng, Rules, State, kernel
from closedhand.core.status import ILLEGAL


@kernel
def deal(rules: Rules, state: State, seed: np.uint64) -> None:
    """Start the game of a seed."""
    contract.deal(unpack(rules), unpack(state), seed)


@kernel
def over(rules: Rules, state: State) -> bool:
    """Return whether the game has ended."""
    return contract.over(unpack(rules), unpack(state))


@kernel
def legal(rules: Rules, state: State, out: Ids) -> Integer:
    """Write the ids of the legal actions to `out`, int32, ascending; return how many."""
    return contract.legal(unpack(rules), unpack(state), out)


@kernel
def play(rules: Rules, state: State, action: Integer, ids: Ids) -> int:
    """Do `batch_kernels.play`; return `ILLEGAL` if the game is over already."""
    rules, state = unpack(rules), unpack(state)
    if contract.over(rules, state):
        return ILLEGAL
    return batch_kernels.play(rules, state, action, ids)


@kernel
def returns(rules: Rules, state: State, out: Floats) -> None:
    """Write the payoffs by player to `out`, float64 [num_players]."""
    contract.returns(unpack(rules), unpack(state), out)


@kernel
def hide(rules: Rules, state: State, player: Integer) -> None:
    """Turn the state into the view of a player."""
    contract.hide(unpack(rules), unpack(state), player)


@kernel
def redeal(rules: Rules, state: State, player: Integer, rng: Rng) -> None:
    """Turn the view of a player into a random full state that is consistent with it."""
    contract.redeal(unpack(rules), unpack(state), player, rng)


@kernel
def look(rules: Rules, state: State, player: Integer, compact: bool, out: Planes) -> None:
    """Write a player's observation to `out`, int8 [size]: the compact one if `compact`."""
    contract.look(unpack(rules), unpack(state), player, compact, out)

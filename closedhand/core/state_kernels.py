"""Kernels of `Game` for a single state; rules and states are packed (`fast_call.pack`).

They do not check their arguments; the methods of `Game` do.
"""

import numpy as np

from closedhand.core import contract
from closedhand.core.numba.fast_call import unpack
from closedhand.core.numba.jit import Floats, Ids, Integer, Planes, Rng, Rules, State, kernel

PLAYED, OVER, ILLEGAL = range(3)
"""Results of `play`: the action was played, the game was over before, or the action is illegal.

Only `PLAYED` changes the state. In `batch_kernels`, `OVER` is a game that ends by an action, too.
"""


@kernel
def deal(rules: Rules, state: State, seed: np.uint64) -> None:
    """Start the game of a seed."""
    contract.deal(unpack(rules), unpack(state), seed)


@kernel
def over(rules: Rules, state: State) -> bool:
    """Whether the game has ended."""
    return contract.over(unpack(rules), unpack(state))


@kernel
def legal(rules: Rules, state: State, out: Ids) -> Integer:
    """Write the ids of the legal actions, ascending; return how many."""
    return contract.legal(unpack(rules), unpack(state), out)


@kernel
def play(rules: Rules, state: State, action: Integer, ids: Ids) -> int:
    """Play an action that may be illegal; return `PLAYED`, `OVER` or `ILLEGAL`.

    `ids` is scratch space, int32 [num_actions].
    """
    rules, state = unpack(rules), unpack(state)
    if contract.over(rules, state):
        return OVER
    admitted = contract.admit(rules, state, action, ids)
    if admitted < 0:
        return ILLEGAL
    contract.play(rules, state, admitted)
    return PLAYED


@kernel
def returns(rules: Rules, state: State, out: Floats) -> None:
    """Write the payoffs by player."""
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
def observe(rules: Rules, state: State, player: Integer, out: Planes) -> None:
    """Write the observation of a player."""
    contract.look(unpack(rules), unpack(state), player, False, out)


@kernel
def features(rules: Rules, state: State, player: Integer, out: Planes) -> None:
    """Write the compact observation of a player."""
    contract.look(unpack(rules), unpack(state), player, True, out)

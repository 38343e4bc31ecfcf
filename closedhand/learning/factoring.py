"""Sub-steps of a flat play, from which a network of sub-steps learns recorded games.

A game in sub-steps may define `step_towards` in its module as a function of the contract. The
default searches all sub-steps depth first, which is slow if there are many.
"""

import numpy as np

from closedhand.core import contract
from closedhand.core.contract import dispatched
from closedhand.core.game import Game
from closedhand.core.numba.jit import Ids, Integer, Rules, State, States, kernel

DEEPEST = 32
"""Maximum number of sub-steps of a play that the default finds."""


@kernel
def _search(rules: Rules, state: State, action: Integer, work: States, ids: Ids) -> Integer:
    """Find the first sub-step of a path to a play by depth-first search."""
    # By depth: the number of legal sub-steps, in `ids`, and of those that were tried.
    number, tried = np.zeros(DEEPEST, np.int64), np.zeros(DEEPEST, np.int64)
    work[0] = state
    number[0] = contract.legal(rules, work[0], ids[0])
    depth = 0
    while depth >= 0:
        if tried[depth] == number[depth]:
            depth -= 1
            continue
        step = ids[depth, tried[depth]]
        tried[depth] += 1
        work[depth + 1] = work[depth]
        contract.play(rules, work[depth + 1], step)
        moves = work[depth].moves
        if work[depth + 1].moves == moves + 1:
            if work[depth + 1].history[moves] == action:
                return np.int64(ids[0, tried[0] - 1])
        elif work[depth + 1].player == work[depth].player and depth + 1 < DEEPEST:
            depth += 1
            number[depth] = contract.legal(rules, work[depth], ids[depth])
            tried[depth] = 0
    return np.int64(-1)


@dispatched(default=_search)
def step_towards(rules: Rules, state: State, action: Integer, work: States, ids: Ids) -> Integer:
    """Find the next sub-step towards a play of the flat game; -1 if none leads to it.

    `state` is a full state in which the play is legal, or in which some of its sub-steps are made.
    Scratch space: `work`, states [DEEPEST + 1], and `ids`, int32 [DEEPEST, num_actions].
    """
    ...


@kernel
def _all_towards(
    rules: Rules, states: States, actions: Ids, work: States, ids: Ids, out: Ids
) -> None:
    for i in range(len(states)):
        out[i] = step_towards(rules, states[i], actions[i], work, ids)


def steps_towards(game: Game, states: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Find the next sub-steps, int64 [n], towards the plays `actions`, int64 [n]; -1: none."""
    out = np.empty(len(states), np.int64)
    ids = np.empty((DEEPEST, game.num_actions), np.int32)
    _all_towards(game.rules, states, actions, game.empty(DEEPEST + 1), ids, out)
    return out

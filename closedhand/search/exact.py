"""Exact search of positions in which nothing is hidden, for any game."""

import numpy as np

from closedhand.core import contract
from closedhand.core.contract import dispatched
from closedhand.core.numba.jit import Ids, Integer, Policy, Rules, State, States, kernel

UNKNOWN, LOST, WON = -1, 0, 1


@kernel
def _all_legal(policy: Policy, rules: Rules, state: State, out: Ids) -> Integer:
    """All legal actions."""
    return contract.legal(rules, state, out)


@dispatched(default=_all_legal)
def worthwhile(policy: Policy, rules: Rules, state: State, out: Ids) -> Integer:
    """Write the actions that a search has to look at, the promising ones first; return how many.

    An action may be left out only if it is no better for its player than one that is listed. The
    default is all legal actions.
    """
    ...


@kernel
def solve(
    policy: Policy, rules: Rules, states: States, actions: Ids, player: Integer, friends: Integer,
    least: float, nodes: int,
) -> tuple[int, Integer]:  # fmt: skip
    """Whether a player can force a payoff, by depth-first search.

    Args:
        policy: Policy whose `worthwhile` lists the actions to look at.
        rules: Rules of the game.
        states: The first is the root, in which nothing is hidden; the others are room for positions
            below it, one for each level of depth.
        actions: Room for the actions of each of them, int32 [states, num_actions].
        player: Player whose payoff it is.
        friends: Bits of the players who play for that payoff; all others play against it.
        least: A payoff of this or more counts as won.
        nodes: Maximum number of positions to look at.

    Returns:
        `WON`, `LOST`, or `UNKNOWN` if the answer needs more positions or depth; and the action at
        the root that wins, if it is won and a friend is to act there, else -1.
    """
    number = np.empty(len(states), np.int64)
    tried = np.zeros(len(states), np.int64)
    depth = 0
    number[0] = worthwhile(policy, rules, states[0], actions[0])
    while True:
        friendly = (friends >> states[depth].player) & 1
        if tried[depth] == number[depth]:
            value = LOST if friendly else WON
            depth -= 1
        else:
            if nodes == 0 or depth + 1 == len(states):
                return UNKNOWN, -1
            nodes -= 1
            states[depth + 1] = states[depth]
            contract.play(rules, states[depth + 1], actions[depth, tried[depth]])
            tried[depth] += 1
            payoff = contract.payoff(rules, states[depth + 1], player)
            if np.isnan(payoff):
                depth += 1
                number[depth] = worthwhile(policy, rules, states[depth], actions[depth])
                tried[depth] = 0
                continue
            value = WON if payoff >= least else LOST
        # What is decided here may decide the positions above.
        while depth >= 0 and value == (WON if (friends >> states[depth].player) & 1 else LOST):
            depth -= 1
        if depth < 0:
            friendly = (friends >> states[0].player) & 1
            return value, np.int64(actions[0, tried[0] - 1]) if value == WON and friendly else -1

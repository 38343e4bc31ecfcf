"""Exact search of positions in which nothing is hidden, for any game.

The search decides whether a coalition can force a payoff: alpha-beta search (Knuth and Moore, 1975)
with the two values won and lost, without recursion.

1. List the worthwhile actions of the root, the promising ones first.
2. At the deepest position, play the next action that was not tried.
3. If the payoff is not yet certain there, list the actions of that position and repeat step 2.
4. A position is won if a friend is to act and one action wins, or an opponent is to act and every
   action wins. Otherwise it is lost.
5. Pass a value up as long as it decides the position above. When it decides the root, return it.
"""

import numpy as np

from closedhand.core import contract
from closedhand.core.contract import dispatched
from closedhand.core.numba.jit import Ids, Integer, Policy, Rules, State, States, kernel

UNKNOWN, LOST, WON = -1, 0, 1
"""Results of `solve`."""


@kernel
def _all_legal(policy: Policy, rules: Rules, state: State, out: Ids) -> Integer:
    """Write all legal actions; return how many."""
    return contract.legal(rules, state, out)


@dispatched(default=_all_legal)
def worthwhile(policy: Policy, rules: Rules, state: State, out: Ids) -> Integer:
    """Write the actions that a search has to try, the promising ones first; return how many.

    An action may be left out only if a listed one is at least as good for its player. The default
    lists all legal actions.
    """
    ...


@kernel
def solve(
    policy: Policy, rules: Rules, states: States, actions: Ids, player: Integer, friends: Integer,
    least: float, nodes: int,
) -> tuple[int, Integer]:  # fmt: skip
    """Decide by depth-first search whether a player can force a payoff.

    Args:
        policy: Policy whose `worthwhile` lists the actions to try.
        rules: Rules of the game.
        states: The root, in which nothing is hidden, then scratch states, one for each level of
            depth.
        actions: Scratch space for the actions at each level, int32 [states, num_actions].
        player: Player whose payoff counts.
        friends: Bit p is set if player p maximises that payoff; all others minimise it.
        least: A payoff of this or more counts as won.
        nodes: Maximum number of positions to visit.

    Returns:
        `WON`, `LOST`, or `UNKNOWN` if the answer needs more positions or depth; and the winning
        action of the root if it is won and a friend is to act there, else -1.
    """
    number = np.empty(len(states), np.int64)
    tried = np.zeros(len(states), np.int64)
    depth = 0
    number[0] = worthwhile(policy, rules, states[0], actions[0])
    while True:
        friendly = (friends >> states[depth].player) & 1
        if tried[depth] == number[depth]:
            # Every action has failed the player to act: the loop below stops at a success.
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
        # The value decides each position above whose player to act wants it. The first other
        # position goes on with its next action.
        while depth >= 0 and value == (WON if (friends >> states[depth].player) & 1 else LOST):
            depth -= 1
        if depth < 0:
            # The search of the root has stopped at its last tried action, which is the winning one.
            friendly = (friends >> states[0].player) & 1
            return value, np.int64(actions[0, tried[0] - 1]) if value == WON and friendly else -1

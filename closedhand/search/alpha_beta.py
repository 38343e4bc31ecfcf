"""Alpha-beta search of positions in which nothing is hidden, for any game.

The search decides whether a coalition of friends can force a payoff: alpha-beta search (Knuth and
Moore, 1975) of two values, won and lost. A table of decided positions is optional.

1. List the worthwhile actions of the root, the promising ones first.
2. At the deepest position, play the next action that was not tried.
3. If the payoff is not yet certain there, and the table does not hold the position, list its
   actions and repeat step 2.
4. A position is won if a friend is to act and one action wins, or an opponent is to act and every
   action wins. Otherwise it is lost.
5. Keep the value in the table, and pass it up as long as it decides the position above. When it
   decides the root, return it.
"""

import numpy as np

from closedhand.core import contract
from closedhand.core.contract import dispatched
from closedhand.core.game import State
from closedhand.core.numba.jit import Floats, Ids, Integer, Policy, Rules, States, kernel

UNKNOWN, LOST, WON = -1, 0, 1
"""Results of `solve`."""

SLOTS = 4
"""Number of places of a table where one position may be stored; their 64 bytes are a cache line."""
VALUE = np.uint64(3)
"""Mask of the lowest bits of a place's second number, which hold the value + 1; 0: empty place."""
NUMBER, TRIED, DEPTH = 0, 1, 2
"""Rows of the stack of a search: `stack[NUMBER, i]` actions are listed at level i, of which
`stack[TRIED, i]` were tried. The present level is `stack[DEPTH, 0]`."""
LEAST, GREATEST, VISITED, KEPT = 0, 1, 2, 3
"""Indices in `seen`, where a search notes the least payoff met that counts as won, the greatest met
that counts as lost, and the numbers of positions visited and added to the table."""


@kernel
def _all_legal(policy: Policy, rules: Rules, state: State, out: Ids) -> Integer:
    return contract.legal(rules, state, out)


@dispatched(default=_all_legal)
def worthwhile(policy: Policy, rules: Rules, state: State, out: Ids) -> Integer:
    """Write the actions that a search has to try, the promising ones first; return how many.

    `out` is int32 [num_actions]; the game is not over. An action may be left out only if a listed
    one is at least as good for its player. The default lists all legal actions.
    """
    ...


@kernel
def _no_key(policy: Policy, rules: Rules, state: State) -> tuple[np.uint64, np.uint64]:
    return np.uint64(0), np.uint64(0)


@dispatched(default=_no_key)
def position_key(policy: Policy, rules: Rules, state: State) -> tuple[np.uint64, np.uint64]:
    """Return a hash of all that decides how a game may go on and end, as two uint64.

    Positions count as one if their keys, without the bits of `VALUE`, are equal. The default, 0 and
    0, means that no table may be used: only a game knows how much of the history matters.
    """
    ...


@kernel
def look_up(table: Ids, first: np.uint64, second: np.uint64) -> Integer:
    """Return the value of a position in `table`, `LOST` or `WON`; `UNKNOWN` if it is not there.

    The size of `table`, see `search`, is not 0. An empty place, all zeros, has the value `UNKNOWN`.
    """
    # The low bits of `first` choose the group of `SLOTS` places.
    start = (first & np.uint64(len(table) // SLOTS - 1)) * np.uint64(SLOTS)
    for i in range(SLOTS):
        place = start + np.uint64(i)
        if table[place, 0] == first and table[place, 1] & ~VALUE == second & ~VALUE:
            return np.int64(table[place, 1] & VALUE) - 1
    return UNKNOWN


@kernel
def keep(table: Ids, first: np.uint64, second: np.uint64, value: Integer) -> int:
    """Store `LOST` or `WON` for a key; return 1 if it fills an empty place of `table`, else 0."""
    if len(table) == 0:
        return 0
    start = (first & np.uint64(len(table) // SLOTS - 1)) * np.uint64(SLOTS)
    # In a full group `second` chooses the place to replace, by bits that hold no value.
    place = start + ((second >> np.uint64(8)) & np.uint64(SLOTS - 1))
    added = 0
    for i in range(SLOTS):
        if table[start + np.uint64(i), 1] & VALUE == 0:
            place, added = start + np.uint64(i), 1
            break
    table[place, 0] = first
    table[place, 1] = (second & ~VALUE) | np.uint64(value + 1)
    return added


@kernel
def recall(
    policy: Policy, rules: Rules, states: States, depth: int, table: Ids, keys: Ids
) -> Integer:
    """Return the value of `states[depth]`, or `UNKNOWN`; with a table also write `keys[depth]`."""
    if len(table) == 0:
        return UNKNOWN
    first, second = position_key(policy, rules, states[depth])
    keys[depth, 0], keys[depth, 1] = first, second
    return look_up(table, first, second)


@kernel
def outcome(payoff: float, least: float, seen: Floats) -> int:
    """Return `WON` for a payoff of `least` or more, else `LOST`; note the payoff in `seen`."""
    if payoff >= least:
        seen[LEAST] = min(seen[LEAST], payoff)
        return WON
    seen[GREATEST] = max(seen[GREATEST], payoff)
    return LOST


@kernel
def search(
    policy: Policy, rules: Rules, states: States, actions: Ids, stack: Ids, player: Integer,
    friends: Integer, least: float, nodes: int, table: Ids, keys: Ids, seen: Floats,
) -> tuple[Integer, Integer]:  # fmt: skip
    """Decide whether `player` can force a payoff, as `solve` does, with a table and in steps.

    `stack`, int64 [3, states] (see `NUMBER`), is zeros at first. If `nodes` run out, the result is
    `UNKNOWN`, and a call with the same arrays continues. `table`, uint64 [size, 2], keeps decided
    positions of one `player`, `friends` and `least`; the size is a power of 2 from `SLOTS` up, or 0
    for no table. A caller that reads `seen`, float64 [4] (see `LEAST`), begins with inf, -inf, 0,
    0. `keys`, uint64 [states, 2], is kept with `stack`. The action is -1 for a root in the table.
    """
    number, tried, depth = stack[NUMBER], stack[TRIED], int(stack[DEPTH, 0])
    if number[0] == 0:
        value = recall(policy, rules, states, 0, table, keys)
        if value != UNKNOWN:
            return value, -1
        number[0] = worthwhile(policy, rules, states[0], actions[0])
    while True:
        friendly = (friends >> states[depth].player) & 1
        if tried[depth] == number[depth]:
            # Every action has failed the player to act: the loop below stops at a success.
            value = LOST if friendly else WON
            seen[KEPT] += keep(table, keys[depth, 0], keys[depth, 1], value)
            depth -= 1
        else:
            if nodes == 0 or depth + 1 == len(states):
                stack[DEPTH, 0] = depth
                return UNKNOWN, -1
            nodes -= 1
            seen[VISITED] += 1
            states[depth + 1] = states[depth]
            contract.play(rules, states[depth + 1], actions[depth, tried[depth]])
            tried[depth] += 1
            payoff = contract.payoff(rules, states[depth + 1], player)
            if np.isnan(payoff):
                value = recall(policy, rules, states, depth + 1, table, keys)
                if value == UNKNOWN:
                    depth += 1
                    number[depth] = worthwhile(policy, rules, states[depth], actions[depth])
                    tried[depth] = 0
                    continue
            else:
                value = outcome(payoff, least, seen)
        # The value decides each position above whose player to act wants it. The first other
        # position goes on with its next action.
        while depth >= 0 and value == (WON if (friends >> states[depth].player) & 1 else LOST):
            seen[KEPT] += keep(table, keys[depth, 0], keys[depth, 1], value)
            depth -= 1
        if depth < 0:
            # If a friend wins at the root, the last action tried there is the winning one.
            friendly = (friends >> states[0].player) & 1
            return value, np.int64(actions[0, tried[0] - 1]) if value == WON and friendly else -1


@kernel
def solve(
    policy: Policy, rules: Rules, states: States, actions: Ids, player: Integer, friends: Integer,
    least: float, nodes: int,
) -> tuple[Integer, Integer]:  # fmt: skip
    """Decide by depth-first search whether `player` can force a payoff, without a table.

    Args:
        policy: Policy whose `worthwhile` lists the actions to try.
        rules: Rules of the game.
        states: The root, not over and with nothing hidden, then a scratch state for each level.
        actions: Scratch space for the actions at each level, int32 [states, num_actions].
        player: Player whose payoff counts.
        friends: Bit p is set if player p maximises that payoff; all others minimise it.
        least: A payoff of this or more counts as won.
        nodes: Maximum number of positions to visit.

    Returns:
        `WON`, `LOST`, or `UNKNOWN` if the answer needs more positions or depth; and the winning
        action of the root if it is won and a friend is to act there, else -1.
    """
    stack = np.zeros((3, len(states)), np.int64)
    table, keys = np.empty((0, 2), np.uint64), np.empty((len(states), 2), np.uint64)
    return search(
        policy, rules, states, actions, stack, player, friends, least, nodes, table, keys,
        np.zeros(4),
    )  # fmt: skip


@kernel
def copy_table(table: Ids, larger: Ids) -> None:
    """Copy the positions of a table into a larger, empty one; both are as for `search`."""
    for i in range(len(table)):
        second = table[i, 1]
        if second & VALUE:
            keep(larger, table[i, 0], second, np.int64(second & VALUE) - 1)

"""Passes over an information tree: the steps of the algorithms, for kernels.

The nodes of a tree are stored by level, parents before children; the sets follow the same order.

1. A pass down is a loop with rising index. It reads the probability of a node before it writes
   those of the children (`reach`, `reach_others`).
2. A pass up is a loop with falling index. The values of all children are known when their parent's
   is computed (`expect`, `respond`).
3. A pass over the rows of the information sets updates regrets, strategies and averages
   (`add_average`, `learn`, `improve`).

Except `reach` these functions are those of `interface`, which explains their arguments. Here arrays
by action have the shape [rows], those by node [nodes], float64; `tree` is a `tree.InfoTree`, `n` a
node, `s` an information set. The first nodes are the deals. The functions that `tied` imports also
take its `TiedTree`.
"""

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import END
from closedhand.solvers.regrets import add_regret, mirror_step, next_weight, normalise


@kernel
def reach(tree, sigma, player, out):
    """Write to `out`, at each row of a player, the probability of the player's actions up to it."""
    for s in range(len(tree.owner)):
        if tree.owner[s] == player:
            before = tree.before[s]
            reached = out[before] if before >= 0 else 1.0
            for row in range(tree.rows[s], tree.rows[s + 1]):
                out[row] = reached * sigma[row]


@kernel
def reach_others(tree, sigma, player, out):
    """Write the probability of each node from chance and all players except `player`."""
    for n in range(len(tree.chance)):
        out[n] = tree.chance[n]
    for n in range(len(tree.player)):
        if tree.player[n] == END:
            continue
        first, end, slot = tree.first[n], tree.first[n + 1], tree.slot[n]
        if tree.player[n] == player:
            for child in range(first, end):
                out[child] = out[n]
        else:
            for child in range(first, end):
                out[child] = out[n] * sigma[slot + child - first]


@kernel
def expect(tree, sigma, reached, player, values, gains):
    """Write the counterfactual values of a player if all follow `sigma`."""
    gains[:] = 0.0
    # `reached` already weights the payoffs at the ends, so where others act values only add up.
    # The nodes of a set share its rows, and their values add up in `gains`.
    for n in range(len(tree.player) - 1, -1, -1):
        slot = tree.slot[n]
        if tree.player[n] == END:
            values[n] = reached[n] * tree.payoffs[slot, player]
            continue
        first, total = tree.first[n], 0.0
        if tree.player[n] == player:
            for child in range(first, tree.first[n + 1]):
                row = slot + child - first
                gains[row] += values[child]
                total += sigma[row] * values[child]
        else:
            for child in range(first, tree.first[n + 1]):
                total += values[child]
        values[n] = total


@kernel
def respond(tree, reached, player, values, gains):
    """Write values as `expect` does, for a player who follows a best response to the others.

    In `gains` the first row of each set of the player gets the index of the best action in the set.
    """
    gains[:] = 0.0
    # All nodes of a set are on one level, so each level takes three loops: sum the values of the
    # rows, choose the best row of each set, then give every node the value of its best child.
    for level in range(len(tree.levels) - 2, -1, -1):
        nodes = range(tree.levels[level], tree.levels[level + 1])
        for n in nodes:
            slot, first = tree.slot[n], tree.first[n]
            if tree.player[n] == END:
                values[n] = reached[n] * tree.payoffs[slot, player]
            elif tree.player[n] == player:
                for child in range(first, tree.first[n + 1]):
                    gains[slot + child - first] += values[child]
            else:
                total = 0.0
                for child in range(first, tree.first[n + 1]):
                    total += values[child]
                values[n] = total
        for s in range(tree.set_levels[level], tree.set_levels[level + 1]):
            if tree.owner[s] == player:
                start = tree.rows[s]
                # `slot` of every node of the set is this row: the third loop reads it there.
                gains[start] = np.argmax(gains[start : tree.rows[s + 1]])
        for n in nodes:
            if tree.player[n] == player:
                values[n] = values[tree.first[n] + np.int64(gains[tree.slot[n]])]


@kernel
def value(tree, values):
    """Return the value of the game from the values of all nodes."""
    # The values of the deals are already weighted with their probabilities.
    total = 0.0
    for n in range(len(tree.chance)):
        total += values[n]
    return total


@kernel
def add_average(tree, tables, player, weight):
    """Add the current strategy of a player to its average."""
    own = tables.reached  # by row: a tree has fewer rows than nodes
    reach(tree, tables.sigma, player, own)
    for s in range(len(tree.owner)):
        if tree.owner[s] == player:
            for row in range(tree.rows[s], tree.rows[s + 1]):
                tables.average[row] += weight * own[row]


@kernel
def learn(tree, tables, player, positive, negative, predictive):
    """Add the regrets of one iteration of a player, and derive its next strategy from them."""
    regret, sigma, gains = tables.regret, tables.sigma, tables.gains
    for s in range(len(tree.owner)):
        if tree.owner[s] != player:
            continue
        start, end = tree.rows[s], tree.rows[s + 1]
        expected = 0.0
        for row in range(start, end):
            expected += sigma[row] * gains[row]
        total = 0.0
        for row in range(start, end):
            gained = gains[row] - expected
            regret[row] = add_regret(regret[row], gained, positive, negative)
            sigma[row] = next_weight(regret[row], gained, predictive)
            total += sigma[row]
        for row in range(start, end):
            sigma[row] = normalise(sigma[row], total, end - start)


@kernel
def improve(tree, tables, player, temperature, step):
    """Do one step of magnetic mirror descent of a player at all its information sets."""
    sigma, logits = tables.sigma, tables.regret
    # `likely` at a set's first row is the set's probability by `reached`. Division by it turns
    # counterfactual values into expected payoffs given the set. If it is 0, the policy stays.
    likely = tables.values  # by row; the values of nodes are no longer needed
    for row in range(len(tree.actions)):
        likely[row] = 0.0
    for n in range(len(tree.player)):
        if tree.player[n] == player:
            likely[tree.slot[n]] += tables.reached[n]
    for s in range(len(tree.owner)):
        start, end = tree.rows[s], tree.rows[s + 1]
        if tree.owner[s] != player or likely[start] <= 0.0:
            continue
        top = -np.inf
        for row in range(start, end):
            value = tables.gains[row] / likely[start]
            logits[row] = mirror_step(logits[row], value, temperature, step)
            top = max(top, logits[row])
        total = 0.0
        for row in range(start, end):
            logits[row] -= top  # the softmax is the same, and exp cannot overflow
            sigma[row] = np.exp(logits[row])
            total += sigma[row]
        for row in range(start, end):
            sigma[row] /= total

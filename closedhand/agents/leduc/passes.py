"""Passes over a public tree, for `solvers.interface`, on vectors over the private cards.

Arguments are as in `solvers.interface`; `tree` is a `tree.Tree`. Arrays by node and by action are
float64 [nodes, LANES]; the entry of an action is at its child. `n` is a node and `c` a card.
"""

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import END
from closedhand.solvers.regrets import add_regret, mirror_step, next_weight, normalise

LANES = 8
"""Length of vectors over the kinds of cards: a power of two, for SIMD instructions."""


@kernel
def reach(tree, sigma, player, out):
    """Write the probability, by node and own card, that the player's own actions reach the node."""
    for c in range(LANES):
        out[0, c] = 1.0
    for n in range(len(tree.player)):
        own = tree.player[n] == player
        for child in range(tree.first[n], tree.first[n + 1]):
            for c in range(LANES):
                out[child, c] = out[n, c] * sigma[child, c] if own else out[n, c]


@kernel
def reach_others(tree, sigma, player, out):
    """Write the opponent's `reach`; chance is left out, as `Tree.pays` includes it."""
    reach(tree, sigma, 1 - player, out)


@kernel
def pay(tree, n, reached, player, out):
    """Write the counterfactual value of the end `n` for each card of `player` to `out[n]`.

    `reached`, float64 [nodes, LANES], is from `reach_others`. `tree.stakes` has the payoff, and
    `tree.pays` the probability of the cards, at a showdown with the sign of the payoff.
    """
    # Lanes of `out` are the player's cards, those of `reached` the opponent's. The loop over the
    # opponent's cards is outside, so that the inner one is a vector instruction.
    for c in range(LANES):
        out[n, c] = 0.0
    for other in range(tree.pays.shape[1]):
        weight = reached[n, other] * tree.stakes[n, player]
        for c in range(LANES):
            out[n, c] += weight * tree.pays[tree.matrix[n], other, c]


@kernel
def expect(tree, sigma, reached, player, out, gains):
    """Write the counterfactual values of `player` at every node, by card, if both follow `sigma`.

    The value of an action is that of its child in `out`, so `gains` is not used.
    """
    for n in range(len(tree.player) - 1, -1, -1):
        if tree.player[n] == END:
            pay(tree, n, reached, player, out)
            continue
        for c in range(LANES):
            out[n, c] = 0.0
        children = range(tree.first[n], tree.first[n + 1])
        if tree.player[n] == player:
            for child in children:
                for c in range(LANES):
                    out[n, c] += out[child, c] * sigma[child, c]
        else:
            for child in children:
                for c in range(LANES):
                    out[n, c] += out[child, c]


@kernel
def respond(tree, reached, player, out, gains):
    """Write values as `expect` does, for a player who plays a best response."""
    for n in range(len(tree.player) - 1, -1, -1):
        if tree.player[n] == END:
            pay(tree, n, reached, player, out)
            continue
        own = tree.player[n] == player
        for c in range(LANES):
            out[n, c] = out[tree.first[n], c]
        for child in range(tree.first[n] + 1, tree.first[n + 1]):
            for c in range(LANES):
                if own:
                    out[n, c] = max(out[n, c], out[child, c])
                else:
                    out[n, c] += out[child, c]


@kernel
def value(tree, values):
    """Return the value of the game: the sum of `values` at the root over the player's cards."""
    return values[0].sum()


@kernel
def learn(tree, tables, player, positive, negative, predictive):
    """Add the regrets of one iteration of `player`, and derive its next strategy from them."""
    regret, sigma, values = tables.regret, tables.sigma, tables.values
    total = np.empty(LANES)
    for n in range(len(tree.player)):
        if tree.player[n] != player:
            continue
        first, end = tree.first[n], tree.first[n + 1]
        for c in range(LANES):
            total[c] = 0.0
        for child in range(first, end):
            for c in range(LANES):
                gained = values[child, c] - values[n, c]
                sum_ = add_regret(regret[child, c], gained, positive, negative)
                regret[child, c] = sum_
                weight = next_weight(sum_, gained, predictive)
                sigma[child, c] = weight
                total[c] += weight
        for child in range(first, end):
            for c in range(LANES):
                sigma[child, c] = normalise(sigma[child, c], total[c], end - first)


@kernel
def add_average(tree, tables, player, weight):
    """Add a player's strategy, times the player's `reach` and `weight`, to `tables.average`."""
    own = tables.reached
    reach(tree, tables.sigma, player, own)
    for n in range(1, len(tree.player)):
        if tree.player[tree.parent[n]] == player:
            for c in range(LANES):
                tables.average[n, c] += weight * own[n, c]


@kernel
def improve(tree, tables, player, temperature, step):
    """Do one step of magnetic mirror descent of `player` at all its information sets."""
    sigma, logits, values = tables.sigma, tables.regret, tables.values
    for n in range(len(tree.player)):
        if tree.player[n] != player:
            continue
        first, end = tree.first[n], tree.first[n + 1]
        for c in range(LANES):
            # Counterfactual reach of the information set; `pays[slot]` has chance's probability.
            likely = 0.0
            for other in range(tree.pays.shape[1]):
                likely += tables.reached[n, other] * tree.pays[tree.slot[n], other, c]
            if likely <= 0.0:
                continue
            top = -np.inf
            for child in range(first, end):
                value = values[child, c] / likely
                logits[child, c] = mirror_step(logits[child, c], value, temperature, step)
                top = max(top, logits[child, c])
            total = 0.0
            for child in range(first, end):
                logits[child, c] -= top
                sigma[child, c] = np.exp(logits[child, c])
                total += sigma[child, c]
            for child in range(first, end):
                sigma[child, c] /= total

"""The public tree of a Leduc game, and exact values over it.

The tree holds what both players see: the betting, and after phase 1 one branch for each flop. The
private cards are handled by vectors at each node: the probability that a player reaches the node,
and the player's expected payoff from there, for each private card. Every algorithm here consists of
passes down and up the tree.

A node is stored after its parent and next to its siblings, and an action of a node is identified
with the child it leads to. Arrays with an entry for every action of every information set are
therefore arrays by node.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from closedhand.agents.leduc.strategy import Strategy, legal_table, normalised, uniform
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.games.leduc.plays import SHOWDOWN, S, T
from closedhand.solvers.interface import Evaluation, Tables
from closedhand.solvers.regrets import add_regret, mirror_step, next_weight, normalise

LANES = 8
"""Length of every vector over the kinds of cards: a power of two, which suits the processor."""

CHANCE, END = 2, 3
"""Values of `Tree.player` at a node where the flop is dealt, and at the end of a game."""


class Tree(NamedTuple):
    """A public tree, for kernels; arrays are by node, int64 [nodes] unless stated otherwise.

    Attributes:
        player: Player to act: 0, 1, `CHANCE` or `END`.
        first: The first child; the others follow it.
        children: Number of children.
        parent: The parent, -1 at the root.
        node: Node of the betting tree; at a chance node the one that the flop leads to.
        slot: 0 before the flop, then 1 plus its kind.
        action: Action that leads here from the parent; 0 after chance.
        matrix: At an end, the index of its matrix in `pays`.
        stakes: At an end, the factors of that matrix for S and for T, float64 [nodes, 2].
        pays: Float64 [matrices, kinds, LANES], by the opponent's and the player's own card: the
            probability of these cards and of the flop, times 1 after a fold, and 1, 0 or -1 after a
            showdown.
    """

    kernels = "closedhand.agents.leduc.tree"

    player: np.ndarray
    first: np.ndarray
    children: np.ndarray
    parent: np.ndarray
    node: np.ndarray
    slot: np.ndarray
    action: np.ndarray
    matrix: np.ndarray
    stakes: np.ndarray
    pays: np.ndarray


def deal_probabilities(game: Game) -> np.ndarray:
    """Probability of every deal, float64 [kinds, kinds, kinds]: card of S, card of T, flop."""
    tables = game.rules.tables
    copies, same = tables.copies[: tables.kinds].astype(float), np.eye(tables.kinds)
    second = copies - same
    third = copies - same[:, None, :] - same[None, :, :]
    ways = copies[:, None, None] * second[:, :, None] * np.maximum(third, 0)
    return ways / (tables.cards * (tables.cards - 1) * (tables.cards - 2))


@lru_cache
def build(game: Game) -> Tree:
    """Build the public tree of a game; callers share it and must not change it."""
    tables = game.rules.tables
    betting = tables.nodes
    points = [(0, 0, -1, 0)]  # node of the betting tree, slot, parent, action
    rows = []
    # The list grows during the loop over it.
    for i, (node, slot, _, _) in enumerate(points):
        first = len(points)
        if betting[node]["player"] < 0:
            rows.append((END, first, 0))
        elif slot == 0 and betting[node]["phase"] == 2:
            points += [(node, 1 + flop, i, 0) for flop in range(tables.kinds)]
            rows.append((CHANCE, first, tables.kinds))
        else:
            following = betting[node]["next"]
            points += [(int(n), slot, i, a) for a, n in enumerate(following) if n >= 0]
            rows.append((betting[node]["player"], first, len(points) - first))
    player, first, children = np.array(rows, np.int64).T.copy()
    node, slot, parent, action = np.array(points, np.int64).T.copy()

    kinds = tables.kinds
    likely = deal_probabilities(game)
    pays = np.zeros((1 + 2 * kinds, kinds, LANES))
    # The opponent's card comes first, so that a kernel adds vectors over the player's own card.
    pays[0, :, :kinds] = likely.sum(2).T
    pays[1 : 1 + kinds, :, :kinds] = likely.transpose(2, 1, 0)
    pays[1 + kinds :, :, :kinds] = (likely * tables.better[:kinds, :kinds, :kinds]).transpose(
        2, 1, 0
    )
    matrix = np.zeros(len(points), np.int64)
    stakes = np.zeros((len(points), 2))
    for i in np.flatnonzero(player == END):
        end = betting[node[i]]
        if end["winner"] == SHOWDOWN:
            matrix[i], stakes[i] = kinds + slot[i], end["bets"][S]
        else:
            won = end["bets"][1 - end["winner"]]
            matrix[i], stakes[i] = slot[i], (won, -won) if end["winner"] == S else (-won, won)
    return Tree(player, first, children, parent, node, slot, action, matrix, stakes, pays)


@kernel
def reach(tree, sigma, player, out):
    """Write the reach probabilities of `player`: the contribution of its own actions at each node.

    Args:
        tree: The tree.
        sigma: The strategy, float64 [nodes, LANES]: at a child of a node of `player` the
            probability of that action by the player's card.
        player: 0 or 1.
        out: Output, float64 [nodes, LANES].
    """
    for c in range(LANES):
        out[0, c] = 1.0
    for n in range(len(tree.player)):
        own = tree.player[n] == player
        for child in range(tree.first[n], tree.first[n] + tree.children[n]):
            for c in range(LANES):
                out[child, c] = out[n, c] * sigma[child, c] if own else out[n, c]


@kernel
def reach_others(tree, sigma, player, out):
    """`reach` of the opponent; the probability of the cards is in `Tree.pays`."""
    reach(tree, sigma, 1 - player, out)


@kernel
def pay(tree, n, reached, player, out):
    """Write the value of the end `n` for `player`, weighted with the opponent's `reached`."""
    for c in range(LANES):
        out[n, c] = 0.0
    for other in range(tree.pays.shape[1]):
        weight = reached[n, other] * tree.stakes[n, player]
        for c in range(LANES):
            out[n, c] += weight * tree.pays[tree.matrix[n], other, c]


@kernel
def expect(tree, sigma, reached, player, out, gains):
    """Write the counterfactual values of `player` at every node, by card, if both follow `sigma`.

    They are weighted with the probability of the cards and of the opponent's actions, but not of
    the player's own. Arguments are as in `reach`; `reached` is that of the opponent. The value of
    an action is that of the node it leads to: `gains` is not used.
    """
    for n in range(len(tree.player) - 1, -1, -1):
        if tree.player[n] == END:
            pay(tree, n, reached, player, out)
            continue
        for c in range(LANES):
            out[n, c] = 0.0
        children = range(tree.first[n], tree.first[n] + tree.children[n])
        if tree.player[n] == player:
            for child in children:
                for c in range(LANES):
                    out[n, c] += out[child, c] * sigma[child, c]
        else:
            for child in children:
                for c in range(LANES):
                    out[n, c] += out[child, c]


@kernel
def respond(tree, reached, player, out):
    """Like `expect`, for a player who plays a best response to the opponent's `reached`."""
    for n in range(len(tree.player) - 1, -1, -1):
        if tree.player[n] == END:
            pay(tree, n, reached, player, out)
            continue
        own = tree.player[n] == player
        for c in range(LANES):
            out[n, c] = out[tree.first[n], c]
        for child in range(tree.first[n] + 1, tree.first[n] + tree.children[n]):
            for c in range(LANES):
                if own:
                    out[n, c] = max(out[n, c], out[child, c])
                else:
                    out[n, c] += out[child, c]


@kernel
def learn(tree, tables, player, positive, negative, predictive):
    """Add the regrets of one iteration of `player`, and derive its next strategy from them."""
    regret, sigma, values = tables.regret, tables.sigma, tables.values
    total = np.empty(LANES)
    for n in range(len(tree.player)):
        if tree.player[n] != player:
            continue
        first, end = tree.first[n], tree.first[n] + tree.children[n]
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
                sigma[child, c] = normalise(sigma[child, c], total[c], tree.children[n])


@kernel
def add_average(tree, tables, player, weight):
    """Add the current strategy of `player` to its average."""
    # The reach of the opponent, in tables.reached, is needed no more.
    reach(tree, tables.sigma, player, tables.reached)
    for n in range(1, len(tree.player)):
        if tree.player[tree.parent[n]] == player:
            for c in range(LANES):
                tables.average[n, c] += weight * tables.reached[n, c]


@kernel
def improve(tree, tables, player, temperature, step):
    """Do one step of magnetic mirror descent of `player` at all its information sets."""
    sigma, logits, values = tables.sigma, tables.regret, tables.values
    for n in range(len(tree.player)):
        if tree.player[n] != player:
            continue
        first, end = tree.first[n], tree.first[n] + tree.children[n]
        for c in range(LANES):
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


@kernel
def evaluate_tree(tree, sigma, reached, values):
    """The value of `sigma` for S and the best responses of S and T; the rest is scratch space."""
    reach(tree, sigma, T, reached)
    expect(tree, sigma, reached, S, values, values)
    value = values[0].sum()
    respond(tree, reached, S, values)
    best_s = values[0].sum()
    reach(tree, sigma, S, reached)
    respond(tree, reached, T, values)
    return value, best_s, values[0].sum()


def evaluate(strategy: Strategy) -> Evaluation:
    """The exact evaluation of a strategy."""
    tree = build(strategy.game)
    sigma = to_sigma(tree, strategy)
    value, best_s, best_t = evaluate_tree(tree, sigma, np.empty_like(sigma), np.empty_like(sigma))
    return Evaluation(value, (best_s, best_t))


def decisions(tree: Tree) -> np.ndarray:
    """Nodes that a player's action, not chance, leads to, int64."""
    return np.flatnonzero((tree.parent >= 0) & (tree.player[tree.parent] < CHANCE))


def to_sigma(tree: Tree, strategy: Strategy) -> np.ndarray:
    """A strategy by node of the tree, float64 [nodes, LANES]."""
    kinds = strategy.game.rules.tables.kinds
    sigma = np.zeros((len(tree.player), LANES))
    n = decisions(tree)
    before = tree.parent[n]
    sigma[n, :kinds] = strategy.probabilities[
        tree.node[before], tree.slot[before], :, tree.action[n]
    ]
    return sigma


def to_strategy(game: Game, tree: Tree, weights: np.ndarray, **about: object) -> Strategy:
    """The strategy that plays actions in proportion to weights by node, float64 [nodes, LANES]."""
    legal = legal_table(game)
    shares = np.zeros(legal.shape)
    n = decisions(tree)
    before = tree.parent[n]
    shares[tree.node[before], tree.slot[before], :, tree.action[n]] = weights[
        n, : game.rules.tables.kinds
    ]
    return Strategy(game, normalised(shares, legal), about)


def tables(game: Game, tree: Tree) -> Tables:
    """The tables of the tree before the first iteration, all float64 [nodes, LANES]."""
    sigma = to_sigma(tree, uniform(game))
    regret, average, reached, values = (np.zeros_like(sigma) for _ in range(4))
    return Tables(regret, sigma, average, reached, reached, values, values)

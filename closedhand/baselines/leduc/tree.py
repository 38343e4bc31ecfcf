"""The public tree of a Leduc game, and exact values over it.

The tree holds what both players see: the betting, and after phase 1 one branch for each flop. What
they do not see, the two private cards, is a vector at each node: how likely a player gets there,
and what he can expect from there on, for each of his cards. One pass down the tree and one up are
all that any algorithm here does.

A node is stored after its parent and next to its siblings, so an action of a node is its child:
arrays with an entry for every action of every information set are simply arrays by node.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from closedhand.baselines.leduc.strategy import Strategy, legal_table, normalised
from closedhand.core.game import Game
from closedhand.core.kernel import kernel
from closedhand.games.leduc.plays import SHOWDOWN, S, T

LANES = 8
"""Room for the kinds of cards in every vector: a power of two, which suits the processor."""

CHANCE, END = 2, 3
"""What stands for the player at a node where the flop comes, and at the end of a game."""


class Tree(NamedTuple):
    """A public tree, for kernels; arrays are by node, int64 [nodes] where nothing else is said.

    Attributes:
        player: To act: 0, 1, `CHANCE` or `END`.
        first: The first child; the others follow it.
        children: How many.
        parent: The node before, -1 at the root.
        node: Of the tree of betting, for chance the one that the flop leads to.
        slot: 0 before the flop, then 1 plus its kind.
        action: Which leads here from the parent; 0 after chance.
        matrix: At an end, which of `pays` it takes.
        stakes: At an end, by what that is multiplied for S and for T, float64 [nodes, 2].
        pays: Float64 [matrices, LANES, LANES], by the other's and the own card: the probability of
            these cards and of the flop, times 1 after a fold, and 1, 0 or -1 after a showdown.
    """

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
    """The probability of every deal, float64 [kinds, kinds, kinds]: of S, of T, the flop."""
    tables = game.rules.tables
    copies, same = tables.copies[: tables.kinds].astype(float), np.eye(tables.kinds)
    second = copies - same
    third = copies - same[:, None, :] - same[None, :, :]
    ways = copies[:, None, None] * second[:, :, None] * np.maximum(third, 0)
    return ways / (tables.cards * (tables.cards - 1) * (tables.cards - 2))


@lru_cache
def build(game: Game) -> Tree:
    """The public tree of a game; shared by all callers, so not to be changed."""
    tables = game.rules.tables
    betting = tables.nodes
    points = [(0, 0, -1, 0)]  # node of the betting, slot, parent, action
    rows = []
    # The list grows while it is gone through.
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
    pays = np.zeros((1 + 2 * kinds, LANES, LANES))
    # By the other's card first, so that a kernel adds up vectors by the own card.
    pays[0, :kinds, :kinds] = likely.sum(2).T
    pays[1 : 1 + kinds, :kinds, :kinds] = likely.transpose(2, 1, 0)
    pays[1 + kinds :, :kinds, :kinds] = (likely * tables.better[:kinds, :kinds, :kinds]).transpose(
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
    """Write the probability that `player`, by his own actions, lets the game come to each node.

    Args:
        tree: The tree.
        sigma: The strategy, float64 [nodes, LANES]: at a child of a node of `player` the
            probability of that action by his card.
        player: 0 or 1.
        out: Float64 [nodes, LANES].
    """
    for c in range(LANES):
        out[0, c] = 1.0
    for n in range(len(tree.player)):
        own = tree.player[n] == player
        for child in range(tree.first[n], tree.first[n] + tree.children[n]):
            for c in range(LANES):
                out[child, c] = out[n, c] * sigma[child, c] if own else out[n, c]


@kernel
def pay(tree, n, reached, player, out):
    """Write what `player` can expect at the end `n`, if the other gets there as in `reached`."""
    for c in range(LANES):
        out[n, c] = 0.0
    for other in range(LANES):
        weight = reached[n, other] * tree.stakes[n, player]
        for c in range(LANES):
            out[n, c] += weight * tree.pays[tree.matrix[n], other, c]


@kernel
def expect(tree, sigma, reached, player, out):
    """Write what `player` can expect from every node on, by his card, when both follow `sigma`.

    That is the counterfactual value: weighted with the probability of the cards and of the other's
    actions, but not of his own. Arguments are as in `reach`; `reached` is that of the other.
    """
    for n in range(len(tree.player) - 1, -1, -1):
        if tree.player[n] == END:
            pay(tree, n, reached, player, out)
            continue
        own = tree.player[n] == player
        for c in range(LANES):
            out[n, c] = 0.0
        for child in range(tree.first[n], tree.first[n] + tree.children[n]):
            for c in range(LANES):
                out[n, c] += out[child, c] * sigma[child, c] if own else out[child, c]


@kernel
def respond(tree, reached, player, out):
    """`expect` for a player who plays as well as can be against an opponent with that `reached`."""
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


class Evaluation(NamedTuple):
    """How good a strategy of both players is.

    Attributes:
        value: What S wins on average when both follow it, chips a game.
        best_responses: What S, and what T, would win by the best response to the other's part.
    """

    value: float
    best_responses: tuple[float, float]

    @property
    def nash_conv(self) -> float:
        """What both together could gain by responding best: 0 at an equilibrium.

        That is the sum over the players of best response less own value; the values sum to 0.
        """
        return sum(self.best_responses)

    @property
    def exploitability(self) -> float:
        """Half of NashConv."""
        return self.nash_conv / 2


@kernel
def evaluate_tree(tree, sigma, reached, values):
    """The value of `sigma` for S and the best responses of S and T; the rest is scratch space."""
    reach(tree, sigma, T, reached)
    expect(tree, sigma, reached, S, values)
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
    """The nodes that an action, not chance, leads to, int64."""
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
    table = np.zeros(legal.shape)
    n = decisions(tree)
    before = tree.parent[n]
    table[tree.node[before], tree.slot[before], :, tree.action[n]] = weights[
        n, : game.rules.tables.kinds
    ]
    return Strategy(game, normalised(table, legal), about)

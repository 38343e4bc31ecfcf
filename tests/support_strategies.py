"""Strategies of small games for tests."""

import numpy as np

from closedhand import Game
from closedhand.solvers.strategy import Strategy, to_strategy
from closedhand.solvers.tree import trees_of


def uniform(game: Game) -> Strategy:
    """The strategy that plays every legal action with the same probability."""
    trees = trees_of(game)
    tree = trees.build(game)
    zeros = np.zeros(tree.shapes.action)
    return to_strategy(game, trees.layout(game, tree), zeros, algorithm="uniform")

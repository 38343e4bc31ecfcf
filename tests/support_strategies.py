"""Strategies of small games for tests."""

import numpy as np

from closedhand import Game
from closedhand.solvers.strategy import Strategy, to_strategy
from closedhand.solvers.tree import trees_of


def uniform(game: Game) -> Strategy:
    """The strategy that plays every legal action with the same probability."""
    trees = trees_of(game)
    layout = trees.layout(game)
    return to_strategy(game, layout, np.zeros(layout.shape), algorithm="uniform")

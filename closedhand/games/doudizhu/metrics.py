"""Results as the literature on Dou Dizhu counts them, for `GameSpec.columns`.

They are computed from the payoffs of an agent, summed over a side, float64 [deals, sides].
"""

import numpy as np

from closedhand.core.game import Game
from closedhand.core.statistics import wins


def winning_percentage(game: Game, points: np.ndarray) -> np.ndarray:
    """Rate each result for WP, the winning percentage: 1 a win, 0 a loss, 1/2 a payoff of 0."""
    return wins(points)


def average_difference(game: Game, points: np.ndarray) -> np.ndarray | None:
    """Scale each result for ADP, the average difference in points, as DouZero's evaluation does.

    The base is 1: the landlord wins or loses 2, and the peasants together the same, doubled for
    every bomb. None if payoffs are not points, or the stake is bid.
    """
    rules = game.flat.rules
    return None if rules.options.win or rules.options.bidding else points / rules.options.stake

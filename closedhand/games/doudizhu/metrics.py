"""Results of matches as the literature on Dou Dizhu counts them."""

import numpy as np

from closedhand.core.game import Game
from closedhand.core.statistics import wins


def winning_percentage(game: Game, points: np.ndarray) -> np.ndarray:
    """Compute WP, the winning percentage: the share of games that a side wins.

    Args:
        game: Dou Dizhu with any options.
        points: Payoffs of an agent, summed over a side, float64 [deals, sides].

    Returns:
        1 for a game won, 0 for one lost, float64 [deals, sides].
    """
    return wins(points)


def average_difference(game: Game, points: np.ndarray) -> np.ndarray | None:
    """Compute ADP, the average difference in points, as DouZero's evaluation does.

    The base is 1: the landlord wins or loses 2, and the peasants together the same, doubled for
    every bomb.

    Args:
        game: Dou Dizhu with any options.
        points: Payoffs of an agent, summed over a side, float64 [deals, sides].

    Returns:
        Points by game and side, float64 [deals, sides]; None if payoffs are not points, or the
        stake is bid.
    """
    rules = game.flat.rules
    return None if rules.options.win or rules.options.bidding else points / rules.options.stake

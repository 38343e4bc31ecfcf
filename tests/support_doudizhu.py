"""Hands and plays of Dou Dizhu, taken apart in slow ways."""

import numpy as np

from closedhand.baselines.doudizhu.decompose import partition
from closedhand.games.doudizhu.counts import pack


def costs_against(others: str) -> np.ndarray:
    """The table of costs when the others hold these cards."""
    costs = np.empty((partition.ROWS, 15), np.int64)
    partition.set_costs(pack(others), costs)
    return costs

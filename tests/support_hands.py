"""Hands of Dou Dizhu for which a number is as large as can be found."""

from collections.abc import Callable

import numpy as np

COPIES = np.array([4] * 13 + [1, 1])


def packed(counts: np.ndarray) -> np.uint64:
    """Cards by their numbers of each rank, as a hand."""
    return np.uint64(sum(int(number) << 4 * rank for rank, number in enumerate(counts)))


def greatest(
    measure: Callable[[np.uint64], int], cards: int, climbs: int, steps: int, seed: int
) -> int:
    """From random hands, exchange cards for others as long as the number does not fall."""
    rng, found = np.random.default_rng(seed), 0
    for _ in range(climbs):
        deck = rng.permutation(np.repeat(np.arange(15), COPIES))
        counts = np.bincount(deck[:cards], minlength=15)
        number = measure(packed(counts))
        for _ in range(steps):
            changed = counts.copy()
            changed[rng.integers(15)] -= 1
            changed[rng.integers(15)] += 1
            if (changed >= 0).all() and (changed <= COPIES).all():
                other = measure(packed(changed))
                if other >= number:
                    counts, number = changed, other
        found = max(found, number)
    return found

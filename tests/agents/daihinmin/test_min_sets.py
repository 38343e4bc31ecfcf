"""The fewest plays of a hand."""

from functools import cache

import numpy as np
from support_daihinmin import GAME

from closedhand.agents.daihinmin.min_sets import MOST_RUNS, fewest
from closedhand.games.daihinmin.plays import PASS, cards_in


def fewest_by_brute_force(cards: int) -> int:
    """The fewest plays by trying every play that contains the lowest card, then the rest."""
    needs = {int(need) for need in GAME.rules.plays.need[:PASS] if not int(need) & ~cards}

    @cache
    def solve(left: int) -> int:
        lowest = left & -left
        options = [need for need in needs if need & lowest and not need & ~left]
        return 1 + min(solve(left & ~need) for need in options) if left else 0

    return solve(cards)


def test_the_fewest_plays_are_those_of_every_partition() -> None:
    rng = np.random.default_rng(0)
    runs = np.empty(MOST_RUNS, np.uint64)
    # Few ranks and suits, so that sets of all kinds overlap; the joker in half of the hands.
    pool = [4 * rank + suit for rank in range(3, 10) for suit in range(3)]
    counts = []
    for i in range(300):
        cards = sum(1 << int(c) for c in rng.choice(pool, rng.integers(1, 10), replace=False))
        cards |= (i % 2) << 52
        counts.append(fewest_by_brute_force(cards))
        assert fewest(GAME.rules, np.uint64(cards), runs) == counts[-1], cards_in(cards)
    assert {1, 2, 3, 4, 5} <= set(counts)

"""The best response in Chinese Poker, and with it how much a strategy could lose at most.

The opponents of a hand are those of a pool who share no card with it (`pool.py`). A best response
is among the arrangements that no other one beats or equals in all three parts, about 120 a hand; the
points of each against all opponents are counted.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from closedhand.baselines.chinese_poker import pool as pools
from closedhand.baselines.chinese_poker.parallel import in_threads
from closedhand.baselines.chinese_poker.pool import Pool
from closedhand.games.chinese_poker.plays import (
    BACK,
    FIVES,
    FRONT,
    FRONTS,
    MIDDLE,
    SPLITS,
    THREES,
)
from closedhand.games.chinese_poker.rules import strengths
from closedhand.games.kernel import kernel

MOST = 4096
"""Room for arrangements that are candidates."""


@kernel
def candidates(rules, hand, actions, parts):
    """Write the arrangements of a hand that are worth a thought; return how many.

    They are those that no other one beats or equals in all parts (a few more may be among them).
    `parts`, int16 [MOST, 3], gets their strengths.
    """
    tables = rules.tables
    fives, threes = np.empty(FIVES, np.int16), np.empty(THREES, np.int16)
    strengths(rules, hand, fives, threes)
    # The best (back, middle) so far, with fronts at least as good: backs fall, middles rise.
    backs, middles = np.empty(FIVES, np.int16), np.empty(FIVES, np.int16)
    stairs, n = 0, 0
    for i in np.argsort(-threes):
        floor = tables.floor[threes[i]]
        for k in range(SPLITS):
            one, two = tables.splits[i, k, 0], tables.splits[i, k, 1]
            back, middle = max(fives[one], fives[two]), min(fives[one], fives[two])
            if middle < floor:
                continue
            # The first step whose back is weaker; the one before has the best middle to fear.
            step = 0
            while step < stairs and backs[step] >= back:
                step += 1
            if step > 0 and middles[step - 1] >= middle:
                continue
            action = FRONTS * (one if fives[one] >= fives[two] else two)
            while tables.front[action] != i:
                action += 1
            if n < MOST:
                actions[n] = action
                parts[n, FRONT] = threes[i]
                parts[n, MIDDLE] = middle
                parts[n, BACK] = back
                n += 1
            # Steps that the new one makes superfluous go: those of its back, and weaker ones whose
            # middle is no better.
            if step > 0 and backs[step - 1] == back:
                step -= 1
            end = step
            while end < stairs and middles[end] <= middle:
                end += 1
            shift = 1 - (end - step)
            if shift > 0:
                for j in range(stairs - 1, end - 1, -1):
                    backs[j + 1], middles[j + 1] = backs[j], middles[j]
            elif shift < 0:
                for j in range(end, stairs):
                    backs[j + shift], middles[j + shift] = backs[j], middles[j]
            backs[step], middles[step] = back, middle
            stairs += shift
    return n


@kernel
def gather(pool, hand, found, fronts, middles, backs):
    """Write the strengths of all opponents of a hand, by part; return how many."""
    n = pools.opponents(pool, hand, found)
    for i in range(n):
        fronts[i] = pool.parts[found[i], FRONT]
        middles[i] = pool.parts[found[i], MIDDLE]
        backs[i] = pool.parts[found[i], BACK]
    return n


@kernel
def points(rules, front, middle, back, fronts, middles, backs):
    """The points of an arrangement against all opponents together, by strengths."""
    majority, scoop = rules.majority, rules.scoop
    total = 0
    for i in range(len(fronts)):
        won = (
            (front > fronts[i]) - (front < fronts[i])
            + (middle > middles[i]) - (middle < middles[i])
            + (back > backs[i]) - (back < backs[i])
        )  # fmt: skip
        sign = (won > 0) - (won < 0)
        total += won + sign * (scoop if abs(won) == 3 else majority)
    return total

"""The best response to a strategy of Chinese Poker, and its gain over the strategy.

1. Take as opponents of a hand the hands of a pool that share no card with it (`pool.py`).
2. List the arrangements that no other one beats or equals in all three parts, about 100 per hand
   (`candidates`). A best response is among them.
3. Optionally leave out those with few expected points by tables (`separable.py`, `promising`).
4. Count the points of each against all opponents, and choose the best (`respond`).
5. To measure the gain, choose on one half of the opponents and measure on the other (`judge`): a
   lower bound. Choosing and measuring on all opponents gives an upper bound.

In kernels a hand is int8 [13], high to low, and strengths are by part: front, middle, back.
After P. Hankin, "Near-optimal closed-hand Chinese Poker".
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from closedhand.agents.chinese_poker import pool as pools
from closedhand.agents.chinese_poker.separable import expected_points
from closedhand.core.checks import integers
from closedhand.core.game import InputError
from closedhand.core.numba.jit import kernel
from closedhand.core.threads import in_threads
from closedhand.games.chinese_poker.plays import (
    ARRANGEMENTS,
    BACK,
    FIVES,
    FRONT,
    FRONTS,
    MIDDLE,
    PARTS,
    SPLITS,
    THREES,
)
from closedhand.games.chinese_poker.rules import strengths
from closedhand.games.chinese_poker.state import Rules

MOST = THREES * SPLITS
"""Room for candidates: the number of ways to split a hand into a front and two fives."""


@kernel
def falling(values):
    """Return the indices that sort values from high to low, stably, int64 [n]."""
    # Insertion sort: values are few, and NumPy's stable sort takes eight seconds to compile.
    order = np.empty(len(values), np.int64)
    for i in range(len(values)):
        place = i
        while place > 0 and values[order[place - 1]] < values[i]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = i
    return order


@kernel
def candidates(rules, hand):
    """List the candidate arrangements of a hand, int32 [n], and their strengths, int16 [n, 3].

    These are the arrangements that no other one beats or equals in all parts, and a few others. Of
    equal ones the first is kept.
    """
    tables = rules.tables
    actions, parts = np.empty(MOST, np.int32), np.empty((MOST, len(PARTS)), np.int16)
    fives, threes = np.empty(FIVES, np.int16), np.empty(THREES, np.int16)
    strengths(rules, hand, fives, threes)
    # Fronts come from strong to weak, so that all earlier arrangements have fronts at least as
    # good. A stair holds the best pairs (back, middle) of the earlier ones: backs fall, middles
    # rise. An arrangement is a candidate if no pair of the stair has both parts at least as good.
    backs, middles = np.empty(FIVES, np.int16), np.empty(FIVES, np.int16)
    stairs, n = 0, 0
    for i in falling(threes):
        floor = tables.floor[threes[i]]
        for k in range(SPLITS):
            one, two = tables.splits[i, k, 0], tables.splits[i, k, 1]
            back, middle = max(fives[one], fives[two]), min(fives[one], fives[two])
            if middle < floor:
                continue
            # Find the first step with a weaker back. The step before it has the best middle among
            # the backs that are at least as good.
            step = 0
            while step < stairs and backs[step] >= back:
                step += 1
            if step > 0 and middles[step - 1] >= middle:
                continue
            # The ids of arrangements with this back are contiguous; find the one with front i.
            action = FRONTS * np.int64(one if fives[one] >= fives[two] else two)
            while tables.front[action] != i:
                action += 1
            actions[n] = action
            parts[n, FRONT] = threes[i]
            parts[n, MIDDLE] = middle
            parts[n, BACK] = back
            n += 1
            # Replace the steps that the new one dominates: one with the same back, and those with
            # a weaker back and no better middle.
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
    return actions[:n], parts[:n]


@kernel
def gather(pool, hand):
    """Collect the strengths of all opponents of a hand, int16 [3, n], by part."""
    found = np.empty(pool.parts.shape[1], np.uint32)
    n = pools.opponents(pool, hand, found)
    parts = np.empty((len(PARTS), n), np.int16)
    for part in range(len(PARTS)):
        own, strengths = parts[part], pool.parts[part]
        for i in range(n):
            own[i] = strengths[found[i]]
    return parts


@kernel
def points(rules, own, fronts, middles, backs):
    """Sum the points of strengths `own` [3] against opponents' `fronts`, `middles`, `backs` [n]."""
    front, middle, back = own[FRONT], own[MIDDLE], own[BACK]
    majority, scoop = rules.majority, rules.scoop
    total = 0
    for i in range(len(fronts)):
        # Parts won minus parts lost, without branches, so that the compiler vectorises the loop.
        won = (
            int(front > fronts[i]) - int(front < fronts[i])
            + int(middle > middles[i]) - int(middle < middles[i])
            + int(back > backs[i]) - int(back < backs[i])
        )  # fmt: skip
        sign = int(won > 0) - int(won < 0)
        total += won + sign * (scoop if abs(won) == len(PARTS) else majority)
    return total


@kernel
def totals(rules, others, parts):
    """Compute the mean points of arrangements against each half of the opponents, float64 [n, 2].

    Points against an empty half are 0. `others` are the strengths of the opponents, int16 [3, m],
    and `parts` those of the arrangements, int16 [n, 3].
    """
    means = np.empty((len(parts), 2))
    fronts, middles, backs = others[FRONT], others[MIDDLE], others[BACK]
    half = len(fronts) // 2
    for i in range(len(parts)):
        first = points(rules, parts[i], fronts[:half], middles[:half], backs[:half])
        second = points(rules, parts[i], fronts[half:], middles[half:], backs[half:])
        means[i, 0] = first / max(1, half)
        means[i, 1] = second / max(1, len(fronts) - half)
    return means


@kernel
def promising(rules, win, slack, parts):
    """Return the indices of candidates with expected points within `slack` of the best, best first.

    `win` are the tables of `separable.py` for expected points, `parts` strengths, int16 [n, 3].
    """
    expected = np.empty(len(parts))
    for i in range(len(parts)):
        expected[i] = expected_points(rules, win, parts[i])
    order = falling(expected)
    n = 0
    while n < len(order) and expected[order[n]] >= expected[order[0]] - slack:
        n += 1
    return order[:n]


@kernel
def respond(rules, pool, win, slack, hand):
    """Find the `promising` arrangement, an action id, with the most points against the pool."""
    actions, parts = candidates(rules, hand)
    few = promising(rules, win, slack, parts)
    if len(few) == 1:
        return actions[few[0]]
    means = totals(rules, gather(pool, hand), parts[few])
    return actions[few[np.argmax(means.sum(axis=1))]]


@kernel
def respond_to_each(rules, pool, win, slack, hands, actions):
    """Write the result of `respond` for each of `hands`, int8 [n, 13], into `actions` [n]."""
    for i in range(len(hands)):
        actions[i] = respond(rules, pool, win, slack, hands[i])


@kernel
def judge(rules, pool, hand, own, out):
    """Return a hand's best response to a pool; measure its gain over the arrangement `own`.

    Four figures (see `Judgement`) are written to `out`, float64 [4]: `value`; `held_out`, averaged
    over choosing on either half; `in_sample`; and the number of opponents.
    """
    actions, parts = candidates(rules, hand)
    played = pools.strengths_of(rules, hand.reshape((1, -1)), np.array([own]))
    others = gather(pool, hand)
    means, value = totals(rules, others, parts), totals(rules, others, played)
    held_out = 0.0
    for k in range(2):
        held_out += (means[np.argmax(means[:, k]), 1 - k] - value[0, 1 - k]) / 2
    both = means.sum(axis=1) / 2
    chosen = np.argmax(both)
    own_mean = value.sum() / 2
    out[0], out[1], out[2], out[3] = own_mean, held_out, both[chosen] - own_mean, others.shape[1]
    return actions[chosen]


@kernel
def judge_each(rules, pool, hands, own, out, responses):
    """Do `judge` for each hand and arrangement `own`; fill `out`, [n, 4], and `responses`, [n]."""
    for i in range(len(hands)):
        responses[i] = judge(rules, pool, hands[i], own[i], out[i])


def compare(rules: Rules, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Compute the points, int64 [...], of arrangements `one` against `two`; fouls are not allowed.

    Both are strengths by part, integers [..., 3], and are broadcast against each other.
    """
    won = np.sign(np.asarray(one, int) - two).sum(axis=-1)
    extra = np.where(np.abs(won) == len(PARTS), rules.scoop, rules.majority)
    return won + np.sign(won) * extra


@dataclass(frozen=True)
class Judgement:
    """Gain of a best response over a strategy, in points per hand, on one pool."""

    hands: int  # number of hands judged, those with an opponent in each half
    opponents: float  # mean number of opponents of a hand
    value: float  # points of the strategy against itself, expected to be 0
    held_out: float  # lower bound of the gain: chosen on one half, measured on the other
    in_sample: float  # upper bound of the gain: chosen and measured on all opponents
    identical: float  # share of the hands that strategy and response set with equal strengths


def judge_strategy(
    rules: Rules,
    arrange: Callable[[np.ndarray], np.ndarray],
    hands: int,
    pool_size: int,
    rng: np.random.Generator,
    progress: Callable[[int], object] = lambda done: None,
) -> Judgement:
    """Measure the loss of a strategy to a best response, on a new pool.

    The strategy `arrange` maps hands, int8 [n, 13], to arrangements, integers [n]. `progress` is
    called with the number of hands done: those set for the pool plus those judged.

    Raises:
        InputError: `hands` or `pool_size` is less than 1, no hand has two opponents, or `arrange`
            does not return arrangements.
    """
    if hands < 1 or pool_size < 1:
        raise InputError("judging a strategy needs at least one hand, and a pool of at least one")

    def checked(dealt: np.ndarray) -> np.ndarray:
        found = integers("arrangements", arrange(dealt), len(dealt), "hand")
        if len(found) and not 0 <= found.min() <= found.max() < ARRANGEMENTS:
            raise InputError(f"arrangements are numbers from 0 to {ARRANGEMENTS - 1}")
        return found

    pool = pools.deal(rules, checked, rng, pool_size, progress)
    judged = pools.random_hands(rng, hands)[:, 0]
    own = checked(judged)
    figures, responses = np.empty((hands, 4)), np.empty(hands, np.int32)
    in_threads(
        lambda some: judge_each(
            rules, pool, judged[some], own[some], figures[some], responses[some]
        ),
        hands,
        lambda done: progress(pool_size + done),
    )
    # With fewer than two opponents a half is empty, and there is no gain to measure.
    faced = figures[:, 3] >= 2
    if not faced.any():
        raise InputError(f"no hand has two opponents in a pool of {pool_size:,}: make it larger")
    judged, own, responses = judged[faced], own[faced], responses[faced]
    value, held_out, in_sample, opponents = map(float, figures[faced].mean(axis=0))
    ours, theirs = (pools.strengths_of(rules, judged, each) for each in (own, responses))
    identical = float((ours == theirs).all(axis=1).mean())
    return Judgement(len(judged), opponents, value, held_out, in_sample, identical)

"""The separable strategy of Chinese Poker: it sets hands by each part's chance to win.

1. Look up the chance to win of each part in a table by its strength: f, m and b for front, middle
   and back.
2. Compute the expected points of an arrangement as if the parts won or lost independently.
3. Choose the arrangement with the most points among those whose parts are in order (not a foul).

Let S = f + m + b, P = fm + fb + mb and T = fmb. With u extra points for winning two of the parts
and v for winning all three (a scoop), the expected points are

    (2 - u + v) S + (3u - v) P + (2v - 6u) T - 3 - v.

In the blog's scoring u = v = 1. This gives 2 E+ - 4 with E+ = S + P - 2 T. The formula rises with
each chance. In kernels `win` is `Tables.win`, and a hand is int8 [13], high to low.

After P. Hankin, "Near-optimal closed-hand Chinese Poker".
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.core.files import SHIPPED, write_arrays
from closedhand.core.game import InputError
from closedhand.core.numba.jit import inlined, kernel
from closedhand.core.parsing import TEXT, check_fields
from closedhand.core.reading import json_in, read_arrays
from closedhand.core.threads import in_threads
from closedhand.games.chinese_poker.plays import (
    BACK,
    FIVES,
    FRONT,
    FRONTS,
    MIDDLE,
    PARTS,
    SPLITS,
    STRENGTHS,
    THREES,
    names,
)
from closedhand.games.chinese_poker.rules import evaluate, strengths
from closedhand.games.chinese_poker.state import Rules

NAME = "chinese_poker_separable_{}.npz"
"""File name of the package's tables; `{}` is the preset of their rules, `4-2` or `1-6`."""


@dataclass(frozen=True)
class Tables:
    """Chances to win of every strength of every part; an `InputError` refuses invalid ones.

    Attributes:
        win: Chances from 0 to 1, float64 [3, 6331], by part (front, middle, back) and strength,
            non-decreasing; for the front only the first 455 entries are used.
        about: Provenance, such as the method and the seed of the training.
    """

    win: np.ndarray
    about: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.win.shape != (len(PARTS), max(STRENGTHS)) or self.win.dtype != np.float64:
            raise InputError(f"the tables must be float64 [{len(PARTS)}, {max(STRENGTHS)}]")
        for part, number in zip(self.win, STRENGTHS, strict=True):
            chances = part[:number]
            if not ((chances >= 0) & (chances <= 1)).all() or (np.diff(chances) < 0).any():
                raise InputError("chances to win must lie from 0 to 1 and rise with the strength")


def save(tables: Tables, path: Path) -> None:
    """Write tables as npz, atomically."""
    parts = zip(PARTS, tables.win, STRENGTHS, strict=True)
    arrays = {part: win[:number] for part, win, number in parts}
    write_arrays(path, arrays, {"about": dict(tables.about)})


def load(path: Path) -> Tables:
    """Read tables that `save` wrote; an `InputError` refuses any other file."""
    arrays = read_arrays(path)
    try:
        win = np.zeros((len(PARTS), max(STRENGTHS)))
        for i, (part, number) in enumerate(zip(PARTS, STRENGTHS, strict=True)):
            if arrays[part].shape != (number,) or arrays[part].dtype != np.float64:
                raise InputError(f"{part} is float64 [{number}]")
            win[i, :number] = arrays[part]
        about = check_fields(json_in(arrays, "about"), "about", {}, {"rules": TEXT})  # all optional
        return Tables(win, about)
    except (InputError, KeyError) as error:
        raise InputError(f"{path} does not hold tables of Chinese Poker: {error}") from None


def csv_text(tables: Tables, step: float = 0) -> str:
    """Write chances to win in percent as CSV, `part,hand,percent`, the weakest hand first.

    Rows of a part differ by at least `step` percentage points; 0: every hand has a row.
    """
    rows = ["part,hand,percent"]
    for part, name in enumerate(PARTS):
        last = -np.inf
        for hand, chance in zip(names(part), 100 * tables.win[part], strict=False):
            if chance - last >= step:
                rows.append(f"{name},{hand},{chance:.2f}")
                last = chance
    return "\n".join(rows) + "\n"


def whole_percents(tables: Tables) -> Tables:
    """Round tables to whole percent, which a person may memorise."""
    return Tables(np.round(tables.win, 2), {**tables.about, "rounded": "whole percent"})


@lru_cache
def shipped(preset: str = "4-2") -> Tables:
    """Load the package's tables for the preset `4-2` or `1-6`."""
    return load(SHIPPED / NAME.format(preset))


@inlined
def weights(rules):
    """Return the weights of S, P and T in the formula of the expected points."""
    u, v = float(rules.majority), float(rules.scoop)
    return 2 - u + v, 3 * u - v, 2 * v - 6 * u


@kernel
def expectation(rules, front, middle, back):
    """Compute the expected points by the chances of the parts, without the constant -3 - v."""
    of_sum, of_pairs, of_product = weights(rules)
    pairs = front * middle + front * back + middle * back
    return of_sum * (front + middle + back) + of_pairs * pairs + of_product * front * middle * back


@kernel
def expected_points(rules, win, parts):
    """Compute `expectation`, without its constant, from `win` and the strengths `parts` [3]."""
    front, middle, back = parts[FRONT], parts[MIDDLE], parts[BACK]
    return expectation(rules, win[FRONT, front], win[MIDDLE, middle], win[BACK, back])


RISE = 1e-12
"""Addition to a chance for each step of strength: of equal chances the stronger hand is better."""


@kernel
def best(rules, win, hand):
    """Find the best arrangement of a hand by `win`, and its expected points with the constant."""
    lookup = rules.tables
    fives, threes = np.empty(FIVES, np.int16), np.empty(THREES, np.int16)
    strengths(rules, hand, fives, threes)
    front, middle, back = np.empty(THREES), np.empty(FIVES), np.empty(FIVES)
    top_middle, top_back = 0.0, 0.0
    for i in range(FIVES):
        middle[i] = win[MIDDLE, fives[i]] + RISE * fives[i]
        back[i] = win[BACK, fives[i]] + RISE * fives[i]
        top_middle = max(top_middle, middle[i])
        top_back = max(top_back, back[i])
    for i in range(THREES):
        front[i] = win[FRONT, threes[i]] + RISE * threes[i]
    of_sum, of_pairs, of_product = weights(rules)
    most, best_front, best_back = -np.inf, 0, 0
    for i in range(THREES):
        # With the front given, the formula is base + linear (m + b) + bilinear m b. Skip the front
        # if even the hand's best middle and back, which may share cards, give no more points.
        base = of_sum * front[i]
        linear = of_sum + of_pairs * front[i]
        bilinear = of_pairs + of_product * front[i]
        if base + linear * (top_middle + top_back) + bilinear * top_middle * top_back <= most:
            continue
        floor = lookup.floor[threes[i]]  # the weakest middle that this front allows
        for k in range(SPLITS):
            one, two = lookup.splits[i, k, 0], lookup.splits[i, k, 1]
            # Chances rise with the strength, so the stronger half has both better chances.
            m, b = min(middle[one], middle[two]), max(back[one], back[two])
            points = base + linear * (m + b) + bilinear * m * b
            if points > most and min(fives[one], fives[two]) >= floor:
                most = points
                best_front = i
                best_back = one if fives[one] >= fives[two] else two
    # Ids with the same back are contiguous: find the one with this front.
    action = FRONTS * np.int64(best_back)
    while lookup.front[action] != best_front:
        action += 1
    return action, most - 3 - rules.scoop


@kernel
def best_front(rules, win, hand, back):
    """Find the best arrangement with `back`, the id of five positions; if all foul, the first."""
    parts = np.empty(len(PARTS), np.int64)
    most, best_action = -np.inf, FRONTS * back
    for action in range(FRONTS * back, FRONTS * (back + 1)):
        if evaluate(rules, hand, action, parts):
            points = expected_points(rules, win, parts)
            if points > most:
                most, best_action = points, action
    return best_action


@kernel
def best_of_each(rules, win, hands, actions):
    """Write the best arrangement of every hand into `actions`."""
    for i in range(len(hands)):
        actions[i] = best(rules, win, hands[i])[0]


def arrange(rules: Rules, win: np.ndarray, hands: np.ndarray) -> np.ndarray:
    """Find the best arrangements, int32 [n], of hands, int8 [n, 13], by the chances `win`."""
    actions = np.empty(len(hands), np.int32)
    in_threads(lambda part: best_of_each(rules, win, hands[part], actions[part]), len(hands))
    return actions

"""Training of the tables of the separable strategy, by one of two methods.

A cycle of `blog` follows the blog post:

1. Deal hands from the full deck, and set them by the current tables.
2. Count how often every strength wins or ties against them.
3. Move the tables half way to these chances.

A cycle of `fitted` optimises the decisions:

1. In cycle k, set each opponent's hand (of the pool) anew with probability 1 / k (fictitious play).
2. Deal hands. Count the points of their promising arrangements, ties included, against the pool's
   hands that share no card with them (`counter.py`).
3. Fit the tables by stochastic gradient descent: the differences of the formula's points between
   the arrangements of a hand should equal those of the counted points.
4. Make the chances non-decreasing by isotonic regression.

The fitted chances are no probabilities: on average they make up for what the formula ignores, how
the parts depend on each other, and which cards the player holds.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.agents.chinese_poker import pool as pools, separable
from closedhand.agents.chinese_poker.counter import candidates, gather, promising, totals
from closedhand.agents.chinese_poker.pool import random_hands, strengths_of
from closedhand.agents.chinese_poker.separable import Tables, arrange, expected_points, weights
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import inlined, kernel
from closedhand.core.optional_imports import needing, require
from closedhand.core.run import Run
from closedhand.core.threads import in_threads
from closedhand.core.version import __version__
from closedhand.games.chinese_poker.plays import BACK, FRONT, MIDDLE, PARTS, STRENGTHS

METHODS = ("fitted", "blog")

SLACK = 0.6
"""Largest gap, in expected points, from a hand's best arrangement to others used in the fit."""
ROOM = 48
"""Maximum number of arrangements of a hand in the fit."""
SHARPNESS = 0.08
"""Points below the best arrangement at which the weight in the fit falls to 1/e."""
EPOCHS = 12
RATES = 0.032, 0.0045
"""Learning rates in the first and in the last epoch."""
FIRST_CYCLES = 8
"""Cycles of `blog`, with a tenth of the hands, before the first fit, which needs good opponents."""

Progress = Callable[[float], object]
"""Callback that gets the fraction of a cycle of `fitted` that is done, 0 to 1."""


def even() -> np.ndarray:
    """Make the first tables: chances to win that rise evenly with the strength."""
    win = np.zeros((len(PARTS), max(STRENGTHS)))
    for part, number in enumerate(STRENGTHS):
        win[part, :number] = (np.arange(number) + 0.5) / number
    return win


@dataclass
class Training:
    """Tables in training; a `closedhand.core.run.Learner`."""

    game: Game  # only its scoring is used, not its other options
    method: str = "fitted"  # one of `METHODS`
    hands: int = 150_000  # number of hands dealt in a cycle
    pool_size: int = 300_000  # number of hands in the pool (`fitted`)
    seed: int = 0
    cycles: int = 0  # number of cycles done
    win: np.ndarray = field(default_factory=even)
    # Strengths of the pool's hands as currently set, int16 [pool_size, 3]; at first empty.
    pool_parts: np.ndarray = field(default_factory=lambda: np.zeros((0, len(PARTS)), np.int16))
    progress: Progress = lambda part: None

    def __post_init__(self) -> None:
        """Raise an `InputError`: unknown method, unsupported option, or `fitted` without SciPy."""
        if self.method not in METHODS:
            raise InputError(f"no method {self.method!r}; there are {', '.join(METHODS)}")
        for option in ("fouls", "royalties", "naturals"):
            if self.game.options[option]:
                raise InputError(f"tables are trained for the points of parts, without {option}")
        if self.method == "fitted":
            require("scipy")
        self._rules = self.game.flat.rules

    @property
    def tables(self) -> Tables:
        """The current tables, with their provenance."""
        about = {
            "method": self.method,
            "rules": self.game.options["rules"],
            "cycles": self.cycles,
            "hands": self.hands,
            "seed": self.seed,
            "version": __version__,
        }
        if self.method == "fitted":
            about["pool"] = self.pool_size
        return Tables(self.win, about)

    def state(self) -> dict[str, Any]:
        """Return the arrays that `restore` needs."""
        return {
            "win": self.win, "pool_parts": self.pool_parts, "cycles": np.array(self.cycles)
        }  # fmt: skip

    def restore(self, state: dict[str, Any]) -> None:
        """Resume from the result of `state`; any error means that the checkpoint is damaged."""
        parts, cycles = state["pool_parts"], int(state["cycles"])
        win = Tables(state["win"]).win
        fits = parts.shape in [(size, len(PARTS)) for size in (0, self.pool_size)]
        if not fits or parts.dtype != np.int16 or not ((parts >= 0) & (parts < STRENGTHS)).all():
            raise ValueError("pool_parts")
        if cycles < 0:
            raise ValueError("cycles")
        self.win, self.pool_parts, self.cycles = win, parts, cycles

    def summary(self) -> dict[str, Any]:
        """Return the number of cycles done."""
        return {"cycles": self.cycles}

    def advance(self, seconds: float = 0) -> bool:
        """Do one cycle, whatever the time, and return True; an interruption changes nothing."""
        rng = pools.generator(pools.Deals.TRAINING, self.seed, self.cycles)
        win = self.win
        if self.method == "blog":
            self.win = self._blog_cycle(win, rng, self.hands)
        else:
            if self.cycles == 0:
                for _ in range(FIRST_CYCLES):
                    win = self._blog_cycle(win, rng, self.hands // 10)
            hands, parts = self._follow(win, rng)
            self.win = self._fitted_cycle(win, pools.build(hands, parts), rng)
            self.pool_parts = parts
        self.cycles += 1
        return True

    def _follow(self, win: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Set a share of the pool anew; return the pool's hands, [n, 13], and strengths, [n, 3]."""
        dealt = pools.generator(pools.Deals.TRAINING_POOL, self.seed)
        hands = random_hands(dealt, self.pool_size)[:, 0]
        if not len(self.pool_parts):
            parts = np.empty((self.pool_size, len(PARTS)), np.int16)
            anew = np.arange(self.pool_size)
        else:
            parts = self.pool_parts.copy()
            anew = np.flatnonzero(rng.random(self.pool_size) < 1 / (self.cycles + 1))
        some = np.ascontiguousarray(hands[anew])
        parts[anew] = strengths_of(self._rules, some, arrange(self._rules, win, some))
        return hands, parts

    def _blog_cycle(self, win: np.ndarray, rng: np.random.Generator, hands: int) -> np.ndarray:
        """Return the mean of `win` and the chances to win or tie against hands set by `win`."""
        dealt = random_hands(rng, hands)[:, 0]
        parts = strengths_of(self._rules, dealt, arrange(self._rules, win, dealt))
        counts = [np.bincount(part, minlength=max(STRENGTHS)) for part in parts.T]
        return (win + np.cumsum(counts, axis=1) / hands) / 2

    def _fitted_cycle(
        self, win: np.ndarray, pool: pools.Pool, rng: np.random.Generator
    ) -> np.ndarray:
        """Fit `win` to the points that dealt hands make against a pool; return the new `win`."""
        with needing():
            from scipy.optimize import isotonic_regression
        rules, hands = self._rules, self.hands
        dealt = random_hands(rng, hands)[:, 0]
        parts = np.zeros((hands, ROOM, len(PARTS)), np.int16)
        points, numbers = np.zeros((hands, ROOM)), np.zeros(hands, np.int64)
        in_threads(
            lambda some: count_points(
                rules, pool, win, dealt[some], parts[some], points[some], numbers[some]
            ),
            hands,
            lambda done: self.progress(0.8 * done / hands),
        )
        fitted = win.copy()
        for epoch, rate in enumerate(np.linspace(*RATES, EPOCHS), 1):
            descend(rules, fitted, parts, points, numbers, rng.permutation(hands), rate)
            self.progress(0.8 + 0.2 * epoch / EPOCHS)
        seen = np.arange(ROOM) < numbers[:, None]
        for part, number in enumerate(STRENGTHS):
            counts = np.bincount(parts[:, :, part][seen], minlength=number)[:number]
            # The small constant gives a strength that did not occur almost no weight.
            chances = isotonic_regression(fitted[part, :number], weights=counts + 1e-3).x
            fitted[part, :number] = chances
        return np.clip(fitted, 0, 1)


@kernel
def count_points(rules, pool, win, hands, parts, points, numbers):
    """Count the points of the promising arrangements of hands, int8 [n, 13], against the pool.

    The number of arrangements of each hand is written to `numbers`, int64 [n], their strengths to
    `parts`, int16 [n, ROOM, 3], and their mean points to `points`, float64 [n, ROOM].
    """
    for i in range(len(hands)):
        _, strengths = candidates(rules, hands[i])
        few = promising(rules, win, SLACK, strengths)[:ROOM]
        means = totals(rules, gather(pool, hands[i]), strengths[few])
        numbers[i] = len(few)
        for k in range(len(few)):
            parts[i, k] = strengths[few[k]]
            points[i, k] = means[k].mean()


@inlined
def slope(of_sum, of_pairs, of_product, one, other):
    """Compute the derivative of the expected points by one chance, given the other two."""
    return of_sum + of_pairs * (one + other) + of_product * one * other


@kernel
def descend(rules, win, parts, points, numbers, order, rate):
    """Do one epoch of stochastic gradient descent on `win`, in place.

    The loss of a hand is the weighted variance of the formula's errors; better arrangements have
    larger weights. `order` has the indices of the hands in the order of the steps, and `rate` is
    the step size. The other arguments are those of `count_points`.
    """
    of_sum, of_pairs, of_product = weights(rules)
    off, weight = np.empty(ROOM), np.empty(ROOM)
    for i in order:
        n = numbers[i]
        best = points[i, :n].max()
        total, mean = 0.0, 0.0
        for k in range(n):
            off[k] = expected_points(rules, win, parts[i, k]) - points[i, k]
            weight[k] = np.exp((points[i, k] - best) / SHARPNESS)
            total += weight[k]
            mean += weight[k] * off[k]
        mean /= total
        for k in range(n):
            step = rate * weight[k] / total * (off[k] - mean)
            front, middle, back = parts[i, k, FRONT], parts[i, k, MIDDLE], parts[i, k, BACK]
            f, m, b = win[FRONT, front], win[MIDDLE, middle], win[BACK, back]
            win[FRONT, front] -= step * slope(of_sum, of_pairs, of_product, m, b)
            win[MIDDLE, middle] -= step * slope(of_sum, of_pairs, of_product, f, b)
            win[BACK, back] -= step * slope(of_sum, of_pairs, of_product, f, m)


NAME, CHECKPOINT = "tables.npz", "training.npz"
"""Files in the folder of a training: the tables, and the checkpoint."""


def begin(game: Game, method: str, seed: int, folder: Path, progress: Progress) -> Run[Training]:
    """Make a run of a training, which can be resumed from the folder; errors are as for `Training`.

    `progress` may raise to interrupt the cycle.
    """
    training = Training(game, method, seed=seed, progress=progress)
    settings = {"rules": game.options["rules"], "method": method, "seed": seed}

    def save_tables() -> None:
        separable.save(training.tables, folder / NAME)

    return Run(training, settings, folder / CHECKPOINT, save_tables, made=folder / NAME)

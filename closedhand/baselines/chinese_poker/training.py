"""Training the tables of the separable strategy.

`blog` does as the blog post did. A cycle deals hands from the full deck, sets them by the tables so
far, and counts how often every strength would win or tie; the tables move half way there.

`fitted` looks at the decisions that the tables are for. A cycle deals hands, counts the points of
their promising arrangements against a pool of opponents who hold none of their cards, ties and all
(`counter.py`), and fits the tables by stochastic gradient descent, so that the formula's points
tell these arrangements apart as the counted ones do. Then isotonic regression makes the chances
rise. The pool follows as in fictitious play: before cycle k + 1 one in k + 1 of its hands is set
anew. These chances are fitted numbers: what they leave out of the real ones (that the parts hang
together, which cards are gone) they make up for on the average.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.baselines.chinese_poker import pool as pools, separable
from closedhand.baselines.chinese_poker.counter import (
    MOST,
    candidates,
    gather,
    promising,
    totals,
)
from closedhand.baselines.chinese_poker.pool import random_hands, strengths_of
from closedhand.baselines.chinese_poker.separable import Tables, arrange, expectation, weights
from closedhand.core.game import Game, InputError
from closedhand.core.kernel import inlined, kernel
from closedhand.core.run import Run
from closedhand.core.threads import in_threads
from closedhand.games.chinese_poker.plays import BACK, FRONT, MIDDLE, PARTS, STRENGTHS
from closedhand.games.chinese_poker.rules import Rules

METHODS = ("fitted", "blog")

SLACK = 0.6
"""Arrangements expected to bring that much less than the best one, points, are not fitted."""
ROOM = 48
"""At most so many arrangements of a hand are fitted."""
SHARPNESS = 0.08
"""An arrangement that is worse than the best by so many points weighs 1/e of it."""
EPOCHS = 12
RATES = 0.032, 0.0045
"""Of learning, in the first and in the last epoch."""

Progress = Callable[[float], object]
"""Is told which part of a cycle is done, 0 to 1."""


def even() -> np.ndarray:
    """Tables to start from: a chance to win that rises evenly with the strength."""
    win = np.zeros((len(PARTS), max(STRENGTHS)))
    for part, number in enumerate(STRENGTHS):
        win[part, :number] = (np.arange(number) + 0.5) / number
    return win


NUMBERS = ("hands", "pool_size", "cycles")
"""What a checkpoint holds of a `Training` besides arrays."""


@dataclass
class Training:
    """Tables in training; a `closedhand.core.run.Learner`.

    Attributes:
        game: The game; its scoring counts, not its other options.
        method: One of `METHODS`.
        hands: Dealt in a cycle.
        pool_size: Hands of the pool (`fitted`).
        seed: Of all deals.
        cycles: Done so far.
        win: Chances to win as they stand.
        pool_parts: Strengths of the pool's hands as they are set, int16 [pool_size, 3].
        progress: Told in `advance` which part of a cycle is done, 0 to 1.
    """

    game: Game
    method: str = "fitted"
    hands: int = 150_000
    pool_size: int = 300_000
    seed: int = 0
    cycles: int = 0
    win: np.ndarray | None = None
    pool_parts: np.ndarray | None = None
    progress: Progress = lambda part: None

    def __post_init__(self) -> None:
        """Check what cannot be trained.

        Raises:
            InputError: Options that the formula does not know, or SciPy is missing.
        """
        for option in ("fouls", "royalties", "naturals"):
            if self.game.options[option]:
                raise InputError(f"tables are trained for the points of parts, without {option}")
        if self.method == "fitted":
            _isotonic_regression()

    @property
    def rules(self) -> Rules:
        """The rules of the flat game."""
        return self.game.flat.rules

    @property
    def tables(self) -> Tables:
        """The tables as they stand, with their provenance."""
        from closedhand import __version__

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
        return Tables(even() if self.win is None else self.win, about)

    def advance(self, seconds: float) -> bool:
        """Do one cycle."""
        self.cycle(self.progress)
        return True

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs."""
        parts = np.zeros((0, len(PARTS)), np.int16) if self.pool_parts is None else self.pool_parts
        numbers = {key: np.array(getattr(self, key)) for key in NUMBERS}
        return {"win": even() if self.win is None else self.win, "pool_parts": parts, **numbers}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` returned.

        Raises:
            ValueError: It is damaged.
        """
        numbers = {key: int(state[key]) for key in NUMBERS}
        parts = state["pool_parts"]
        win = Tables(state["win"]).win
        if len(parts) not in (0, numbers["pool_size"]) or parts.shape[1:] != (len(PARTS),):
            raise ValueError("pool_parts")
        for key, value in numbers.items():
            setattr(self, key, value)
        self.win = win if self.cycles else None
        self.pool_parts = parts if len(parts) else None

    def summary(self) -> dict[str, Any]:
        """How many cycles were done."""
        return {"cycles": self.cycles}

    def cycle(self, progress: Progress = lambda part: None) -> None:
        """Do one cycle; an interruption leaves everything as it was before."""
        rng = pools.generator(pools.Deals.TRAINING, self.seed, self.cycles)
        win = even() if self.win is None else self.win
        if self.method == "blog":
            self.win = _blog_cycle(self.rules, win, rng, self.hands)
        else:
            if self.win is None:
                # A start that is cheap: the fit needs opponents who know how to play.
                for _ in range(FIRST_CYCLES):
                    win = _blog_cycle(self.rules, win, rng, self.hands // 10)
            hands, parts = self._follow(win, rng)
            pool = pools.build(hands, parts)
            self.win = _fitted_cycle(self.rules, win, pool, rng, self.hands, progress)
            self.pool_parts = parts
        self.cycles += 1

    def _follow(self, win: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The pool's hands, and the strengths of their parts with its share of them set anew."""
        dealt = pools.generator(pools.Deals.TRAINING_POOL, self.seed)
        hands = random_hands(dealt, self.pool_size)[:, 0]
        if self.pool_parts is None:
            parts = np.empty((self.pool_size, len(PARTS)), np.int16)
            anew = np.arange(self.pool_size)
        else:
            parts = self.pool_parts.copy()
            anew = np.flatnonzero(rng.random(self.pool_size) < 1 / (self.cycles + 1))
        some = np.ascontiguousarray(hands[anew])
        parts[anew] = strengths_of(self.rules, some, arrange(self.rules, win, some))
        return hands, parts


FIRST_CYCLES = 8


def _blog_cycle(
    rules: Rules, win: np.ndarray, rng: np.random.Generator, hands: int
) -> np.ndarray:  # fmt: skip
    """Half the tables, half the chances to win or tie against them."""
    dealt = random_hands(rng, hands)[:, 0]
    parts = strengths_of(rules, dealt, arrange(rules, win, dealt))
    counts = [np.bincount(part, minlength=max(STRENGTHS)) for part in parts.T]
    return (win + np.cumsum(counts, axis=1) / hands) / 2


def _fitted_cycle(
    rules: Rules,
    win: np.ndarray,
    pool: pools.Pool,
    rng: np.random.Generator,
    hands: int,
    progress: Progress,
) -> np.ndarray:
    """The tables, fitted to the points that arrangements bring against the pool."""
    isotonic_regression = _isotonic_regression()
    dealt = random_hands(rng, hands)[:, 0]
    parts = np.zeros((hands, ROOM, len(PARTS)), np.int16)
    points, numbers = np.zeros((hands, ROOM)), np.zeros(hands, np.int64)
    in_threads(
        lambda some: count_points(
            rules, pool, win, dealt[some], parts[some], points[some], numbers[some]
        ),
        hands,
        lambda done: progress(0.8 * done / hands),
    )
    fitted = win.copy()
    for epoch, rate in enumerate(np.linspace(*RATES, EPOCHS), 1):
        descend(rules, fitted, parts, points, numbers, rng.permutation(hands), rate)
        progress(0.8 + 0.2 * epoch / EPOCHS)
    seen = np.arange(ROOM) < numbers[:, None]
    for part, number in enumerate(STRENGTHS):
        counts = np.bincount(parts[:, :, part][seen], minlength=number)[:number]
        # A strength that did not occur gives way to its neighbours.
        fitted[part, :number] = isotonic_regression(fitted[part, :number], weights=counts + 1e-3).x
    return np.clip(fitted, 0, 1)


def _isotonic_regression() -> Any:
    """SciPy's function.

    Raises:
        InputError: SciPy is not installed.
    """
    try:
        from scipy.optimize import isotonic_regression
    except ImportError:
        raise InputError("fitting tables needs SciPy: pip install 'closedhand[solve]'") from None
    return isotonic_regression


@kernel
def count_points(rules, pool, win, hands, parts, points, numbers):
    """Count the points of the promising arrangements of hands against their opponents.

    Args:
        rules: Of the game.
        pool: The opponents.
        win: Chances that say what is promising.
        hands: Int8 [n, 13].
        parts: Strengths of the arrangements, written here, int16 [n, ROOM, 3].
        points: Their mean points, written here, float64 [n, ROOM].
        numbers: How many there are, written here, integers [n].
    """
    actions, strengths = np.empty(MOST, np.int32), np.empty((MOST, len(PARTS)), np.int16)
    means = np.empty((ROOM, 2))
    for i in range(len(hands)):
        n = candidates(rules, hands[i], actions, strengths)
        few = promising(rules, win, SLACK, strengths[:n])[:ROOM]
        totals(rules, gather(pool, hands[i]), strengths[few], means)
        numbers[i] = len(few)
        for k in range(len(few)):
            parts[i, k] = strengths[few[k]]
            points[i, k] = means[k].mean()


@inlined
def slope(of_sum, of_pairs, of_product, one, other):
    """By how much the expected points rise with a chance, given the two other chances."""
    return of_sum + of_pairs * (one + other) + of_product * one * other


@kernel
def descend(rules, win, parts, points, numbers, order, rate):
    """One epoch of gradient descent on `win`: what is fitted are differences within a hand.

    The loss of a hand is the weighted variance of what the formula is off by; good arrangements
    weigh more.
    """
    of_sum, of_pairs, of_product = weights(rules)
    off, weight = np.empty(ROOM), np.empty(ROOM)
    for i in order:
        n = numbers[i]
        best = points[i, :n].max()
        total, mean = 0.0, 0.0
        for k in range(n):
            f = win[FRONT, parts[i, k, FRONT]]
            m = win[MIDDLE, parts[i, k, MIDDLE]]
            b = win[BACK, parts[i, k, BACK]]
            off[k] = expectation(rules, f, m, b) - points[i, k]
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


def begin(game: Game, method: str, seed: int, folder: Path, progress: Progress) -> Run[Training]:
    """A training before its first cycle, to be worked at, or resumed.

    Args:
        game: The game.
        method: One of `METHODS`.
        seed: Of all deals.
        folder: For `tables.npz` and, to go on from, `training.npz`.
        progress: Told in a cycle how much of it is done; may interrupt it.

    Raises:
        InputError: Options that the formula does not know, or SciPy is missing.
    """

    def save_tables() -> None:
        separable.save(run.learner.tables, folder / "tables.npz")

    run = Run(
        Training(game, method, seed=seed, progress=progress),
        {"rules": game.options["rules"], "method": method, "seed": seed},
        folder / "training.npz",
        save_tables,
        older=_older,
    )
    return run


def _older(state: dict[str, Any]) -> dict[str, Any]:
    """The settings in a checkpoint of version 0.1.0."""
    return {"settings": {key: state.pop(key).item() for key in ("rules", "method", "seed")}}

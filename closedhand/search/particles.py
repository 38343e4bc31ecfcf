"""Worlds that explain what a player saw, for any game with hidden hands.

A **world** is a full state that fits what the player knows. Some are dealt at random; how well each
explains what the others did is then let in step by step (sequential Monte Carlo, Del Moral, Doucet
and Jasra, 2006): at every step worlds are drawn anew by their weights, and stirred by Metropolis
steps, new deals or smaller moves that a policy defines. In the end worlds are as frequent as they
are likely. If time runs out before, a part only of what they explain counts.
"""

import math
import time
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.contract import dispatched
from closedhand.core.game import Game, State
from closedhand.core.kernel import kernel
from closedhand.search.playout import plausibility

BATCH = 16
"""Worlds between two looks at the clock."""
WORTH = 0.5
"""Of its worlds: how many equally likely ones a population is worth when they are drawn anew."""
STIRS = 2
"""Metropolis steps of a world between two looks at its weight."""


@kernel
def _explain_by_plausibility(policy, rules, state, player, least, rng, ids):
    """The logarithm of the plausibility."""
    return np.log(plausibility(policy, rules, state, player, ids)), 0


def _explain(policy, rules, state, player, least, rng, ids):
    """How well a world explains what `player` saw, and a guess at what it does not show.

    A policy defines it that tells players apart; may change `state`.

    Returns:
        The logarithm of how likely what was seen would be, up to a constant; any number below
        `least` may stand for others below it. And a whole number that `evaluate` is to know.
    """


_explain.__name__ = "explain"
explain = dispatched(_explain, _explain_by_plausibility)


@kernel
def _deal_anew(policy, rules, state, player, rng):
    """Deal all hidden cards anew."""
    contract.hide(rules, state, player)
    contract.redeal(rules, state, player, rng)


def _stir(policy, rules, state, player, rng):
    """Turn a world into another one so that random deals stay random deals.

    From one to the other has to be as frequent as back, counting each by how often it is dealt. A
    policy defines it for a game in which a small step will do.
    """


_stir.__name__ = "stir"
stir = dispatched(_stir, _deal_anew)


@kernel
def deal_worlds(rules, policy, view, player, worlds, logarithms, guesses, rng, ids):
    """Deal worlds that fit a view, and write what each explains and what is guessed in it."""
    for i in range(len(worlds)):
        worlds[i] = view[0]
        contract.redeal(rules, worlds[i], player, rng)
        view[1] = worlds[i]
        logarithms[i], guesses[i] = explain(policy, rules, view[1], player, -np.inf, rng, ids)


@kernel
def stir_worlds(rules, policy, view, player, power, worlds, logarithms, guesses, rng, ids):
    """Take Metropolis steps with every world, by likelihoods raised to a power.

    `view[1:3]` is scratch space.
    """
    for i in range(len(worlds)):
        for _ in range(STIRS):
            view[1] = worlds[i]
            stir(policy, rules, view[1], player, rng)
            view[2] = view[1]
            least = -np.inf
            if power > 0.0:
                least = logarithms[i] + np.log(rng.random()) / power
            logarithm, guess = explain(policy, rules, view[2], player, least, rng, ids)
            if logarithm >= least:
                worlds[i] = view[1]
                logarithms[i] = logarithm
                guesses[i] = guess


def next_power(logarithms: np.ndarray, power: float) -> float:
    """To which power likelihoods can count next, if they counted to `power` before.

    Args:
        logarithms: Of the likelihoods of worlds drawn by that power, float64 [n].
        power: 0 to 1.

    Returns:
        The greatest power up to 1 for which the worlds are still worth enough: as many as
        (sum w)^2 / sum w^2, where w are their weights.

    Examples:
        >>> next_power(np.log([0.4, 0.2, 0.2, 0.2]), 0.0)
        1.0
        >>> round(next_power(np.log([1e-9, 1.0, 1e-9, 1e-9]), 0.0), 3)
        0.091
    """

    def enough(to: float) -> bool:
        weights = np.exp((to - power) * (logarithms - logarithms.max()))
        return weights.sum() ** 2 >= WORTH * len(weights) * (weights**2).sum()

    if enough(1.0):
        return 1.0
    low, high = power, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if enough(middle):
            low = middle
        else:
            high = middle
    # Not the lower one: where nothing is enough, as few worlds explain anything, it must go on.
    return high


def draw_by_weight(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """As many indices as there are weights, each as often as its weight says, give or take one.

    Args:
        weights: Not negative, float64 [n].
        rng: Draws them.

    Returns:
        In random order, int64 [n].
    """
    below = np.cumsum(weights)
    marks = (rng.permutation(len(weights)) + rng.random()) * (below[-1] / len(weights))
    return np.minimum(np.searchsorted(below, marks, side="right"), len(weights) - 1)


class Worlds:
    """A population of worlds.

    Attributes:
        states: The worlds, states [n].
        guesses: What is guessed in each, int64 [n]; see `explain`.
        power: To which power likelihoods count, 0 to 1: 1 unless time ran out.
    """

    def __init__(
        self,
        game: Game,
        policy: Any,
        view: State,
        number: int,
        rng: np.random.Generator,
        deadline: float = math.inf,
    ) -> None:
        """Draw worlds.

        Args:
            game: The game.
            policy: Has `explain` or `plausibility`.
            view: What the player to act knows.
            number: Of worlds.
            rng: Draws everything.
            deadline: When to be ready, by `time.perf_counter`; some worlds are always drawn.
        """
        self.states = game.empty(number)
        self.guesses = np.zeros(number, np.int64)
        self.power = 0.0
        self._logarithms = np.zeros(number)
        self._common = game.rules, policy, np.repeat(np.array([view], game.dtype), 3)
        self._player, self._rng = int(view["player"]), rng
        self._ids = np.empty(game.num_actions, np.int32)
        dealt = 0
        while dealt < number and (dealt == 0 or time.perf_counter() < deadline):
            self._pass_on(deal_worlds, slice(dealt, dealt + BATCH))
            dealt += BATCH
        self._keep(slice(dealt))
        while self.power < 1.0 and time.perf_counter() < deadline:
            self._let_in()
            for first in range(0, len(self.states), BATCH):
                if time.perf_counter() < deadline:
                    self.refresh(slice(first, first + BATCH))

    def refresh(self, some: slice) -> None:
        """Move some worlds on to others that are as likely."""
        self._pass_on(stir_worlds, some, self.power)

    def _let_in(self) -> None:
        """Let more of what worlds explain count, and draw them anew by that."""
        logarithms = self._logarithms
        if np.isneginf(logarithms).all():
            self.power = 1.0
            return
        power = next_power(logarithms, self.power)
        weights = np.exp((power - self.power) * (logarithms - logarithms.max()))
        self._keep(draw_by_weight(weights, self._rng))
        self.power = power

    def _keep(self, some: slice | np.ndarray) -> None:
        """Keep some worlds."""
        self.states, self.guesses = self.states[some], self.guesses[some]
        self._logarithms = self._logarithms[some]

    def _pass_on(self, kernel: Any, some: slice, *arguments: float) -> None:
        """Call a kernel for some worlds."""
        kernel(
            *self._common, self._player, *arguments, self.states[some], self._logarithms[some],
            self.guesses[some], self._rng, self._ids,
        )  # fmt: skip

"""Sample determinisations by the likelihood of the observed plays, for any game.

A **determinisation** is a full state that fits what the player knows. A **particle** is one of a
population of determinisations, which tempered sequential Monte Carlo (Del Moral, Doucet and Jasra,
2006) turns into a sample of the posterior:

1. Draw all particles by `redeal`, which defines the prior: the likelihood has the exponent 0.
2. Raise the exponent as far as the effective sample size stays above `SAMPLE_SHARE`, at most to 1.
3. Resample the particles by the weights that follow (systematic resampling: Kitagawa, 1996).
4. Move each particle by `MOVES` Metropolis moves, whose proposals are new deals or smaller changes
   that a policy defines.
5. Repeat from step 2 until the exponent is 1. If time runs out before, it stays below 1.
"""

import math
import time
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import generator
from closedhand.core.contract import dispatched
from closedhand.core.game import Game
from closedhand.core.numba.jit import (
    Floats,
    Ids,
    Integer,
    Policy,
    Rng,
    Rules,
    State,
    States,
    kernel,
    with_distinct_name,
)
from closedhand.search.stopping import check

BATCH = 16
"""Particles between two checks of the clock."""
SAMPLE_SHARE = 0.5
"""Least effective sample size after one tempering step, as a share of the number of particles."""
MOVES = 2
"""Metropolis moves of a particle between two resamplings."""


@dispatched()
def log_likelihood(
    policy: Policy, rules: Rules, state: State, player: Integer, least: float, rng: Rng, ids: Ids
) -> tuple[float, Integer]:
    """Return the log-likelihood of the plays that `player` saw, and a guess.

    Every policy of particles defines this function. A guess is an integer about something beyond
    the state, such as the kind of each opponent, for `paired.evaluate`; 0 if there is none. `state`
    is a determinisation of the player's view, and may be changed; `ids` is scratch space, int32
    [num_actions]. The log-likelihood is up to a constant; if it is below `least`, any number below
    `least` will do.
    """
    ...


@kernel
def _deal_again(policy: Policy, rules: Rules, state: State, player: Integer, rng: Rng) -> None:
    contract.hide(rules, state, player)
    contract.redeal(rules, state, player, rng)


@dispatched(default=_deal_again)
def propose(policy: Policy, rules: Rules, state: State, player: Integer, rng: Rng) -> None:
    """Turn a determinisation into another one, the proposal of a Metropolis move.

    Proposals must satisfy detailed balance for the prior: if deals are random, each change is as
    frequent as its reverse. The default is a new deal; smaller changes are accepted more often.
    """


@kernel
def deal_particles(
    rules: Rules, policy: Policy, view: States, player: Integer, particles: States,
    log_likelihoods: Floats, guesses: Ids, rng: Rng, ids: Ids,
) -> None:  # fmt: skip
    """Deal `particles` from `view[0]`, with log-likelihoods and guesses; `view[1]` is scratch."""
    for i in range(len(particles)):
        particles[i] = view[0]
        contract.redeal(rules, particles[i], player, rng)
        view[1] = particles[i]
        log_likelihoods[i], guesses[i] = log_likelihood(
            policy, rules, view[1], player, -np.inf, rng, ids
        )


@kernel
def move_particles(
    rules: Rules, policy: Policy, view: States, player: Integer, exponent: float, particles: States,
    log_likelihoods: Floats, guesses: Ids, rng: Rng, ids: Ids,
) -> None:  # fmt: skip
    """Do Metropolis moves, which preserve prior times likelihood^exponent; `view[1:]`: scratch."""
    for i in range(len(particles)):
        for _ in range(MOVES):
            view[1] = particles[i]
            propose(policy, rules, view[1], player, rng)
            view[2] = view[1]
            # A proposal of likelihood L' replaces L with probability min(1, (L' / L)^exponent):
            # if log L' >= log L + log(u) / exponent for a uniform u. Drawing u first gives a bound
            # below which a policy may stop computing L'. At exponent 0 every proposal is accepted.
            least = -np.inf
            if exponent > 0.0:
                least = log_likelihoods[i] + np.log(rng.random()) / exponent
            proposed, guess = log_likelihood(policy, rules, view[2], player, least, rng, ids)
            if proposed >= least:
                particles[i] = view[1]
                log_likelihoods[i] = proposed
                guesses[i] = guess


def next_exponent(log_likelihoods: Floats, exponent: float) -> float:
    """Return the exponent of the likelihood to temper to next, at most 1.

    `log_likelihoods`, float64 [n], are of particles drawn at `exponent`. The result is the exponent
    at which the effective sample size, (sum w)^2 / sum w^2, falls to about `SAMPLE_SHARE` of n.

    Examples:
        >>> next_exponent(np.log([0.4, 0.2, 0.2, 0.2]), 0.0)
        1.0
        >>> round(next_exponent(np.log([1e-9, 1.0, 1e-9, 1e-9]), 0.0), 3)
        0.091
    """

    def sample_is_large(to: float) -> bool:
        weights = tempered_weights(log_likelihoods, exponent, to)
        return bool(weights.sum() ** 2 / (weights**2).sum() >= SAMPLE_SHARE * len(weights))

    if sample_is_large(1.0):
        return 1.0
    low, high = exponent, 1.0
    for _ in range(20):
        middle = (low + high) / 2
        if sample_is_large(middle):
            low = middle
        else:
            high = middle
    # `low` may still be `exponent`, if most particles are impossible; `high` always advances.
    return high


def tempered_weights(log_likelihoods: Floats, exponent: float, to: float) -> Floats:
    """Weight particles drawn at one exponent for the exponent `to`; the greatest weight is 1.

    At least one of the log-likelihoods, float64 [n], must be finite.
    """
    return np.exp((to - exponent) * (log_likelihoods - log_likelihoods.max()))


def resample(weights: Floats, rng: Rng) -> Ids:
    """Draw as many indices as weights, int64 [n], by systematic resampling, in random order."""
    below = np.cumsum(weights)
    marks: Floats = (rng.permutation(len(weights)) + rng.random()) * (below[-1] / len(weights))
    drawn: Ids = np.searchsorted(below, marks, side="right")
    return np.minimum(drawn, len(weights) - 1)  # rounding may move a mark to the total


class Particles:
    """A population of particles.

    Attributes:
        states: Determinisations, states [n]; fewer than asked for if time ran out.
        guesses: Guess for each determinisation, int64 [n]; see `log_likelihood`.
        exponent: Exponent that the likelihood was tempered to, 0 to 1: 1 unless time ran out.
    """

    def __init__(
        self, game: Game, policy: Policy, view: State, number: int, rng: Rng,
        deadline: float = math.inf,
    ) -> None:  # fmt: skip
        """Draw a number of particles of the view of the player to act.

        The policy has `log_likelihood`, and may have `propose`. The deadline is by
        `time.perf_counter`; one batch is always dealt.

        Raises:
            InputError: `rng` is not a generator.
        """
        self.states: States = game.empty(number)
        self.guesses: Ids = np.zeros(number, np.int64)
        self.exponent = 0.0
        self._log_likelihoods = np.zeros(number)
        states = np.repeat(np.array([view], game.dtype), 3)
        self._common = game.rules, with_distinct_name(policy), states, int(view["player"])
        self._rng, self._ids = generator(rng), np.empty(game.num_actions, np.int32)
        dealt = 0
        while dealt < number and (dealt == 0 or time.perf_counter() < deadline):
            self._apply(deal_particles, slice(dealt, dealt + BATCH))
            dealt += BATCH
        self._keep(slice(dealt))
        while self.exponent < 1.0 and time.perf_counter() < deadline:
            self._temper()
            for first in range(0, len(self.states), BATCH):
                if time.perf_counter() < deadline:
                    self.move(slice(first, first + BATCH))

    def move(self, some: slice) -> None:
        """Apply Metropolis moves, which preserve the distribution, to a slice of the particles."""
        self._apply(move_particles, some, self.exponent)

    def _temper(self) -> None:
        """Raise the exponent, and resample by the weights that follow from it."""
        before, self.exponent = self.exponent, 1.0
        if np.isneginf(self._log_likelihoods).all():
            return  # no particle explains the plays, so none can be preferred
        self.exponent = next_exponent(self._log_likelihoods, before)
        weights = tempered_weights(self._log_likelihoods, before, self.exponent)
        self._keep(resample(weights, self._rng))

    def _keep(self, some: slice | Ids) -> None:
        """Keep the particles of a slice, or those of indices, in this order, with repeats."""
        self.states, self.guesses = self.states[some], self.guesses[some]
        self._log_likelihoods = self._log_likelihoods[some]

    def _apply(self, kernel: Any, some: slice, *arguments: float) -> None:
        check()
        kernel(
            *self._common, *arguments, self.states[some], self._log_likelihoods[some],
            self.guesses[some], self._rng, self._ids,
        )  # fmt: skip

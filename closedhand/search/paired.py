"""Search by paired simulations, for any game with hidden hands: duplicate play inside a decision.

Every **world**, a full state that fits what the player knows, is played on with each action that is
still in the race. What counts is how much better an action does than the first one, the policy's
own choice, on the same worlds: the luck of the deal cancels out, as in a duplicate match. An action
leaves the race when it is surely worse than another, and replaces the first one only if it is
better by more than chance would have it.

Worlds can be drawn from a pool by how likely they make what was seen, tempered so that the pool
stays worth half of its worlds. Threads have worlds and races of their own, and what they found is
added up.
"""

import time
from typing import Any

import numpy as np

from closedhand.games import contract
from closedhand.games.contract import dispatched
from closedhand.games.game import Game, InputError, State
from closedhand.games.kernel import kernel
from closedhand.search.budget import add_up, budget
from closedhand.search.playout import plausibility, playout

BATCH = 16
"""Worlds between two looks at the clock and at the race."""
OUT = 2.5
"""An action is out of the race if it is worse by so many standard errors."""
POOL_SHARE = 0.25
"""Of the time of a decision, that filling the pool may take."""
WORTH = 0.5
"""Of the pool: how many equally likely worlds it has to be worth at least."""
EDGE = 0.5
"""An action replaces the policy's own if it is better by so many standard errors."""


def _evaluate(policy, rules, state, player, rng, ids):
    """What a full state is worth to `player`; by default what a playout comes to.

    A policy defines it that can tell better, such as exactly when few cards remain.
    """


_evaluate.__name__ = "evaluate"
evaluate = dispatched(_evaluate, playout)


@kernel
def fill_pool(rules, policy, states, player, first, end, rng, ids, pool, weights):
    """Draw worlds `first` to `end` of a pool, and write how likely they are to have led here.

    `states[0]` is the view, `states[1]` scratch space.
    """
    for i in range(first, end):
        pool[i] = states[0]
        contract.redeal(rules, pool[i], player, rng)
        states[1] = pool[i]
        weights[i] = plausibility(policy, rules, states[1], player, ids)


@kernel
def race(rules, policy, states, pool, below, player, actions, running, worlds, rng, ids, sums):
    """Play a number of worlds on with every action in the race.

    Args:
        rules: Of the game.
        policy: Of the playouts.
        states: The view, and room for two states.
        pool: Worlds to draw from; none: every world is dealt anew.
        below: Of each world in the pool the sum of the weights up to it, divided by the sum of all.
        player: Whose view it is, and who is to act.
        actions: The actions, the policy's own choice first.
        running: Which of them are in the race, bool [actions].
        worlds: How many to play.
        rng: Draws everything.
        ids: Scratch space, int32 [num_actions].
        sums: Of every action on how many worlds it was played, and the sum and the sum of squares
            of its payoffs less those of the first one, float64 [actions, 3]; goes on from there.
    """
    for _ in range(worlds):
        if len(pool):
            states[1] = pool[np.searchsorted(below, rng.random(), side="right")]
        else:
            states[1] = states[0]
            contract.redeal(rules, states[1], player, rng)
        own = 0.0
        for k in range(len(actions)):
            if running[k]:
                states[2] = states[1]
                contract.play(rules, states[2], actions[k])
                payoff = evaluate(policy, rules, states[2], player, rng, ids)
                if k == 0:
                    own = payoff
                sums[k, 0] += 1.0
                sums[k, 1] += payoff - own
                sums[k, 2] += (payoff - own) ** 2


@kernel
def bounds(sums, errors, span, out):
    """Write the mean advantage of every action plus so many standard errors.

    `span` is the greatest difference of two payoffs: one more such observation, up or down, keeps
    few worlds from being proof.
    """
    for k in range(len(sums)):
        n = sums[k, 0]
        mean = sums[k, 1] / n
        variance = (sums[k, 2] + span * span) / n - mean * mean
        out[k] = mean + errors * np.sqrt(max(variance, 0.0) / n)
    out[0] = 0.0


@kernel
def drop(sums, span, running):
    """Take out of the race what is surely worse than the best; return whether it goes on."""
    above, below = np.empty(len(sums)), np.empty(len(sums))
    bounds(sums, OUT, span, above)
    bounds(sums, -OUT, span, below)
    most = below.max()
    going = False
    for k in range(1, len(sums)):
        running[k] = running[k] and above[k] >= most
        going = going or running[k]
    return going


def tempered(weights: np.ndarray) -> np.ndarray:
    """Weights raised to the greatest power up to 1 at which the pool is still worth enough.

    A pool is worth as many equally likely worlds as (sum w)^2 / sum w^2. Likelihoods of many plays
    by a policy that nobody plays exactly would leave a few worlds only, and those by chance.

    Args:
        weights: Of worlds, positive, float64 [n].

    Returns:
        The same shape, the greatest is 1.

    Examples:
        >>> tempered(np.array([3.0, 1.0, 1.0, 1.0])).round(2).tolist()
        [1.0, 0.33, 0.33, 0.33]
        >>> [round(float(x), 2) for x in tempered(np.array([1e-9, 1.0, 1e-9, 1e-9]))]
        [0.15, 1.0, 0.15, 0.15]
    """
    logarithms = np.log(weights / weights.max())
    low, high = 0.0, 1.0
    power = 1.0
    for _ in range(20):
        scaled = np.exp(power * logarithms)
        if scaled.sum() ** 2 >= WORTH * len(weights) * (scaled**2).sum():
            low = power
        else:
            high = power
        if low == 1.0:
            break
        power = (low + high) / 2
    return np.exp(low * logarithms)


class PairedSearch:
    """Search for the player of a view by paired simulations."""

    def __init__(
        self,
        game: Game,
        policy: Any,
        *,
        span: float,
        simulations: int | None = None,
        seconds: float | None = None,
        pool: int = 0,
        threads: int | None = None,
    ) -> None:
        """Prepare a search.

        Args:
            game: The game.
            policy: Of the playouts, see `closedhand.search.playout`.
            span: The greatest difference of two payoffs.
            simulations: Of a decision, all actions together; it stops before if the race is over.
            seconds: Of a decision; it takes at least a batch of worlds for each thread.
            pool: Worlds for each thread to draw from by their plausibility, as many as a part of
                the time allows; 0: every world is dealt anew, and all are equally likely.
            threads: Searches that run side by side; by default one for each core.

        Raises:
            InputError: Neither simulations nor seconds are given, or numbers that make no sense.
        """
        if pool < 0:
            raise InputError(f"a search takes a pool of 0 worlds or more, not {pool!r}")
        self._budget = budget(simulations, seconds, threads)
        self._game, self._policy = game, policy
        self._span, self._pool = span, pool

    def best(self, view: State, actions: np.ndarray, rng: np.random.Generator) -> int:
        """The best of some actions.

        Args:
            view: What the player to act knows.
            actions: His actions that come into question, the policy's own choice first.
            rng: Draws everything; with simulations and not seconds as budget, a generator made anew
                from the same seed leads to the same action.
        """
        if len(actions) == 1:
            return int(actions[0])
        least = np.empty(len(actions))
        bounds(self.judge(view, actions, rng), -EDGE, self._span, least)
        return int(actions[np.argmax(least)])

    def judge(self, view: State, actions: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Simulate.

        Args:
            view: What the player to act knows.
            actions: His actions that come into question, the policy's own choice first.
            rng: Draws everything.

        Returns:
            Of every action on how many worlds it was played, the sum of its payoffs less those of
            the first one, and of their squares, float64 [n, 3].
        """
        rules, player = self._game.rules, int(view["player"])
        actions = np.asarray(actions, np.int64)
        threads = self._budget.threads
        deadline = self._budget.deadline()
        pool_deadline = deadline - (1 - POOL_SHARE) * self._budget.seconds

        def work(share: int, own: np.random.Generator) -> np.ndarray:
            states = np.repeat(np.array([view], self._game.dtype), 3)
            ids = np.empty(self._game.num_actions, np.int32)
            pool, weights = self._game.empty(self._pool), np.zeros(self._pool)
            filled = 0
            while filled < len(pool) and not time.perf_counter() > pool_deadline:
                end = min(filled + BATCH, len(pool))
                fill_pool(
                    rules, self._policy, states, player, filled, end, own, ids, pool, weights
                )  # fmt: skip
                filled = end
            below = np.cumsum(tempered(weights[:filled])) if filled else weights
            below /= below[-1:]
            sums = np.zeros((len(actions), 3))
            running = np.ones(len(actions), bool)
            going = True
            while going:
                race(
                    rules, self._policy, states, pool[:filled], below, player, actions, running,
                    BATCH, own, ids, sums,
                )  # fmt: skip
                going = drop(sums, self._span, running) and sums[:, 0].sum() < share
                going = going and time.perf_counter() < deadline
            return sums

        return add_up(work, [self._budget.simulations // threads] * threads, rng)

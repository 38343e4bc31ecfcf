"""Search by paired simulations, for any game with hidden hands: duplicate play inside a decision.

Every **world**, a full state that fits what the player knows, is played on with each action that is
still in the race. What counts is how much better an action does than the first one, the policy's
own choice, on the same worlds: the luck of the deal cancels out, as in a duplicate match. An action
leaves the race when it is surely worse than another, and replaces the first one only if it is
better by more than chance would have it.

Worlds can be as likely as they explain what was seen (`search/worlds.py`); they move on while they
are played. Threads have worlds and races of their own, and what they found is added up.
"""

import time
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.contract import dispatched
from closedhand.core.game import Game, InputError, State
from closedhand.core.kernel import kernel
from closedhand.search.budget import add_up, budget
from closedhand.search.particles import BATCH, Worlds
from closedhand.search.playout import Uniform, playout

OUT = 2.5
"""An action is out of the race if it is worse by so many standard errors."""
WORLDS_SHARE = 0.4
"""Of the time of a decision, that drawing the first worlds may take."""
EDGE = 0.5
"""An action replaces the policy's own if it is better by so many standard errors."""


@kernel
def _evaluate_by_playout(policy, rules, state, player, guess, rng, ids):
    """What a playout comes to."""
    return playout(policy, rules, state, player, rng, ids)


def _evaluate(policy, rules, state, player, guess, rng, ids):
    """What a full state is worth to `player`, given what was guessed in it (see `worlds.explain`).

    A policy defines it that can tell better than a playout, such as exactly when few cards remain.
    """


_evaluate.__name__ = "evaluate"
evaluate = dispatched(_evaluate, _evaluate_by_playout)


@kernel
def race(rules, policy, worlds, guesses, player, actions, running, states, rng, ids, sums):
    """Play worlds on with every action in the race.

    Args:
        rules: Of the game.
        policy: Of the playouts.
        worlds: States [n].
        guesses: In each world, int64 [n].
        player: Who is to act.
        actions: The actions, the policy's own choice first.
        running: Which of them are in the race, bool [actions].
        states: Room for one state.
        rng: Draws everything.
        ids: Scratch space, int32 [num_actions].
        sums: Of every action on how many worlds it was played, and the sum and the sum of squares
            of its payoffs less those of the first one, float64 [actions, 3]; goes on from there.
    """
    for i in range(len(worlds)):
        own = 0.0
        for k in range(len(actions)):
            if running[k]:
                states[0] = worlds[i]
                contract.play(rules, states[0], actions[k])
                payoff = evaluate(policy, rules, states[0], player, guesses[i], rng, ids)
                if k == 0:
                    own = payoff
                sums[k, 0] += 1.0
                sums[k, 1] += payoff - own
                sums[k, 2] += (payoff - own) ** 2


@kernel
def bounds(sums, errors, span, out):
    """Write the mean advantage of every action plus so many standard errors.

    As if worlds had nothing to do with each other; one that comes back without having moved counts
    again.

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
        worlds: int = 0,
        threads: int | None = None,
    ) -> None:
        """Prepare a search.

        Args:
            game: The game.
            policy: Of the playouts, with `choose` or `evaluate`; with worlds also `explain` or
                `plausibility`.
            span: The greatest difference of two payoffs.
            simulations: Of a decision, all actions together; it stops before if the race is over.
            seconds: Of a decision; it takes at least a batch of worlds for each thread.
            worlds: Of each thread, as likely as they explain what was seen; 0: every world is
                dealt anew, and all are equally likely.
            threads: Searches that run side by side; by default one for each core.

        Raises:
            InputError: Neither simulations nor seconds are given, or numbers that make no sense.
        """
        if worlds < 0:
            raise InputError(f"a search takes 0 worlds or more, not {worlds!r}")
        self._budget = budget(simulations, seconds, threads)
        self._game, self._policy = game, policy
        self._span, self._worlds = span, worlds

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
        ready = time.perf_counter() + WORLDS_SHARE * self._budget.seconds

        # For the uniform policy every step leads to a new deal.
        explaining = self._policy if self._worlds else Uniform()

        def work(share: int, own: np.random.Generator) -> np.ndarray:
            states = self._game.empty(1)
            ids = np.empty(self._game.num_actions, np.int32)
            worlds = Worlds(self._game, explaining, view, self._worlds or BATCH, own, ready)
            sums = np.zeros((len(actions), 3))
            running = np.ones(len(actions), bool)
            first, going = 0, True
            while going:
                some = slice(first, first + BATCH)
                race(
                    rules, self._policy, worlds.states[some], worlds.guesses[some], player, actions,
                    running, states, own, ids, sums,
                )  # fmt: skip
                going = drop(sums, self._span, running) and sums[:, 0].sum() < share
                going = going and time.perf_counter() < deadline
                if going:
                    worlds.refresh(some)
                first = some.stop if some.stop < len(worlds.states) else 0
            return sums

        return add_up(work, [self._budget.simulations // threads] * threads, rng)

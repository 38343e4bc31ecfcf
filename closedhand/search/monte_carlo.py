"""Flat Monte Carlo search for any game with hidden hands.

At every simulation a **world**, a full state that fits what the player knows, is drawn; an action
of the root is chosen by UCB1-tuned (Auer, Cesa-Bianchi and Fischer, 2002), and a policy plays the
rest. The action with the best mean payoff is played. Worlds can be weighted by how likely they make
what was seen: of several candidates one is drawn by its weight, and such worlds are used again.
Threads search with statistics of their own, which are added up in the end.
"""

import time
from itertools import pairwise
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.game import Game, InputError, State
from closedhand.core.kernel import kernel
from closedhand.search.budget import add_up, budget
from closedhand.search.playout import plausibility, playout

BATCH = 16
"""Simulations between two looks at the clock."""
SHARE = 64
"""Simulations that are worth a thread."""
WORLDS = 128
"""That are chosen by their weight, and used again and again."""


@kernel
def simulate(
    rules, policy, states, worlds, candidates, player, actions, low, high, done, number, rng, ids,
    sums,
):  # fmt: skip
    """Run simulations from a view.

    Args:
        rules: Of the game.
        policy: Of the playouts.
        states: The view, and room for three states.
        worlds: Room for worlds to play in, one after the other and then again; each is drawn when
            it is first needed. Without room every simulation has a world of its own.
        candidates: Of which a world in `worlds` is chosen.
        player: Whose view it is, and who is to act.
        actions: The legal actions.
        low: The least payoff.
        high: The greatest payoff.
        done: Simulations that were run already.
        number: How many to run.
        rng: Draws everything.
        ids: Scratch space, int32 [num_actions].
        sums: Of every action how often it was tried, the sum of its payoffs, scaled to 0..1, and
            of their squares, float64 [actions, 3]; goes on from what is in there.
    """
    for i in range(done, done + number):
        if len(worlds):
            if i < len(worlds):
                draw_world(rules, policy, states, player, candidates, rng, ids)
                worlds[i] = states[1]
            states[1] = worlds[i % len(worlds)]
        else:
            draw_world(rules, policy, states, player, 1, rng, ids)
        k = most_promising(sums)
        contract.play(rules, states[1], actions[k])
        payoff = (playout(policy, rules, states[1], player, rng, ids) - low) / (high - low)
        sums[k, 0] += 1.0
        sums[k, 1] += payoff
        sums[k, 2] += payoff * payoff


@kernel
def draw_world(rules, policy, states, player, candidates, rng, ids):
    """Draw `states[1]`, which fits the view `states[0]`; `states[2:4]` are scratch space.

    Of several candidates one is drawn by its plausibility.
    """
    total = 0.0
    for k in range(candidates):
        states[2] = states[0]
        contract.redeal(rules, states[2], player, rng)
        weight = 1.0
        if candidates > 1:
            states[3] = states[2]
            weight = plausibility(policy, rules, states[3], player, ids)
        total += weight
        if k == 0 or rng.random() * total < weight:
            states[1] = states[2]


@kernel
def most_promising(sums):
    """The action to try next: one that was not tried yet, or the best by UCB1-tuned."""
    tries = 0.0
    for k in range(len(sums)):
        if sums[k, 0] == 0.0:
            return k
        tries += sums[k, 0]
    best, most = 0, -np.inf
    for k in range(len(sums)):
        mean = sums[k, 1] / sums[k, 0]
        exploring = np.log(tries) / sums[k, 0]
        variance = sums[k, 2] / sums[k, 0] - mean * mean + np.sqrt(2.0 * exploring)
        bound = mean + np.sqrt(exploring * min(0.25, variance))
        if bound > most:
            best, most = k, bound
    return best


class MonteCarlo:
    """Flat Monte Carlo search for the player of a view.

    Attributes:
        rules: Of what is simulated, for kernels.
    """

    def __init__(
        self,
        game: Game,
        policy: Any,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        candidates: int = 1,
        threads: int | None = None,
        rules: Any = None,
    ) -> None:
        """Prepare a search.

        Args:
            game: The game.
            policy: Of the playouts, see `closedhand.search.playout`; with several candidates it has
                `plausibility`.
            simulations: Of a decision.
            seconds: Of a decision; it takes at least one simulation for each thread.
            candidates: With 1 every simulation draws a world of its own; with more there are
                `WORLDS` for a thread, each chosen from so many by its plausibility.
            threads: Searches that run side by side; by default one for each core.
            rules: To simulate by, if they are not those of the game.

        Raises:
            InputError: Neither simulations nor seconds are given, or numbers that make no sense.
        """
        if candidates < 1:
            raise InputError(f"a search takes a positive number of candidates, not {candidates!r}")
        self._budget = budget(simulations, seconds, threads)
        self.rules = rules if rules is not None else game.rules
        self._game, self._policy, self._candidates = game, policy, candidates

    def best(self, view: State, low: float, high: float, rng: np.random.Generator) -> int:
        """The action of the player to act.

        Args:
            view: What he knows.
            low: The least payoff that he can still get.
            high: The greatest.
            rng: Draws everything; with simulations and not seconds as budget, a generator made anew
                from the same seed leads to the same action.
        """
        ids = np.empty(self._game.num_actions, np.int32)
        actions = ids[: contract.legal(self.rules, view, ids)].copy()
        if len(actions) == 1:
            return int(actions[0])
        sums = self.judge(view, actions, low, high, rng)
        return int(actions[np.argmax(sums[:, 1] / np.maximum(sums[:, 0], 1))])

    def judge(
        self,
        view: State,
        actions: np.ndarray,
        low: float,
        high: float,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """Simulate.

        Args:
            view: What the player to act knows.
            actions: His actions to judge, int32 [n].
            low: His least payoff.
            high: His greatest.
            rng: Draws everything.

        Returns:
            Of every action how often it was tried, the sum of its payoffs, scaled to 0..1, and of
            their squares, float64 [n, 3].
        """
        deadline = self._budget.deadline()
        number = self._budget.simulations
        threads = max(1, min(self._budget.threads, number // SHARE))
        cuts = [number * i // threads for i in range(threads + 1)]
        player = int(view["player"])

        def work(share: int, own: np.random.Generator) -> np.ndarray:
            sums = np.zeros((len(actions), 3))
            states = np.repeat(np.array([view], self._game.dtype), 4)
            worlds = self._game.empty(WORLDS if self._candidates > 1 else 0)
            ids = np.empty(self._game.num_actions, np.int32)
            done = 0
            while done < share and (done == 0 or time.perf_counter() < deadline):
                batch = min(BATCH if self._budget.clocked else share, share - done)
                simulate(
                    self.rules, self._policy, states, worlds, self._candidates, player, actions,
                    low, high, done, batch, own, ids, sums,
                )  # fmt: skip
                done += batch
            return sums

        return add_up(work, [after - before for before, after in pairwise(cuts)], rng)

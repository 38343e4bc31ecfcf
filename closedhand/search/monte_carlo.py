"""Flat Monte Carlo search for any game with hidden hands.

1. Draw a **determinisation**: a full state that fits what the player knows.
2. Choose an action of the root by UCB1-tuned (Auer, Cesa-Bianchi and Fischer, 2002).
3. Play it, then let a policy play until the player's payoff is certain.
4. Add the payoff, scaled to 0..1, to the statistics of the action.
5. Repeat within the budget, then play the action with the best mean payoff.

Threads keep their own statistics, which are added up.
"""

import numpy as np

from closedhand.core import contract
from closedhand.core.numba.jit import Floats, Ids, Policy, Rng, Rules, State, States, kernel
from closedhand.search.budget import Search
from closedhand.search.playout import legal_actions, playout


@kernel
def simulate(
    rules: Rules, policy: Policy, states: States, player: int, actions: Ids, low: float,
    high: float, number: int, rng: Rng, ids: Ids, sums: Floats,
) -> None:  # fmt: skip
    """Run `number` simulations of `actions`, legal ids [n], from a view.

    `states` are the view of `player` and a scratch state. The results are added to `sums`, see
    `MonteCarlo.judge`; `low` and `high` are the payoffs that are scaled to 0 and 1.
    """
    for _ in range(number):
        states[1] = states[0]
        contract.redeal(rules, states[1], player, rng)
        k = most_promising(sums)
        contract.play(rules, states[1], actions[k])
        payoff = (playout(policy, rules, states[1], player, rng, ids) - low) / (high - low)
        sums[k, 0] += 1.0
        sums[k, 1] += payoff
        sums[k, 2] += payoff * payoff


@kernel
def most_promising(sums: Floats) -> int:
    """Return the index of the action to try next: an untried one, else the best by UCB1-tuned."""
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
        # No payoff from 0 to 1 has a variance above 1/4.
        bound = mean + np.sqrt(exploring * min(0.25, variance))
        if bound > most:
            best, most = k, bound
    return best


class MonteCarlo(Search):
    """Flat Monte Carlo search for the player of a view."""

    def best(
        self, view: State, rng: Rng, low: float | None = None, high: float | None = None
    ) -> int:
        """Choose an action of the player to act.

        Args:
            view: View of that player.
            rng: Generator of everything that is drawn. With a budget of simulations, equal seeds
                and numbers of threads lead to equal actions.
            low: Least payoff that the player can still get, by default that of the game.
            high: Greatest such payoff.

        Raises:
            InputError: The game is over, or there is a choice and `rng` is not a generator.
        """
        actions = legal_actions(self._game, view)
        if len(actions) == 1:
            return int(actions[0])
        sums = self.judge(view, rng, low, high)
        return int(actions[np.argmax(sums[:, 1] / np.maximum(sums[:, 0], 1))])

    def judge(
        self, view: State, rng: Rng, low: float | None = None, high: float | None = None
    ) -> Floats:
        """Run simulations and return their statistics; arguments are those of `best`.

        The result is float64 [legal actions, 3], in the order of `game.legal`: number of tries of
        each action, sum of its payoffs, scaled to 0..1, and sum of their squares.

        Raises:
            InputError: The game is over, or `rng` is not a generator.
        """
        actions = legal_actions(self._game, view)
        least, greatest = self._game.payoff_range
        low = least if low is None else low
        high = greatest if high is None else high
        deadline = self._budget.deadline()
        player = int(view["player"])

        def work(share: int, own: Rng) -> Floats:
            sums = np.zeros((len(actions), 3))
            states = np.repeat(np.array([view], self._game.dtype), 2)  # one is scratch space
            ids = np.empty(self._game.num_actions, np.int32)
            for batch in self._batches(share, deadline):
                simulate(
                    self._rules, self._policy, states, player, actions, low, high, batch, own, ids,
                    sums,
                )  # fmt: skip
            return sums

        return self._add_up(work, self._budget.shares(), rng)

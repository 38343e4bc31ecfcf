"""Search by paired simulations, for any game with hidden hands: duplicate play inside a decision.

1. Draw **determinisations**, full states that fit what the player knows.
2. Play a batch of them on with every surviving action. The first action is the policy's choice.
3. Add up the advantage of each action over the first on the same determinisations. The luck of the
   deal cancels out, as in a duplicate match.
4. Eliminate every action that is significantly worse than another (successive elimination:
   Even-Dar, Mannor and Mansour, 2006). The first one always survives.
5. Repeat with new determinisations until the budget is spent or only the first action survives.
6. Play the action with the greatest lower bound of its advantage. The bound of the first is 0, so
   another one replaces it only if its own bound is above 0.

If there are so many actions that the budget is too small for a batch with each, sequential halving
(Karnin, Koren and Somekh, 2013) takes half of the budget first: play a random choice of the actions
on a few determinisations, keep the better half, and repeat with this half on more determinisations.

Determinisations can be particles (`closedhand.search.particles`), a sample of the posterior given
the observed plays. In step 5 Metropolis moves turn them into new ones. Each thread has its own
particles and eliminations, and the results are added up.
"""

import math
import time
from collections.abc import Callable

import numpy as np

from closedhand.core import contract
from closedhand.core.contract import dispatched
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import (
    Bools,
    Floats,
    Ids,
    Integer,
    Policy,
    Rng,
    Rules,
    State,
    States,
    kernel,
)
from closedhand.search.budget import Search
from closedhand.search.particles import BATCH, Particles
from closedhand.search.playout import Uniform, candidates, playout

ELIMINATED_BELOW = 2.5
"""Number of standard errors from a mean advantage to the bounds that eliminate actions."""
REPLACED_ABOVE = 0.5
"""Number of standard errors by which an action has to be better to replace the policy's own."""
TINY = 1e-9
"""Least divisor, for standard errors (0 for the first action) and for times in seconds."""
FEW = 32
"""Largest number of actions that are all played on a batch, whatever the budget."""
SCREENING_SHARE = 0.5
"""Share of the budget for sequential halving if the budget is too small for all actions."""
UNPLAYED = 1e9
"""Standard error of an action that was never played, in units of the span."""
PARTICLES_SHARE = 0.4
"""Maximum share of a decision's time for drawing the particles."""


@kernel
def _evaluate_by_playout(
    policy: Policy, rules: Rules, state: State, player: Integer, guess: Integer, rng: Rng, ids: Ids
) -> float:
    return playout(policy, rules, state, player, rng, ids)


@dispatched(default=_evaluate_by_playout)
def evaluate(
    policy: Policy, rules: Rules, state: State, player: Integer, guess: Integer, rng: Rng, ids: Ids
) -> float:
    """Return the value of a full state to `player`, given the guess of its determinisation.

    `guess` is the one that `particles.log_likelihood` returned for the determinisation from which
    `state` follows. The default plays on to the end. A policy may define a better estimate, such as
    an exact search of few cards. `state` may be changed; `ids` is scratch, int32 [num_actions].
    """
    ...


@kernel
def evaluate_all(
    rules: Rules, policy: Policy, determinisations: States, guesses: Ids, player: int, actions: Ids,
    surviving: Bools, states: States, rng: Rng, ids: Ids, out: Floats,
) -> None:  # fmt: skip
    """Evaluate every surviving action in each of n determinisations by `evaluate`.

    The values go to `out`, float64 [n, actions]; entries of eliminated actions do not change.
    `guesses`, int64 [n], belong to the determinisations; `states` [1] is scratch space.
    """
    for i in range(len(determinisations)):
        for k in range(len(actions)):
            if surviving[k]:
                states[0] = determinisations[i]
                contract.play(rules, states[0], actions[k])
                out[i, k] = evaluate(policy, rules, states[0], player, guesses[i], rng, ids)


@kernel
def add_advantages(payoffs: Floats, surviving: Bools, sums: Floats) -> None:
    """Add advantages to `sums` of `PairedSearch.judge`; `payoffs` are `out` of `evaluate_all`."""
    for i in range(len(payoffs)):
        for k in range(len(surviving)):
            if surviving[k]:
                advantage = payoffs[i, k] - payoffs[i, 0]
                sums[k, 0] += 1.0
                sums[k, 1] += advantage
                sums[k, 2] += advantage**2


@kernel
def bounds(sums: Floats, errors: float, span: float, out: Floats) -> None:
    """Write the mean advantage of every action plus `errors` standard errors into `out`.

    `sums` are those of `PairedSearch.judge`; `errors` is negative for lower bounds.
    Determinisations count as independent. The square of `span`, the greatest difference of payoffs,
    is added to the sum of squares: so the standard error of a few equal advantages is above 0.
    """
    for k in range(len(sums)):
        n = sums[k, 0]
        if n == 0.0:
            out[k] = errors * UNPLAYED * span
            continue
        mean = sums[k, 1] / n
        variance = (sums[k, 2] + span * span) / n - mean * mean
        out[k] = mean + errors * np.sqrt(max(variance, 0.0) / n)
    out[0] = 0.0  # the advantage of the first action over itself, known without error


@kernel
def eliminate(sums: Floats, span: float, surviving: Bools) -> bool:
    """Eliminate actions significantly worse than the best; return whether several survive."""
    above, below = np.empty(len(sums)), np.empty(len(sums))
    bounds(sums, ELIMINATED_BELOW, span, above)
    bounds(sums, -ELIMINATED_BELOW, span, below)
    most = below.max()
    remain = False
    for k in range(1, len(sums)):
        surviving[k] = surviving[k] and above[k] >= most
        remain = remain or surviving[k]
    return remain


def screened(number: int, simulations: float, fewest: int) -> list[int]:
    """Return how many of `number` actions each round of sequential halving plays.

    Each round halves them, until at most `fewest`, 2 or more, are left. The first rounds are
    omitted until the sum of the numbers is at most `simulations`.
    """
    rounds: list[int] = []
    while number > fewest:
        rounds.append(number)
        number = (number + 1) // 2
    while rounds and sum(rounds) > simulations:
        del rounds[0]
    return rounds


def _posterior_bounds(
    sums: Floats, span: float, expected: Floats, error: float, above: float
) -> Floats:
    """Return lower bounds under a normal prior; arguments are those of `bounds` and `best`."""
    found, high = np.empty(len(sums)), np.empty(len(sums))
    bounds(sums, 0.0, span, found)
    bounds(sums, 1.0, span, high)
    # Precisions, 1 / standard error squared, of the simulations and of the prior add up.
    precision = (np.maximum(high - found, TINY) ** -2, error**-2)
    mean = (found * precision[0] + expected * precision[1]) / sum(precision)
    least: Floats = mean - above / np.sqrt(sum(precision))
    least[0] = 0.0
    return least


class PairedSearch(Search):
    """Search for the player of a view by paired simulations.

    `guesses`, int64 [n], are those of the last search's particles in any order; see `Particles`.
    """

    def __init__(
        self,
        game: Game,
        policy: Policy,
        *,
        rules: Rules = None,
        span: float | None = None,
        simulations: int | None = None,
        seconds: float | None = None,
        particles: int = 0,
        threads: int | None = None,
    ) -> None:
        """Prepare a search.

        Args:
            game: The game.
            policy: Policy of the playouts, with `choose` or `evaluate`; with particles also
                `log_likelihood`.
            rules: Rules to simulate by; by default those of the game.
            span: The greatest difference of two payoffs, by default that of the game.
            simulations: Simulations of a decision, over all actions and threads; fewer if only one
                action survives. Each thread plays at least one batch with up to `FEW` actions.
            seconds: Time of a decision; the same minimum applies.
            particles: Number of particles of each thread; 0: the game's `redeal` draws
                determinisations, which are not weighted.
            threads: Number of parallel searches; by default one for each core.

        Raises:
            InputError: There is no limit of simulations or of time, or a number is out of range.
        """
        if particles < 0:
            raise InputError(f"a search takes 0 particles or more, not {particles!r}")
        super().__init__(
            game, policy, rules=rules, simulations=simulations, seconds=seconds, threads=threads
        )
        self.guesses: Ids = np.zeros(0, np.int64)
        self._screened: Bools = np.zeros(0, bool)  # which actions `_screen` kept in any thread
        self._span = float(np.ptp(game.payoff_range)) if span is None else span
        self._particles = particles

    def best(
        self,
        view: State,
        actions: Ids,
        rng: Rng,
        expected: Floats | None = None,
        error: float = math.inf,
        above: float = REPLACED_ABOVE,
    ) -> int:
        """Choose the best of some actions.

        Args:
            view: View of the player to act.
            actions: Ids of legal actions, integers [n], the policy's own choice first.
            rng: Generator of everything that is drawn. With a budget of simulations, the same seed
                and number of threads lead to the same action.
            expected: Prior means of the advantages over the first action, such as those by a value
                network, float64 [n]; None: no prior.
            error: Standard error of the prior means.
            above: Number of standard errors by which an action has to be better than the first one.

        Raises:
            InputError: As for `judge`; a single action is not checked.
        """
        if len(actions) == 1:
            return int(actions[0])
        least = np.empty(len(actions))
        sums = self.judge(view, actions, rng)
        if expected is None:
            bounds(sums, -above, self._span, least)
        else:
            least = _posterior_bounds(sums, self._span, expected, error, above)
        # Leave out actions that `_screen` dropped after few determinisations: one of many may look
        # best by chance. Those that `eliminate` dropped were compared on enough determinisations.
        least[~self._screened] = -math.inf
        return int(actions[np.argmax(least)])

    def judge(self, view: State, actions: Ids, rng: Rng) -> Floats:
        """Run simulations and return their statistics.

        `actions` are the ids of legal actions to compare, integers [n], the policy's choice first.

        Returns:
            Number of determinisations that each action was played on, and the sum and the sum of
            squares of its payoffs less those of the first one, float64 [n, 3].

        Raises:
            InputError: The game is over, there is no action or one that is not legal, or `rng` is
                not a generator.
        """
        rules, player = self._rules, int(view["player"])
        actions = candidates(self._game, view, actions)
        threads = self._budget.threads
        deadline = self._budget.deadline()
        ready = time.perf_counter() + PARTICLES_SHARE * self._budget.seconds

        # The uniform policy does not weight determinisations: a Metropolis move accepts every
        # proposal, which is a new deal.
        judging = self._policy if self._particles else Uniform()
        guesses: list[Ids] = []
        screened: list[Bools] = []

        def work(share: int, own: Rng) -> Floats:
            """Simulate in one thread until `share` or the deadline is reached; return its sums."""
            states = self._game.empty(1)
            ids = np.empty(self._game.num_actions, np.int32)
            number = self._particles or BATCH
            particles = Particles(self._game, judging, view, number, own, ready)
            sums = np.zeros((len(actions), 3))

            def simulate(some: slice, surviving: Bools) -> None:
                determinisations = particles.states[some]
                payoffs = np.empty((len(determinisations), len(actions)))
                evaluate_all(
                    rules, self._policy, determinisations, particles.guesses[some], player,
                    actions, surviving, states, own, ids, payoffs,
                )  # fmt: skip
                add_advantages(payoffs, surviving, sums)

            surviving = self._screen(simulate, particles, sums, share, deadline, own)
            screened.append(surviving.copy())
            first, going = 0, True
            while going:
                some = slice(first, first + BATCH)
                simulate(some, surviving)
                going = eliminate(sums, self._span, surviving) and sums[:, 0].sum() < share
                going = going and time.perf_counter() < deadline
                if going:
                    particles.move(some)
                # After the last batch, begin again with the first one, which has moved by now.
                first = some.stop if some.stop < len(particles.states) else 0
            guesses.append(particles.guesses)
            return sums

        sums = self._add_up(work, [self._budget.simulations // threads] * threads, rng)
        self.guesses = np.concatenate(guesses)
        self._screened = np.any(screened, axis=0)
        return sums

    def _screen(
        self,
        simulate: Callable[[slice, Bools], None],
        particles: Particles,
        sums: Floats,
        share: int,
        deadline: float,
        rng: Rng,
    ) -> Bools:
        """Return which actions to compare, bool [actions]: all if few, or if the budget suffices.

        `simulate(some, surviving)` plays a slice of particles on with the surviving actions, and
        adds to `sums`; `share` is the number of simulations of this thread.
        """
        number = len(sums)
        surviving = np.ones(number, bool)
        if number <= FEW:
            return surviving
        affordable = float(share)
        if self._budget.clocked:
            affordable = min(affordable, self._affordable(simulate, sums, deadline))
        if number * BATCH <= affordable:
            return surviving
        screening = SCREENING_SHARE * affordable
        fewest = min(FEW, max(2, int(affordable - screening) // BATCH))
        sizes = screened(number, screening, fewest)
        chosen = rng.permutation(np.arange(1, number))[: (sizes[0] if sizes else fewest) - 1]
        surviving[:] = False
        surviving[0] = surviving[chosen] = True
        for size in sizes:
            # One determinisation, and as many more as this round's share of the simulations allows.
            worlds = 1 + int((screening - sum(sizes)) / len(sizes) / size)
            simulate(slice(worlds), surviving)
            particles.move(slice(worlds))
            advantages = np.where(surviving, sums[:, 1] / np.maximum(sums[:, 0], 1.0), -math.inf)
            advantages[0] = math.inf
            late = time.perf_counter() >= deadline
            kept = fewest if late else (size + 1) // 2
            surviving[np.argsort(-advantages, kind="stable")[kept:]] = False
            if late:
                break
        return surviving

    @staticmethod
    def _affordable(
        simulate: Callable[[slice, Bools], None], sums: Floats, deadline: float
    ) -> float:
        """Estimate how many simulations there is time for; time `FEW`, which count in `sums`."""
        tried = np.arange(len(sums)) < FEW
        simulate(slice(0), tried)  # compiles or loads the kernel
        start = time.perf_counter()
        simulate(slice(1), tried)
        now = time.perf_counter()
        return max(0.0, deadline - now) * FEW / max(now - start, TINY)

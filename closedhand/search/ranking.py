"""Rank legal actions by simulation, for any game, as advice to a person.

1. Draw `ROUND` independent populations of determinisations. In a weighted simulation these are
   particles.
2. Play every determinisation on with every surviving action, as `closedhand.search.paired` does.
3. Eliminate the actions that are significantly worse than the best one, except for the best few,
   which are shown to the person.
4. Repeat until the budget is spent.
5. Estimate each action by its mean over the populations, with Student's t for the interval, and
   sort the actions by their differences from the best one; those that were eliminated come last.

Particles of one population depend on each other. Populations are independent: they are the sample.
"""

import math
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Executor
from contextvars import Context, copy_context
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.agents import Agent
from closedhand.core.checks import check_seed
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import (
    Bools,
    Floats,
    Ids,
    Policy,
    Rng,
    Rules,
    State,
    with_distinct_name,
)
from closedhand.core.statistics import Estimate, shares, student
from closedhand.search import stopping
from closedhand.search.budget import PIECE, budget
from closedhand.search.paired import ELIMINATED_BELOW, evaluate_all
from closedhand.search.particles import BATCH, Particles
from closedhand.search.playout import Uniform, candidates, legal_actions

POPULATION = 64
"""Maximum number of determinisations of a population."""
SHARE = 2048
"""Simulations of a population, unless `BATCH` determinisations need more."""
ROUND = 4
"""Populations between two eliminations, whatever the number of threads."""
ROUNDS = 4
"""Rounds into which a small budget of simulations is divided."""
SHOWN = 5
"""Number of the best actions that are simulated to the end, by default."""


@dataclass(frozen=True)
class Simulation:
    """Settings by which an agent simulates a game in a view.

    Attributes:
        game: Game of the actions and payoffs; views are states of it.
        policy: Policy of the playouts, see `closedhand.search.playout`. If `weighted`, it also has
            `log_likelihood`.
        rules: Rules to simulate by; None: those of the game.
        weighted: Whether determinisations are sampled by the likelihood of the observed plays;
            otherwise they are as `redeal` draws them.
        candidates: Function of a view to the legal actions to simulate, integers [n]; None: all.
    """

    game: Game
    policy: Policy
    rules: Rules = None
    weighted: bool = False
    candidates: Callable[[State], Ids] | None = None


@dataclass(frozen=True)
class Ranked:
    """A legal action with its estimates.

    Attributes:
        action: Id of the action in the game of the simulation; `text` is its notation.
        points: Expected payoff, with its 95% interval.
        wins: Probability of a payoff above 0, with its 95% interval; None in a game without
            negative payoffs.
        behind: Payoff less that of the best action, on the same determinisations. It may be above 0
            for an eliminated action, by chance on its few determinisations.
        determinisations: Number of determinisations that it was played on.
    """

    action: int
    text: str
    points: Estimate
    wins: Estimate | None
    behind: Estimate
    determinisations: int


class Gap(NamedTuple):
    """Mean payoff of an action less that of another, on the determinisations that both played."""

    action: int
    points: Estimate
    determinisations: int


def rank(
    game: Game,
    view: State,
    simulation: Simulation | None = None,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    shown: int = SHOWN,
    seed: int = 0,
) -> list[Ranked]:
    """Rank the legal actions of a view by simulation, best first.

    Args:
        game: The game.
        view: View of the player to act.
        simulation: How to simulate, such as the result of `simulation_of`; by default with random
            playouts of determinisations as `redeal` draws them.
        simulations: Simulations, over all actions; at least `ROUND` batches of determinisations are
            played. The same number and seed lead to the same ranking on any number of threads.
        seconds: Time limit; at least one round of populations is played.
        threads: Number of threads; by default one for each core.
        shown: Number of the best actions, which are not eliminated and so get narrow intervals.
        seed: Seed of the simulations.

    Returns:
        The actions, the best mean payoff first; eliminated ones follow, the greatest `behind`
        first. The first mean is biased slightly upwards, since it was selected as the greatest.

    Raises:
        InputError: The game is over, a candidate is not legal or there is none, or a number is out
            of range.

    Examples:
        >>> from closedhand import make_game
        >>> leduc = make_game("leduc")
        >>> view = leduc.view_from(0, "SK")
        >>> [each.text for each in rank(leduc, view, simulations=9000, threads=1)]
        ['check', 'raise']
    """
    how = simulation or Simulation(game, Uniform())
    spent = budget(simulations, seconds, threads)
    if shown < 1:
        raise InputError(f"a ranking shows a positive number of actions, not {shown!r}")
    legal = legal_actions(how.game, view)
    chosen = candidates(how.game, view, how.candidates(view)) if how.candidates else legal
    # The second number keeps these draws apart from a deal of the same seed.
    ranking = Ranking(
        how, view, chosen, np.random.default_rng((check_seed(seed), 0x7A4C)), shown=shown,
        share=min(SHARE, spent.simulations // (ROUND * ROUNDS)),
    )  # fmt: skip
    deadline = spent.deadline()
    with stopping.threads(spent.threads) as executor:
        ranking.advance(executor)
        while ranking.done < spent.simulations and time.perf_counter() < deadline:
            ranking.advance(executor)
    return ranking.ranked()


class Ranking:
    """A ranking of `actions`, int64 [n], in progress after `done` simulations."""

    def __init__(
        self,
        how: Simulation,
        view: State,
        actions: Ids,
        rng: Rng,
        *,
        shown: int = SHOWN,
        kept: Collection[int] = (),
        share: int = SHARE,
        least: int = BATCH,
    ) -> None:
        """Begin a ranking of legal actions of `how.game`, integers [n].

        The `shown` best actions and the ids of `kept` are not eliminated. A population has `share`
        simulations, but at least `least` and at most `POPULATION` determinisations.
        """
        self.actions = np.asarray(actions, np.int64)
        self.done = 0
        self._how, self._view, self._rng = how, view, rng
        self._shown, self._share, self._least = shown, share, least
        self._kept = np.isin(self.actions, list(kept))
        self._surviving = np.ones(len(self.actions), bool)
        self._populations: list[Floats] = []

    def advance(self, executor: Executor | None = None, populations: int = ROUND) -> None:
        """Play a number of `populations`, then eliminate significantly worse actions.

        The first call needs two or more, for standard errors. `executor` does not change results.
        """
        number = int(self._surviving.sum())
        size = max(self._least, min(POPULATION, self._share // number))

        common = self._how, self._view, self.actions, self._surviving, size

        def play(context: Context, rng: Rng) -> Floats:
            return context.run(_population, *common, rng)

        # A population runs in a copy of this context, where `stopping` finds its events.
        contexts = [copy_context() for _ in range(populations)]
        played = (executor.map if executor else map)(play, contexts, self._rng.spawn(populations))
        self._populations.extend(played)
        self.done += populations * size * number
        self._surviving = self._kept | _surviving(self._means_and_sizes()[0], self._shown)

    def ranked(self) -> list[Ranked]:
        """Return the actions with their estimates, the best first."""
        game = self._how.game
        means, sizes = self._means_and_sizes()
        # `means`, `behind` and `won` are [populations, actions]; NaN: eliminated before.
        behind = _behind(means)
        won = np.stack([_won(game, payoffs).mean(axis=0) for payoffs in self._populations])
        found: list[Ranked] = []
        for k in _best_first(behind):
            action = int(self.actions[k])
            played = ~np.isnan(means[:, k])  # the populations that played it
            points, gap = student(np.stack([means[played, k], behind[played, k]], axis=1))
            number = int(sizes[played].sum())
            [wins] = shares(won[played, k : k + 1], number)
            wins_if_any = wins if game.can_lose else None
            text = game.text(action, self._view)
            found.append(Ranked(action, text, points, wins_if_any, gap, number))
        return found

    def gaps(self, action: int, level: float = 0.95) -> list[Gap]:
        """Return the gaps of all actions to `action`, which was never eliminated, the best first.

        Eliminated actions come last. `level` is the confidence level of the intervals.
        """
        (own,) = np.flatnonzero(self.actions == action)
        means, sizes = self._means_and_sizes()
        found: list[Gap] = []
        for k in _best_first(means - means[:, own : own + 1]):
            played = ~np.isnan(means[:, k])
            (gap,) = student((means[played, k] - means[played, own])[:, None], level)
            found.append(Gap(int(self.actions[k]), gap, int(sizes[played].sum())))
        return found

    def _means_and_sizes(self) -> tuple[Floats, Ids]:
        """Return mean payoffs, float64 [populations, actions], and sizes, int64 [populations]."""
        found = self._populations
        return np.stack([each.mean(axis=0) for each in found]), np.array([len(e) for e in found])


def simulation_of(agent: Agent, view: State) -> Simulation:
    """Return the simulation of an agent that searches, for `rank`.

    Raises:
        InputError: The agent does not search, or not at this point of the game.
    """
    simulation = getattr(agent, "simulation", None)
    if simulation is None:
        raise InputError(f"the agent {agent.name} does not simulate, so it cannot rank actions")
    return simulation(view)


def _population(
    how: Simulation, view: State, actions: Ids, surviving: Bools, size: int, rng: Rng
) -> Floats:
    """Return the payoffs in a population, float64 [determinisations, actions]; NaN: not played."""
    game, policy = how.game, with_distinct_name(how.policy)
    # The uniform policy does not weight determinisations.
    particles = Particles(game, policy if how.weighted else Uniform(), view, size, rng)
    payoffs = np.full((len(particles.states), len(actions)), math.nan)
    rules = game.rules if how.rules is None else how.rules
    scratch, ids = game.empty(1), np.empty(game.num_actions, np.int32)
    step = max(1, PIECE // int(surviving.sum()))
    for first in range(0, len(payoffs), step):
        stopping.check()
        some = slice(first, first + step)
        evaluate_all(
            rules, policy, particles.states[some], particles.guesses[some], int(view["player"]),
            actions, surviving, scratch, rng, ids, payoffs[some],
        )  # fmt: skip
    return payoffs


def _surviving(means: Floats, shown: int) -> Bools:
    """Return which actions survive, bool [actions], by `means`, float64 [populations, actions]."""
    behind = _behind(means)
    number = np.count_nonzero(~np.isnan(behind), axis=0)
    means = np.nanmean(behind, axis=0)
    errors = np.nanstd(behind, axis=0, ddof=1) / np.sqrt(number)
    surviving = means + ELIMINATED_BELOW * errors >= 0.0
    surviving[_best_first(behind)[:shown]] = True
    return surviving & ~np.isnan(behind[-1])  # NaN: eliminated before, which is final


def _best_first(numbers: Floats) -> list[int]:
    """Return the order of the actions by their mean `numbers` [populations, actions], best first.

    Eliminated actions come last: over few populations one of many may look best by chance.
    """
    return np.lexsort((-np.nanmean(numbers, axis=0), np.isnan(numbers[-1]))).tolist()


def _behind(means: Floats) -> Floats:
    """Return `means`, as for `_surviving`, less those of the best surviving action; NaN stays."""
    so_far = np.nanmean(means, axis=0)
    best = np.argmax(np.where(np.isnan(means[-1]), -math.inf, so_far))
    return means - means[:, best : best + 1]


def _won(game: Game, payoffs: Floats) -> Floats:
    """Convert payoffs to wins: 1 for a payoff above 0, else 0; NaN stays.

    If payoffs go from -1 to 1, convert linearly: a policy's `evaluate` may return a mean payoff.
    """
    if game.is_win_or_loss:
        return (1.0 + payoffs) / 2.0
    return np.where(np.isnan(payoffs), math.nan, payoffs > 0.0)


def summary(ranked: Iterable[Ranked]) -> list[dict[str, Any]]:
    """Convert a ranking for JSON."""
    return [
        {
            name: value._asdict() if isinstance(value, Estimate) else value
            for name, value in vars(each).items()
        }
        for each in ranked
    ]

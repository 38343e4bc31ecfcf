"""Legal actions ranked by what simulations find of them, for any game: advice to a person.

The actions are compared on the same determinisations, as in `closedhand.search.paired`: these come
in independent populations, of particles if the simulation weighs what was seen, and Student's t
over the populations gives the intervals. Actions that are significantly worse than the best one are
not simulated further, except for the best few, which a person is shown.
"""

import math
import time
from collections.abc import Callable, Collection, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from closedhand.core import contract
from closedhand.core.agents import Agent
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import (
    Bools,
    Floats,
    Ids,
    Policy,
    Rng,
    Rules,
    State,
    States,
    kernel,
    with_distinct_name,
)
from closedhand.core.statistics import Estimate, student
from closedhand.search.budget import budget
from closedhand.search.paired import ELIMINATED_BELOW, evaluate
from closedhand.search.particles import BATCH, Particles
from closedhand.search.playout import Uniform, candidates

POPULATION = 64
"""Maximum number of determinisations of a population."""
SHARE = 2048
"""Simulations of a population, unless `BATCH` determinisations need more."""
ROUND = 4
"""Populations between two eliminations; their number does not depend on that of the threads."""
ROUNDS = 4
"""Rounds for which a small budget of simulations still suffices."""
SHOWN = 5
"""Number of the best actions that are simulated to the end, by default."""


@dataclass(frozen=True)
class Simulation:
    """How to simulate a game: what an agent that searches answers to `simulation(view)`.

    Attributes:
        game: The game whose actions are ranked, by whose payoffs; its states are those of the
            views.
        policy: Policy of the playouts, see `closedhand.search.playout`; weighted, it also has
            `log_likelihood` or `plausibility`.
        rules: Rules to simulate by, if they are not those of the game.
        weighted: Whether determinisations are distributed by how likely they make what was seen;
            otherwise all deals are equally likely.
        candidates: The legal actions worth simulating in a view, integers [n]; by default all.
    """

    game: Game
    policy: Policy
    rules: Rules = None
    weighted: bool = False
    candidates: Callable[[State], Ids] | None = None


@dataclass(frozen=True)
class Ranked:
    """A legal action with what the simulations found.

    Attributes:
        action: Id of the action in the game of the simulation.
        text: Its notation.
        points: Expected payoff, with its 95% interval.
        wins: Probability of a payoff above 0, with its 95% interval; None in a game without
            negative payoffs.
        behind: Payoff less that of the best action, on the same determinisations.
        determinisations: Number of determinisations that it was played on.
    """

    action: int
    text: str
    points: Estimate
    wins: Estimate | None
    behind: Estimate
    determinisations: int


class Gap(NamedTuple):
    """An action compared with another one.

    Attributes:
        action: Id of the action.
        points: Its payoff less that of the other one, with an interval.
        determinisations: Number of determinisations that both were played on.
    """

    action: int
    points: Estimate
    determinisations: int


@kernel
def evaluate_all(
    rules: Rules, policy: Policy, determinisations: States, guesses: Ids, player: int, actions: Ids,
    surviving: Bools, states: States, rng: Rng, ids: Ids, out: Floats,
) -> None:  # fmt: skip
    """Play determinisations on with every surviving action.

    Args:
        rules: Rules of the game.
        policy: Policy of the playouts.
        determinisations: States [n].
        guesses: Guess in each of them, int64 [n].
        player: Player to act.
        actions: The actions.
        surviving: Which of them are played, bool [actions].
        states: Room for one state.
        rng: Generator of everything that is drawn.
        ids: Scratch space, int32 [num_actions].
        out: The payoffs, float64 [n, actions]; written for surviving actions only.
    """
    for i in range(len(determinisations)):
        for k in range(len(actions)):
            if surviving[k]:
                states[0] = determinisations[i]
                contract.play(rules, states[0], actions[k])
                out[i, k] = evaluate(policy, rules, states[0], player, guesses[i], rng, ids)


def rank(
    game: Game,
    view: State,
    simulation: Simulation | None = None,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    threads: int | None = None,
    actions: Ids | None = None,
    shown: int = SHOWN,
    seed: int = 0,
) -> list[Ranked]:
    """Rank the legal actions of a view by simulation, best first.

    Args:
        game: The game.
        view: View of the player to act.
        simulation: How to simulate; by default with uniformly random playouts, all deals being
            equally likely. `simulation_of` asks an agent.
        simulations: Simulations, over all actions; at least `ROUND` batches of determinisations are
            played. The same number and seed lead to the same ranking on any number of threads.
        seconds: Time that it may take; a round of populations is always played.
        threads: Number of threads; by default one for each core.
        actions: Actions to rank, integers [n], of `simulation.game`; by default its candidates.
        shown: Number of the best actions that are not eliminated, so that they have good intervals.
        seed: Seed of the simulations.

    Returns:
        The actions by their mean payoff. That of the first one is biased slightly upwards, as it
        was selected by it.

    Raises:
        InputError: The game is over, an action is not legal, or the numbers make no sense.

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
    if how.game.over(view):
        raise InputError("the game is over: there is nothing to rank")
    if actions is None:
        actions = (how.candidates or how.game.legal)(view)
    chosen = candidates(how.game, view, actions)
    ranking = Ranking(
        how, view, chosen, np.random.default_rng((seed, 0x7A4C)), shown=shown,
        share=min(SHARE, spent.simulations // (ROUND * ROUNDS)),
    )  # fmt: skip
    deadline = spent.deadline()
    with ThreadPoolExecutor(spent.threads) as executor:
        ranking.advance(executor)
        while ranking.done < spent.simulations and time.perf_counter() < deadline:
            ranking.advance(executor)
    return ranking.ranked()


class Ranking:
    """A ranking at work: its intervals narrow from round to round.

    Attributes:
        actions: The actions, int64 [n].
        done: Number of simulations.
    """

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
    ) -> None:
        """Begin a ranking.

        Args:
            how: How to simulate.
            view: View of the player to act.
            actions: Actions of `how.game`, integers [n], all of them legal.
            rng: Generator of everything that is drawn.
            shown: Number of the best actions that are not eliminated.
            kept: Further actions that are not eliminated.
            share: Simulations of a population, unless `BATCH` determinisations need more.
        """
        self.actions = np.asarray(actions, np.int64)
        self.done = 0
        self._how, self._view, self._rng = how, view, rng
        self._shown, self._share = shown, share
        self._kept = np.isin(self.actions, list(kept))
        self._surviving = np.ones(len(self.actions), bool)
        self._populations: list[Floats] = []

    def advance(self, executor: Executor | None = None) -> None:
        """Play a round of populations, then eliminate what is significantly worse.

        Args:
            executor: Threads to play in; None: this one. It makes no difference to the result.
        """
        number = int(self._surviving.sum())
        size = max(BATCH, min(POPULATION, self._share // number))
        played = (executor.map if executor else map)(
            _population,
            *map(repeat, (self._how, self._view, self.actions, self._surviving, size)),
            self._rng.spawn(ROUND),
        )
        self._populations.extend(played)
        self.done += ROUND * size * number
        self._surviving = self._kept | _surviving(self._populations, self._shown)

    def ranked(self) -> list[Ranked]:
        """The actions with their estimates, the best first."""
        return _ranked(self._how.game, self._view, self.actions, self._populations)

    def gaps(self, action: int, level: float = 0.95) -> list[Gap]:
        """How much better every action is than one of them, on the same determinisations.

        Args:
            action: The action that they are compared with, one of those that were never eliminated.
            level: Confidence level of the intervals.

        Returns:
            The gaps of all actions, the best first.
        """
        (own,) = np.flatnonzero(self.actions == action)
        means = np.stack([payoffs.mean(axis=0) for payoffs in self._populations])
        sizes = np.array([len(payoffs) for payoffs in self._populations])
        found: list[Gap] = []
        for k, each in enumerate(self.actions.tolist()):
            played = ~np.isnan(means[:, k])
            (gap,) = student((means[played, k] - means[played, own])[:, None], level)
            found.append(Gap(each, gap, int(sizes[played].sum())))
        return sorted(found, key=lambda gap: -gap.points.mean)


def simulation_of(agent: Agent, view: State) -> Simulation:
    """How an agent that searches simulates, for `rank`.

    Raises:
        InputError: The agent does not search, or cannot at this point of the game.
    """
    simulation = getattr(agent, "simulation", None)
    if simulation is None:
        raise InputError(f"the agent {agent.name} does not simulate, so it cannot rank actions")
    return simulation(view)


def _population(
    how: Simulation, view: State, actions: Ids, surviving: Bools, size: int, rng: Rng
) -> Floats:
    """Payoffs in one population of determinisations."""
    game, policy = how.game, with_distinct_name(how.policy)
    # To the uniform policy all deals are equally likely.
    particles = Particles(game, policy if how.weighted else Uniform(), view, size, rng)
    payoffs = np.full((len(particles.states), len(actions)), math.nan)
    evaluate_all(
        game.rules if how.rules is None else how.rules, policy, particles.states,
        particles.guesses, int(view["player"]), actions, surviving, game.empty(1), rng,
        np.empty(game.num_actions, np.int32), payoffs,
    )  # fmt: skip
    return payoffs


def _surviving(populations: list[Floats], shown: int) -> Bools:
    """Which actions are played in the next population."""
    behind = _behind(populations)
    number = np.count_nonzero(~np.isnan(behind), axis=0)
    means = np.nanmean(behind, axis=0)
    errors = np.nanstd(behind, axis=0, ddof=1) / np.sqrt(number)
    surviving = means + ELIMINATED_BELOW * errors >= 0.0
    surviving[np.argsort(-means, kind="stable")[:shown]] = True
    return surviving & ~np.isnan(behind[-1])


def _behind(populations: list[Floats]) -> Floats:
    """Mean payoffs less those of the best action that survives, float64 [populations, actions]."""
    means = np.stack([payoffs.mean(axis=0) for payoffs in populations])
    so_far = np.nanmean(means, axis=0)
    best = np.argmax(np.where(np.isnan(means[-1]), -math.inf, so_far))
    return means - means[:, best : best + 1]


def _ranked(game: Game, view: State, actions: Ids, populations: list[Floats]) -> list[Ranked]:
    """The actions with their estimates, the best first."""
    behind = _behind(populations)
    means = np.stack([payoffs.mean(axis=0) for payoffs in populations])
    shares = np.stack([_won(game, payoffs).mean(axis=0) for payoffs in populations])
    sizes = np.array([len(payoffs) for payoffs in populations])
    ranked: list[Ranked] = []
    for k in np.argsort(-np.nanmean(behind, axis=0), kind="stable").tolist():
        played = ~np.isnan(means[:, k])
        table = np.stack([means[played, k], shares[played, k], behind[played, k]], axis=1)
        points, wins, gap = student(table)
        wins = Estimate(wins.mean, max(0.0, wins.low), min(1.0, wins.high))
        ranked.append(
            Ranked(
                int(actions[k]), game.text(int(actions[k]), view), points,
                wins if game.payoff_range[0] < 0 else None, gap, int(sizes[played].sum()),
            )
        )  # fmt: skip
    return ranked


def _won(game: Game, payoffs: Floats) -> Floats:
    """Which payoffs are above 0; where all are 1 or -1, the probability that values stand for."""
    if game.payoff_range == (-1.0, 1.0):
        return (1.0 + payoffs) / 2.0
    return np.where(np.isnan(payoffs), math.nan, payoffs > 0.0)


def summary(ranked: Iterable[Ranked]) -> list[dict[str, Any]]:
    """A ranking for JSON."""
    return [
        {
            "action": each.action,
            "text": each.text,
            "points": each.points._asdict(),
            "wins": each.wins and each.wins._asdict(),
            "behind": each.behind._asdict(),
            "determinisations": each.determinisations,
        }
        for each in ranked
    ]

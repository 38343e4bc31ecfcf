"""The agent `search`: determinised search over the plays that `decompose` likes best.

The plays are compared on the same particles (`closedhand.search.paired`), determinisations as
likely as they make what was played so far (`closedhand.search.particles`). Each is played on by
`decompose` on all seats but those whose players show another style (`styles.py`), and when few
cards remain by exact search of the open hands. What counts is whether the own side wins, whatever
the stakes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from closedhand.baselines.doudizhu.agent import next_step
from closedhand.baselines.doudizhu.bidding.modules import choose_bid
from closedhand.baselines.doudizhu.decompose.agent import CANDIDATES, consider, load, policy_of
from closedhand.baselines.doudizhu.search.styles import Styles
from closedhand.core.agents import AgentSpec, Traits, described, whole_number
from closedhand.core.game import Game, State
from closedhand.core.kernel import kernel
from closedhand.core.registry import make_game
from closedhand.search.budget import read_budget, traits
from closedhand.search.paired import PairedSearch
from closedhand.search.particles import BATCH

WIDTH = 8
"""Plays that are compared."""
PARTICLES = 100
"""Particles of each thread, unless simulations are few."""
PARTICLE_SIMULATIONS = 40
"""Least simulations for each particle."""
REMEMBERED = 2000
"""Plays under way in sub-steps."""
SIMULATION = 40.0
"""Microseconds of one, in the order of magnitude."""


@kernel
def rank_plays(policy, rules, view, ids, plays, sums):
    """Write the plays that come into question, the most promising first; return how many.

    One that needs no thought is alone.
    """
    n, k = consider(policy, rules, view, ids, plays, sums)
    if k >= 0:
        plays[0] = plays[k]
        return 1
    order = np.argsort(-sums[:n], kind="mergesort")
    plays[:n] = plays[:n][order]
    return n


class SearchAgent:
    """Compares plays by simulation.

    Attributes:
        name: What tables and records call it.
    """

    def __init__(self, game: Game, name: str, seed: int, weights: np.ndarray, **budget: Any):
        """Play `game`, Dou Dizhu with any options.

        Args:
            game: What is played.
            name: Of the agent.
            seed: Of the simulations.
            weights: Of `decompose`.
            **budget: Of `PairedSearch`.
        """
        self.game = game
        self.name = name
        self._rng = np.random.default_rng((seed, 0x5EA2C4))
        self._policy = policy_of(weights, sampled=False)
        # Who wins is one side or the other: payoffs of 1 and -1.
        self._flat = make_game(
            game.name, rules=game.options["rules"], bidding=False, objective="win"
        )
        policy = Styles(self._policy, 0)
        self._search = PairedSearch(self._flat, policy, span=2.0, **budget)
        self._ids = np.empty(self._flat.num_actions + 3, np.int32)
        self._decided: dict[bytes, int] = {}

    def act(self, view: State) -> int:
        """The action of the player to act."""
        if not self.game.options["substeps"]:
            return self._decide(view)
        # Kickers belong to the play that was found when the main group was asked for, and many
        # games may be played side by side.
        moment = view["hands"].tobytes() + view["history"][: view["moves"]].tobytes()
        if moment not in self._decided:
            if len(self._decided) == REMEMBERED:
                del self._decided[next(iter(self._decided))]
            self._decided[moment] = self._decide(view)
        return int(next_step(self.game.rules, view, self._decided[moment], self._ids))

    def _decide(self, view: State) -> int:
        """A flat play or bid."""
        rules = self._flat.rules
        if view["landlord"] < 0:
            return int(choose_bid(rules, view))
        return self._search.best(view, self.plays(view), self._rng)

    def plays(self, view: State) -> np.ndarray:
        """The flat plays to be compared, the most promising first, int64 [n]."""
        plays, sums = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES)
        n = rank_plays(self._policy, self._flat.rules, view, self._ids, plays, sums)
        return plays[: min(n, WIDTH)]


def read_search(
    agent: str, argument: str | None, threads: int | None = None, worlds: int | None = None
) -> tuple[str, dict[str, Any], str | None]:
    """The name of a searching agent, arguments for `PairedSearch`, and the path behind the budget.

    Args:
        agent: Its plain name.
        argument: A budget, with worlds and a path; None: 100 ms.
        threads: Searches side by side; None: by the argument one, or all cores.
        worlds: Of each thread; None: those of the argument.

    Raises:
        InputError: An argument or an option that it cannot use.
    """
    name = str(AgentSpec(agent, {"threads": threads, "worlds": worlds}, argument))
    budget, particles, path = read_budget(agent, argument or "100ms", threads)
    if worlds is not None:
        particles = whole_number(agent, "worlds", worlds, 0)
    if particles is None:
        particles = PARTICLES
        if "simulations" in budget:
            particles = max(BATCH, min(PARTICLES, budget["simulations"] // PARTICLE_SIMULATIONS))
    return name, {**budget, "particles": particles}, path


def describer(name: str) -> Callable[..., Traits]:
    """What is known of a searching agent: a function as `described` takes it."""

    def describe(game: Game, argument: str | None, **options: Any) -> Traits:
        _, budget, path = read_search(name, argument, **options)
        return traits(budget, path, SIMULATION)

    return describe


@described(describer("search"))
def make(
    game: Game,
    seed: int,
    argument: str | None,
    threads: int | None = None,
    worlds: int | None = None,
) -> SearchAgent:
    """The agent `search`; `search:50ms`, `search:4000` or `search:4000x300:PATH` name the budget.

    Behind the `x` stands the number of particles of each thread; with `x0` all deals are taken as
    equally likely, and everybody for a `decompose`. The path is that of weights for `decompose`.
    The options `threads` and `worlds` say the same in brackets.

    Raises:
        InputError: An argument that it cannot use.
    """
    name, budget, path = read_search("search", argument, threads, worlds)
    return SearchAgent(game, name, seed, load(path), **budget)

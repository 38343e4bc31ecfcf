"""The agent `search`: determinised search over the plays that `decompose` rates highest.

1. List the plays that `decompose` rates highest.
2. Draw determinisations and weight them by the likelihood of the play so far: particles
   (`closedhand.search.particles`).
3. Compare the plays on the same particles (`closedhand.search.paired`). In the playouts `decompose`
   plays all seats except those whose players are taken for `rule` (`styles.py`).
4. When few cards remain, solve the open hands exactly instead of a playout (`styles.py`).
5. Choose the play with which the player's side wins most often; stakes do not count.
"""

from functools import partial
from typing import Any

import numpy as np

from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.decompose.agent import DecomposeAgent, load, policy_of
from closedhand.agents.doudizhu.search.styles import Styles
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import described
from closedhand.core.batch import prepared
from closedhand.core.copies import OwnArrays
from closedhand.core.game import Game, InputError, State
from closedhand.core.numba.jit import Policy
from closedhand.core.registry import make_game
from closedhand.games.doudizhu.auction import is_opening
from closedhand.games.doudizhu.state import SEATS
from closedhand.games.doudizhu.substeps import next_step
from closedhand.search.budget import SearchArgument, Threads, Worlds, read_budget
from closedhand.search.paired import PairedSearch
from closedhand.search.particles import BATCH
from closedhand.search.ranking import Simulation

WIDTH = 8
"""Maximum number of plays that are compared."""
PARTICLES = 100
"""Particles per thread, unless the simulations are few."""
PARTICLE_SIMULATIONS = 40
"""Minimum simulations per particle."""
REMEMBERED = 2000
"""Maximum number of stored decisions, from which the kickers of a play are taken later."""
SIMULATION = 40.0
"""Order of magnitude of the time of a simulation, in microseconds."""


class SearchAgent(OwnArrays):
    """Agent that compares plays by simulation."""

    def __init__(
        self,
        game: Game,
        name: str,
        seed: int,
        weights: np.ndarray,
        simulated: Policy | None = None,
        **budget: Any,
    ) -> None:
        """Create the agent with weights of `decompose` and the budget of a `PairedSearch`.

        The policy `simulated` plays the simulations; None: `Styles`.
        """
        self.game = game
        self.name = name
        self._rng = np.random.default_rng((seed, 0x5EA2C4))
        # Only the winning side counts: payoffs of 1 and -1.
        self._flat = make_game(game.name, **{**game.flat.options, "objective": "win"})
        self._decompose = DecomposeAgent(self._flat, name, weights)
        self._simulated = simulated or Styles(self._decompose.whole, 0, knows_rule=True)
        self._weighted = budget.get("particles", 0) > 0
        self._search = PairedSearch(self._flat, self._simulated, **budget)
        self.spent = self._search.spent  # see `closedhand.core.agents.SPENT`
        self._ids = np.empty(self._flat.num_actions, np.int32)
        self._decided: dict[bytes, int] = {}

    def act(self, view: State) -> int:
        """Choose the action of the player to act.

        Raises:
            InputError: The view is not a state of the game.
        """
        (view,) = prepared(self.game, np.asarray(view)[np.newaxis])
        if not self.game.options["substeps"]:
            return self._decide(view)
        # The search for the main group has found the kickers as well. Plays are stored under hand,
        # public cards and history, as many games may be played in lockstep.
        known = view["hands"].tobytes() + view["public"].tobytes()
        position = known + view["history"][: view["moves"]].tobytes()
        if position not in self._decided:
            if len(self._decided) == REMEMBERED:
                del self._decided[next(iter(self._decided))]
            self._decided[position] = self._decide(view)
        return int(next_step(self.game.rules, view, self._decided[position], self._ids))

    def _decide(self, view: State) -> int:
        rules = self._flat.rules
        if is_opening(rules, view):
            return int(choose_bid(rules, view))
        return self.choose(view)

    def choose(self, view: State) -> int:
        """Choose a flat play while cards are played."""
        return self._search.best(view, self.plays(view), self._rng)

    def plays(self, view: State) -> np.ndarray:
        """List the flat plays to compare, the most promising first, int64 [n]."""
        plays, sums = self._decompose.rate_plays(view)
        best = np.argsort(-sums, kind="stable")[:WIDTH]
        return plays[best][sums[best] > -np.inf]

    def simulation(self, view: State) -> Simulation:
        """Describe the simulations: plays are rated by wins, words such as bids by payoffs.

        Among plays that differ in their kickers, the one leaving the best hand is the candidate.

        Raises:
            InputError: The kickers of a play are still to be chosen.
        """
        if view["group"] >= 0:
            raise InputError("a play in sub-steps is under way: its kickers are not ranked")
        if is_opening(self._flat.rules, view):
            policy = Styles(self._decompose.whole, 0, knows_rule=False, solves=False)
            return Simulation(self.game.flat, policy)
        return Simulation(
            self._flat, self._simulated, weighted=self._weighted,
            candidates=lambda view: self._decompose.rate_plays(view)[0],
        )  # fmt: skip


def search_settings(
    agent: str, argument: SearchArgument, threads: int | None, worlds: int | None
) -> tuple[str, dict[str, Any]]:
    """Make the name of a search agent and the arguments of `PairedSearch`.

    If `threads` or `worlds`, the particles per thread, is None, `argument` determines its value.
    """
    name = str(AgentSpec(agent, {"threads": threads, "worlds": worlds}, argument.text))
    budget = argument.spent(threads)
    if worlds is None:
        worlds = PARTICLES
        if "simulations" in budget:
            worlds = max(BATCH, min(PARTICLES, budget["simulations"] // PARTICLE_SIMULATIONS))
    return name, {**budget, "particles": worlds}


@described(
    lambda game, argument, **_: argument.traits(SIMULATION),
    reads=partial(read_budget, "search", "100ms"),
)
def make_search(
    game: Game, seed: int, argument: SearchArgument, threads: Threads = None, worlds: Worlds = None
) -> SearchAgent:
    """Make the agent `search`; `search:50ms`, `search:4000`, `search:4000:PATH` set the budget.

    `worlds` is the number of particles per thread. With `worlds=0` determinisations are unweighted,
    and `decompose` simulates all players. The path holds weights for `decompose`.

    Raises:
        InputError: The budget is 0, or the file cannot be read or holds other weights.
    """
    name, budget = search_settings("search", argument, threads, worlds)
    return SearchAgent(game, name, seed, load(argument.path), **budget)


def playouts(game: Game) -> tuple[Game, Styles] | None:
    """Return the game that the playouts play, and their policy; None for a game of two.

    The payoffs are 1 and -1, or those of the game if words before the lead set the stake.
    """
    if game.num_players < SEATS:
        return None
    styles = Styles(policy_of(load(None), sampled=False), 0, knows_rule=True)
    if game.flat.rules.has_words:
        return game.flat, styles._replace(solves=False)
    return make_game(game.name, rules=game.options["rules"], bidding=False, objective="win"), styles

"""The agents `monte-carlo`, `search` and `ismcts` of every game: search by simulation.

Playouts are uniformly random, or by the policy of an agent that decides in kernels:
`ismcts[policy=rule]:50ms`. Determinisations are drawn by the game's `redeal`, without weights. A
game's own agent of the same name takes precedence.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, make_agent, traits_of
from closedhand.core.copies import OwnArrays
from closedhand.core.game import Game, InputError, State
from closedhand.core.numba.jit import Policy
from closedhand.core.policies import policy_of
from closedhand.search.budget import SearchArgument, Threads, read_budget
from closedhand.search.ismcts import ISMCTS
from closedhand.search.monte_carlo import MonteCarlo
from closedhand.search.paired import PairedSearch
from closedhand.search.played import played
from closedhand.search.playout import Uniform, choose
from closedhand.search.ranking import Simulation

USUAL = "100ms"
"""Default budget."""
SIMULATION = 50.0
"""Rough time of a simulation, in microseconds."""
SALT = 0x5EA2C5
"""Keeps the draws of an agent apart from the deals of the same seed."""

Playouts = Annotated[
    str | None, "agent that decides in kernels, to play the simulations; random actions if absent"
]


def playout_policy(game: Game, agent: str | None) -> Policy:
    """Make the policy of playouts that plays like an agent; None: uniformly random.

    Raises:
        InputError: The agent cannot be made for this game, or it decides in Python.
    """
    if agent is None:
        return Uniform()
    policy = policy_of(make_agent(game, agent))
    if policy is None:
        raise InputError(f"the agent {agent} decides in Python: simulations need one with a kernel "
                         "policy")  # fmt: skip
    return played(game, policy)


class SearchAgent(OwnArrays):
    """Agent that searches at every decision with a choice."""

    def __init__(
        self, game: Game, name: str, seed: int, kind: Any, policy: Policy, **budget: Any
    ) -> None:
        """Play `game` by a search of the class `kind`, made with the arguments `budget`."""
        self.game, self.name, self.policy = game, name, policy
        self.search = kind(game, policy, **budget)
        self.spent = self.search.spent
        self.rng = np.random.default_rng((seed, SALT))

    def act(self, view: State) -> int:
        """Choose the action of the player to act."""
        if isinstance(self.search, PairedSearch):
            return self.search.best(view, self._own_first(view), self.rng)
        return self.search.best(view, self.rng)

    def simulation(self, view: State) -> Simulation:
        """Describe the simulations, by which `closedhand.search.rank` orders all legal actions."""
        return Simulation(self.game, self.policy)

    def _own_first(self, view: State) -> np.ndarray:
        """List the legal actions, the playout policy's own choice first."""
        legal = self.game.legal(view)
        if len(legal) == 1:
            return legal
        ids = np.empty(self.game.num_actions, np.int32)
        own = int(choose(self.policy, self.game.rules, view.copy(), self.rng, ids))
        return np.concatenate([legal[legal == own], legal[legal != own]])


def describe(game: Game, argument: SearchArgument, policy: str | None = None, **_: Any) -> Traits:
    """Return an agent's traits: the time by its budget, and the files of its playout policy."""
    files = () if policy is None else traits_of(game, policy).files
    return replace(argument.traits(SIMULATION), files=files)


def _maker(name: str, kind: Any) -> Callable[..., SearchAgent]:
    @described(describe, reads=partial(read_budget, name, USUAL))
    def make(
        game: Game, seed: int, argument: SearchArgument, threads: Threads = None,
        policy: Playouts = None,
    ) -> SearchAgent:  # fmt: skip
        """Make the agent; an argument such as `500` or `20ms` sets the budget.

        Raises:
            InputError: The argument is not a budget above 0, or `playout_policy` refuses `policy`.
        """
        if argument.path is not None:
            raise InputError(f"{name} takes a budget such as 500 or 20ms, not {argument.text!r}")
        playouts = playout_policy(game, policy)
        text = str(AgentSpec(name, {"threads": threads, "policy": policy}, argument.text))
        return SearchAgent(game, text, seed, kind, playouts, **argument.spent(threads))

    # Pickles find a function by its name.
    make.__name__ = make.__qualname__ = f"make_{name.replace('-', '_')}"
    return make


make_monte_carlo = _maker("monte-carlo", MonteCarlo)
make_search = _maker("search", PairedSearch)
make_ismcts = _maker("ismcts", ISMCTS)

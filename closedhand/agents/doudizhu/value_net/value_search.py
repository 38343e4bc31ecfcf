"""The agent `value-search`: search over the plays that `value-net` values most.

The plays are compared as by `search`, but `value-net` plays the simulations (`playouts.py`), and
what it says of the plays before any search counts as well.
"""

from typing import Any

import numpy as np

from closedhand.agents.doudizhu.decompose import agent as decompose
from closedhand.agents.doudizhu.search.agent import SearchAgent, search_settings, searching
from closedhand.agents.doudizhu.value_net import files
from closedhand.agents.doudizhu.value_net.agent import make_space, policy_of, rate
from closedhand.agents.doudizhu.value_net.network import Net, probability
from closedhand.agents.doudizhu.value_net.playouts import SIMULATION, playouts_by
from closedhand.core.game import Game, InputError, State
from closedhand.search.budget import SearchArgument, Threads, Worlds

WIDTH = 6
"""Maximum number of plays that are compared."""
MOST_BEHIND = 1.5
"""How far the value of a play may be behind the best one, a logarithm of odds."""
ERROR = 0.15
"""Standard error of the difference that the network sees between two plays, of 2 from a certain
loss to a certain win."""
REPLACED_ABOVE = 1.0
"""Number of standard errors by which a play has to be better than the network's own choice."""


class ValueSearchAgent(SearchAgent):
    """Compares the plays that a value network likes by its own play."""

    def __init__(self, game: Game, name: str, seed: int, net: Net, **budget: Any) -> None:
        """Create the agent.

        Args:
            game: Dou Dizhu with any options.
            name: Name of the agent.
            seed: Seed of the simulations.
            net: A network of `value-net`, trained to win.
            **budget: Budget of `PairedSearch`.
        """
        self._values = policy_of(net, "win")
        simulated = playouts_by(self._values)
        super().__init__(game, name, seed, decompose.load(None), simulated, **budget)
        self._space = make_space()

    def choose(self, view: State) -> int:
        """A flat play, while cards are played."""
        plays, values = self.rated(view)
        wins = 2 * np.array([probability(value) for value in values])
        return self._search.best(
            view, plays, self._rng, wins - wins[0], ERROR, above=REPLACED_ABOVE
        )

    def plays(self, view: State) -> np.ndarray:
        """The flat plays to be compared, the most promising first, int64 [n]."""
        return self.rated(view)[0]

    def rated(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """The plays to be compared, int64 [n], and their values, float64 [n]."""
        space = self._space
        n, k, _ = rate(self._values, self._flat.rules, view, self._ids, space)
        if k >= 0:
            return space.plays[k : k + 1].copy(), np.zeros(1)
        order = np.argsort(-space.values[:n], kind="stable")[:WIDTH]
        order = order[space.values[order] >= space.values[order[0]] - MOST_BEHIND]
        return space.plays[order], space.values[order]


@searching("value-search", SIMULATION, files.files_of)
def make_value_search(
    game: Game,
    seed: int,
    argument: SearchArgument,
    threads: Threads = None,
    worlds: Worlds = None,
) -> ValueSearchAgent:
    """The agent `value-search`; it takes what `search` takes, but the path is that of a network.

    Raises:
        InputError: The argument is invalid, or the network was not trained to win.
    """
    name, budget = search_settings("value-search", argument, threads, worlds)
    net, about = files.load(argument.path, "win")
    if about["objective"] != "win":
        raise InputError(f"{argument.path}: value-search takes a network trained for objective=win")
    return ValueSearchAgent(game, name, seed, net, **budget)

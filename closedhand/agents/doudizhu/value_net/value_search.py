"""The agent `value-search`: search over the plays of the greatest values by `value-net`.

It compares plays as `search` does (`search/agent.py`), with two differences. `value-net` plays the
simulations (`playouts.py`), and its values before the search count as a prior.
"""

from typing import Any

import numpy as np

from closedhand.agents.doudizhu.decompose import agent as decompose
from closedhand.agents.doudizhu.limits import check_three
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
"""Largest difference of a candidate's value from the best one, in log-odds."""
ERROR = 0.15
"""Standard error of the network's difference between two plays, on the scale from -1 to 1."""
REPLACED_ABOVE = 1.0
"""Standard errors by which a play has to exceed the network's own choice in order to replace it."""


class ValueSearchAgent(SearchAgent):
    """Agent that compares the plays of a value network by simulations of the same network."""

    def __init__(self, game: Game, name: str, seed: int, net: Net, **budget: Any) -> None:
        """Create the agent with a network that was trained to win, and a `PairedSearch` budget."""
        self._values = policy_of(net, "win")
        simulated = playouts_by(self._values)
        super().__init__(game, name, seed, decompose.load(None), simulated, **budget)
        self._space = make_space()

    def choose(self, view: State) -> int:
        """Choose a flat play while cards are played."""
        plays, values = self.rated(view)
        wins = 2 * np.array([probability(value) for value in values])  # a payoff is this less 1
        prior = wins - wins[0]
        return self._search.best(view, plays, self._rng, prior, ERROR, above=REPLACED_ABOVE)

    def rated(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """List plays to compare, int64 [n], and their log-odds to win, float64 [n], best first."""
        space = self._space
        n, k, _ = rate(self._values, self._flat.rules, view, self._ids, space)
        if k >= 0:
            return space.plays[k : k + 1].copy(), np.zeros(1)  # it needs no evaluation
        order = np.argsort(-space.values[:n], kind="stable")[:WIDTH]
        order = order[space.values[order] >= space.values[order[0]] - MOST_BEHIND]
        return space.plays[order], space.values[order]


@searching("value-search", SIMULATION, files.files_of)
def make_value_search(
    game: Game, seed: int, argument: SearchArgument, threads: Threads = None, worlds: Worlds = None
) -> ValueSearchAgent:
    """Make the agent `value-search`; its arguments are those of `search`, the path is a network's.

    Raises:
        InputError: The budget is 0, the file cannot be read or holds no network that was trained to
            win, or the game has two players.
    """
    check_three(game, "value-search")
    name, budget = search_settings("value-search", argument, threads, worlds)
    net, about = files.load(argument.path, "win")
    if about["objective"] != "win":
        raise InputError(f"{argument.path}: value-search takes a network trained for objective=win")
    return ValueSearchAgent(game, name, seed, net, **budget)

"""The agent `policy-search`: search over the plays that the policy network finds most probable.

The network's choice is the one that another play has to beat. The simulations are played by the
value network that comes with the package (`value_net/playouts.py`).
"""

from typing import Any

import numpy as np

from closedhand.baselines.doudizhu.decompose import agent as decompose
from closedhand.baselines.doudizhu.deeprocket import policy_net
from closedhand.baselines.doudizhu.search.agent import (
    WIDTH,
    SearchAgent,
    Worlds,
    describer,
    read_search,
)
from closedhand.baselines.doudizhu.value_net import agent as value_net, files
from closedhand.baselines.doudizhu.value_net.playouts import PLAYED_SINCE, playouts_by
from closedhand.baselines.doudizhu.variants import check_three
from closedhand.core.agents import described
from closedhand.core.game import Game, State
from closedhand.search.budget import Threads


class PolicySearchAgent(SearchAgent):
    """Compares the plays of a policy network by simulation."""

    def __init__(self, game: Game, name: str, seed: int, path: str | None, **budget: Any) -> None:
        """Create the agent.

        Args:
            game: Dou Dizhu with any options.
            name: Name of the agent.
            seed: Seed of the simulations.
            path: Path of the networks, as for the agent `policy-net`; None: those of the package.
            **budget: Budget of `PairedSearch`.

        Raises:
            InputError: There are no networks at the path.
        """
        values = value_net.policy_of(files.load(None, "win")[0], "win")
        super().__init__(game, name, seed, decompose.load(None), playouts_by(values), **budget)
        self._network = policy_net.make_policy_net(self._flat, seed, path)

    def plays(self, view: State) -> np.ndarray:
        """The flat plays to be compared, the most probable first, int64 [n]."""
        return self._network.rank(view, WIDTH).astype(np.int64)


@described(describer("policy-search", PLAYED_SINCE))
def make_policy_search(
    game: Game,
    seed: int,
    argument: str | None,
    threads: Threads = None,
    worlds: Worlds = None,
) -> PolicySearchAgent:
    """The agent `policy-search`; it takes what `search` takes, but the path is that of networks.

    Raises:
        InputError: The argument is invalid, or it is a game of two.
    """
    check_three(game, "policy-search")
    name, budget, path = read_search("policy-search", argument, threads, worlds)
    return PolicySearchAgent(game, name, seed, path, **budget)

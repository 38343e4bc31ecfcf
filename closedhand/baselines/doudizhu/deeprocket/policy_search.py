"""The agent `policy-search`: search over the plays that the policy network finds most probable.

As `search`, but for which plays are compared, and that the network's choice is the one that another
has to beat.
"""

from typing import Any

import numpy as np

from closedhand.baselines.doudizhu.decompose import agent as decompose
from closedhand.baselines.doudizhu.deeprocket import policy_net
from closedhand.baselines.doudizhu.search.agent import (
    WIDTH,
    SearchAgent,
    describer,
    read_search,
)
from closedhand.core.agents import described
from closedhand.core.game import Game, State


class PolicySearchAgent(SearchAgent):
    """Compares the plays of a policy network by simulation."""

    def __init__(self, game: Game, name: str, seed: int, path: str | None, **budget: Any) -> None:
        """Play `game`, Dou Dizhu with any options.

        Args:
            game: What is played.
            name: Of the agent.
            seed: Of the simulations.
            path: Of the networks, as the agent `policy-net` takes it; None: those of the package.
            **budget: Of `PairedSearch`.

        Raises:
            InputError: No networks there.
        """
        super().__init__(game, name, seed, decompose.load(None), **budget)
        self._network = policy_net.make(self._flat, seed, path)

    def plays(self, view: State) -> np.ndarray:
        """The flat plays to be compared, the most probable first, int64 [n]."""
        return self._network.rank(view, WIDTH).astype(np.int64)


@described(describer("policy-search"))
def make(
    game: Game,
    seed: int,
    argument: str | None,
    threads: int | None = None,
    worlds: int | None = None,
) -> PolicySearchAgent:
    """The agent `policy-search`, with what `search` takes, but a path is that of networks.

    Raises:
        InputError: An argument that it cannot use.
    """
    name, budget, path = read_search("policy-search", argument, threads, worlds)
    return PolicySearchAgent(game, name, seed, path, **budget)

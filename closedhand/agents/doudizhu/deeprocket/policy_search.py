"""The agent `policy-search`: search over the plays that the policy network finds most probable.

The package's value network gives the prior values and plays the simulations, as in `value-search`
(`value_net/value_search.py`).
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.agents.doudizhu.deeprocket import policy_net
from closedhand.agents.doudizhu.search.agent import WIDTH
from closedhand.agents.doudizhu.value_net import files
from closedhand.agents.doudizhu.value_net.agent import rate
from closedhand.agents.doudizhu.value_net.value_search import MOST_BEHIND, ValueSearchAgent
from closedhand.core.game import Game, State


class PolicySearchAgent(ValueSearchAgent):
    """Agent that compares the plays of a policy network by simulation.

    `networks` are the files of its networks, by kind; `budget` is that of a `PairedSearch`.
    """

    def __init__(
        self, game: Game, name: str, seed: int, networks: Mapping[str, Path], **budget: Any
    ) -> None:
        super().__init__(game, name, seed, files.load(None, "win")[0], **budget)
        self._network = policy_net.load(self._flat, name, **networks)

    def rated(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """List the plays to compare, the most probable first, int64 [n], and log-odds to win [n].

        All plays of a main group have the value of the candidate of `value-net`; -inf: not rated.
        """
        space, group = self._space, self._flat.rules.plays.group
        n, k, _ = rate(self._values, self._flat.rules, view, self._ids, space)
        if k >= 0:
            return space.plays[k : k + 1].copy(), np.zeros(1)  # it needs no evaluation
        plays = self._network.rank(view, WIDTH).astype(np.int64)
        known = dict(zip(group[space.plays[:n]].tolist(), space.values[:n], strict=True))
        values = np.array([known[each] for each in group[plays].tolist()])
        near = values >= values.max() - MOST_BEHIND
        near[0] = True
        return plays[near], values[near]

"""The agent `policy-search`: search over the plays that the policy network finds most probable.

The network's choice is the one that another play has to beat. The value network that comes with the
package says what to expect of each play and plays the simulations, as in `value-search`.
"""

from typing import Any

import numpy as np

from closedhand.baselines.doudizhu.deeprocket import policy_net
from closedhand.baselines.doudizhu.search.agent import WIDTH, describer, read_search
from closedhand.baselines.doudizhu.value_net import files
from closedhand.baselines.doudizhu.value_net.agent import rate
from closedhand.baselines.doudizhu.value_net.playouts import SIMULATION
from closedhand.baselines.doudizhu.value_net.value_search import MOST_BEHIND, ValueSearchAgent
from closedhand.baselines.doudizhu.variants import check_three
from closedhand.core.agents import described
from closedhand.core.game import Game, State
from closedhand.search.budget import Threads, Worlds


class PolicySearchAgent(ValueSearchAgent):
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
        super().__init__(game, name, seed, files.load(None, "win")[0], **budget)
        self._network = policy_net.make_policy_net(self._flat, seed, path)

    def rated(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """The plays to be compared, the most probable first, int64 [n], and their values [n].

        The value network knows one play of each main group, whatever its kickers.
        """
        space, group = self._space, self._flat.rules.plays.group
        n, k, _ = rate(self._values, self._flat.rules, view, self._ids, space)
        if k >= 0:
            return space.plays[k : k + 1].copy(), np.zeros(1)
        plays = self._network.rank(view, WIDTH).astype(np.int64)
        known = dict(zip(group[space.plays[:n]].tolist(), space.values[:n], strict=True))
        values = np.array([known[each] for each in group[plays].tolist()])
        near = values >= values.max() - MOST_BEHIND
        near[0] = True
        return plays[near], values[near]


@described(describer("policy-search", files.SINCE, SIMULATION))
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

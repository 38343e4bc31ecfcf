"""Base of agents that decide by a kernel."""

import numpy as np

from closedhand.core import batch
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import Policy, with_distinct_name
from closedhand.core.policies import decide_all


class KernelAgent:
    """Agent that decides by a policy, on many views in one call.

    Attributes:
        name: Name in results and records.
        game: Game that is played.
    """

    def __init__(self, game: Game, name: str, policy: Policy) -> None:
        """Play `game` by a policy.

        Args:
            game: Game to play.
            name: Name of the agent.
            policy: Policy that decides in this game (see `closedhand.core.policies`).
        """
        self.game = game
        self.name = name
        self._kernel_policy = with_distinct_name(policy)
        self._ids = np.empty(max(game.num_actions, game.flat.num_actions), np.int32)

    @property
    def kernel_policy(self) -> Policy:
        """Policy for envs that play the agent in kernels."""
        return self._kernel_policy

    def act(self, view: State) -> int:
        """Choose the action of the player to act.

        Raises:
            InputError: The view is not a state of the game.
        """
        return int(self.act_batch(np.asarray(view)[np.newaxis])[0])

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Choose an action, int32 [n], for each view, states [n].

        Raises:
            InputError: The views are not states of the game.
        """
        views = batch.prepared(self.game, views)
        actions = np.empty(len(views), np.int32)
        decide_all(self._kernel_policy, self.game.rules, views, self._ids, actions)
        return actions

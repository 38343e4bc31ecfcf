"""Base classes of agents whose policies decide in kernels."""

from typing import NamedTuple

import numpy as np

from closedhand.core import batch, policies
from closedhand.core.batch_agent import next_step
from closedhand.core.copies import OwnArrays
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import Policy, kernel, with_distinct_name


class KernelAgent(OwnArrays):
    """Agent that decides by a policy in kernels, on any number of views in one call."""

    def __init__(self, game: Game, name: str, policy: Policy) -> None:
        """Play `game` by a policy whose module defines `decide` (`closedhand.core.policies`)."""
        self.game = game
        self.name = name
        self.kernel_policy = with_distinct_name(policy)  # envs and searches play it in kernels
        self._ids = np.empty(max(game.num_actions, game.flat.num_actions), np.int32)

    def act(self, view: State) -> int:
        """Choose the action of the player to act; an `InputError` refuses an invalid view."""
        return int(self.act_batch(np.asarray(view)[np.newaxis])[0])

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Choose actions, int32 [n], for views [n]; an `InputError` refuses invalid views."""
        views = batch.prepared(self.game, views)
        actions = np.empty(len(views), np.int32)
        policies.decide_all(self.kernel_policy, self.game.rules, views, self._ids, actions)
        return actions


class Stepwise(NamedTuple):
    """Policy that takes the next action towards the play of `whole`, a policy of `game.flat`."""

    kernels = "closedhand.agents.agent"

    whole: Policy


@kernel
def decide(policy, rules, view, ids):
    """Choose the next action towards the play that `policy.whole` chooses."""
    play = np.int64(policies.decide(policy.whole, rules.flat, view, ids))
    return np.int64(next_step(rules, view, play, ids))


class PlayAgent(KernelAgent):
    """Agent that plays by a policy of `game.flat`, also where actions are sub-steps or card sets.

    The policy decides again at every sub-step, so it must be deterministic.
    """

    def __init__(self, game: Game, name: str, policy: Policy) -> None:
        super().__init__(game, name, policy if game.flat is game else Stepwise(policy))
        self.whole = policy

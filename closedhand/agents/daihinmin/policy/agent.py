"""The agent `policy`: the likeliest action of the pattern policy, without search."""

import numpy as np

from closedhand.agents.agent import PlayAgent
from closedhand.agents.daihinmin.limits import check_known
from closedhand.agents.daihinmin.policy.pattern_policy import load, score_all
from closedhand.agents.daihinmin.policy.shared import options
from closedhand.core import batch
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, files_of
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.plays import NUM_ACTIONS


@kernel
def write_probabilities(policy, rules, views, ids, shares):
    """Write the policy's probabilities in views, states [n], to `shares`, float64 [n, NUM_ACTIONS].

    They are 0 for actions that `options` leaves out, such as a pass that leads a trick. `ids` is
    scratch space, int32 [NUM_ACTIONS].
    """
    shares[:] = 0.0
    scores = np.empty(NUM_ACTIONS)
    for i in range(len(views)):
        n = options(rules, views[i], ids)
        total = score_all(policy, rules, views[i], ids, n, scores)
        for k in range(n):
            shares[i, ids[k]] = scores[k] / total


class PolicyAgent(PlayAgent):
    """Agent that plays the likeliest action of the pattern policy."""

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return the softmax, float64 [n, num_actions]; an `InputError` refuses invalid views."""
        views = batch.prepared(self.game, views)
        shares = np.empty((len(views), NUM_ACTIONS))
        write_probabilities(self.whole, self.game.flat.rules, views, self._ids, shares)
        if self.game.flat is self.game:
            return shares
        sets = np.zeros((len(views), self.game.num_actions))
        np.add.at(sets.T, self.game.rules.tables.set_of, shares.T)  # sums over the plays of a set
        return sets


@described(lambda game, argument: Traits(files_of(argument), microseconds=5.0, steady=True))
def make_policy(game: Game, seed: int, argument: str | None) -> PolicyAgent:
    """Make the agent `policy`, or `policy:FILE` with weights that training saved.

    Raises:
        InputError: The file is not of such weights, or `check_known` refuses the game.
    """
    check_known(game, "policy")
    return PolicyAgent(game, str(AgentSpec("policy", {}, argument)), load(argument))

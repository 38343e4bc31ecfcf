"""The bid module `value`: bids by the win probability of the landlord's network.

1. Deal the unseen cards at random, `DEALS` times; the bidder takes the public ones as landlord.
2. Take from each deal the win probability of the best lead, and average these.
3. Bid by that probability as the module `fitted` does (`bidding/modules.py`).
"""

import numpy as np

from closedhand.agents.doudizhu.bidding.modules import FITTED, KINDS, VALUE, BiddingAgent
from closedhand.agents.doudizhu.limits import check_three
from closedhand.agents.doudizhu.value_net import files
from closedhand.agents.doudizhu.value_net.agent import make_space, policy_of, rate
from closedhand.agents.doudizhu.value_net.network import probability
from closedhand.core.agents import Agent
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.auction import crown
from closedhand.games.doudizhu.hidden import redeal
from closedhand.games.doudizhu.state import Rules

DEALS = 32


@kernel
def chance_as_landlord(policy, rules, view, states, rng, ids):
    """Estimate the probability that the player to act in an auction wins as the landlord.

    `policy` is for the objective `win`, `rules` are flat, and `states` is scratch, states [1].
    """
    space = make_space()
    total = 0.0
    for _ in range(DEALS):
        states[0] = view
        state = states[0]
        redeal(rules, state, view.player, rng)
        crown(rules, state, view.player)
        n, k, _ = rate(policy, rules, state, ids, space)
        # The first lead is never forced: a play without evaluation empties the hand and wins.
        total += 1.0 if k >= 0 else probability(space.values[:n].max())
    return total / DEALS


class ValueBiddingAgent(BiddingAgent):
    """Agent that bids by the values of the package's network and plays as another agent.

    Raises:
        InputError: The game has no bidding, or two players.
    """

    def __init__(self, game: Game, player: Agent) -> None:
        check_three(game, f"bids:{VALUE}")
        super().__init__(game, KINDS[FITTED], player)
        self.name = f"bids:{VALUE}:{player.name}"
        self._policy = policy_of(files.load(None, "win")[0], "win")
        self._states = np.zeros(1, game.dtype)
        self._ids = np.empty(game.flat.num_actions, np.int32)

    def _worths(self, rules: Rules, views: np.ndarray, scores: np.ndarray) -> np.ndarray:
        worths = np.empty(len(views))
        for i, view in enumerate(views):
            # The hand is the seed, so that a hand always has the same probability.
            rng = np.random.default_rng(int(view["hands"][view["player"]]))
            worths[i] = chance_as_landlord(self._policy, rules, view, self._states, rng, self._ids)
        return worths

"""The agent `policy-net`: two networks modelled on the DeepRocket paper, without search.

1. Make bids by `bidding/modules.py`, and forced moves at once.
2. Let the policy network choose the main group: the legal one of the greatest probability.
3. If the group takes kickers, let the kicker network choose them one at a time in the same way (the
   paper's Figure 2).
"""

from pathlib import Path

import numpy as np

from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.deeprocket.networks import (
    Network,
    load as load_network,
    probabilities,
)
from closedhand.agents.doudizhu.deeprocket.pairs import KICKER_SIZE, KICKERS
from closedhand.agents.doudizhu.substep_agent import SubstepAgent
from closedhand.core.game import Game, InputError, State
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import planes, substeps
from closedhand.games.doudizhu.auction import is_opening
from closedhand.games.doudizhu.plays import GROUPS
from closedhand.games.doudizhu.state import clear
from closedhand.games.doudizhu.substeps import next_step
from closedhand.learning.torch_threads import one_thread_unless_chosen


@kernel
def decide_all(rules, views, ids, actions, legal):
    """Write the sub-step of every bid and every forced move into `actions`.

    Other views get -1: a network has to choose there. The numbers of legal sub-steps are written
    into `legal`, int64 [n].
    """
    for i in range(len(views)):
        actions[i] = -1
        legal[i] = substeps.legal(rules, views[i], ids)
        if is_opening(rules.flat, views[i]):
            actions[i] = next_step(rules, views[i], choose_bid(rules.flat, views[i]), ids)
        elif legal[i] == 1:
            actions[i] = ids[0]


@kernel
def look_all(rules, views, chosen, kickers, out, status, masks):
    """Encode the chosen views for the policy or the kicker network."""
    ids = np.empty(GROUPS + KICKERS, np.int32)
    masks[:] = False
    out[:] = 0
    for k in range(len(chosen)):
        view = views[chosen[k]]
        planes.draw_status(rules.flat, view, view.player, status[k])
        if kickers:
            substeps.draw_kickers(rules, view, out[k])
        else:
            planes.draw(rules.flat, view, view.player, out[k])
        for j in range(substeps.legal(rules, view, ids)):
            masks[k, ids[j] - (GROUPS if kickers else 0)] = True


def observation_of(
    rules: substeps.Rules, views: np.ndarray, chosen: np.ndarray, kickers: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Encode the inputs of one network for the chosen views.

    Args:
        rules: Rules of the sub-stepped game.
        views: States [m].
        chosen: Indices of some of the views, int64 [n].
        kickers: Whether the inputs are for the kicker network instead of the policy network.

    Returns:
        Planes, status and mask, as `Network.forward` takes them.
    """
    n = len(chosen)
    out = np.empty((n, KICKER_SIZE if kickers else planes.SIZE), np.int8)
    status = np.zeros((n, planes.STATUS), np.int8)
    masks = np.empty((n, KICKERS if kickers else GROUPS), bool)
    look_all(rules, views, chosen, kickers, out, status, masks)
    cells = KICKER_SIZE if kickers else planes.SIZE - planes.STATUS
    return out[:, :cells], status, masks


class PolicyNetAgent(SubstepAgent):
    """Agent that plays the most probable main group and kickers."""

    def __init__(self, game: Game, name: str, policy: Network, kicker: Network) -> None:
        """Create the agent for Dou Dizhu with any options."""
        super().__init__(game, name)
        self.policy = policy.eval()
        self.kicker = kicker.eval()
        self._ids = np.empty(self.substeps.num_actions, np.int32)

    def choose(self, views: np.ndarray) -> np.ndarray:
        """Choose the most probable sub-step of each view, int32 [n]."""
        # `decide_all` writes -1 where a network has to decide. A state has a main group (`group` >=
        # 0) only while its kickers are chosen. Outputs of the kicker network follow the main groups
        # in the ids of sub-steps.
        actions = np.empty(len(views), np.int32)
        decide_all(self.substeps.rules, views, self._ids, actions, np.empty(len(views), np.int64))
        picking = views["group"] >= 0
        for kickers in (False, True):
            chosen = np.flatnonzero((actions < 0) & (picking == kickers))
            if len(chosen):
                actions[chosen] = self._pick(views, chosen, kickers) + GROUPS * kickers
        return actions

    def step_probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return probabilities of sub-steps, float64 [n, sub-steps]; 1 for bids or forced moves."""
        actions, legal = np.empty(len(views), np.int32), np.empty(len(views), np.int64)
        decide_all(self.substeps.rules, views, self._ids, actions, legal)
        shares = np.zeros((len(views), self.substeps.num_actions))
        certain = np.flatnonzero(actions >= 0)
        shares[certain, actions[certain]] = 1.0
        picking = views["group"] >= 0
        for kickers in (False, True):
            chosen = np.flatnonzero((actions < 0) & (picking == kickers))
            if len(chosen):
                row = self._predict(views, chosen, kickers).astype(np.float64)
                first = GROUPS * kickers
                shares[chosen, first : first + row.shape[1]] = row / row.sum(1, keepdims=True)
        return shares

    def _pick(self, views: np.ndarray, chosen: np.ndarray, kickers: bool) -> np.ndarray:
        """Choose the outputs of one network in the chosen views, integers [n]."""
        return self._predict(views, chosen, kickers).argmax(axis=1)

    def _predict(self, views: np.ndarray, chosen: np.ndarray, kickers: bool) -> np.ndarray:
        """Compute the output probabilities of one network for the chosen views."""
        network = self.kicker if kickers else self.policy
        return probabilities(network, *observation_of(self.substeps.rules, views, chosen, kickers))

    def rank(self, view: State, width: int) -> np.ndarray:
        """List the plays of the most probable main groups, at most `width` flat ids, int32 [n]."""
        views = np.array([view], self.game.dtype)
        clear(views[0])
        row = self._predict(views, np.zeros(1, np.int64), False)[0]
        groups = np.argsort(-row, kind="stable")[: min(width, np.count_nonzero(row))]
        return self.complete(np.repeat(views, len(groups)), groups)

    def preferences(self, view: State) -> dict[str, float]:
        """List the probabilities of the legal sub-steps, the most probable first.

        Args:
            view: View of the player to act; not in an auction.

        Returns:
            Probabilities by text: of the main groups (`333+?`), or of the kickers (`+4`) if a main
            group is already chosen.

        Raises:
            InputError: The game is over or in its auction.
        """
        if is_opening(self.game.flat.rules, view) or self.game.over(view):
            raise InputError("the networks have preferences only while cards are played")
        kickers = bool(view.group >= 0)
        views = np.array([view], self.game.dtype)
        row = self._predict(views, np.zeros(1, np.int64), kickers)[0]
        order = sorted((-row[i], i) for i in range(len(row)) if row[i] > 0)
        return {self.substeps.text(i + GROUPS * kickers): float(-share) for share, i in order}


def load(game: Game, name: str, policy: Path, kicker: Path) -> PolicyNetAgent:
    """Load the agent that plays by the networks in two files.

    Raises:
        InputError: A file is missing, or does not hold such a network.
    """
    one_thread_unless_chosen()
    networks = load_network(policy, "policy")[0], load_network(kicker, "kicker")[0]
    return PolicyNetAgent(game, name, *networks)

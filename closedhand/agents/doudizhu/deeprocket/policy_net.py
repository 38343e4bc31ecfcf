"""The agents `policy-net` and `policy-search`: two networks modelled on the DeepRocket paper.

`policy-net` plays without search:

1. Say words, such as bids, by `bidding/modules.py`, and make forced moves at once.
2. Let the policy network choose the main group: the legal one of the greatest probability.
3. If the group takes kickers, let the kicker network choose them one at a time in the same way (the
   paper's Figure 2).

In a flat game these sub-steps are played on copies of the views until each play is complete. In
kernels `rules` are those of the game in sub-steps.

`policy-search` compares the plays that the policy network finds most probable. The package's value
network gives the prior values and plays the simulations, as in `value-search`
(`value_net/value_search.py`).
"""

from pathlib import Path
from typing import Any

import numpy as np

from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.deeprocket import networks
from closedhand.agents.doudizhu.deeprocket.pairs import KICKERS, empty_rows, write_inputs
from closedhand.agents.doudizhu.search.agent import WIDTH
from closedhand.agents.doudizhu.value_net import files
from closedhand.agents.doudizhu.value_net.agent import rate
from closedhand.agents.doudizhu.value_net.value_search import MOST_BEHIND, ValueSearchAgent
from closedhand.core.batch_agent import BatchAgent, through_substeps
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import planes, substeps
from closedhand.games.doudizhu.auction import is_opening, pass_id
from closedhand.games.doudizhu.game import in_substeps
from closedhand.games.doudizhu.plays import GROUPS, PASS_GROUP
from closedhand.games.doudizhu.state import clear
from closedhand.learning.torch_threads import one_thread_unless_chosen


@kernel
def decide_all(rules, views, ids, actions):
    """Write words and forced moves as sub-steps to `actions`, int32 [n]; -1: a network chooses."""
    for i in range(len(views)):
        actions[i] = -1
        legal = substeps.legal(rules, views[i], ids)
        if is_opening(rules.flat, views[i]):
            bid = choose_bid(rules.flat, views[i])
            actions[i] = substeps.next_step(rules, views[i], bid, ids)
        elif legal == 1:
            actions[i] = ids[0]


@kernel
def write_all(rules, views, chosen, kickers, out, masks):
    """Write the inputs for `views[chosen]` into `out` and `masks`, by `pairs.write_inputs`."""
    ids = np.empty(GROUPS + KICKERS, np.int32)
    for k in range(len(chosen)):
        write_inputs(rules, views[chosen[k]], kickers, out[k], masks[k], ids)


@kernel
def play_each(rules, views, chosen, steps, actions):
    """Play `steps[k]` in view i = `chosen[k]`; set `actions[i]` if its flat action is complete."""
    for k in range(len(chosen)):
        i = chosen[k]
        step = np.int64(steps[k])
        if is_opening(rules.flat, views[i]):
            # A word is converted, not played: the last pass of an auction would deal anew.
            value = 0 if step == PASS_GROUP else step - substeps.FIRST_BID + 1
            actions[i] = pass_id(rules.flat) + value
            continue
        move = views[i].moves
        substeps.play(rules, views[i], step)
        if views[i].moves > move:
            actions[i] = views[i].history[move]


def observation_of(
    rules: substeps.Rules, views: np.ndarray, chosen: np.ndarray, kickers: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Encode the views of indices `chosen` as planes, status and mask; see `Network.forward`."""
    out, masks = empty_rows(len(chosen), kickers)
    write_all(rules, views, chosen, kickers, out, masks)
    return out[:, : -planes.STATUS], out[:, -planes.STATUS :], masks


class PolicyNetAgent(BatchAgent):
    """Agent that plays the most probable main group and kickers, in flat games and in sub-steps."""

    def __init__(
        self, game: Game, name: str, policy: networks.Network, kicker: networks.Network
    ) -> None:
        super().__init__(game, name)
        self.substeps = in_substeps(game.flat)
        self.policy, self.kicker = policy.eval(), kicker.eval()
        self._ids = np.empty(self.substeps.num_actions, np.int32)

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Choose an action, int32 [n], for each view, states [n]."""
        steps = self.choose(views)
        return steps if self.game.options["substeps"] else self.complete(views, steps)

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return the probabilities of the actions, float64 [n, num_actions].

        In a flat game the probability of a play is that of its main group times those of its
        kickers. `act` takes the most probable sub-step at every step, so that the most probable
        play may be another one.
        """
        if self.game.options["substeps"]:
            return self.step_probabilities(views)

        def play(states: np.ndarray, steps: np.ndarray) -> np.ndarray:
            actions = np.full(len(states), -1, np.int32)
            play_each(self.substeps.rules, states, np.arange(len(states)), steps, actions)
            return actions

        return through_substeps(views, self.game.num_actions, self.step_probabilities, play)

    def complete(self, views: np.ndarray, steps: np.ndarray) -> np.ndarray:
        """Complete the sub-step `steps[i]` in each view i to a flat action; return int32 [n]."""
        views = views.copy()
        actions = np.full(len(views), -1, np.int32)
        unfinished = np.arange(len(views))
        while len(unfinished):
            play_each(self.substeps.rules, views, unfinished, steps, actions)
            unfinished = np.flatnonzero(actions < 0)
            if len(unfinished):
                steps = self.choose(views[unfinished])
        return actions

    def choose(self, views: np.ndarray) -> np.ndarray:
        """Choose the most probable sub-step of each view, int32 [n]."""
        actions, parts = self._begin(views)
        for kickers, chosen in parts:  # ids of kickers follow those of the `GROUPS` main groups
            actions[chosen] = self._pick(views, chosen, kickers) + GROUPS * kickers
        return actions

    def step_probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return probabilities of sub-steps, float64 [n, sub-steps]; 1 for words, forced moves."""
        actions, parts = self._begin(views)
        shares = np.zeros((len(views), self.substeps.num_actions))
        certain = np.flatnonzero(actions >= 0)
        shares[certain, actions[certain]] = 1.0
        for kickers, chosen in parts:
            row = self._predict(views, chosen, kickers).astype(np.float64)
            first = GROUPS * kickers
            shares[chosen, first : first + row.shape[1]] = row / row.sum(1, keepdims=True)
        return shares

    def _begin(self, views: np.ndarray) -> tuple[np.ndarray, list[tuple[bool, np.ndarray]]]:
        """Choose words and forced moves, int32 [n], -1 elsewhere; list other views by network."""
        # An entry of the list: whether it is for the kicker network, and the indices of its views.
        actions = np.empty(len(views), np.int32)
        decide_all(self.substeps.rules, views, self._ids, actions)
        picking = views["group"] >= 0  # a state has a main group only while its kickers are chosen
        parts = [(k, np.flatnonzero((actions < 0) & (picking == k))) for k in (False, True)]
        return actions, [(kickers, chosen) for kickers, chosen in parts if len(chosen)]

    def _pick(self, views: np.ndarray, chosen: np.ndarray, kickers: bool) -> np.ndarray:
        """Choose the outputs of one network in the chosen views, integers [n]."""
        return self._predict(views, chosen, kickers).argmax(axis=1)

    def _predict(self, views: np.ndarray, chosen: np.ndarray, kickers: bool) -> np.ndarray:
        """Compute the probabilities of one network in the chosen views, float32 [n, outputs]."""
        seen = observation_of(self.substeps.rules, views, chosen, kickers)
        return networks.probabilities(self.kicker if kickers else self.policy, *seen)

    def rank(self, view: State, width: int) -> np.ndarray:
        """List a play of each of the `width` likeliest main groups, best first; flat ids, int32."""
        views = np.array([view], self.game.dtype)
        clear(views[0])
        row = self._predict(views, np.zeros(1, np.int64), False)[0]
        groups = np.argsort(-row, kind="stable")[: min(width, np.count_nonzero(row))]
        return self.complete(np.repeat(views, len(groups)), groups)


def load(game: Game, name: str, policy: Path, kicker: Path) -> PolicyNetAgent:
    """Load the agent that plays by two files, with the errors of `networks.load`."""
    one_thread_unless_chosen()
    pair = networks.load(policy, "policy")[0], networks.load(kicker, "kicker")[0]
    return PolicyNetAgent(game, name, *pair)


class PolicySearchAgent(ValueSearchAgent):
    """Agent that compares the plays of a policy network by simulation.

    `paths` are the files of its networks, by kind; `budget` is that of a `PairedSearch`.
    """

    def __init__(
        self, game: Game, name: str, seed: int, paths: dict[str, Path], **budget: Any
    ) -> None:
        super().__init__(game, name, seed, files.load(None, "win")[0], **budget)
        self._network = load(self._flat, name, **paths)

    def rated(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """List the plays to compare, the most probable first, int64 [n], and log-odds to win [n].

        The odds are those of `value-net` for a play of the same main group; -inf: not rated. Plays
        more than `MOST_BEHIND` behind the best odds are left out, except the most probable play.
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

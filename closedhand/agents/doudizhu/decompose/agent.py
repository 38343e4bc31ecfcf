"""The agent `decompose`: rates each play by its features and the hand that it leaves.

1. List one play for each legal main group, with the kickers that leave the cheapest hand
   (`partition.py`).
2. Make a play that empties the hand, or the only play, at once.
3. Describe each play by features (`features.py`): the play itself, the play to beat, the groups of
   other players that may beat it, the groups of the remaining hand, and the cards left to the other
   players.
4. Add up the weights of the features, which are tuned in duplicate self-play (`tuning.py`).
5. Choose the play with the greatest sum; in training, draw one by a softmax over the sums.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from closedhand.agents.doudizhu.agent import RatingAgent
from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.decompose import partition
from closedhand.agents.doudizhu.decompose.features import (
    FEATURES,
    MOST_FEATURES,
    describe,
    inputs_of,
)
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, files_of
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.auction import is_opening, pass_id
from closedhand.games.doudizhu.hidden import cards_of_others
from closedhand.learning import policy_gradient

CANDIDATES = 160
"""Room for the main groups of a hand, and the pass. A search over hands of 20 cards, the most that
any rules deal, finds at most 94, for a hand of six trios in a row and a pair next to them."""


class Policy(NamedTuple):
    """The policy of the agent and of playouts."""

    kernels = "closedhand.agents.doudizhu.decompose.agent"

    table: np.record  # weights of the features, from `policy_gradient.weights_record`
    sampled: bool  # whether plays are drawn by softmax; otherwise the greatest sum is chosen


@kernel
def list_plays(rules, state, ids, costs, nodes, plays):
    """Write a play, its id without sub-steps, for each legal main group but shuttles; a pass last.

    Its kickers are those that leave the cheapest hand, the lowest ones among equals. The outputs
    are `plays`, int64 [CANDIDATES], and `costs`, see `set_costs`; `ids` and `nodes` are scratch.
    Return the number of plays, and the index of a play that needs no evaluation because it is the
    only one or empties the hand; -1 if there is none.
    """
    partition.set_costs(cards_of_others(rules, state, state.player), costs)
    hand = state.hands[state.player]
    strength = flat.least_strength(rules, state)
    n = 0
    for i in range(flat.legal_groups(rules, state, ids)):
        group = rules.plays.groups[ids[i]]
        best, least = -1, 10_000
        if group.kickers == 0:
            best = np.int64(group.first)
        else:
            for play in range(group.first, group.end):
                if flat.allows(rules.plays, hand, play, strength):
                    spent = partition.partition(hand - rules.plays.need[play], costs, nodes)[0]
                    if spent < least:
                        best, least = np.int64(play), spent
        if best >= 0:
            plays[n] = best
            n += 1
    if state.target >= 0:
        plays[n] = pass_id(rules)
        n += 1
    if n == 1:
        return n, 0
    for k in range(n):
        if rules.plays.need[plays[k]] == hand:
            return n, k
    return n, -1


@kernel
def weigh(policy, rules, state, plays, n, costs, nodes, sums, features, numbers):
    """Rate each of `n` plays, flat ids, by the sum of the weights of its features.

    The outputs are `sums`, float64 [n], `features`, int64 [n, MOST_FEATURES], and their `numbers`,
    int64 [n]. If `features` has room for one play only, each play overwrites the previous one.
    `costs`, from `set_costs`, and the scratch space `nodes` are as for `partition`.
    """
    seen = inputs_of(rules, state)
    cost_before = partition.partition(state.hands[state.player], costs, nodes)[0]
    for k in range(n):
        row = features[k % len(features)]
        numbers[k] = describe(rules, state, seen, plays[k], cost_before, costs, nodes, row)
        total = 0.0
        for f in range(numbers[k]):
            total += policy.table.weights[row[f]]
        sums[k] = total


@kernel
def consider(policy, rules, state, ids, plays, sums):
    """Write the candidate plays, int64, and their sums of weights, float64, both [CANDIDATES].

    The results are those of `list_plays`; the sums are valid only if the index is -1.
    """
    nodes = np.empty(partition.MOST_NODES, partition.NODE)
    costs = np.empty((partition.ROWS, 15), np.int64)
    n, k = list_plays(rules, state, ids, costs, nodes, plays)
    if k < 0:
        features = np.empty((1, MOST_FEATURES), np.int64)
        numbers = np.empty(CANDIDATES, np.int64)
        weigh(policy, rules, state, plays, n, costs, nodes, sums, features, numbers)
    return n, k


@kernel
def choose(policy, rules, state, rng, ids):
    """Choose a play by the policy; one that wins at once takes precedence."""
    plays = np.empty(CANDIDATES, np.int64)
    sums = np.empty(CANDIDATES)
    n, k = consider(policy, rules, state, ids, plays, sums)
    if k < 0 and policy.sampled:
        k = policy_gradient.draw(sums, n, policy_gradient.exponentials(sums, n), rng)
    elif k < 0:
        k = np.argmax(sums[:n])
    return plays[k]


@kernel
def worthwhile(policy, rules, state, out):
    """Write all legal actions for `alpha_beta`, highest ids first, a pass last; return how many."""
    n = flat.legal(rules, state, out)
    end = n - 1 if state.target >= 0 else n
    for i in range(end // 2):
        out[i], out[end - 1 - i] = out[end - 1 - i], out[i]
    return n


@kernel
def decide(policy, rules, view, ids):
    """Choose the play with the greatest sum of weights, or a bid."""
    if is_opening(rules, view):
        return np.int64(choose_bid(rules, view))
    plays = np.empty(CANDIDATES, np.int64)
    sums = np.empty(CANDIDATES)
    n, k = consider(policy, rules, view, ids, plays, sums)
    return plays[np.argmax(sums[:n]) if k < 0 else k]


def policy_of(weights: np.ndarray, sampled: bool = True) -> Policy:
    """Make the policy with the given weights, [FEATURES]."""
    return Policy(policy_gradient.weights_record(weights), sampled)


def load(path: str | None) -> np.ndarray:
    """Load weights, float32 [FEATURES], from a file of `closedhand train`, or the package's.

    Raises:
        InputError: The file cannot be read, or holds other weights.
    """
    if path is None:
        return policy_gradient.shipped_weights("doudizhu_decompose", FEATURES)
    return policy_gradient.read_weights(Path(path), FEATURES)


class DecomposeAgent(RatingAgent):
    """Agent that makes the play with the greatest sum of `weights`, float32 [FEATURES]."""

    def __init__(self, game: Game, name: str, weights: np.ndarray) -> None:
        super().__init__(game, name, policy_of(weights, sampled=False))

    def rate_plays(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """List candidates and sums of weights; one to be made at once gets 0, the others -inf."""
        plays, sums = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES)
        n, k = consider(self.whole, self.game.flat.rules, view, self._ids, plays, sums)
        if k >= 0:
            sums[:n] = np.where(np.arange(n) == k, 0.0, -np.inf)
        return plays[:n], sums[:n]


@described(lambda game, argument: Traits(files_of(argument), microseconds=4))
def make_decompose(game: Game, seed: int, argument: str | None) -> DecomposeAgent:
    """Make `decompose`, or `decompose:PATH` with other weights; errors are those of `load`."""
    name = str(AgentSpec("decompose", argument=argument))
    return DecomposeAgent(game, name, load(argument))

"""The agent `decompose`: rates each play by its features and the hand that it leaves.

1. List one play for each legal main group, with the kickers that leave the cheapest hand
   (`partition.py`).
2. Make a play that empties the hand, or the only play, at once.
3. Describe each play by features (`features.py`): the play itself, the play to beat, the groups of
   other players that may beat it, the groups of the remaining hand, and the cards left to the other
   players.
4. Add up the weights of the features, which are tuned in duplicate self-play (`tuning.py`).
5. Choose the play with the greatest sum. The policy of playouts draws by a softmax over the sums.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from closedhand.agents.doudizhu.agent import RatingAgent
from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.decompose.features import (
    FEATURES,
    MOST_FEATURES,
    describe,
    observation_of,
)
from closedhand.agents.doudizhu.decompose.partition import (
    MOST_NODES,
    NODE,
    ROWS,
    partition,
    set_costs,
)
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, files_of
from closedhand.core.game import Game, InputError, State
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.auction import is_opening, pass_id
from closedhand.games.doudizhu.counts import contains
from closedhand.games.doudizhu.hidden import cards_of_others
from closedhand.learning.policy_gradient import (
    draw,
    exponentials,
    read_weights,
    shipped_weights,
    weights_record,
)

CANDIDATES = 160
"""Room for the main groups of a hand, and the pass.

A search over hands of 20 cards, the most that any rules deal, finds at most 94: six trios in a row
and a pair next to them.
"""


class Policy(NamedTuple):
    """The policy of playouts.

    Attributes:
        table: Weights of the features, `weights_record`.
        sampled: Whether plays are drawn by softmax; otherwise the one of the greatest sum is
            chosen.
    """

    kernels = "closedhand.agents.doudizhu.decompose.agent"

    table: np.record
    sampled: bool


@kernel
def list_plays(rules, state, ids, costs, nodes, plays):
    """Write one flat play for every legal main group, the pass last; return their number.

    The kickers of a play are those that leave the cheapest hand, the lowest ones among equals.
    `plays` is the output, int64 [CANDIDATES]; `costs` is from `set_costs`, `nodes` as for
    `partition`.
    """
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
                if contains(hand, rules.plays.need[play]) and (
                    strength == 0 or rules.plays.strength[play] >= strength
                ):
                    spent = partition(hand - rules.plays.need[play], costs, nodes)[0]
                    if spent < least:
                        best, least = np.int64(play), spent
        if best >= 0:
            plays[n] = best
            n += 1
    if state.target >= 0:
        plays[n] = pass_id(rules)
        n += 1
    return n


@kernel
def settled(rules, state, plays, n):
    """Return the index of the only play, or of one that empties the hand, or -1 to evaluate all."""
    if n == 1:
        return 0
    for k in range(n):
        if rules.plays.need[plays[k]] == state.hands[state.player]:
            return k
    return -1


@kernel
def weigh(policy, rules, state, plays, n, costs, nodes, sums, features, numbers):
    """Write the sum of the weights of each of `n` plays, its features, and their number.

    The outputs are `sums`, float64 [n], `features`, int64 [n, MOST_FEATURES], and `numbers`,
    int64 [n]. If `features` has room for one play only, each play overwrites the previous one.
    `costs` and `nodes` are as for `partition`.
    """
    seen = observation_of(rules, state)
    keep = partition(state.hands[state.player], costs, nodes)[0]
    for k in range(n):
        row = features[k % len(features)]
        numbers[k] = describe(rules, state, seen, plays[k], keep, costs, nodes, row)
        total = 0.0
        for f in range(numbers[k]):
            total += policy.table.weights[row[f]]
        sums[k] = total


@kernel
def consider(policy, rules, state, ids, plays, sums):
    """Write the candidate plays, int64, and their sums of weights, float64, both [CANDIDATES].

    Returns:
        The number of candidates, and the index of the one to play without evaluation. The sums
        are valid only if this index is -1, for none.
    """
    nodes = np.empty(MOST_NODES, NODE)
    costs = np.empty((ROWS, 15), np.int64)
    set_costs(cards_of_others(rules, state, state.player), costs)
    n = list_plays(rules, state, ids, costs, nodes, plays)
    k = settled(rules, state, plays, n)
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
        k = draw(sums, n, exponentials(sums, n), rng)
    elif k < 0:
        k = np.argmax(sums[:n])
    return plays[k]


@kernel
def worthwhile(policy, rules, state, out):
    """Write all legal actions, plays of many cards first, the pass last; return their number."""
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
    return Policy(weights_record(weights), sampled)


def load(path: str | None) -> np.ndarray:
    """Load weights, float32 [FEATURES], from a file of `closedhand train`, or the package's.

    Raises:
        InputError: The file cannot be read, or holds other weights.
    """
    if path is None:
        return shipped_weights("doudizhu_decompose", FEATURES)
    return read_weights(Path(path), FEATURES)


class DecomposeAgent(RatingAgent):
    """Agent that makes the play with the greatest sum of weights."""

    def __init__(self, game: Game, name: str, weights: np.ndarray) -> None:
        """Create the agent for `game`, Dou Dizhu with any options, with weights, [FEATURES]."""
        super().__init__(game, name, policy_of(weights, sampled=False))

    def rate_plays(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """List the candidates, one for each main group, and their sums of weights."""
        plays, sums = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES)
        n, k = consider(self.whole, self.game.flat.rules, view, self._ids, plays, sums)
        if k >= 0:
            sums[:n] = np.where(np.arange(n) == k, 0.0, -np.inf)
        return plays[:n], sums[:n]

    def preferences(self, view: State) -> dict[str, float]:
        """List the probabilities of plays under the policy of playouts, the greatest first.

        Raises:
            InputError: The game is over or in its auction.
        """
        if is_opening(self.game.flat.rules, view) or self.game.over(view):
            raise InputError("decompose has preferences only while cards are played")
        plays, shares = self.rate_plays(view)
        shares = np.exp(shares - shares.max())
        order = np.argsort(-shares, kind="stable")
        name = self.game.flat.text
        return {name(int(plays[i])): float(shares[i] / shares.sum()) for i in order}


@described(lambda game, argument: Traits(files_of(argument), microseconds=4))
def make_decompose(game: Game, seed: int, argument: str | None) -> DecomposeAgent:
    """Make the agent `decompose`, or `decompose:PATH` with weights of `closedhand train`.

    Raises:
        InputError: The path holds no weights.
    """
    name = str(AgentSpec("decompose", argument=argument))
    return DecomposeAgent(game, name, load(argument))

"""The agent `decompose`: takes hands apart, and weighs what each play leaves and what it does.

Of every main group that may be played the kickers are chosen that leave the hand which is cheapest
to play out (`partition.py`). Then a sum of weights decides, one for each feature of a play
(`features.py`): what it is, who is to beat, how many groups that others may hold beat it, what the
hand that it leaves falls apart into and how many of these groups are strong, whether an enemy or
the partner is about to play out. The weights are tuned in duplicate self-play (`tuning.py`). A
softmax over the same sums is the fast policy of playouts.
"""

from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from closedhand.baselines.doudizhu.agent import PlayAgent
from closedhand.baselines.doudizhu.bidding.modules import choose_bid
from closedhand.baselines.doudizhu.decompose.features import (
    FEATURES,
    MOST_FEATURES,
    cards_of_others,
    describe,
    look,
)
from closedhand.baselines.doudizhu.decompose.partition import (
    MOST_NODES,
    NODE,
    ROWS,
    partition,
    set_costs,
)
from closedhand.baselines.doudizhu.search.endgame import longest_first
from closedhand.baselines.learning.policy_gradient import (
    draw,
    exponentials,
    read_weights,
    shipped_weights,
)
from closedhand.core.agents import AgentSpec, Traits, described, files_of
from closedhand.core.game import Game, InputError, State
from closedhand.core.kernel import kernel
from closedhand.core.registry import flat_game
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.counts import contains

CANDIDATES = 160
"""More main groups than 20 cards can hold, and the pass."""

TABLE = np.dtype((np.record, [("weights", "f4", FEATURES)]))


class Policy(NamedTuple):
    """The policy of playouts.

    Attributes:
        table: The weights of the features, a record of `TABLE`.
        sampled: Whether plays are drawn by softmax; otherwise the greatest sum is chosen.
    """

    kernels = "closedhand.baselines.doudizhu.decompose.agent"

    table: np.record
    sampled: bool


@kernel
def list_plays(rules, state, ids, costs, nodes, plays):
    """Write a flat play of every main group that may be played, the pass last; return how many.

    Its kickers are those that leave the cheapest hand; at equal costs the lowest ones.
    """
    hand = state.hands[state.player]
    n = 0
    for i in range(flat.legal_groups(rules, state, ids)):
        group = rules.plays.groups[ids[i]]
        best, least = -1, 10_000
        if group.kickers == 0:
            best = np.int64(group.first)
        else:
            for play in range(group.first, group.end):
                if contains(hand, rules.plays.need[play]):
                    spent = partition(hand - rules.plays.need[play], costs, nodes)[0]
                    if spent < least:
                        best, least = np.int64(play), spent
        if best >= 0:
            plays[n] = best
            n += 1
    if state.target >= 0:
        plays[n] = flat.pass_id(rules)
        n += 1
    return n


@kernel
def settled(rules, state, plays, n):
    """Which of `n` plays is made without a thought: the only one, or one that ends the hand."""
    if n == 1:
        return 0
    for k in range(n):
        if rules.plays.need[plays[k]] == state.hands[state.player]:
            return k
    return -1


@kernel
def weigh(policy, rules, state, plays, n, costs, nodes, sums, features, numbers):
    """Write the sum of the weights of each play, and the features that it is the sum of.

    Where `features` has room for one play only, the next one is written over it.
    """
    seen = look(state)
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
    """Write the plays that come into question and the sum of the weights of each.

    Returns:
        How many there are; and which is made without a thought, -1 if none: then sums are valid.
    """
    nodes = np.empty(MOST_NODES, NODE)
    costs = np.empty((ROWS, 15), np.int64)
    set_costs(cards_of_others(state), costs)
    n = list_plays(rules, state, ids, costs, nodes, plays)
    k = settled(rules, state, plays, n)
    if k < 0:
        features = np.empty((1, MOST_FEATURES), np.int64)
        numbers = np.empty(n, np.int64)
        weigh(policy, rules, state, plays, n, costs, nodes, sums, features, numbers)
    return n, k


@kernel
def choose(policy, rules, state, rng, ids):
    """A play of the policy; one that ends the hand if there is one."""
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
    """All legal actions, in an order that ends exact searches early."""
    return longest_first(rules, state, out)


@kernel
def decide_all(policy, rules, views, ids, actions):
    """Write the play with the greatest sum of weights, or a bid, for every view."""
    plays = np.empty(CANDIDATES, np.int64)
    sums = np.empty(CANDIDATES)
    for i in range(len(views)):
        if views[i].landlord < 0:
            actions[i] = choose_bid(rules, views[i])
        else:
            n, k = consider(policy, rules, views[i], ids, plays, sums)
            actions[i] = plays[np.argmax(sums[:n]) if k < 0 else k]


def policy_of(weights: np.ndarray, sampled: bool = True) -> Policy:
    """The policy with these weights, [FEATURES]."""
    table = np.zeros(1, TABLE)[0]
    table.weights[:] = weights
    return Policy(table, sampled)


def load(path: str | None) -> np.ndarray:
    """The weights of a file that `closedhand train` saved, or of the package; float32 [FEATURES].

    Raises:
        InputError: The file cannot be read, or holds other weights.
    """
    if path is None:
        return shipped_weights("doudizhu_decompose", FEATURES)
    return read_weights(Path(path), FEATURES)


class DecomposeAgent(PlayAgent):
    """The strongest player without search."""

    def __init__(self, game: Game, name: str, weights: np.ndarray) -> None:
        """Play `game`, Dou Dizhu with any options, by weights, [FEATURES]."""
        policy = policy_of(weights, sampled=False)
        super().__init__(game, name, partial(decide_all, policy))
        self._policy = policy

    def preferences(self, view: State) -> dict[str, float]:
        """The probability of each play by the policy of playouts, the greatest first.

        Raises:
            InputError: The game is over or in its auction.
        """
        if view.landlord < 0 or self.game.over(view):
            raise InputError("decompose has preferences while cards are played only")
        rules = self._rules
        plays, sums = np.empty(CANDIDATES, np.int64), np.empty(CANDIDATES)
        n, k = consider(self._policy, rules, view, self._ids, plays, sums)
        shares = sums[:n] if k < 0 else np.where(np.arange(n) == k, 0.0, -np.inf)
        shares = np.exp(shares - shares.max())
        texts = flat_game(self.game.name, self.game.options).text
        order = np.argsort(-shares, kind="stable")
        return {texts(int(plays[i])): float(shares[i] / shares.sum()) for i in order}


@described(lambda game, argument: Traits(files_of(argument), microseconds=4))
def make(game: Game, seed: int, argument: str | None) -> DecomposeAgent:
    """The agent `decompose`, or `decompose:PATH` with weights that `closedhand train` saved.

    Raises:
        InputError: No weights there.
    """
    name = str(AgentSpec("decompose", argument=argument))
    return DecomposeAgent(game, name, load(argument))

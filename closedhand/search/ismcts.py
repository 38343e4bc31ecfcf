"""Information-set Monte Carlo tree search with a single observer, for any game with hidden hands.

Source: D. Whitehouse, E. J. Powley and P. I. Cowling, "Determinization and Information Set Monte
Carlo Tree Search for the Card Game Dou Di Zhu", CIG 2011 (SO-ISMCTS).

1. Draw a **determinisation**: a full state that fits what the player knows.
2. Descend one tree of actions, shared by all determinisations. Only actions that are legal in the
   drawn one are available. Choose the available child with the greatest upper confidence bound for
   its mover: mean + c * sqrt(ln(times available) / times chosen).
3. Where a legal action has no child yet, add one for a random such action.
4. Play on to the end by a policy.
5. Add to each child on the path the payoff of the player who chose it.
6. Repeat within the budget, then play the action of the root that was chosen most often.

A child counts how often it was available, since determinisations differ in their legal actions.
Payoffs are scaled to 0..1 by the least and the greatest met so far: the possible range may be much
wider, as with bombs in Dou Dizhu. Threads search trees of their own, and the counts of their roots
are added up. The tree also distinguishes actions that the observer cannot distinguish.
"""

import math
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.game import State
from closedhand.core.layout import record_type
from closedhand.core.numba.jit import Floats, Ids, Integer, Policy, Rng, Rules, States, kernel
from closedhand.search.budget import PIECE, Search
from closedhand.search.playout import choose, legal_actions

EXPLORATION = 0.7
"""The constant c of the bounds, for payoffs scaled to 0..1, as in the paper."""
NOTHING = -1
"""No node."""
DEEPEST = 4096
"""Maximum depth of the tree."""

NODE = record_type([
    ("total", "f8"),  # sum of the payoffs of the player who chose the action
    ("visits", "i8"),  # number of times that the action was chosen
    ("available", "i8"),  # number of times that it could have been chosen
    ("action", "i4"),  # action that leads here
    ("child", "i4"),  # first child, or NOTHING
    ("sibling", "i4"),  # next child of the parent, or NOTHING
])  # fmt: skip
"""A node of the tree; node 0 is the root."""


@kernel
def add_node(nodes: Any, used: int, parent: Integer, action: Integer) -> None:
    """Write node `used`, available once, as a child of `parent` (NOTHING for the root)."""
    node = nodes[used]
    node.total = 0.0
    node.visits = 0
    node.available = 1
    node.action = action
    node.child = NOTHING
    node.sibling = NOTHING
    if parent >= 0:
        node.sibling = nodes[parent].child
        nodes[parent].child = used


@kernel
def select(
    nodes: Any, node: Integer, n: Integer, ids: Ids, marks: Ids, stamp: int, low: float, high: float
) -> Integer:
    """Return the child of a node to descend to; `NOTHING` if a legal action has no child.

    The legal actions are `ids[:n]`. Their `marks`, int64 [num_actions], become `stamp`, or
    `stamp + 1` if they have a child; such children count as available once more. `stamp` must be
    greater than all marks. `low` and `high` are the least and the greatest payoff met so far.
    """
    for k in range(n):
        marks[ids[k]] = stamp
    tried = 0
    best, most = NOTHING, -np.inf
    scale = 1.0 / (high - low) if high > low else 0.0
    child = np.int64(nodes[node].child)
    while child != NOTHING:
        one = nodes[child]
        if marks[one.action] == stamp:
            marks[one.action] = stamp + 1
            tried += 1
            one.available += 1
            mean = (one.total / one.visits - low) * scale
            bound = mean + EXPLORATION * np.sqrt(np.log(one.available) / one.visits)
            if bound > most:
                best, most = child, bound
        child = np.int64(one.sibling)
    return best if tried == n else NOTHING


@kernel
def untried(n: Integer, ids: Ids, marks: Ids, stamp: int, rng: Rng) -> Integer:
    """Draw one of the legal actions without a child; `marks` are as `select` left them."""
    number = 0
    chosen = np.int64(ids[0])
    for k in range(n):
        if marks[ids[k]] == stamp:
            number += 1
            if rng.random() * number < 1.0:
                chosen = np.int64(ids[k])
    return chosen


@kernel
def grow(
    rules: Rules, policy: Policy, states: States, player: int, number: int, nodes: Any,
    used: int, stamp: int, marks: Ids, path: Ids, range_: Floats, payoffs: Floats, rng: Rng,
    ids: Ids,
) -> tuple[int, int]:  # fmt: skip
    """Run `number` simulations; return the number of nodes, and the last stamp.

    `states` are the view of `player` and a scratch state. `nodes` is the tree, with `used` nodes
    and room for one more in each simulation. `stamp` is the last one in `marks` (see `select`).
    `range_` holds the least and the greatest payoff met so far. Scratch space: `path`, int64
    [depth, 2], nodes and movers; `payoffs`, float64 [MAX_PLAYERS]; `ids`, int32 [num_actions].
    """
    for _ in range(number):
        states[1] = states[0]
        state = states[1]
        contract.redeal(rules, state, player, rng)
        node, depth = 0, 0
        while node != NOTHING and depth < len(path) and not contract.over(rules, state):
            n = contract.legal(rules, state, ids)
            stamp += 2  # `select` marks by stamp and stamp + 1, both new at each visit
            node = child = select(nodes, node, n, ids, marks, stamp, range_[0], range_[1])
            if child == NOTHING:
                child = used
                parent = path[depth - 1, 0] if depth else 0
                add_node(nodes, used, parent, untried(n, ids, marks, stamp, rng))
                used += 1
            path[depth, 0], path[depth, 1] = child, state.player
            depth += 1
            contract.play(rules, state, nodes[child].action)
        while not contract.over(rules, state):
            contract.play(rules, state, choose(policy, rules, state, rng, ids))
        contract.returns(rules, state, payoffs)
        for i in range(depth):
            payoff = payoffs[path[i, 1]]
            nodes[path[i, 0]].visits += 1
            nodes[path[i, 0]].total += payoff
            range_[0] = min(range_[0], payoff)
            range_[1] = max(range_[1], payoff)
    return used, stamp


class ISMCTS(Search):
    """Information-set Monte Carlo tree search for the player of a view."""

    def best(self, view: State, rng: Rng) -> int:
        """Choose an action of the player to act, given that player's view.

        With a budget of simulations, equal seeds and numbers of threads lead to equal actions.

        Raises:
            InputError: The game is over, or there is a choice and `rng` is not a generator.
        """
        legal = legal_actions(self._game, view)
        if len(legal) == 1:
            return int(legal[0])
        sums = self.judge(view, rng)
        return int(legal[np.argmax(sums[:, 0])])

    def judge(self, view: State, rng: Rng) -> Floats:
        """Run simulations; return their statistics, float64 [legal actions, 2].

        In the order of `game.legal`: how often each action was chosen, and the sum of its payoffs.

        Raises:
            InputError: The game is over, or `rng` is not a generator.
        """
        game, player = self._game, int(view["player"])
        legal = legal_actions(game, view)
        deadline = self._budget.deadline()

        def search(share: int, own_rng: Rng) -> Floats:
            """Grow a thread's tree by `share` simulations; return the statistics of `judge`."""
            nodes: Any = np.zeros(2 * PIECE, NODE)
            add_node(nodes, 0, NOTHING, NOTHING)
            states = np.repeat(np.array([view], game.dtype), 2)
            marks, ids = np.zeros(game.num_actions, np.int64), np.empty(game.num_actions, np.int32)
            path = np.empty((min(game.max_moves, DEEPEST), 2), np.int64)
            least_most = np.array([math.inf, -math.inf])
            payoffs = np.zeros(contract.MAX_PLAYERS)
            used, stamp = 1, 0
            for batch in self._batches(share, deadline):
                if used + batch > len(nodes):  # a simulation adds at most one node
                    nodes = np.concatenate([nodes, np.zeros(len(nodes), NODE)])
                used, stamp = grow(
                    self._rules, self._policy, states, player, batch, nodes, used, stamp, marks,
                    path, least_most, payoffs, own_rng, ids,
                )  # fmt: skip
            # Children are in another order than the legal actions.
            sums = np.zeros((len(legal), 2))
            child = int(nodes[0]["child"])
            while child != NOTHING:
                place = int(np.searchsorted(legal, int(nodes[child]["action"])))
                sums[place] = nodes[child]["visits"], nodes[child]["total"]
                child = int(nodes[child]["sibling"])
            return sums

        return self._add_up(search, self._budget.shares(), rng)

"""Exact values of strategies over a tree: value, best responses, NashConv.

1. Pass down the tree: compute the probability of each node from chance and the other players.
2. Pass up: compute the value of each node for a player, under the strategy or under the best action
   at each of the player's information sets (best response). The action is chosen after all nodes of
   the set have values, as the player cannot distinguish them.
3. NashConv is the sum over the players of the value of the best response less that of the strategy.

`sigma` is a strategy: probabilities by action, float64 [rows] for an `InfoTree` (see `Layout`).
"""

from typing import NamedTuple

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import (
    END,
    Evaluation,
    Tree,
    expect,
    ranges,
    reach_others,
    respond,
    value,
)
from closedhand.solvers.passes import reach
from closedhand.solvers.tree import InfoTree


@kernel
def best_value(tree, sigma, player, reached, values, gains):
    """Return the value of a best response; the last three arguments are overwritten.

    `reached` gets what `reach_others` writes, the other two what `respond` writes.
    """
    reach_others(tree, sigma, player, reached)
    respond(tree, reached, player, values, gains)
    return value(tree, values)


@kernel
def evaluate_all(tree, sigma, reached, values, gains, own, best):
    """Write the value of each player's best response to `best`, and that of `sigma` to `own`.

    `own` may end after the first players. `reached`, `values` and `gains` are scratch space.
    """
    for player in range(len(best)):
        best[player] = best_value(tree, sigma, player, reached, values, gains)
        if player < len(own):
            expect(tree, sigma, reached, player, values, gains)
            own[player] = value(tree, values)


class BestResponse(NamedTuple):
    """Expected payoff of a best response, and a strategy [rows] in which the player follows it."""

    value: float
    sigma: np.ndarray


def best_response(tree: InfoTree, sigma: np.ndarray, player: int) -> BestResponse:
    """Compute the best response of a player to the others' `sigma`, float64 [rows]."""
    nodes, gains = len(tree.player), np.empty(len(tree.actions))
    found = best_value(tree, sigma, player, np.empty(nodes), np.empty(nodes), gains)
    response = sigma.copy()
    own = tree.owner == player
    response[np.repeat(own, np.diff(tree.rows))] = 0.0
    response[_best_rows(tree, gains)[own]] = 1.0
    return BestResponse(found, response)


def _best_rows(tree: InfoTree, gains: np.ndarray) -> np.ndarray:
    """Find the best rows by `gains` of `respond`, int64 [sets]; only its player's sets count."""
    starts = tree.rows[:-1]
    return starts + gains[starts].astype(np.int64)


def evaluate_sigma(tree: Tree, sigma: np.ndarray, players: int, zero_sum: bool) -> Evaluation:
    """Evaluate a strategy of any tree, float64 by action, exactly.

    `zero_sum`: the game has two players, and their payoffs always add up to 0.
    """
    reached, values = np.empty((2, len(tree.player), *sigma.shape[1:]))
    own, best = np.empty(1 if zero_sum else players), np.empty(players)
    evaluate_all(tree, sigma, reached, values, np.empty(sigma.shape), own, best)
    others = -own if zero_sum else own[1:]
    return Evaluation(float(own[0]), tuple(best.tolist()), tuple(others.tolist()))


def evaluate_rows(tree: InfoTree, sigma: np.ndarray) -> Evaluation:
    """Evaluate a strategy, float64 [rows], exactly for all players of its tree."""
    return evaluate_sigma(tree, sigma, tree.payoffs.shape[1], zero_sum=False)


class Losses(NamedTuple):
    """Losses of a strategy to best responses by information set; their sum is NashConv.

    A loss is the probability of the set times the gain of its best action over the strategy there,
    if the player follows the strategy before the set and a best response after it. A value is the
    player's expected payoff for a row's action and a best response after it, given that the set is
    reached; NaN if chance and the others never reach the set.
    """

    loss: np.ndarray  # float64 [sets]
    best: np.ndarray  # row of the best action in each set, int64 [sets]
    values: np.ndarray  # float64 [rows]


def losses(tree: InfoTree, sigma: np.ndarray) -> Losses:
    """Compute the losses of a strategy, float64 [rows], by information set."""
    nodes, rows = len(tree.player), len(tree.actions)
    starts, number = tree.rows[:-1], np.diff(tree.rows)
    reached, values, gains = np.empty(nodes), np.empty(nodes), np.empty(rows)
    best, own = starts.copy(), np.zeros(rows)
    row_above = rows_above(tree)
    loss, worth = np.zeros(len(tree.owner)), np.full(rows, np.nan)
    for player in range(tree.payoffs.shape[1]):
        best_value(tree, sigma, player, reached, values, gains)
        reach(tree, sigma, player, own)
        mine = tree.owner == player
        best[mine] = _best_rows(tree, gains)[mine]
        of_player = np.repeat(mine, number)
        # `respond` leaves the index of an action in `gains`, so the gains are summed anew.
        below = np.flatnonzero(row_above >= 0)
        below = below[of_player[row_above[below]]]
        gains = np.bincount(row_above[below], values[below], rows)
        followed = np.add.reduceat(gains * sigma, starts)
        before = np.where(tree.before >= 0, own[tree.before], 1.0)
        loss[mine] = (before * (gains[best] - followed))[mine]
        likely = np.bincount(sets_of(tree), reached[tree.player != END], len(tree.owner))
        likely = np.repeat(np.where(mine & (likely > 0), likely, np.nan), number)
        worth[of_player] = (gains / likely)[of_player]
    return Losses(loss, best, worth)


def rows_above(tree: InfoTree) -> np.ndarray:
    """Find the row of the action that leads to each node, int64 [nodes]; -1 for the deals."""
    deciding = np.flatnonzero(tree.player != END)
    number = np.diff(tree.first)[deciding]
    above = np.full(len(tree.player), -1, np.int64)
    above[ranges(tree.first[deciding], number)] = ranges(tree.slot[deciding], number)
    return above


def sets_of(tree: InfoTree) -> np.ndarray:
    """Find the information set of each decision, int64 [decisions], in the order of the nodes."""
    set_of_row = np.repeat(np.arange(len(tree.owner)), np.diff(tree.rows))
    return set_of_row[tree.slot[tree.player != END]]

"""Exact values of strategies over an information tree: value, best responses, NashConv."""

from typing import NamedTuple

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import Evaluation
from closedhand.solvers.passes import expect, reach, reach_others, respond, value
from closedhand.solvers.tree import END, InfoTree


@kernel
def values_of(tree, sigma, player, reached, values, gains):
    """The value of `sigma` for a player; the last three arguments are scratch space."""
    reach_others(tree, sigma, player, reached)
    expect(tree, sigma, reached, player, values, gains)
    return value(tree, values)


@kernel
def best_value(tree, sigma, player, reached, values, gains, best):
    """The value of a player's best response to `sigma`; `best` as in `passes.respond`."""
    reach_others(tree, sigma, player, reached)
    respond(tree, reached, player, values, gains, best)
    return value(tree, values)


class BestResponse(NamedTuple):
    """A best response of a player.

    Attributes:
        value: Its expected payoff.
        sigma: The strategy with the best response in place of the player's own rows, float64
            [rows].
    """

    value: float
    sigma: np.ndarray


def best_response(tree: InfoTree, sigma: np.ndarray, player: int) -> BestResponse:
    """The best response of a player to the others, who play `sigma`, float64 [rows]."""
    nodes, rows = len(tree.player), len(tree.actions)
    best = np.zeros(len(tree.owner), np.int64)
    found = best_value(
        tree, sigma, player, np.empty(nodes), np.empty(nodes), np.empty(rows), best
    )  # fmt: skip
    response = sigma.copy()
    own = tree.owner == player
    response[np.repeat(own, np.diff(tree.rows))] = 0.0
    response[(tree.rows[:-1] + best)[own]] = 1.0
    return BestResponse(found, response)


def evaluate_rows(tree: InfoTree, sigma: np.ndarray) -> Evaluation:
    """The exact evaluation of a strategy, float64 [rows]."""
    nodes, rows = len(tree.player), len(tree.actions)
    reached, values, gains = np.empty(nodes), np.empty(nodes), np.empty(rows)
    best = np.zeros(len(tree.owner), np.int64)
    players = range(tree.payoffs.shape[1])
    own = [values_of(tree, sigma, player, reached, values, gains) for player in players]
    responses = [best_value(tree, sigma, p, reached, values, gains, best) for p in players]
    return Evaluation(own[0], tuple(responses), tuple(own[1:]))


class Losses(NamedTuple):
    """Where a strategy loses against best responses; the losses of all sets add up to NashConv.

    Attributes:
        loss: What a player would gain at each of its sets by the best action there, if it has
            followed the strategy so far and plays a best response from there on, times the
            probability of getting there, float64 [sets].
        best: Row of that action in each set, int64 [sets].
        values: Expected payoff of each row to its player, if it plays a best response from there
            on, given that the set is reached, float64 [rows]; NaN in sets that are not.
    """

    loss: np.ndarray
    best: np.ndarray
    values: np.ndarray


def losses(tree: InfoTree, sigma: np.ndarray) -> Losses:
    """Where a strategy, float64 [rows], loses what it loses against best responses."""
    nodes, rows = len(tree.player), len(tree.actions)
    starts, number = tree.rows[:-1], np.diff(tree.rows)
    reached, values, gains = np.empty(nodes), np.empty(nodes), np.empty(rows)
    best, own = np.zeros(len(tree.owner), np.int64), np.zeros(rows)
    row_above = rows_above(tree)
    loss, worth = np.zeros(len(tree.owner)), np.full(rows, np.nan)
    for player in range(tree.payoffs.shape[1]):
        best_value(tree, sigma, player, reached, values, gains, best)
        reach(tree, sigma, player, own)
        mine = tree.owner == player
        of_player = np.repeat(mine, number)
        # The scratch space of the best response is not its gains: they are added up again.
        below = np.flatnonzero(row_above >= 0)
        below = below[of_player[row_above[below]]]
        gains = np.bincount(row_above[below], values[below], rows)
        followed = np.add.reduceat(gains * sigma, starts)
        before = np.where(tree.before >= 0, own[tree.before], 1.0)
        loss[mine] = (before * (gains[starts + best] - followed))[mine]
        likely = np.bincount(sets_of(tree), reached[tree.player != END], len(tree.owner))
        likely = np.repeat(np.where(mine & (likely > 0), likely, np.nan), number)
        worth[of_player] = (gains / likely)[of_player]
    return Losses(loss, starts + best, worth)


def rows_above(tree: InfoTree) -> np.ndarray:
    """The row whose action leads to each node, -1 for the deals, int64 [nodes]."""
    deciding = np.flatnonzero(tree.player != END)
    number = np.diff(tree.first)[deciding]
    above = np.full(len(tree.player), -1, np.int64)
    places = np.arange(number.sum()) - np.repeat(np.cumsum(number) - number, number)
    above[np.repeat(tree.first[deciding], number) + places] = (
        np.repeat(tree.slot[deciding], number) + places
    )
    return above


def sets_of(tree: InfoTree) -> np.ndarray:
    """The information set of each decision, in the order of the nodes, int64."""
    set_of_row = np.repeat(np.arange(len(tree.owner)), np.diff(tree.rows))
    return set_of_row[tree.slot[tree.player != END]]

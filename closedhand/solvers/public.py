"""The public graph of a small game: public states and the information sets within them.

A public state is a view in which everything that some player cannot know is hidden. Information
sets of a player with the same public state differ in the player's own cards.
"""

from typing import NamedTuple

import numpy as np

from closedhand.core import batch_kernels
from closedhand.core.game import Game
from closedhand.solvers.evaluate import rows_above, sets_of
from closedhand.solvers.interface import END
from closedhand.solvers.keys import hash_views, number_keys
from closedhand.solvers.passes import reach_others
from closedhand.solvers.tree import InfoTree, views_of_sets

NOBODY = -1
"""Argument `player` of `reach_others` for probabilities from chance and all players."""


class PublicGraph(NamedTuple):
    """Public states where players decide, and ends: pairs of such a state and a last action."""

    views: np.ndarray  # a view of each information set, states [sets]
    states: np.ndarray  # the public states, states [n]
    place: np.ndarray  # public state of each set, int32 [sets]
    player: np.ndarray  # player to act, int64 [n]
    parent: np.ndarray  # public state before the last action, -1 if there was none, int64 [n]
    action: np.ndarray  # id of the last action, int64 [n]; -1: none, or a player did not see it
    end_parent: np.ndarray  # public state before the action that ends a game, int32 [ends]
    end_action: np.ndarray  # id of that action, int32 [ends]
    end_of: np.ndarray  # index in `end_parent` of each `END` node of the tree, int64 [END nodes]


def public_graph(game: Game, tree: InfoTree) -> PublicGraph:
    """Build the public graph of a tree in which every seat is a player."""
    views = game.empty(len(tree.owner))
    for some, sets in views_of_sets(game, tree):
        views[sets] = some
    public = views.copy()
    for seat in range(game.num_players):
        batch_kernels.hide_for(game.rules, public, np.full(len(public), seat))
    # Numbered by their first sets, which go by level: parents come before children.
    place, first = number_keys(hash_views(public))

    above, deciding = rows_above(tree), tree.player != END
    place_of_row = np.repeat(place, np.diff(tree.rows))
    parent, action = np.full(len(first), -1), np.full(len(first), -1)
    here, rows = place[sets_of(tree)], above[deciding]
    here, rows = here[rows >= 0], rows[rows >= 0]
    # Of a public state's many nodes the last one's action stays; if others differ, it was hidden.
    parent[here], action[here] = place_of_row[rows], tree.actions[rows]
    hidden = action[here] != tree.actions[rows]
    action[here[hidden]] = -1
    ends = above[~deciding]
    pairs = np.stack([place_of_row[ends], tree.actions[ends]], axis=1)
    kinds, end_of = np.unique(pairs, axis=0, return_inverse=True)
    return PublicGraph(
        views, public[first], place, tree.owner[first].astype(np.int64), parent, action,
        kinds[:, 0], kinds[:, 1], end_of.reshape(-1),
    )  # fmt: skip


class Flow(NamedTuple):
    """Probabilities of information sets, public states and ends under a strategy."""

    sets: np.ndarray  # float64 [sets]
    states: np.ndarray  # float64 [public states]
    ends: np.ndarray  # float64 [ends of the graph]
    payoffs: np.ndarray  # expected at each end, 0 where it is not reached, float64 [ends, players]


def flow(tree: InfoTree, graph: PublicGraph, sigma: np.ndarray) -> Flow:
    """Compute the probabilities under a strategy, float64 [rows], in a public graph."""
    reached = np.empty(len(tree.player))
    reach_others(tree, sigma, NOBODY, reached)
    sets = np.bincount(sets_of(tree), reached[tree.player != END], len(tree.owner))
    last = reached[tree.player == END]
    ends = np.bincount(graph.end_of, last, len(graph.end_parent))
    paid = tree.payoffs[tree.slot[tree.player == END]]
    payoffs = np.stack([np.bincount(graph.end_of, last * own, len(ends)) for own in paid.T], 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        payoffs = np.nan_to_num(payoffs / ends[:, None])
    states = np.bincount(graph.place, sets, len(graph.states))
    return Flow(sets, states, ends, payoffs)

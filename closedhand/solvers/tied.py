"""Learning on an abstraction: classes of information sets with one strategy each.

1. Build the tree of the whole game, and number the classes of its information sets.
2. Let the sets of a class share their rows. Regrets and the current strategy are learned by class.
3. In the average strategy, weight each set by the probability of the player's actions before it.
4. Copy the strategy of a class to all its sets, and evaluate it in the whole game.

Players forget what distinguishes the sets of a class, so CFR's guarantee does not hold.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import kernel
from closedhand.solvers.interface import END, Layout, Trees, ranges
from closedhand.solvers.passes import (
    expect as expect,
    improve as improve,
    learn as learn,
    reach_others as reach_others,
)
from closedhand.solvers.tree import InfoTree, build, layout_of

Classes = Callable[[Game, InfoTree], np.ndarray]
"""Function that returns the class of each information set, int64 [sets], numbered from 0."""


class TiedTree(NamedTuple):
    """An information tree whose sets are classes of information sets.

    Fields are as in `InfoTree`, with classes in place of sets.
    """

    kernels = "closedhand.solvers.tied"

    player: np.ndarray
    first: np.ndarray
    slot: np.ndarray
    chance: np.ndarray
    payoffs: np.ndarray
    owner: np.ndarray
    rows: np.ndarray
    actions: np.ndarray
    whole: InfoTree  # the tree of the game
    tied: np.ndarray  # row in this tree of each row of `whole`, int64 [rows of `whole`]


@kernel
def add_average(tree, tables, player, weight):
    """Add the current strategy of a player to its average, weighted in every set of `whole`."""
    own = tables.reached  # by row of `whole`, which has fewer rows than nodes
    whole = tree.whole
    for s in range(len(whole.owner)):
        if whole.owner[s] == player:
            before = whole.before[s]
            reached = own[before] if before >= 0 else 1.0
            for row in range(whole.rows[s], whole.rows[s + 1]):
                own[row] = reached * tables.sigma[tree.tied[row]]
                tables.average[tree.tied[row]] += weight * own[row]


def tie(tree: InfoTree, classes: np.ndarray) -> TiedTree:
    """Tie the sets of each class; classes, int64 [sets], are numbered from 0 without gaps.

    An `InputError` refuses classes whose sets differ in their player or their actions.
    """
    number = np.diff(tree.rows)
    _, originals = np.unique(classes, return_index=True)
    rows = np.concatenate([[0], np.cumsum(number[originals])])
    within = np.arange(len(tree.actions)) - np.repeat(tree.rows[:-1], number)
    tied = np.repeat(rows[classes], number) + within
    actions = tree.actions[ranges(tree.rows[originals], number[originals])]
    owner = tree.owner[originals]
    same = (number == number[originals][classes]).all() and (owner[classes] == tree.owner).all()
    if not same or (actions[tied] != tree.actions).any():
        raise InputError("information sets of a class must have the same player and actions")
    slot = tree.slot.copy()
    deciding = tree.player != END
    slot[deciding] = tied[tree.slot[deciding]]
    nodes = tree.player, tree.first, slot, tree.chance, tree.payoffs
    return TiedTree(*nodes, owner, rows, actions, tree, tied)


def tied_trees(classes: Classes) -> Trees:
    """Make trees on which solvers learn one strategy for all sets of a class."""

    @lru_cache(maxsize=2)
    def tied_tree(game: Game) -> TiedTree:
        tree = build(game)
        return tie(tree, classes(game, tree))

    def tied_layout(game: Game) -> Layout:
        tree = tied_tree(game)
        return layout_of(tree.whole)._replace(entries=tree.tied, shape=tree.actions.shape)

    return Trees(tied_tree, tied_layout)

"""The public tree of a Leduc game: a fast tree for the interface of `closedhand.solvers`.

1. A node is a public state: the betting so far, and after phase 1 the flop. Nodes are stored after
   their parents and next to their siblings.
2. A vector at each node has a lane for each private card: the probability that a player with this
   card reaches the node, or the player's counterfactual value there.
3. A pass down multiplies these probabilities. At the ends, a matrix times the opponent's vector
   gives the values for each card of the player (`pay`). A pass up sums values, weighted by the
   strategy (`expect`), or takes the best (`respond`). The module `passes` has these functions.

A pass visits a few hundred nodes, the information tree has thousands. After Johanson, Waugh,
Bowling and Zinkevich, "Accelerating Best Response Calculation in Large Extensive Games" (2011).

An action is identified with the child that it leads to, so arrays by action and by node have the
same shape, float64 [nodes, LANES]. An information set is a node and a card; its actions are the
entries of that card at the node's children. Lanes beyond the kinds of cards have payoffs of 0.

States are named as on the course slides (`state_text`), whose abstraction is `SLIDES`.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from closedhand.agents.leduc.passes import LANES
from closedhand.core.game import Game, State
from closedhand.games.leduc.notation import card_text
from closedhand.games.leduc.plays import ACTIONS, SHOWDOWN, S, name
from closedhand.games.leduc.state import FLOP, UNKNOWN
from closedhand.solvers.interface import END, Layout, Trees, ranges
from closedhand.solvers.keys import keys_of
from closedhand.solvers.tied import tied_trees
from closedhand.solvers.tree import ANY, InfoTree, views_of_sets

CHANCE = -2
"""Value of `player` at a node where the flop is revealed."""


class Tree(NamedTuple):
    """A public tree for kernels; arrays are by node, int64 [nodes] unless stated otherwise.

    The matrices `pays` are by the opponent's and the player's own card. Matrix 0 has the
    probability of both cards, matrix 1 + f that of both cards and the flop f. Matrix 1 + kinds + f
    has the latter times 1, 0 or -1, for a showdown that the player wins, ties or loses.
    """

    kernels = "closedhand.agents.leduc.passes"

    player: np.ndarray  # player to act: 0, 1, `CHANCE` or `END`
    first: np.ndarray  # first child; the children of n end before first[n + 1]; [nodes + 1]
    parent: np.ndarray  # the parent, -1 at the root
    node: np.ndarray  # node of the betting tree; at a chance node the first of phase 2
    slot: np.ndarray  # 0 before the flop, then 1 plus the flop's kind
    action: np.ndarray  # action that leads here from the parent; 0 after chance and at the root
    matrix: np.ndarray  # at an end, the index of its matrix in `pays`
    stakes: np.ndarray  # at an end, its matrix's factors for players S and T, float64 [nodes, 2]
    pays: np.ndarray  # float64 [matrices, kinds, LANES]


@lru_cache
def build(game: Game) -> Tree:
    """Build the public tree of a game; callers share it and must not change it."""
    tables = game.rules.tables
    betting = tables.nodes
    nodes = [(0, 0, -1, 0)]  # node of the betting tree, slot, parent, action; as in `Tree`
    player, first = [], []
    # The loop visits the nodes that it appends: breadth first, siblings next to each other.
    for i, (node, slot, _, _) in enumerate(nodes):
        first.append(len(nodes))
        if betting[node]["player"] < 0:
            player.append(END)
        elif slot == 0 and betting[node]["phase"] == 2:  # the flop is not dealt yet
            player.append(CHANCE)
            nodes += [(node, 1 + flop, i, 0) for flop in range(tables.kinds)]
        else:
            player.append(int(betting[node]["player"]))
            following = betting[node]["next"]
            nodes += [(int(n), slot, i, a) for a, n in enumerate(following) if n >= 0]
    first.append(len(nodes))
    node, slot, parent, action = np.array(nodes, np.int64).T.copy()

    kinds = tables.kinds
    likely = np.zeros((kinds, kinds, kinds))
    for deal in game.deals():
        likely[tuple(deal.state.cards)] = deal.probability
    pays = np.zeros((1 + 2 * kinds, kinds, LANES))
    # The opponent's card is the first axis, so that `pay` adds contiguous vectors over the player's
    # card. The same matrix serves both players: the deal is symmetric, and a showdown
    # antisymmetric.
    pays[0, :, :kinds] = likely.sum(2).T
    pays[1 : 1 + kinds, :, :kinds] = likely.transpose(2, 1, 0)
    signs = tables.better[:kinds, :kinds, :kinds]
    pays[1 + kinds :, :, :kinds] = (likely * signs).transpose(2, 1, 0)
    matrix = np.zeros(len(nodes), np.int64)
    stakes = np.zeros((len(nodes), 2))
    for i in np.flatnonzero(np.array(player) == END):
        end = betting[node[i]]
        if end["winner"] == SHOWDOWN:
            # The matrix has the sign of the player's own payoff: the factors are equal.
            matrix[i], stakes[i] = kinds + slot[i], end["bets"][S]
        else:
            won = end["bets"][1 - end["winner"]]  # the bet of the player who folded
            matrix[i], stakes[i] = slot[i], (won, -won) if end["winner"] == S else (-won, won)
    return Tree(np.array(player), np.array(first), parent, node, slot, action, matrix, stakes, pays)


@lru_cache
def information_sets(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes and cards, int64 [sets], of information sets sorted by betting, flop, card."""
    tree, tables = build(game), game.rules.tables
    deciding = np.flatnonzero(tree.player >= 0)
    deciding = deciding[np.lexsort((tree.slot[deciding], tree.node[deciding]))]
    # A player cannot hold a card if its only copy is the flop.
    held, copies = np.arange(tables.kinds), tables.copies[: tables.kinds]
    at, cards = np.nonzero((tree.slot[deciding, None] != held + 1) | (copies > 1))
    return deciding[at], cards


def views_of(game: Game) -> np.ndarray:
    """Make the view of every information set, states [sets], in the order of `information_sets`."""
    tree, tables = build(game), game.rules.tables
    states = game.empty(int(tables.number))
    for i, node in enumerate(tables.nodes[: tables.number]):
        for action, following in enumerate(node["next"]):
            if following >= 0:
                state = states[i].copy()
                game.play(state, action)
                states[following] = state
    at, cards = information_sets(game)
    views = states[tree.node[at]]
    views["cards"] = UNKNOWN
    views["cards"][np.arange(len(at)), views["player"]] = cards
    views["cards"][:, FLOP] = tree.slot[at] - 1  # UNKNOWN in phase 1
    return views


@lru_cache
def layout_of(game: Game) -> Layout:
    """Return the places of information sets, by `information_sets`, in arrays of the tree."""
    tree = build(game)
    at, cards = information_sets(game)
    number = np.diff(tree.first)[at]
    children = ranges(tree.first[at], number)
    rows = np.concatenate([[0], np.cumsum(number)])
    actions = tree.action[children].astype(np.int32)
    entries, shape = (children, np.repeat(cards, number)), (len(tree.player), LANES)
    return Layout(keys_of(game, views_of(game)), rows, actions, entries, shape)


@lru_cache
def names_of(game: Game) -> list[dict[str, str]]:
    """Name each information set by the slides' state and the actions so far."""
    return [
        {"state": state_text(game, view), "history": history_text(game, view)}
        for view in views_of(game)
    ]


def state_text(game: Game, view: State) -> str:
    """Write the slides' state of the player to act, such as `(s1,1,4,SK,*)`."""
    cards = map(card_text, view.cards[[view.player, FLOP]])
    return f"({','.join((name(game.rules.tables.nodes[view.node]), *cards))})"


def history_text(game: Game, view: State) -> str:
    """Write all actions so far, with `/` where phase 2 begins."""
    nodes, node, texts = game.rules.tables.nodes, 0, []
    for action in game.history(view):
        following = nodes[node]["next"][action]
        bar = [] if nodes[node]["phase"] == nodes[following]["phase"] else ["/"]
        texts += [ACTIONS[action], *bar]
        node = following
    return " ".join(texts)


def slides_of_sets(game: Game, tree: InfoTree) -> np.ndarray:
    """Number the slides' states from 0; return each information set's number, int64 [sets]."""
    numbers: dict[str, int] = {}
    found = np.empty(len(tree.owner), np.int64)
    for views, sets in views_of_sets(game, tree):
        for view, s in zip(views, sets, strict=True):
            found[s] = numbers.setdefault(state_text(game, view), len(numbers))
    return found


PUBLIC = Trees(build, layout_of, names_of, sampled=ANY)
SLIDES = tied_trees(slides_of_sets)
"""The abstraction of the course slides: one strategy for each (turn, bets, own card, flop).

The tuple omits how the bets were made, so that different information sets share it. This is
imperfect recall, for which CFR has no guarantee. Results are evaluated in the real game
(`solvers/tied.py`).
"""

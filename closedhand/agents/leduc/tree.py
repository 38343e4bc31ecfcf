"""The public tree of a Leduc game: a fast tree for the interface of `closedhand.solvers`.

1. A node is a public state: the betting so far, and after phase 1 the flop. Nodes are stored after
   their parents and next to their siblings.
2. A vector at each node has a lane for each private card: the probability that a player with this
   card reaches the node, or the player's expected payoff from there.
3. A pass down multiplies these probabilities. At the ends, a matrix times the opponent's vector
   gives the payoffs for each card of the player (`pay`). A pass up sums them, weighted by the
   strategy (`expect`), or takes the best (`respond`). The module `passes` has them.

A pass visits a few hundred nodes. The information tree has as many for every deal. After Johanson,
Waugh, Bowling and Zinkevich, "Accelerating Best Response Calculation in Large Extensive Games"
(2011).

An action is identified with the child that it leads to. Arrays by action and by node therefore have
the same shape, float64 [nodes, LANES]. An information set is a node and a card; its actions are the
entries of that card at the node's children. Lanes from the number of kinds on have payoffs of 0 and
are not used.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from closedhand.agents.leduc.passes import LANES
from closedhand.core.cards import shuffle
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.games.leduc.notation import CARDS, HIDDEN
from closedhand.games.leduc.plays import ACTIONS, SHOWDOWN, S, T, name
from closedhand.games.leduc.state import FLOP, UNKNOWN
from closedhand.solvers.interface import (
    CHANCE,
    END,
    FACE,
    LANE,
    OUTCOME,
    Layout,
    Names,
    Shapes,
    Trees,
    Walk,
    ranges,
)
from closedhand.solvers.keys import keys_of


class Tree(NamedTuple):
    """A public tree for kernels; arrays are by node, int64 [nodes] unless stated otherwise.

    The matrices `pays` are by the opponent's and the player's own card. Matrix 0 has the
    probabilities of both cards; matrix 1 + f those of both and the flop f; matrix 1 + kinds + f the
    latter times 1, 0 or -1 for a showdown that the player wins, ties or loses.
    """

    kernels = "closedhand.agents.leduc.passes"

    player: np.ndarray  # player to act: 0, 1, `CHANCE` or `END`
    first: np.ndarray  # first child, int64 [nodes + 1]; the last child precedes that of the next
    parent: np.ndarray  # the parent, -1 at the root
    node: np.ndarray  # node of the betting tree; at a chance node that after the flop
    slot: np.ndarray  # 0 before the flop, then 1 plus its kind
    action: np.ndarray  # action that leads here from the parent; 0 after chance
    matrix: np.ndarray  # at an end, the index of its matrix in `pays`
    stakes: np.ndarray  # at an end, the factors of that matrix for S and T, float64 [nodes, 2]
    pays: np.ndarray  # float64 [matrices, kinds, LANES]

    @property
    def shapes(self) -> Shapes:
        """Shapes of arrays, [nodes, LANES]: an action has the entries of the child it leads to."""
        shape = len(self.player), LANES
        return Shapes(shape, shape, shape)


def deal_probabilities(game: Game) -> np.ndarray:
    """Compute the probability of every deal, float64 [kinds, kinds, kinds]: S, T, flop."""
    tables = game.rules.tables
    copies, same = tables.copies[: tables.kinds].astype(float), np.eye(tables.kinds)
    second = copies - same
    third = copies - same[:, None, :] - same[None, :, :]
    ways = copies[:, None, None] * second[:, :, None] * np.maximum(third, 0)
    return ways / (tables.cards * (tables.cards - 1) * (tables.cards - 2))


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
    likely = deal_probabilities(game)
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


class InformationSet(NamedTuple):
    """An information set: a public decision and the player's card."""

    node: int  # of the betting tree; it determines the whole history
    slot: int  # 0 in phase 1, then 1 plus the kind of the flop
    card: int  # kind of the player's own card
    state: str  # its name on the slides, `(s1,1,4,SK,*)`
    history: str  # all actions so far, with `/` between the phases


def information_sets(game: Game) -> Iterator[InformationSet]:
    """Yield the information sets of both players, by node, flop and card."""
    tables = game.rules.tables
    histories: dict[int, tuple[str, ...]] = {0: ()}
    for i, node in enumerate(tables.nodes[: tables.number]):
        for action, following in enumerate(node["next"]):
            if following >= 0:
                bar = ("/",) if tables.nodes[following]["phase"] != node["phase"] else ()
                histories[int(following)] = (*histories[i], ACTIONS[action], *bar)
        if node["player"] < 0:
            continue
        for slot in range(1, tables.kinds + 1) if node["phase"] == 2 else (0,):
            for card in range(tables.kinds):
                if slot == card + 1 and tables.copies[card] < 2:
                    continue
                flop = CARDS[slot - 1] if slot else HIDDEN
                state = f"({name(node)},{CARDS[card]},{flop})"
                yield InformationSet(i, slot, card, state, " ".join(histories[i]))


def views_of(game: Game) -> np.ndarray:
    """Make the view of every information set, states [sets]."""
    tables = game.rules.tables
    states = game.empty(int(tables.number))
    for i, node in enumerate(tables.nodes[: tables.number]):
        for action, following in enumerate(node["next"]):
            if following >= 0:
                state = states[i].copy()
                game.play(state, action)
                states[following] = state
    sets = list(information_sets(game))
    views = states[[each.node for each in sets]]
    views["cards"] = UNKNOWN
    views["cards"][np.arange(len(sets)), views["player"]] = [each.card for each in sets]
    views["cards"][:, FLOP] = [each.slot - 1 for each in sets]  # UNKNOWN in phase 1
    return views


@lru_cache
def layout_of(game: Game) -> Layout:
    """Return the layout of the information sets of the tree of a game."""
    tree = build(game)
    at, cards = _places(game)
    number = np.diff(tree.first)[at]
    children = ranges(tree.first[at], number)
    rows = np.concatenate([[0], np.cumsum(number)])
    actions = tree.action[children].astype(np.int32)
    entries = children, np.repeat(cards, number)
    return Layout(keys_of(game, views_of(game)), rows, actions, entries)


def _places(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Find the node and the card of each information set, int64 [sets]."""
    tree = build(game)
    found = np.zeros((game.rules.tables.number, 1 + game.rules.tables.kinds), np.int64)
    deciding = np.flatnonzero(tree.player >= 0)
    found[tree.node[deciding], tree.slot[deciding]] = deciding
    sets = np.array([each[:3] for each in information_sets(game)])
    return found[sets[:, 0], sets[:, 1]], sets[:, 2]


class Deck(NamedTuple):
    """Deck for random deals."""

    kernels = "closedhand.agents.leduc.tree"

    cards: np.ndarray  # the kind of each card in order, int8 [cards]
    shuffled: np.ndarray  # scratch space, int8 [cards]
    better: np.ndarray  # sign of S's payoff at a showdown, by the kinds of both cards and the flop


@kernel
def draw_deal(deck, rng, deal):
    """Shuffle and deal as the game does: the lanes are the private cards, the face is the flop."""
    cards = deck.shuffled
    for i in range(len(cards)):  # to assign a slice takes longer
        cards[i] = deck.cards[i]
    shuffle(cards, seed_in_kernel(rng))
    deal[LANE + S], deal[LANE + T], deal[FACE] = cards[S], cards[T], cards[FLOP]
    deal[OUTCOME] = 1 + deck.better[cards[S], cards[T], cards[FLOP]]


def walk_of(game: Game, tree: Tree) -> Walk:
    """Prepare a tree for sampling algorithms; outcomes are: T wins, a tie, S wins."""
    # The rows of a node are LANES times its number of actions, lane by lane.
    number = np.diff(tree.first) * (tree.player >= 0)
    starts = (np.cumsum(number) - number) * LANES
    slot = np.where(tree.player == END, np.arange(len(starts)), starts)
    # At a showdown the stakes are the bet of both players; after a fold they are the payoffs.
    tables = game.rules.tables
    shown = (tree.matrix > tables.kinds)[:, None]
    signs = np.array([-1.0, 0.0, 1.0])[:, None, None] * [1.0, -1.0]
    payoffs = np.where(shown, signs, 1.0) * tree.stakes
    at, own = _places(game)
    entries = ranges(starts[at] + own * number[at], number[at])
    cards = tables.deck[: tables.cards].astype(np.int8)
    deck = Deck(cards, cards.copy(), tables.better.copy())
    return Walk(tree.player, tree.first, slot, payoffs, deck, int(number.sum()) * LANES, entries)


def names_of(game: Game) -> Names:
    """Name each information set by the slides' state and the actions so far."""
    cells: list[tuple[str, ...]] = [(each.state, each.history) for each in information_sets(game)]
    return Names(("state", "history"), cells)


PUBLIC = Trees(build, lambda game, _: layout_of(game), walk_of, names_of)
"""Public trees with vectors over the private cards."""

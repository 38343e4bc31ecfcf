"""The information tree of any small game, built through the game contract alone.

1. Estimate the size by random games (Knuth, "Estimating the Efficiency of Backtrack Programs",
   1975), and refuse a game that is too large.
2. Take some deals at a time (`Game.deals`). Expand all their states by all legal actions, level
   by level; a level has the states after the same number of actions.
3. Hash the view of the player to act at each node. Nodes with the same hash form an information
   set.
4. Join the levels of all deals. Connect each node with its children and with the rows of its set,
   one for each action. Refuse a game without perfect recall.

Nodes are stored level by level, in the order of their parents. Children are then contiguous, all
arrays are read in order, and a pass down or up the tree is one loop.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from closedhand.core import batch, contract
from closedhand.core.game import Deal, Game, InputError
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.core.registry import GAMES, load as load_ref
from closedhand.solvers.interface import END, Layout, Trees, ranges
from closedhand.solvers.keys import keys_of, number_keys

MOST_NODES = 20_000_000
"""Default of the largest number of nodes of a tree: about 1 GB."""
PROBES = 300
"""Random games from which the size of a tree is estimated."""
COUNTED = 100_000
"""Largest number of deals that is counted for a message."""
CHUNK = 1 << 28
"""Deals are expanded in chunks whose trees have about this many bytes of states."""


class InfoTree(NamedTuple):
    """The tree of a game, for kernels.

    The first nodes are the deals. Rows are those of a `Layout`. The children of a node are
    contiguous, in the order of the action ids, and end where those of the next node begin. Sets are
    in the order of their levels. `own_keys` differ from `keys` only if built with `together`.
    """

    kernels = "closedhand.solvers.passes"

    player: np.ndarray  # player to act, or `END`, int8 [nodes]
    first: np.ndarray  # first child, int32 [nodes + 1]
    slot: np.ndarray  # first row of the node's set; at an end the index in `payoffs`; int32 [nodes]
    levels: np.ndarray  # first node of each level, int64 [levels + 1]
    chance: np.ndarray  # probability of each deal, float64 [deals]
    payoffs: np.ndarray  # payoffs by player, float64 [ends, players]
    owner: np.ndarray  # player of each information set, int8 [sets]
    rows: np.ndarray  # first row of each set, int64 [sets + 1]
    before: np.ndarray  # row of the player's last action before each set, -1: none; int64 [sets]
    set_levels: np.ndarray  # first set of each level, int64 [levels + 1]
    actions: np.ndarray  # action id of each row, int32 [rows]
    keys: np.ndarray  # hash of the view in each set, uint64 [sets, 2]
    own_keys: np.ndarray  # hash of the view of only the seat to act, uint64 [sets, 2]


@kernel
def probe(rules, states, rng, ids, most):
    """Estimate the size of a game's tree below one deal; `states` [1] is scratch space.

    Knuth's estimator plays a random game. The product of the numbers of legal actions so far is an
    unbiased estimate of the size of each level. The game stops after `most` actions, or when the
    product is infinite. `ids`, int32 [num_actions], is scratch space, too.
    """
    state = states[0]
    contract.deal(rules, state, seed_in_kernel(rng))
    width = total = 1.0
    moves = 0
    while width < np.inf and moves < most and not contract.over(rules, state):
        number = contract.legal(rules, state, ids)
        width *= number
        total += width
        contract.play(rules, state, ids[np.int64(rng.random() * number)])
        moves += 1
    return total


def _about(number: float) -> str:
    if number < 1e6:
        return f"about {number:,.0f}"
    return f"about 10^{math.log10(number):.0f}" if number < math.inf else "more than 10^308"


def check_size(game: Game, most: int = MOST_NODES) -> float:
    """Return the estimated number of histories below one deal of a game.

    Refuse a game whose estimate is above twice `most`, or that does not list its deals.
    """
    states, ids = game.empty(1), np.empty(game.num_actions, np.int32)
    rng = np.random.default_rng(0)
    sizes = [probe(game.rules, states, rng, ids, game.max_moves) for _ in range(PROBES)]
    each = float(np.mean(sizes))
    size = f"one deal of {game.name} has {_about(each)} histories"
    if each > 2 * most:  # below that the estimate may be too high: `build` counts
        raise InputError(f"{size}, too many to solve: {most:,} are the most")
    try:
        game.deals()
    except InputError as error:
        raise InputError(f"{error}; {size}") from None
    return each


def too_large(game: Game, each: float, most: int) -> str:
    """Return the message that a game has over `most` histories, `each` of them below one deal."""
    number = sum(1 for _ in islice(game.deals(), COUNTED))
    deals = f"{number:,} or more" if number == COUNTED else f"{number:,}"
    return (
        f"{game.name} has {deals} deals with {_about(each)} histories each, too many to solve: "
        f"{most:,} are the most in all"
    )


@kernel
def count_actions(rules, states, ids, number):
    """Write the number of legal actions in each state to `number`, 0 at the end of a game."""
    for i in range(len(states)):
        number[i] = 0 if contract.over(rules, states[i]) else contract.legal(rules, states[i], ids)


@kernel
def expand(rules, states, number, ids, children, actions):
    """Write the state after each legal action to `children` [sum of `number`], ids to `actions`."""
    child = 0
    for i in range(len(states)):
        if number[i]:
            for k in range(contract.legal(rules, states[i], ids)):
                children[child] = states[i]
                actions[child] = ids[k]
                contract.play(rules, children[child], ids[k])
                child += 1


class Level(NamedTuple):
    """A level of a tree: states [n], numbers of legal actions, int32 [n], and their ids, int32."""

    states: np.ndarray
    number: np.ndarray
    actions: np.ndarray


def grow(game: Game, states: np.ndarray) -> Iterator[Level]:
    """Yield the levels of the tree below some initial states."""
    ids = np.empty(game.num_actions, np.int32)
    while len(states):
        number = np.empty(len(states), np.int32)
        count_actions(game.rules, states, ids, number)
        total = int(number.sum())
        children, actions = game.empty(total), np.empty(total, np.int32)
        expand(game.rules, states, number, ids, children, actions)
        yield Level(states, number, actions)
        states = children


def chunks(game: Game, nodes: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield all deals of a game in chunks: states [n] and their probabilities, float64 [n].

    `nodes`, the number below one deal, determines the size of a chunk by `CHUNK`.
    """
    size = int(max(1, CHUNK // (game.dtype.itemsize * max(1.0, nodes))))
    rest: Iterator[Deal] = game.deals()
    for deal in rest:
        deals = [deal, *islice(rest, size - 1)]
        states = np.array([each.state for each in deals], game.dtype)
        yield states, np.array([each.probability for each in deals])


@lru_cache(maxsize=2)
def build(game: Game, together: bool = False, most: int = MOST_NODES) -> InfoTree:
    """Build the tree of a game, of `most` nodes at most; callers share and must not change it.

    With `together` the seats of a side are one player of the tree, who knows all their cards: its
    best response is an upper bound of their payoff by separate strategies.

    Raises:
        InputError: The game does not list its deals, its tree is larger than `most`, or its views
            give no perfect recall.
    """
    each = check_size(game, most)
    sides = np.array(game.sides if together else range(game.num_players), np.int8)
    shares = np.eye(sides.max() + 1)[sides]  # [seats, players of the tree]: sums payoffs by side
    levels: list[dict[str, list[np.ndarray]]] = []
    chance: list[np.ndarray] = []
    nodes = 0
    for states, probabilities in chunks(game, each):
        chance.append(probabilities)
        for depth, level in enumerate(grow(game, states)):
            nodes += len(level.states)
            if nodes > most:
                raise InputError(too_large(game, each, most))
            if depth == len(levels):
                levels.append(defaultdict(list))
            for name, piece in _piece(game, level, sides, shares, together).items():
                levels[depth][name].append(piece)
    return _joined(game, levels, np.concatenate(chance), shares.shape[1])


def _piece(
    game: Game, level: Level, sides: np.ndarray, shares: np.ndarray, together: bool
) -> dict[str, np.ndarray]:
    """Make a level's arrays: both keys by decision, `payoffs` by end, others by node or action."""
    deciding = level.number > 0
    player = np.full(len(level.states), END, np.int8)
    player[deciding] = sides[level.states["player"][deciding]]
    own = keys_of(game, level.states[deciding])
    return {
        "player": player,
        "number": level.number,
        "actions": level.actions,
        "payoffs": batch.returns(game, level.states[~deciding]) @ shares,
        "own_keys": own,
        "keys": keys_of(game, level.states[deciding], together) if together else own,
    }


def _joined(
    game: Game, levels: list[dict[str, list[np.ndarray]]], chance: np.ndarray, players: int
) -> InfoTree:
    """Join the levels of a tree; empty the dicts of `levels` to save memory."""
    parts: dict[str, list[np.ndarray]] = {name: [] for name in InfoTree._fields}
    starts, set_starts, rows_so_far, ends_so_far = [0], [0], 0, 0
    last = np.full((len(chance), players), -1, np.int32)  # row of the last action of each player
    for pieces in levels:
        level = {name: np.concatenate(pieces.pop(name)) for name in list(pieces)}
        player, number, keys = level["player"], level["number"], level["keys"]
        # In this level: the set of each decision, and the first decision of each set, from 0.
        sets, originals = number_keys(keys)
        deciding = np.flatnonzero(player != END)
        defining = deciding[originals]  # the first node of each set
        rows = np.concatenate([[0], np.cumsum(number[defining])]) + rows_so_far
        slot = np.empty(len(player), np.int32)
        slot[player == END] = np.arange(ends_so_far, ends_so_far + len(level["payoffs"]))
        slot[deciding] = rows[sets]
        before = last[deciding, player[deciding]]
        same = before == before[originals][sets]
        if not (same & (number[deciding] == number[defining][sets])).all():
            raise InputError(f"views of {game.name} forget what a player knew: only games with "
                             "perfect recall are solved")  # fmt: skip
        first = np.concatenate([[0], np.cumsum(number)]).astype(np.int32)
        values: dict[str, np.ndarray] = {
            "player": player,
            "first": first[:-1] + starts[-1] + len(player),
            "slot": slot,
            "payoffs": level["payoffs"],
            "owner": player[defining],
            "rows": rows[:-1],
            "before": before[originals].astype(np.int64),
            "actions": level["actions"][ranges(first[defining], number[defining])],
            "keys": keys[originals],
            "own_keys": level["own_keys"][originals],
        }
        for name, value in values.items():
            parts[name].append(value)
        # A child has the `last` of its parent, except for the player who acted.
        last = np.repeat(last, number, axis=0)
        acted = np.repeat(player, number)
        last[np.arange(len(acted)), acted] = ranges(slot[deciding], number[deciding])
        starts.append(starts[-1] + len(player))
        set_starts.append(set_starts[-1] + len(originals))
        rows_so_far, ends_so_far = int(rows[-1]), ends_so_far + len(level["payoffs"])
    parts["first"].append(np.array([starts[-1]], np.int32))
    parts["rows"].append(np.array([rows_so_far]))
    parts["levels"].append(np.array(starts))
    parts["set_levels"].append(np.array(set_starts))
    parts["chance"].append(chance)
    return InfoTree(*(np.concatenate(parts.pop(name)) for name in InfoTree._fields))


def layout_of(tree: InfoTree) -> Layout:
    """Return the layout of an information tree: arrays by action have the shape [rows]."""
    return Layout(tree.own_keys, tree.rows, tree.actions, slice(None), tree.actions.shape)


ANY = Trees(build, lambda game: layout_of(build(game)))
"""The information trees of all games."""


def trees_of(game: Game, states: str | None = None) -> Trees:
    """Choose the trees of a game: its own fast ones, or the information trees of any game.

    `states` names an abstraction of the game; None: its information sets.

    Raises:
        InputError: The game has no such abstraction.
    """
    # A game that is not registered, such as a table game of OpenSpiel, has no spec.
    spec = GAMES.get(game.name)
    if states is None:
        return load_ref(spec.trees) if spec and spec.trees else ANY
    abstractions = spec.abstractions if spec else {}
    if states not in abstractions:
        known = ", ".join(abstractions) or "none but its information sets"
        raise InputError(f"{game.name} has no states {states!r}; it has {known}")
    return load_ref(abstractions[states])


def views_of_sets(game: Game, tree: InfoTree) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield, in chunks, one view of each information set, [n], and the set's index, int64 [n].

    The tree must be built without `together`.
    """
    set_of_row = np.repeat(np.arange(len(tree.owner)), np.diff(tree.rows))
    places = tree.levels[:-1].copy()  # next node of each level: the order is that of `build`
    seen = np.zeros(len(tree.owner), bool)
    for states, _ in chunks(game, len(tree.player) / len(tree.chance)):
        for depth, level in enumerate(grow(game, states)):
            here = np.arange(places[depth], places[depth] + len(level.states))
            places[depth] += len(level.states)
            deciding = np.flatnonzero(level.number > 0)
            sets, where = np.unique(set_of_row[tree.slot[here[deciding]]], return_index=True)
            new = ~seen[sets]
            if new.any():
                seen[sets] = True
                yield batch.views(game, level.states[deciding[where[new]]]), sets[new]


def tree_size(tree: InfoTree) -> dict[str, int]:
    """Count the deals, nodes, ends and information sets of a tree."""
    return {
        "deals": len(tree.chance),
        "nodes": len(tree.player),
        "ends": len(tree.payoffs),
        "information_sets": len(tree.owner),
    }

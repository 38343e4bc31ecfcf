"""The information tree of any small game, built through the game contract alone.

1. Estimate the size by random games (Knuth, "Estimating the Efficiency of Backtrack Programs",
   1975), and refuse a game that is too large.
2. Take some deals at a time (`Game.deals`). Expand all their states by all legal actions, level
   by level; a level is the number of actions so far.
3. Hash the view of the player to act at each node. Nodes with one hash are an information set.
4. Join the levels of all deals. Connect each node with its children and the rows of its set, and
   check that players remember their own actions.

Nodes are stored level by level, in the order of their parents. Children are then contiguous, all
arrays are read in order, and a pass down or up the tree is one loop. The key of an information set,
in strategies as well, is a hash of 128 bits of the view.
"""

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from closedhand.core import batch_kernels, contract
from closedhand.core.game import Deal, Game, InputError
from closedhand.core.numba.jit import kernel, seed_in_kernel
from closedhand.core.registry import GAMES, load as load_ref, spec_of
from closedhand.solvers.interface import END, START, Layout, Shapes, Trees, Walk

MOST_NODES = 20_000_000
"""Default of the largest number of nodes of a tree: about 1 GB."""
PROBES = 300
"""Random games from which the size of a tree is estimated."""
CHUNK = 1 << 28
"""Approximate limit of the bytes of a level's states: sets how many deals are expanded at once."""


class InfoTree(NamedTuple):
    """The tree of a game, for kernels.

    A row is an action of an information set. The rows of a set are contiguous, in the order of the
    action ids, and so are the children of a node, in the same order.

    Attributes:
        player: Player to act, or `END`, int8 [nodes]. The deals come first.
        first: First child, int32 [nodes + 1]; the children end where those of the next node begin.
        slot: First row of the information set, or at an end its index in `payoffs`, int32 [nodes].
        levels: First node of each level, int64 [levels + 1].
        chance: Probability of each deal, float64 [deals].
        payoffs: Payoffs by player, float64 [ends, players].
        owner: Player of each information set, int8 [sets]; sets are in the order of their levels.
        rows: First row of each set, int64 [sets + 1].
        before: Row of the last action of its player before each set, -1 if none, int64 [sets].
        set_levels: First set of each level, int64 [levels + 1].
        actions: Action id of each row, int32 [rows].
        keys: Hash of the view in each set, uint64 [sets, 2].
        own_keys: Hash of the view of only the seat to act, uint64 [sets, 2]; differs from `keys`
            where the seats of a side are one player.
    """

    kernels = "closedhand.solvers.passes"

    player: np.ndarray
    first: np.ndarray
    slot: np.ndarray
    levels: np.ndarray
    chance: np.ndarray
    payoffs: np.ndarray
    owner: np.ndarray
    rows: np.ndarray
    before: np.ndarray
    set_levels: np.ndarray
    actions: np.ndarray
    keys: np.ndarray
    own_keys: np.ndarray

    @property
    def shapes(self) -> Shapes:
        """The shapes of arrays for this tree."""
        return Shapes((len(self.actions),), (len(self.player),), (len(self.actions),))


@kernel
def count_actions(rules, states, ids, number):
    """Write the number of legal actions in each state, 0 at the end of a game."""
    for i in range(len(states)):
        number[i] = 0 if contract.over(rules, states[i]) else contract.legal(rules, states[i], ids)


@kernel
def expand(rules, states, number, ids, children, actions):
    """Write the states after each legal action of each state, and these actions."""
    child = 0
    for i in range(len(states)):
        if number[i]:
            for k in range(contract.legal(rules, states[i], ids)):
                children[child] = states[i]
                actions[child] = ids[k]
                contract.play(rules, children[child], ids[k])
                child += 1


@kernel
def mix(words, keys):
    """Continue the hashes `keys`, uint64 [n, 2], with the words of each row, integers [n, words].

    It multiplies by odd constants and shifts, as MurmurHash3 does, with different constants in the
    two halves.
    """
    for i in range(len(words)):
        one, two = keys[i, 0], keys[i, 1]
        for word in words[i]:
            one = (one ^ np.uint64(word)) * np.uint64(0x9E3779B97F4A7C15)
            one ^= one >> np.uint64(29)
            two = (two + np.uint64(word)) * np.uint64(0xD6E8FEB86659FD93)
            two ^= two >> np.uint64(32)
        keys[i, 0] = one * np.uint64(0xBF58476D1CE4E5B9)
        keys[i, 1] = two * np.uint64(0x94D049BB133111EB)


def hash_views(views: np.ndarray, keys: np.ndarray) -> None:
    """Continue the hashes `keys`, uint64 [n, 2], with views [n]."""
    word = next(size for size in (8, 4, 2, 1) if views.dtype.itemsize % size == 0)
    words = np.ascontiguousarray(views).view(np.uint8).reshape(len(views), views.dtype.itemsize)
    with np.errstate(over="ignore"):  # where the kernel is a plain function
        mix(words.view(f"u{word}"), keys)


def keys_of(game: Game, states: np.ndarray, together: bool = False) -> np.ndarray:
    """Hash the information sets of the players to act into keys, uint64 [n, 2].

    Args:
        game: The game.
        states: States or views [n].
        together: Whether the seats of a side share their knowledge.
    """
    keys = np.zeros((len(states), 2), np.uint64)
    if not together:
        views = states.copy()
        batch_kernels.hide_all(game.rules, views)
        hash_views(views, keys)
        return keys
    seats = states["player"].astype(np.int64)
    sides = np.array(game.sides)
    for k in range(game.num_players):
        # The seat k places after the one to act, if it is on the same side.
        seen = (seats + k) % game.num_players
        same = np.flatnonzero(sides[seen] == sides[seats])
        if len(same):
            # Add up in the order of the seats, so that the key does not depend on the seat to act.
            views = states[same]
            batch_kernels.hide_for(game.rules, views, seen[same])
            own = np.zeros((len(same), 2), np.uint64)
            hash_views(views, own)
            keys[same] += own
    return keys


@kernel
def number_keys(keys, table, sets, originals):
    """Number different keys in the order of their appearance; return how many there are.

    Args:
        keys: Keys, uint64 [n, 2].
        table: -1 everywhere, int32 [a power of two, more than n]; scratch space.
        sets: Output: number of each key, int32 [n].
        originals: Output: the first place of each number, int32 [n].
    """
    # Open addressing: an entry of `table` is the number of a key, -1 where free. The table is at
    # most half full, so that a search by steps of 1 is short and always ends.
    found = 0
    mask = np.uint64(len(table) - 1)
    for i in range(len(keys)):
        place = keys[i, 0] & mask
        while True:
            other = table[place]
            if other < 0:
                table[place] = found
                originals[found] = i
                sets[i] = found
                found += 1
                break
            first = originals[other]
            if keys[first, 0] == keys[i, 0] and keys[first, 1] == keys[i, 1]:
                sets[i] = other
                break
            place = (place + np.uint64(1)) & mask
    return found


@kernel
def connect(player, first, slot, sets, rows, actions, child_actions, last, following, before, base):
    """Fill in one level of a tree; return whether its players remember their own actions.

    Perfect recall requires that all nodes of a set have the same last action of its player, and the
    same number of actions. The arguments are arrays of a level under construction: a record of them
    would be made and used once.

    Args:
        player: Players to act at the nodes of the level.
        first: First children, relative to the next level.
        slot: Output: first rows.
        sets: Set of each decision, counted from the first set of the level.
        rows: First row of each set of the level, and the end.
        actions: Output: actions of the rows, counted from the first row of the level.
        child_actions: Actions that lead to the nodes of the next level.
        last: Row of the last action of each player before each node.
        following: Output: the same before the nodes of the next level.
        before: Output: row of the last action of its player before each set; -2 at first.
        base: First row of the level.
    """
    # `before` is -2 for a set without a node so far, whose first node defines it; -1 means that its
    # player has not acted yet.
    remembered = True
    decision = 0
    for n in range(len(player)):
        if player[n] == END:
            continue
        s = sets[decision]
        decision += 1
        start = rows[s]
        slot[n] = start
        own = last[n, player[n]]
        if before[s] == -2:
            before[s] = own
            for k in range(rows[s + 1] - start):
                actions[start - base + k] = child_actions[first[n] + k]
        number = first[n + 1] - first[n]
        if before[s] != own or number != rows[s + 1] - start:
            remembered = False
            continue
        for k in range(number):
            child = first[n] + k
            for p in range(last.shape[1]):
                following[child, p] = last[n, p]
            following[child, player[n]] = start + k
    return remembered


class Level(NamedTuple):
    """A level of the tree below some deals.

    Attributes:
        states: States [n].
        number: Number of legal actions, 0 at the end of a game, int32 [n].
        actions: The legal actions of all states, one after the other, int32.
    """

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

    Args:
        game: The game.
        nodes: Approximate number of nodes below one deal.
    """
    size = int(max(1, CHUNK // (game.dtype.itemsize * max(1.0, nodes))))
    rest: Iterator[Deal] = game.deals()
    for deal in rest:
        deals = [deal, *islice(rest, size - 1)]
        states = game.empty(len(deals))
        for i, each in enumerate(deals):
            states[i] = each.state
        yield states, np.array([each.probability for each in deals])


@kernel
def probe(rules, states, rng, ids, most):
    """Estimate the size of a game's tree below one deal; `states` [1] is scratch space.

    Knuth's estimator plays a random game. The product of the numbers of legal actions so far is an
    unbiased estimate of the size of each level. The game stops when the product is infinite, long
    before the end of a match of many rounds.
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


def estimate(game: Game) -> float:
    """Estimate the number of histories below one deal from random games; it may be infinite."""
    states, ids = game.empty(1), np.empty(game.num_actions, np.int32)
    rng = np.random.default_rng(0)
    sizes = [probe(game.rules, states, rng, ids, game.max_moves) for _ in range(PROBES)]
    return float(np.mean(sizes))


def _about(number: float) -> str:
    if number < 1e6:
        return f"about {number:,.0f}"
    return f"about 10^{math.log10(number):.0f}" if number < math.inf else "more than 10^308"


def check_size(game: Game, most: int = MOST_NODES) -> float:
    """Refuse a game that is surely too large; return the estimated histories below one deal.

    Args:
        game: The game.
        most: Number of histories that a tree may have.

    Raises:
        InputError: One deal alone has too many histories, or the game does not list its deals;
            the message states the size.
    """
    each = estimate(game)
    size = f"one deal of {game.name} has {_about(each)} histories"
    if each > 2 * most:
        raise InputError(f"{size}, too many to solve: {most:,} are the most")
    try:
        game.deals()
    except InputError as error:
        raise InputError(f"{error}; {size}") from None
    return each


@lru_cache(maxsize=2)
def build(game: Game, together: bool = False, most: int = MOST_NODES) -> InfoTree:
    """Build the tree of a game; callers share the arrays and must not change them.

    Args:
        game: A game that lists its deals.
        together: Whether the seats of a side are one player of the tree, who knows all their cards.
            Its best response is an upper bound of their payoff by separate strategies.
        most: Largest number of nodes.

    Raises:
        InputError: The game does not list its deals, its tree is larger than `most`, or views do
            not contain what their player knew before.
    """
    each = check_size(game, most)
    sides = np.array(game.sides if together else range(game.num_players), np.int8)
    shares = np.eye(sides.max() + 1)[sides]  # [seats, players of the tree]: sums payoffs by side
    pieces: list[_Pieces] = []
    chance: list[np.ndarray] = []
    nodes = 0
    for states, probabilities in chunks(game, each):
        chance.append(probabilities)
        for depth, level in enumerate(grow(game, states)):
            nodes += len(level.states)
            if nodes > most:
                raise InputError(_too_large(game, each, most))
            if depth == len(pieces):
                pieces.append(_Pieces([], [], [], [], [], []))
            pieces[depth].add(game, level, sides, shares, together)
    return _joined(game, pieces, np.concatenate(chance), shares.shape[1])


def _too_large(game: Game, each: float, most: int) -> str:
    """Message for a tree that is too large; it counts deals up to 100,000."""
    number = sum(1 for _ in islice(game.deals(), 100_001))
    deals = f"{number:,}" if number <= 100_000 else "more than 100,000"
    return (
        f"{game.name} has {deals} deals with {_about(each)} histories each, too many to solve: "
        f"{most:,} are the most in all"
    )


class _Pieces(NamedTuple):
    """One level of a tree under construction: a piece for each chunk of deals."""

    player: list[np.ndarray]
    number: list[np.ndarray]
    actions: list[np.ndarray]
    payoffs: list[np.ndarray]
    keys: list[np.ndarray]
    own_keys: list[np.ndarray]

    def add(
        self, game: Game, level: Level, sides: np.ndarray, shares: np.ndarray, together: bool
    ) -> None:
        deciding = level.number > 0
        player = np.full(len(level.states), END, np.int8)
        player[deciding] = sides[level.states["player"][deciding]]
        ends = np.flatnonzero(~deciding)
        payoffs = np.zeros((len(level.states), game.num_players))
        batch_kernels.returns_all(game.rules, level.states, ends, payoffs)
        self.player.append(player)
        self.number.append(level.number)
        self.actions.append(level.actions)
        self.payoffs.append(payoffs[ends] @ shares)
        own = keys_of(game, level.states[deciding])
        self.own_keys.append(own)
        self.keys.append(keys_of(game, level.states[deciding], together) if together else own)


def _joined(game: Game, pieces: Sequence[_Pieces], chance: np.ndarray, players: int) -> InfoTree:
    """Join the levels of a tree; the lists of `pieces` are emptied to save memory."""
    parts: dict[str, list[np.ndarray]] = {name: [] for name in InfoTree._fields}
    levels, set_levels, rows_so_far, ends = [0], [0], 0, 0
    last = np.full((len(chance), players), -1, np.int32)
    for piece in pieces:
        player, number = np.concatenate(piece.player), np.concatenate(piece.number)
        child_actions, keys = np.concatenate(piece.actions), np.concatenate(piece.keys)
        payoffs, own_keys = np.concatenate(piece.payoffs), np.concatenate(piece.own_keys)
        for each in piece:
            each.clear()
        table = np.full(1 << int(2 * len(keys) + 1).bit_length(), -1, np.int32)
        sets, originals = np.empty(len(keys), np.int32), np.empty(len(keys), np.int32)
        found = number_keys(keys, table, sets, originals)
        deciding = np.flatnonzero(player != END)
        originals = originals[:found]
        rows = np.concatenate([[0], np.cumsum(number[deciding[originals]])]) + rows_so_far
        first = np.concatenate([[0], np.cumsum(number)]).astype(np.int32)
        slot = np.empty(len(player), np.int32)
        slot[player == END] = np.arange(ends, ends + len(payoffs))
        actions = np.empty(rows[-1] - rows_so_far, np.int32)
        before = np.full(found, -2, np.int64)
        following = np.empty((len(child_actions), players), np.int32)
        if not connect(
            player, first, slot, sets, rows, actions, child_actions, last, following, before,
            rows_so_far,
        ):  # fmt: skip
            raise InputError(f"views of {game.name} forget what a player knew: only games with "
                             "perfect recall are solved")  # fmt: skip
        levels.append(levels[-1] + len(player))
        set_levels.append(set_levels[-1] + found)
        last, rows_so_far, ends = following, int(rows[-1]), ends + len(payoffs)
        values: dict[str, Any] = {
            "player": player,
            "first": first[:-1] + levels[-1],
            "slot": slot,
            "payoffs": payoffs,
            "owner": player[deciding[originals]],
            "rows": rows[:-1],
            "before": before,
            "actions": actions,
            "keys": keys[originals],
            "own_keys": own_keys[originals],
        }
        for name, value in values.items():
            parts[name].append(value)
    parts["first"].append(np.array([levels[-1]], np.int32))
    parts["rows"].append(np.array([rows_so_far]))
    for name, each in (("levels", levels), ("set_levels", set_levels)):
        parts[name].append(np.array(each))
    parts["chance"].append(chance)
    joined = {}
    for name in InfoTree._fields:
        joined[name] = np.concatenate(parts[name])
        parts[name].clear()
    return InfoTree(**joined)


def layout_of(game: Game, tree: InfoTree) -> Layout:
    """Layout of an information tree: arrays by action are indexed by its rows."""
    return Layout(tree.own_keys, tree.rows, tree.actions, slice(None))


class ListedDeals(NamedTuple):
    """Deals to be drawn by their probabilities.

    Attributes:
        cumulative: Probability of each deal and those before it, float64 [deals].
    """

    kernels = "closedhand.solvers.tree"

    cumulative: np.ndarray


@kernel
def draw_deal(deals, rng, deal):
    """Draw a deal, a node at the top of the tree, by bisection of the cumulative probabilities."""
    random = rng.random()
    first, last = 0, len(deals.cumulative) - 1
    while first < last:
        middle = (first + last) // 2
        if deals.cumulative[middle] > random:
            last = middle
        else:
            first = middle + 1
    deal[START] = first


def walk_of(game: Game, tree: InfoTree) -> Walk:
    """Prepare an information tree for sampling algorithms.

    It has no chance nodes below the deals, and a node belongs to one deal. Faces, lanes and
    outcomes are therefore all 0.
    """
    deals = ListedDeals(np.cumsum(tree.chance))
    rows = len(tree.actions)
    return Walk(tree.player, tree.first, tree.slot, tree.payoffs[None], deals, rows, slice(None))


ANY = Trees(build, layout_of, walk_of)
"""The information trees of all games."""


def trees_of(game: Game, states: str | None = None) -> Trees:
    """Choose the trees of a game: its own fast ones, or the information trees of any game.

    Args:
        game: The game.
        states: Name of an abstraction of the game; None: its information sets.

    Raises:
        InputError: The game has no such abstraction.
    """
    # A game that is not registered, such as a table game of OpenSpiel, has no spec.
    spec = spec_of(game.name) if game.name in GAMES else None
    abstractions = spec.abstractions if spec else {}
    if states is not None:
        if states not in abstractions:
            known = ", ".join(abstractions) or "none but its information sets"
            raise InputError(f"{game.name} has no states {states!r}; it has {known}")
        return load_ref(abstractions[states])
    return ANY if spec is None or spec.trees is None else load_ref(spec.trees)


def views_of_sets(game: Game, tree: InfoTree) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield a view of every information set of a tree, in chunks.

    Args:
        game: The game.
        tree: Its tree, in which every seat is a player.

    Yields:
        Views [n] of the players to act, and their sets, int64 [n]; every set comes once.
    """
    set_of_row = np.repeat(np.arange(len(tree.owner)), np.diff(tree.rows))
    places = tree.levels[:-1].copy()
    seen = np.zeros(len(tree.owner), bool)
    for states, _ in chunks(game, len(tree.player) / len(tree.chance)):
        for depth, level in enumerate(grow(game, states)):
            here = np.arange(places[depth], places[depth] + len(level.states))
            places[depth] += len(level.states)
            deciding = np.flatnonzero(level.number > 0)
            sets, where = np.unique(set_of_row[tree.slot[here[deciding]]], return_index=True)
            new = ~seen[sets]
            sets, where = sets[new], where[new]
            if len(sets):
                seen[sets] = True
                views = level.states[deciding[where]]
                batch_kernels.hide_all(game.rules, views)
                yield views, sets


def tree_size(tree: InfoTree) -> dict[str, int]:
    """Count the deals, nodes, ends and information sets of a tree."""
    return {
        "deals": len(tree.chance),
        "nodes": len(tree.player),
        "ends": len(tree.payoffs),
        "information_sets": len(tree.owner),
    }

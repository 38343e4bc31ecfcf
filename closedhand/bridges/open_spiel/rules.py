"""The rules of a game of OpenSpiel whose whole tree is in tables; see `tables`.

A state is a node of the tree, with the number of each player's information state at the node. All
of chance is dealt at the start: a state also holds the outcomes at chance nodes to come. Kernels
do not check whether an action is legal.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from closedhand.core import validity
from closedhand.core.layout import record_type
from closedhand.core.numba.jit import State, kernel, seed_in_kernel

CHANCE, END = -1, -2
"""Values of `Rules.player` at chance nodes and at the end of a game."""
UNKNOWN = -1
"""Value of all that a view does not know, and of outcomes after the last chance node."""


class Rules(NamedTuple):
    """The tree of a game, level by level; the children of a node are contiguous."""

    kernels = "closedhand.bridges.open_spiel.rules"

    player: np.ndarray  # player to act, `CHANCE` or `END`, int32 [nodes]
    # First child, int32 [nodes + 1]. Children end where those of the next node begin.
    first: np.ndarray
    parent: np.ndarray  # parent, -1 for the root, int32 [nodes]
    via: np.ndarray  # action or outcome that leads to a node, -1 for the root, int32 [nodes]
    likely: np.ndarray  # product of the probabilities of chance before a node, float64 [nodes]
    chances: np.ndarray  # number of chance nodes before a node, int32 [nodes]
    moves: np.ndarray  # number of players' actions before a node, int32 [nodes]
    payoffs: np.ndarray  # payoffs at the end of a game, float64 [nodes, players]
    # Information state of each player, int32 [nodes, players]; `UNKNOWN` at chance nodes.
    info: np.ndarray
    owner: np.ndarray  # player of each information state, int32 [sets]
    members: np.ndarray  # nodes of all information states, one set after the other, int32
    start: np.ndarray  # index in `members` of each set's first node, int64 [sets + 1]
    # Actions before each information state, int32 [sets, longest]; `UNKNOWN` where its player does
    # not know them.
    known: np.ndarray
    tensors: np.ndarray  # observation in each information state, int8 [sets, size]
    # The tree of chance alone: first child of each node, int32 [chances + 1], and probability of
    # each node, given its parent, float64 [chances].
    chance_first: np.ndarray
    chance_share: np.ndarray


def state_type(rules: Rules) -> np.dtype:
    """Make the dtype of states, for the most actions and the most chance nodes in a game."""
    players, longest = rules.info.shape[1], rules.known.shape[1]
    chances = int(rules.chances.max())
    fields = [
        ("chance", "i4", max(1, chances)),  # outcomes, each counted from 0, or UNKNOWN
        ("info", "i4", players),  # information state of each player, or UNKNOWN
        ("history", "i4", longest),  # actions of players, UNKNOWN where a view hides them
        ("moves", "i4"),  # number of these actions
        ("node", "i4"),  # node of the tree, UNKNOWN in a view
        ("player", "i4"),  # the player to act; at the end, the last to have acted
        ("ended", "i4"),  # whether the game is over
    ]
    return record_type(fields)


@kernel
def go_to(rules, state, node):
    """Move a state to a node; from chance nodes, move on by the outcomes in the state."""
    while rules.player[node] == CHANCE:
        # A view does not know the outcome (UNKNOWN): take the first, as any is consistent.
        node = rules.first[node] + max(0, state.chance[rules.chances[node]])
    state.node = node
    state.moves = rules.moves[node]
    state.ended = 1 if rules.player[node] == END else 0
    if not state.ended:
        state.player = rules.player[node]
    for p in range(len(state.info)):
        state.info[p] = rules.info[node, p]


@kernel
def write_path(rules, state, node):
    """Write the outcomes and actions from the root to a node; return who acted last, or UNKNOWN."""
    last = UNKNOWN
    while rules.parent[node] >= 0:
        before = rules.parent[node]
        if rules.player[before] == CHANCE:
            state.chance[rules.chances[before]] = node - rules.first[before]
        else:
            if last == UNKNOWN:
                last = rules.player[before]
            state.history[rules.moves[before]] = rules.via[node]
        node = before
    return last


@kernel
def draw_chance(rules, state, known, rng_seed):
    """Draw `state.chance`, but keep its first `known` outcomes; `rng_seed` is a uint64, not 0."""
    seed = rng_seed
    at = 0  # node of the tree of chance
    for k in range(len(state.chance)):
        first, number = rules.chance_first[at], rules.chance_first[at + 1] - rules.chance_first[at]
        if number == 0:  # no chance node follows
            state.chance[k] = UNKNOWN
            continue
        if k >= known:
            # Xorshift, as for shuffles; its top 53 bits are a uniform number below 1.
            seed ^= seed << np.uint64(13)
            seed ^= seed >> np.uint64(7)
            seed ^= seed << np.uint64(17)
            left = np.float64(seed >> np.uint64(11)) * (1.0 / 2.0**53)
            outcome = 0
            while outcome < number - 1 and left >= rules.chance_share[first + outcome]:
                left -= rules.chance_share[first + outcome]
                outcome += 1
            state.chance[k] = outcome
        at = first + state.chance[k]


@kernel
def deal(rules, state, seed):
    """Draw all outcomes of chance and start."""
    draw_chance(rules, state, 0, seed)
    for k in range(len(state.history)):
        state.history[k] = 0
    go_to(rules, state, 0)


def deals(rules: Rules) -> Iterator[tuple[State, float]]:
    """Yield the initial states of all outcomes of chance, with their probabilities."""

    def ways(at: int, before: list[int], share: float) -> Iterator[tuple[list[int], float]]:
        first, end = int(rules.chance_first[at]), int(rules.chance_first[at + 1])
        if first == end:
            yield before, share
        for child in range(first, end):
            yield from ways(child, [*before, child - first], share * rules.chance_share[child])

    kind = state_type(rules)
    for chance, share in ways(0, [], 1.0):
        yield start_of(rules, kind, chance), share


def start_of(rules: Rules, kind: np.dtype, chance: Sequence[int]) -> State:
    """Make an initial state, of the dtype of `state_type`, from all outcomes of chance."""
    state = np.zeros(1, kind)[0]
    state.chance[:] = UNKNOWN
    state.chance[: len(chance)] = chance
    go_to(rules, state, 0)
    return state


@kernel
def node_of(rules, state):
    """Return a state's node; in the view of the player to act a possible one, else `UNKNOWN`."""
    if state.node >= 0:
        return state.node
    info = state.info[state.player]
    return rules.members[rules.start[info]] if info >= 0 else UNKNOWN


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions in ascending order; return their number."""
    node = node_of(rules, state)
    if node < 0 or state.ended:
        return 0
    first = rules.first[node]
    number = rules.first[node + 1] - first
    for k in range(number):
        out[k] = rules.via[first + k]
    return number


@kernel
def play(rules, state, action):
    """Apply a legal action, and then the outcomes in the state at chance nodes that follow."""
    node = node_of(rules, state)
    state.history[state.moves] = action
    for child in range(rules.first[node], rules.first[node + 1]):
        if rules.via[child] == action:
            go_to(rules, state, child)
            return


@kernel
def over(rules, state):
    """Return whether the game has ended."""
    return state.ended == 1


@kernel
def returns(rules, state, out):
    """Write the payoffs of a finished game by player."""
    for p in range(len(state.info)):
        out[p] = rules.payoffs[state.node, p]


@kernel
def hide(rules, state, player):
    """Reduce a state, in place, to the information state of a player."""
    for k in range(len(state.chance)):
        state.chance[k] = UNKNOWN
    state.node = UNKNOWN
    for p in range(len(state.info)):
        if p != player:
            state.info[p] = UNKNOWN
    info = state.info[player]  # UNKNOWN if the state is another player's view
    for k in range(state.moves):
        state.history[k] = rules.known[info, k] if info >= 0 else UNKNOWN


@kernel
def redeal(rules, view, player, rng):
    """Complete a view of `player`, in place, to a random state of its information state.

    1. Draw a node of the information state, weighted by the probability of chance before it.
    2. Write the outcomes and actions on the path from the root to the node.
    3. Draw the outcomes of chance after the node.
    """
    info = view.info[player]
    total = 0.0
    for k in range(rules.start[info], rules.start[info + 1]):
        total += rules.likely[rules.members[k]]
    left = rng.random() * total
    chosen = rules.members[rules.start[info]]
    for k in range(rules.start[info], rules.start[info + 1]):
        chosen = rules.members[k]
        left -= rules.likely[chosen]
        if left < 0:
            break
    write_path(rules, view, chosen)
    draw_chance(rules, view, rules.chances[chosen], seed_in_kernel(rng))
    go_to(rules, view, chosen)


@kernel
def observe(rules, state, player, out):
    """Write OpenSpiel's tensor of a player's information state; zeros where it is unknown."""
    info = state.info[player]
    for k in range(len(out)):
        out[k] = rules.tensors[info, k] if info >= 0 else 0


def valid(rules: Rules, state: Any, player: int | None = None) -> str:
    """Say why the rules do not allow a state, or a view of `player`; empty if they do."""
    bounds = {
        "moves": (0, len(state.history)), "player": (0, len(state.info) - 1), "ended": (0, 1),
        "info": (UNKNOWN, len(rules.owner) - 1), "node": (UNKNOWN, len(rules.player) - 1),
    }  # fmt: skip
    why = validity.outside(state, bounds)
    if why:
        return why
    expected = state.copy()
    if player is not None:
        info = int(state.info[player])
        if info < 0 or rules.owner[info] != player:
            return f"info holds no information state of player_{player}"
        _go_to(rules, expected, int(rules.members[rules.start[info]]))
        hide(rules, expected, player)
        return validity.difference(state, expected, len(state.info))
    if state.node < 0 or rules.player[state.node] == CHANCE:
        return "node is not one at which a player acts, or the end"
    _go_to(rules, expected, int(state.node))
    at = 0
    for k, outcome in enumerate(state.chance.tolist()):
        number = int(rules.chance_first[at + 1] - rules.chance_first[at])
        if not (0 <= outcome < number if number else outcome == UNKNOWN):
            return f"chance holds {outcome}, which is not an outcome of chance node {k}"
        at = int(rules.chance_first[at]) + outcome if number else at
    return validity.difference(state, expected, len(state.info))


def _go_to(rules: Rules, state: Any, node: int) -> None:
    """Write all fields of a state that its node implies."""
    state.history[:] = 0
    go_to(rules, state, node)
    last = write_path(rules, state, node)
    if state.ended:
        state.player = last

"""The rules of a game of OpenSpiel whose whole tree is in tables; see `tables`.

A state is a node of the tree and what each player knows there, the number of an information state.
All of chance is dealt at the start, as the outcome at each chance node that the game will come to.
Kernels trust their callers to pass legal actions only.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from closedhand.core import validity
from closedhand.core.numba.jit import State, kernel

CHANCE, END = -1, -2
"""Values of `Rules.player` at chance nodes and at the end of a game."""
UNKNOWN = -1


class Rules(NamedTuple):
    """The tree of a game, level by level; children of a node are contiguous, by their actions.

    Attributes:
        player: Player to act, `CHANCE` or `END`, int32 [nodes].
        first: First child, int32 [nodes + 1]; children end where those of the next node begin.
        parent: Parent, -1 for the root, int32 [nodes].
        via: Action or chance outcome that leads to a node, int32 [nodes].
        likely: Product of the probabilities of chance before a node, float64 [nodes].
        chances: Number of chance nodes before a node, int32 [nodes].
        moves: Number of players' actions before a node, int32 [nodes].
        payoffs: Payoffs at the end of a game, float64 [nodes, players].
        told: Information state of each player, int32 [nodes, players].
        owner: Player of each information state, int32 [sets].
        members: Nodes of all information states, one set after the other, int32.
        start: First member of each information state, int64 [sets + 1].
        known: Actions before each information state as far as its player knows them, else
            `UNKNOWN`, int32 [sets, longest].
        tensors: Observation in each information state, int8 [sets, size].
        chance_first: First outcome of each node of the tree of chance alone, int32 [chances + 1].
        chance_share: Probability of each of its nodes after its parent, float64 [chances].
    """

    kernels = "closedhand.bridges.open_spiel.rules"

    player: np.ndarray
    first: np.ndarray
    parent: np.ndarray
    via: np.ndarray
    likely: np.ndarray
    chances: np.ndarray
    moves: np.ndarray
    payoffs: np.ndarray
    told: np.ndarray
    owner: np.ndarray
    members: np.ndarray
    start: np.ndarray
    known: np.ndarray
    tensors: np.ndarray
    chance_first: np.ndarray
    chance_share: np.ndarray


def state_type(players: int, longest: int, chances: int) -> np.dtype:
    """The type of a state of a game with so many players, actions and chance nodes at most."""
    fields = [
        ("fate", "i4", max(1, chances)),  # outcome at each chance node, counted from 0; or UNKNOWN
        ("told", "i4", players),  # information state of each player, or UNKNOWN
        ("history", "i4", longest),  # actions of players, UNKNOWN where a view hides them
        ("moves", "i4"),  # number of these actions
        ("node", "i4"),  # node of the tree, UNKNOWN in a view
        ("player", "i4"),  # the player to act; at the end, the last to have acted
        ("ended", "i4"),  # whether the game is over
    ]
    return np.dtype((np.record, np.dtype(fields)))


@kernel
def place(rules, state, node):
    """Go to a node, past the chance nodes there."""
    while rules.player[node] == CHANCE:
        # A view knows no fate: any will do for what follows from it.
        node = rules.first[node] + max(0, state.fate[rules.chances[node]])
    state.node = node
    state.moves = rules.moves[node]
    state.ended = 1 if rules.player[node] == END else 0
    if not state.ended:
        state.player = rules.player[node]
    for p in range(len(state.told)):
        state.told[p] = rules.told[node, p]


@kernel
def draw_fate(rules, state, known, rng_seed):
    """Draw the outcomes of chance after the `known` first ones."""
    seed = rng_seed
    at = 0
    for k in range(len(state.fate)):
        first, number = rules.chance_first[at], rules.chance_first[at + 1] - rules.chance_first[at]
        if number == 0:
            state.fate[k] = UNKNOWN
            continue
        if k >= known:
            # Xorshift, as for shuffles.
            seed ^= seed << np.uint64(13)
            seed ^= seed >> np.uint64(7)
            seed ^= seed << np.uint64(17)
            left = np.float64(seed >> np.uint64(11)) * (1.0 / 2.0**53)
            outcome = 0
            while outcome < number - 1 and left >= rules.chance_share[first + outcome]:
                left -= rules.chance_share[first + outcome]
                outcome += 1
            state.fate[k] = outcome
        at = first + state.fate[k]


@kernel
def begin(rules, state):
    """Start a game with the fate in `state`."""
    for k in range(len(state.history)):
        state.history[k] = 0
    place(rules, state, 0)


@kernel
def deal(rules, state, seed):
    """Deal all of chance, and start."""
    draw_fate(rules, state, 0, seed)
    begin(rules, state)


def deals(rules: Rules) -> Iterator[tuple[State, float]]:
    """All ways of chance, with their probabilities."""

    def ways(at: int, before: list[int], share: float) -> Iterator[tuple[list[int], float]]:
        first, end = int(rules.chance_first[at]), int(rules.chance_first[at + 1])
        if first == end:
            yield before, share
        for child in range(first, end):
            yield from ways(child, [*before, child - first], share * rules.chance_share[child])

    chances = int(rules.chances.max())
    kind = state_type(rules.told.shape[1], rules.known.shape[1], chances)
    for fate, share in ways(0, [], 1.0):
        state = np.zeros(1, kind)[0]
        state.fate[:] = UNKNOWN
        state.fate[: len(fate)] = fate
        begin(rules, state)
        yield state, share


@kernel
def here(rules, state):
    """The node of a state; of a view, one that its player to act takes for possible."""
    if state.node >= 0:
        return state.node
    told = state.told[state.player]
    return rules.members[rules.start[told]] if told >= 0 else UNKNOWN


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions, ascending; return their number."""
    node = here(rules, state)
    if node < 0 or state.ended:
        return 0
    first = rules.first[node]
    number = rules.first[node + 1] - first
    for k in range(number):
        out[k] = rules.via[first + k]
    return number


@kernel
def play(rules, state, action):
    """Apply a legal action, and what chance has in store."""
    node = here(rules, state)
    state.history[state.moves] = action
    for child in range(rules.first[node], rules.first[node + 1]):
        if rules.via[child] == action:
            place(rules, state, child)
            return


@kernel
def over(rules, state):
    """Whether the game has ended."""
    return state.ended == 1


@kernel
def returns(rules, state, out):
    """Write the payoffs of a finished game by player."""
    for p in range(len(state.told)):
        out[p] = rules.payoffs[state.node, p]


@kernel
def hide(rules, state, player):
    """Leave, in place, the information state of a player alone."""
    for k in range(len(state.fate)):
        state.fate[k] = UNKNOWN
    state.node = UNKNOWN
    for p in range(len(state.told)):
        if p != player:
            state.told[p] = UNKNOWN
    told = state.told[player]
    for k in range(state.moves):
        state.history[k] = rules.known[told, k] if told >= 0 else UNKNOWN


@kernel
def redeal(rules, view, player, rng):
    """Draw, in place, a node of the player's information state, as likely as chance makes it."""
    told = view.told[player]
    total = 0.0
    for k in range(rules.start[told], rules.start[told + 1]):
        total += rules.likely[rules.members[k]]
    left = rng.random() * total
    chosen = rules.members[rules.start[told]]
    for k in range(rules.start[told], rules.start[told + 1]):
        chosen = rules.members[k]
        left -= rules.likely[chosen]
        if left < 0:
            break
    node = chosen
    while rules.parent[node] >= 0:
        before = rules.parent[node]
        if rules.player[before] == CHANCE:
            view.fate[rules.chances[before]] = node - rules.first[before]
        else:
            view.history[rules.moves[before]] = rules.via[node]
        node = before
    draw_fate(rules, view, rules.chances[chosen], np.uint64(1 + rng.random() * 2.0**53))
    place(rules, view, chosen)


@kernel
def observe(rules, state, player, out):
    """Write OpenSpiel's tensor of what a player knows."""
    told = state.told[player]
    for k in range(len(out)):
        out[k] = rules.tensors[told, k] if told >= 0 else 0


def valid(rules: Rules, state: Any, player: int | None = None) -> str:
    """Why the rules do not allow a state, or a view of `player`; an empty text if they do."""
    bounds = {
        "moves": (0, len(state.history)), "player": (0, len(state.told) - 1), "ended": (0, 1),
        "told": (UNKNOWN, len(rules.owner) - 1), "node": (UNKNOWN, len(rules.player) - 1),
    }  # fmt: skip
    why = validity.outside(state, bounds)
    if why:
        return why
    expected = state.copy()
    if player is not None:
        told = int(state.told[player])
        if told < 0 or rules.owner[told] != player:
            return f"told holds no information state of player_{player}"
        _go_to(rules, expected, int(rules.members[rules.start[told]]))
        hide(rules, expected, player)
        return validity.difference(state, expected, len(state.told))
    if state.node < 0 or rules.player[state.node] == CHANCE:
        return "node is not one at which a player acts, or the end"
    _go_to(rules, expected, int(state.node))
    at = 0
    for k, outcome in enumerate(state.fate.tolist()):
        number = int(rules.chance_first[at + 1] - rules.chance_first[at])
        if not (0 <= outcome < number if number else outcome == UNKNOWN):
            return f"fate holds {outcome}, which is no outcome of chance node {k}"
        at = int(rules.chance_first[at]) + outcome if number else at
    return validity.difference(state, expected, len(state.told))


def _go_to(rules: Rules, state: Any, node: int) -> None:
    """Fill in, in place, everything that a node says."""
    state.history[:] = 0
    place(rules, state, node)
    last = UNKNOWN
    while rules.parent[node] >= 0:
        before = int(rules.parent[node])
        if rules.player[before] == CHANCE:
            state.fate[rules.chances[before]] = node - rules.first[before]
        else:
            last = int(rules.player[before]) if last == UNKNOWN else last
            state.history[rules.moves[before]] = rules.via[node]
        node = before
    if state.ended:
        state.player = last

"""The sequence-form linear program of Leduc, on the public tree; see `tabular.sequence_form`."""

from typing import Any, NamedTuple

import numpy as np

from closedhand.agents.leduc.strategy import Strategy
from closedhand.agents.leduc.tree import END, LANES, Tree, build, to_strategy
from closedhand.core.game import Game
from closedhand.core.optional_imports import require
from closedhand.games.leduc.plays import S, T
from closedhand.solvers.sequence_form import constraints, solve_program


class Solution(NamedTuple):
    """Solution of the linear program.

    Attributes:
        value: Expected payoff of S in equilibrium, chips per game.
        strategy: An equilibrium.
    """

    value: float
    strategy: Strategy


def solve(game: Game) -> Solution:
    """Solve a game exactly, up to the solver's tolerances.

    Raises:
        InputError: SciPy is not installed.
        RuntimeError: The solver failed.
    """
    require("scipy")
    tree = build(game)
    kinds = int(game.rules.tables.kinds)
    plans = [_sequences(tree, player, kinds) for player in (S, T)]
    payoffs = _payoffs(tree, plans, kinds)
    found = solve_program(payoffs, *(_constraints(tree, plan, kinds) for plan in plans))
    weights = np.zeros((len(tree.player), LANES))
    for plan, solution in zip(plans, (found.first, found.second), strict=True):
        weights[plan.own, :kinds] = solution[plan.ids[plan.own][:, :kinds]]
    return Solution(found.value, to_strategy(game, tree, weights, algorithm="lp"))


class Plan(NamedTuple):
    """The sequences of a player; sequence 0 is the empty one.

    Attributes:
        player: 0 or 1.
        own: The nodes that the player's actions lead to.
        ids: The sequence that the player has played at each node, by card, int64 [nodes, LANES].
        number: Number of sequences.
    """

    player: int
    own: np.ndarray
    ids: np.ndarray
    number: int


def _sequences(tree: Tree, player: int, kinds: int) -> Plan:
    acted = (tree.parent >= 0) & (tree.player[tree.parent] == player)
    own = np.flatnonzero(acted)
    ids = np.zeros((len(tree.player), LANES), np.int64)
    new = 1
    for n in range(1, len(tree.player)):
        ids[n] = ids[tree.parent[n]]
        if acted[n]:
            ids[n, :kinds] = np.arange(new, new + kinds)
            new += kinds
    return Plan(player, own, ids, new)


def _constraints(tree: Tree, plan: Plan, kinds: int) -> tuple[Any, np.ndarray]:
    """Constraints of a plan, as from `sequence_form.constraints`."""
    deciding = np.flatnonzero(tree.player == plan.player)
    numbers = np.zeros(len(tree.player), np.int64)
    numbers[deciding] = np.arange(len(deciding))
    # Sequences are numbered by node, then by card, and so are the sets that they end.
    sets = numbers[tree.parent[plan.own]][:, None] * kinds + np.arange(kinds)
    return constraints(plan.ids[deciding][:, :kinds].ravel(), sets.ravel())


def _payoffs(tree: Tree, plans: list[Plan], kinds: int) -> Any:
    """Payoffs of S by both players' sequences, sparse [sequences of S, sequences of T]."""
    from scipy import sparse

    ends = np.flatnonzero(tree.player == END)
    # By end, T's card and S's card.
    pays = tree.stakes[ends, S][:, None, None] * tree.pays[tree.matrix[ends], :kinds, :kinds]
    rows = np.broadcast_to(plans[S].ids[ends][:, None, :kinds], pays.shape)
    columns = np.broadcast_to(plans[T].ids[ends][:, :kinds, None], pays.shape)
    shape = (plans[S].number, plans[T].number)
    return sparse.coo_array((pays.ravel(), (rows.ravel(), columns.ravel())), shape).tocsr()

"""The exact value of a Leduc game: the sequence-form linear program, solved by SciPy's HiGHS.

A plan (realisation plan) of a player gives every sequence of the player's own actions with a card
its probability, as far as the player's own choices determine it. The expected payoff is bilinear in
the two plans, so the plan of S that is best against every plan of T solves a linear program
(Koller, Megiddo and von Stengel, 1996). The dual variables are T's plan.
"""

from typing import Any, NamedTuple

import numpy as np

from closedhand.baselines.leduc.strategy import Strategy
from closedhand.baselines.leduc.tree import END, LANES, Tree, build, to_strategy
from closedhand.core.extras import needing
from closedhand.core.game import Game
from closedhand.games.leduc.plays import S, T


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
    with needing():
        from scipy import optimize, sparse
    tree = build(game)
    kinds = int(game.rules.tables.kinds)
    plans = [_sequences(tree, player, kinds) for player in (S, T)]
    payoffs = _payoffs(tree, plans, kinds)
    (flow_s, start_s), (flow_t, start_t) = (_constraints(tree, plan, kinds) for plan in plans)
    # Variables are S's plan x and a value v for every constraint of T. The program maximises v[0],
    # the payoff that x guarantees; no sequence of T may leave S less than v allows.
    number_x, number_v = payoffs.shape[0], flow_t.shape[0]
    objective = np.concatenate([np.zeros(number_x), -start_t])
    result = optimize.linprog(
        objective,
        A_ub=sparse.hstack([-payoffs.T, flow_t.T], format="csr"),
        b_ub=np.zeros(payoffs.shape[1]),
        A_eq=sparse.hstack([flow_s, sparse.csr_array((flow_s.shape[0], number_v))], format="csr"),
        b_eq=start_s,
        bounds=[(0, None)] * number_x + [(None, None)] * number_v,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not result.success:
        raise RuntimeError(f"the linear program was not solved: {result.message}")
    weights = np.zeros((len(tree.player), LANES))
    for plan, solution in zip(plans, (result.x[:number_x], -result.ineqlin.marginals), strict=True):
        own = plan.own
        places = plan.ids[own][:, :kinds]
        weights[own, :kinds] = np.maximum(solution[places], 0)
    return Solution(-float(result.fun), to_strategy(game, tree, weights, algorithm="lp"))


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
    """Constraints of a plan: a sparse matrix [constraints, sequences] and its right-hand side."""
    from scipy import sparse

    rows, columns, values = [0], [0], [1.0]
    row = 1
    for n in np.flatnonzero(tree.player == plan.player):
        for card in range(kinds):
            children = range(tree.first[n], tree.first[n] + tree.children[n])
            ids = [plan.ids[n, card], *(plan.ids[child, card] for child in children)]
            rows += [row] * len(ids)
            columns += ids
            values += [-1.0] + [1.0] * len(children)
            row += 1
    start = np.zeros(row)
    start[0] = 1
    return sparse.csr_array((values, (rows, columns)), shape=(row, plan.number)), start


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

"""Exact solution of a two-player zero-sum game by the sequence-form linear program.

1. A realisation plan of a player assigns every sequence of the player's own actions the product of
   their probabilities. At each information set the products of the sequences that end there add up
   to that of the sequence before the set. These are linear constraints.
2. The expected payoff is bilinear in the two plans. Its matrix holds, for every pair of
   sequences that end a game, the sum of chance times payoff.
3. The first player's plan with the greatest guaranteed payoff solves a linear program, here by
   SciPy's HiGHS. The dual variables are the second player's plan.
4. A strategy plays the actions of a set in proportion to the plan.

After Koller, Megiddo and von Stengel, "Efficient Computation of Equilibria for Extensive Two-Person
Games" (1996).
"""

from typing import Any

import numpy as np

from closedhand.core.game import Game, InputError
from closedhand.core.optional_imports import needing
from closedhand.solvers.evaluate import rows_above
from closedhand.solvers.interface import END
from closedhand.solvers.passes import reach_others
from closedhand.solvers.strategy import Strategy, to_strategy
from closedhand.solvers.tree import InfoTree, build, layout_of


def solve_program(payoffs: Any, first: Any, second: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Solve the linear program of a game: its value for the first player, and both plans.

    `payoffs` are those of the first player by both players' sequences, weighted with chance, a
    sparse matrix [sequences of the first, sequences of the second]. `first` and `second` are the
    `constraints` of the two plans. A program that SciPy cannot solve is a `RuntimeError`.
    """
    from scipy import optimize, sparse

    (flow, start), (other_flow, other_start) = first, second
    # Variables are the first plan x and a value v for every constraint of the second plan. Each
    # sequence of the second bounds the v of its set by its payoff plus the v of the sets after it.
    # So v[0], which the program maximises, is the payoff that x guarantees.
    number_x, number_v = payoffs.shape[0], other_flow.shape[0]
    objective = np.concatenate([np.zeros(number_x), -other_start])
    result = optimize.linprog(
        objective,
        A_ub=sparse.hstack([-payoffs.T, other_flow.T], format="csr"),
        b_ub=np.zeros(payoffs.shape[1]),
        A_eq=sparse.hstack([flow, sparse.csr_array((flow.shape[0], number_v))], format="csr"),
        b_eq=start,
        bounds=[(0, None)] * number_x + [(None, None)] * number_v,
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not result.success:
        raise RuntimeError(f"SciPy did not solve the linear program: {result.message}")
    first_plan, second_plan = result.x[:number_x], -result.ineqlin.marginals
    return -float(result.fun), np.maximum(first_plan, 0), np.maximum(second_plan, 0)


def constraints(before: np.ndarray, set_of: np.ndarray) -> tuple[Any, np.ndarray]:
    """Make the constraints of a plan: at a set, sequences that end there add up to the one before.

    Sequence 0 is the empty one, of probability 1; the others are numbered from 1. `before` is the
    sequence before each set of the player, int64 [sets], `set_of` the set at which each other
    sequence ends, int64 [sequences - 1]. The result is a sparse matrix [1 + sets, sequences] and
    its right-hand side.
    """
    from scipy import sparse

    sets = np.arange(1, len(before) + 1)
    rows = np.concatenate([[0], sets, 1 + set_of])
    columns = np.concatenate([[0], before, np.arange(1, len(set_of) + 1)])
    values = np.concatenate([[1.0], -np.ones(len(sets)), np.ones(len(set_of))])
    start = np.zeros(1 + len(sets))
    start[0] = 1
    shape = (1 + len(sets), 1 + len(set_of))
    return sparse.csr_array((values, (rows, columns)), shape=shape), start


def solve(game: Game) -> tuple[float, Strategy]:
    """Compute the value for the first player and an equilibrium of a small game.

    Raises:
        InputError: The game is too large, does not list its deals or is not one of two players with
            opposite payoffs, or SciPy is not installed.
        RuntimeError: The solver failed.
    """
    with needing():
        from scipy import sparse
    if game.num_players != 2 or not game.zero_sum:
        raise InputError(f"the linear program is for two players with opposite payoffs, not for "
                         f"{game.name}")  # fmt: skip
    tree = build(game)
    owner = np.repeat(tree.owner, np.diff(tree.rows))
    # The sequence that ends at each row, numbered from 1 for each player.
    sequences = np.where(owner == 0, np.cumsum(owner == 0), np.cumsum(owner == 1))
    last = _last(tree, owner, sequences)
    likely = np.empty(len(tree.player))
    reach_others(tree, np.ones(len(tree.actions)), 0, likely)  # the probability of chance alone
    ends = np.flatnonzero(tree.player == END)
    pays = likely[ends] * tree.payoffs[tree.slot[ends], 0]
    programs = []
    for player in (0, 1):
        own = np.flatnonzero(tree.owner == player)
        before = np.where(tree.before[own] >= 0, sequences[tree.before[own]], 0)
        set_of = np.repeat(np.arange(len(own)), np.diff(tree.rows)[own])
        programs.append(constraints(before, set_of))
    shape = tuple(matrix.shape[1] for matrix, _ in programs)
    payoffs = sparse.coo_array((pays, (last[ends, 0], last[ends, 1])), shape).tocsr()
    value, *plans = solve_program(payoffs, *programs)
    # Rows of the other player may have numbers beyond a plan; `where` does not use these.
    by_row = [plan[np.minimum(sequences, len(plan) - 1)] for plan in plans]
    weights = np.where(owner == 0, *by_row)
    return value, to_strategy(game, layout_of(tree), weights, algorithm="lp")


def _last(tree: InfoTree, owner: np.ndarray, sequences: np.ndarray) -> np.ndarray:
    """Find the last sequence of each player at each node, int64 [nodes, 2]; 0: the empty one."""
    above = rows_above(tree)
    parents = np.repeat(np.arange(len(tree.player)), np.diff(tree.first))
    last = np.zeros((len(tree.player), 2), np.int64)
    for begin, end in zip(tree.levels[1:-1], tree.levels[2:], strict=True):
        nodes = np.arange(begin, end)
        last[nodes] = last[parents[nodes - len(tree.chance)]]
        last[nodes, owner[above[nodes]]] = sequences[above[nodes]]
    return last

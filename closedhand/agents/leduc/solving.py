"""What Leduc has of its own among the solvers: the public trees, and algorithms on its betting."""

from closedhand.agents.leduc import strategy
from closedhand.agents.leduc.linear import solve
from closedhand.agents.leduc.tree import build, evaluate, tables, to_strategy
from closedhand.solvers.interface import Trees
from closedhand.solvers.solving import ALGORITHMS

HERE = "closedhand.agents.leduc"

PUBLIC = Trees(
    build=build,
    tables=tables,
    to_strategy=to_strategy,
    evaluate=evaluate,
    save=strategy.save,
    solve_exactly=solve,
    algorithms={
        "mccfr": ALGORITHMS["mccfr"]._replace(solver=f"{HERE}.mccfr:MCCFR"),
        "q-learning": ALGORITHMS["q-learning"]._replace(solver=f"{HERE}.qlearning:QLearning"),
    },
)
"""The public trees, with vectors over the private cards."""

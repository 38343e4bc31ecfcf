"""The agent `equilibrium`: a strategy that predictive CFR+ computes when the agent is made."""

from functools import lru_cache
from typing import Annotated

from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.options import Range
from closedhand.solvers.solving import make_solver
from closedhand.solvers.strategy import Strategy, StrategyAgent

ITERATIONS = 2000
"""Default number of iterations: NashConv is then below 0.001 chips in every Leduc game."""


@lru_cache
def equilibrium(game: Game, iterations: int = ITERATIONS) -> Strategy:
    """Compute the strategy of the agent `equilibrium` by predictive CFR+; cache it."""
    solver = make_solver("pcfr+", game)
    solver.run(iterations)
    return solver.strategy()


Iterations = Annotated[int | None, Range(1), "iterations of the solver, 2,000 if none"]


@described(Traits(microseconds=0.3))
def make_equilibrium(
    game: Game, seed: int, argument: str | None, iterations: Iterations = None
) -> StrategyAgent:
    """Make the agent `equilibrium`; an `InputError` refuses an argument."""
    refuse_argument("equilibrium", argument)
    name = str(AgentSpec("equilibrium", {"iterations": iterations}))
    return StrategyAgent(equilibrium(game, iterations or ITERATIONS), name, seed)

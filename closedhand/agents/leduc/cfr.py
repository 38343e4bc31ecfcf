"""The CFR family on the public tree, and the agent `equilibrium`."""

from functools import lru_cache, partial
from typing import Annotated

from closedhand.agents.leduc.solving import PUBLIC
from closedhand.agents.leduc.strategy import Strategy, StrategyAgent
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.options import Range
from closedhand.solvers import cfr

CFR = partial(cfr.CFR, PUBLIC)
CFRPlus = partial(cfr.CFRPlus, PUBLIC)
LinearCFR = partial(cfr.LinearCFR, PUBLIC)
DiscountedCFR = partial(cfr.DiscountedCFR, PUBLIC)
PredictiveCFRPlus = partial(cfr.PredictiveCFRPlus, PUBLIC)


ITERATIONS = 2000
"""Iterations of the agent `equilibrium`: NashConv is then below 0.001 chips in every game."""


@lru_cache
def equilibrium(game: Game, iterations: int = ITERATIONS) -> Strategy:
    """The strategy of the agent `equilibrium`."""
    solver = PredictiveCFRPlus(game)
    solver.run(iterations)
    return solver.strategy()


Iterations = Annotated[int | None, Range(1), "iterations of the solver, 2,000 if none"]


@described(Traits(microseconds=0.3))
def make_equilibrium(
    game: Game, seed: int, argument: str | None, iterations: Iterations = None
) -> StrategyAgent:
    """The agent `equilibrium`, solved with the given number of iterations.

    Raises:
        InputError: It was given an argument.
    """
    refuse_argument("equilibrium", argument)
    name = str(AgentSpec("equilibrium", {"iterations": iterations}))
    number = ITERATIONS if iterations is None else iterations
    return StrategyAgent(equilibrium(game, number), name, seed)

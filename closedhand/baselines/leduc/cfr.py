"""Counterfactual regret minimisation: one loop, whose settings give five algorithms.

Every iteration updates S and then T (alternating updates). Regrets are discounted as in Brown and
Sandholm's discounted CFR ("Solving Imperfect-Information Games via Discounted Regret
Minimization", 2019): after iteration t positive regrets are multiplied by t^a / (t^a + 1) and
negative ones by t^b / (t^b + 1); iteration t has weight t^c in the average strategy. CFR+ is
a = infinity, b = -infinity, c = 1 in these terms. Predictive CFR+ (Farina, Kroer and Sandholm,
"Faster Game Solving via Predictive Blackwell Approachability", 2021) plays as if the latest regrets
were observed a second time.
"""

import math
from functools import lru_cache, partial
from typing import Annotated, NamedTuple

import numpy as np

from closedhand.baselines.leduc.strategy import Strategy, StrategyAgent, uniform
from closedhand.baselines.leduc.tree import (
    LANES,
    build,
    expect,
    reach,
    to_sigma,
    to_strategy,
)
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.kernel import kernel
from closedhand.core.moved import old_names
from closedhand.core.options import Range

__getattr__ = old_names(__name__)


class Algorithm(NamedTuple):
    """The settings of the loop.

    Attributes:
        positive: The exponent a of the discount of positive regrets.
        negative: The exponent b of the discount of negative regrets.
        average: The exponent c of an iteration's weight in the average strategy.
        predictive: Whether the latest regrets are counted twice as a prediction of the next ones.
    """

    positive: float
    negative: float
    average: float
    predictive: bool = False


class Tables(NamedTuple):
    """Tables of the loop, float64 [nodes, LANES] each: by action and own card.

    Attributes:
        regret: Discounted sums of regrets.
        sigma: The current strategy.
        average: Weighted sums of strategies.
        reached: Scratch space.
        values: Scratch space.
    """

    regret: np.ndarray
    sigma: np.ndarray
    average: np.ndarray
    reached: np.ndarray
    values: np.ndarray


@kernel
def discount(t, exponent):
    """The factor t^e / (t^e + 1), exact for infinite e."""
    if np.isinf(exponent):
        return 1.0 if exponent > 0 else 0.0
    return 1.0 / (1.0 + t**-exponent)


@kernel
def learn(tree, tables, player, positive, negative, predictive):
    """Add the regrets of one iteration of `player`, and derive its next strategy from them."""
    regret, sigma, values = tables.regret, tables.sigma, tables.values
    total = np.empty(LANES)
    for n in range(len(tree.player)):
        if tree.player[n] != player:
            continue
        first, end = tree.first[n], tree.first[n] + tree.children[n]
        for c in range(LANES):
            total[c] = 0.0
        for child in range(first, end):
            for c in range(LANES):
                gained = values[child, c] - values[n, c]
                sum_ = regret[child, c] + gained
                sum_ *= positive if sum_ > 0.0 else negative
                regret[child, c] = sum_
                weight = max(sum_ + gained if predictive else sum_, 0.0)
                sigma[child, c] = weight
                total[c] += weight
        for child in range(first, end):
            for c in range(LANES):
                share = sigma[child, c] / total[c] if total[c] > 0.0 else 1.0 / tree.children[n]
                sigma[child, c] = share


@kernel
def add_average(tree, tables, player, weight):
    """Add the current strategy of `player` to its average."""
    reach(tree, tables.sigma, player, tables.reached)
    for n in range(1, len(tree.player)):
        if tree.player[tree.parent[n]] == player:
            for c in range(LANES):
                tables.average[n, c] += weight * tables.reached[n, c]


@kernel
def iterate(tree, tables, algorithm, done, number):
    """Do `number` iterations after the first `done`."""
    for t in range(done + 1, done + number + 1):
        positive = discount(float(t), algorithm.positive)
        negative = discount(float(t), algorithm.negative)
        for player in range(2):
            reach(tree, tables.sigma, 1 - player, tables.reached)
            expect(tree, tables.sigma, tables.reached, player, tables.values)
            add_average(tree, tables, player, float(t) ** algorithm.average)
            learn(tree, tables, player, positive, negative, algorithm.predictive)


class Solver:
    """A game being solved by an algorithm of this family; a `solving.Solver`.

    Attributes:
        game: The game.
        tree: The public tree of the game.
        tables: Regrets and strategies.
        iterations: Number of iterations done.
    """

    def __init__(self, algorithm: Algorithm, game: Game, seed: int = 0) -> None:
        """Start from the uniform strategy; nothing is random, so `seed` does not matter."""
        self.game = game
        self.algorithm = algorithm
        self.tree = build(game)
        self.iterations = 0
        sigma = to_sigma(self.tree, uniform(game))
        zeros = [np.zeros_like(sigma) for _ in range(4)]
        self.tables = Tables(zeros[0], sigma, *zeros[1:])

    def run(self, number: int) -> None:
        """Do `number` more iterations."""
        iterate(self.tree, self.tables, self.algorithm, self.iterations, number)
        self.iterations += number

    def strategy(self) -> Strategy:
        """The average strategy so far."""
        return to_strategy(self.game, self.tree, self.tables.average)

    def state(self) -> dict[str, np.ndarray]:
        """State for `restore`."""
        kept = {name: getattr(self.tables, name) for name in ("regret", "sigma", "average")}
        return {**kept, "iterations": np.array(self.iterations)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Resume from a state that `state` returned."""
        self.tables = self.tables._replace(
            **{name: state[name].copy() for name in ("regret", "sigma", "average")}
        )
        self.iterations = int(state["iterations"])


CFR = partial(Solver, Algorithm(math.inf, math.inf, 0.0))
CFRPlus = partial(Solver, Algorithm(math.inf, -math.inf, 1.0))
LinearCFR = partial(Solver, Algorithm(1.0, 1.0, 1.0))
DiscountedCFR = partial(Solver, Algorithm(1.5, 0.0, 2.0))
PredictiveCFRPlus = partial(Solver, Algorithm(math.inf, -math.inf, 2.0, predictive=True))


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

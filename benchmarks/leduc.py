"""Leduc: our solver beside OpenSpiel's in C++, our AEC env beside PettingZoo's.

Every function returns a rate per second of CPU time on one core, as in `doudizhu`.
"""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import cast

import numpy as np

from closedhand import make_game
from closedhand.arena import speed
from closedhand.arena.speed import rate
from closedhand.solvers import solving
from closedhand.solvers.cfr import Solver
from closedhand.solvers.evaluate import evaluate_all
from closedhand.solvers.strategy import evaluate
from closedhand.solvers.tree import ANY

AIM = 1e-2
"""The NashConv to which the solvers are timed."""
JUDGED_EVERY = 10
"""Iterations between judgements, which do not count, on the way to `AIM`."""


def iterations(seconds: float) -> float:
    """Measure CFR+ iterations a second on standard Leduc, 100 to a call."""
    solver = solving.make_solver("cfr+", make_game("leduc"))

    def work() -> int:
        solver.run(100)
        return 100

    return rate(work, seconds)


def general_iterations(seconds: float) -> float:
    """Measure CFR+ iterations a second on the information tree, built by the contract alone."""
    solver = solving.make_solver("cfr+", make_game("leduc"), trees=ANY)

    def work() -> int:
        solver.run(100)
        return 100

    return rate(work, seconds)


def openspiel_iterations(seconds: float) -> float:
    """Measure iterations a second of OpenSpiel's `CFRPlusSolver`."""
    import pyspiel

    solver = pyspiel.CFRPlusSolver(pyspiel.load_game("leduc_poker"))

    def work() -> int:
        solver.evaluate_and_update_policy()
        return 1

    return rate(work, seconds)


def solutions(seconds: float) -> float:
    """Measure how often a second CFR+ reaches `AIM` on standard Leduc from the start."""

    def once() -> float:
        solver = solving.make_solver("cfr+", make_game("leduc"))
        return time_to_aim(
            lambda: solver.run(JUDGED_EVERY),
            lambda: evaluate(solver.strategy()).nash_conv,
        )

    once()
    spent = [once()]
    while sum(spent) < seconds and len(spent) < 100:
        spent.append(once())
    return len(spent) / sum(spent)


def openspiel_solutions(seconds: float) -> float:
    """Measure the same of OpenSpiel's `CFRPlusSolver`, once: that takes long enough."""
    import pyspiel

    game = pyspiel.load_game("leduc_poker")
    solver = pyspiel.CFRPlusSolver(game)

    def work() -> None:
        for _ in range(JUDGED_EVERY):
            solver.evaluate_and_update_policy()

    return 1 / time_to_aim(work, lambda: pyspiel.nash_conv(game, solver.average_policy()))


def time_to_aim(work: Callable[[], None], nash_conv: Callable[[], float]) -> float:
    """Return the seconds of CPU time in `work` until `nash_conv` is at most `AIM`."""
    spent, gap = 0.0, np.inf
    while gap > AIM:
        start = time.process_time()
        work()
        spent += time.process_time() - start
        gap = nash_conv()
    return spent


def aec_steps(seconds: float) -> float:
    """Measure steps a second of the raw AEC env of standard Leduc."""
    from closedhand.envs.aec import raw_env

    return speed.aec_steps(raw_env("leduc"), seconds)


def pettingzoo_steps(seconds: float) -> float:
    """Measure steps a second of PettingZoo's `leduc_holdem_v4`, the raw env."""
    from pettingzoo.classic import leduc_holdem_v4

    return speed.aec_steps(leduc_holdem_v4.raw_env(), seconds)


@lru_cache
def _solver() -> Solver:
    solver = solving.make_solver("cfr+", make_game("uh_leduc"))
    solver.run(100)
    return cast(Solver, solver)


def uh_iterations(seconds: float) -> float:
    """Measure CFR+ iterations a second on UH-Leduc."""

    def work() -> int:
        _solver().run(100)
        return 100

    return rate(work, seconds)


def best_responses(seconds: float) -> float:
    """Measure whole-tree best responses of both players a second on UH-Leduc, with the value."""
    solver = _solver()
    sigma, tables = solver.tables.sigma.copy(), solver.tables
    scratch, own, best = (tables.reached, tables.values, tables.gains), np.empty(1), np.empty(2)

    def work() -> int:
        for _ in range(100):
            evaluate_all(solver.tree, sigma, *scratch, own, best)
        return 100

    return rate(work, seconds)


def samples(seconds: float) -> float:
    """Measure external-sampling MCCFR iterations a second on UH-Leduc."""
    learner = solving.make_solver("mccfr", make_game("uh_leduc"))

    def work() -> int:
        learner.run(1000)
        return 1000

    return rate(work, seconds)


RATIOS = (
    (
        "CFR+ on standard Leduc",
        iterations,
        "iterations/s",
        "OpenSpiel's C++ `CFRPlusSolver`",
        openspiel_iterations,
        100.0,
    ),
    (
        "CFR+ on standard Leduc, information tree of any game",
        general_iterations,
        "iterations/s",
        "OpenSpiel's C++ `CFRPlusSolver`",
        openspiel_iterations,
        3.0,
    ),
    (
        "standard Leduc by CFR+ to NashConv 1e-2",
        solutions,
        "solutions/s",
        "OpenSpiel's C++ `CFRPlusSolver`",
        openspiel_solutions,
        100.0,
    ),
    (
        "raw AEC env, standard Leduc",
        aec_steps,
        "steps/s",
        "PettingZoo `leduc_holdem_v4`, raw",
        pettingzoo_steps,
        5.0,
    ),
)
"""As in `doudizhu`."""

RATES = (
    ("CFR+ on UH-Leduc", uh_iterations, "iterations/s"),
    ("best responses of both players and value, UH-Leduc", best_responses, "1/s"),
    ("external-sampling MCCFR on UH-Leduc", samples, "iterations/s"),
)

"""Solvers on the information tree of any game: known values, and Leduc's public tree beside it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import assert_alike_without_compiler
from support_kuhn import KUHN_VALUE, kuhn as kuhn
from support_leduc import STANDARD, UH

from closedhand import Game, InputError
from closedhand.agents.leduc.tree import PUBLIC
from closedhand.solvers import solving
from closedhand.solvers.interface import Evaluation
from closedhand.solvers.sequence_form import solve
from closedhand.solvers.strategy import evaluate
from closedhand.solvers.tree import ANY

SWEEPING = ("cfr", "cfr+", "lcfr", "dcfr", "pcfr+", "mmd")


@pytest.mark.parametrize("algorithm", SWEEPING)
@pytest.mark.parametrize("game", [STANDARD, UH], ids=["standard", "uh"])
def test_both_trees_learn_alike(game: Game, algorithm: str) -> None:
    general = solving.make_solver(algorithm, game, trees=ANY)
    public = solving.make_solver(algorithm, game, trees=PUBLIC)
    for number in (1, 4, 45):
        general.run(number)
        public.run(number)
        one, other = evaluate(general.strategy(), ANY), evaluate(public.strategy(), PUBLIC)
        assert one.value == pytest.approx(other.value, abs=1e-9)
        assert one.best_responses == pytest.approx(other.best_responses, abs=1e-9)


@pytest.mark.parametrize(
    ("algorithm", "iterations", "gap"),
    [
        ("cfr", 3_000, 2e-3),
        ("cfr+", 3_000, 1e-4),
        ("lcfr", 3_000, 2e-3),
        ("dcfr", 3_000, 1e-3),
        ("pcfr+", 3_000, 1e-6),
        ("mccfr", 100_000, 3e-2),
        ("mmd", 3_000, 5e-3),
    ],
)
def test_kuhn_poker_is_solved(kuhn: Game, algorithm: str, iterations: int, gap: float) -> None:
    learner = solving.make_solver(algorithm, kuhn, 1)
    learner.run(iterations)
    found = evaluate(learner.strategy())
    assert -1e-12 < found.nash_conv < gap
    assert found.value == pytest.approx(KUHN_VALUE, abs=gap)


def test_the_linear_program_has_the_known_value(kuhn: Game) -> None:
    value, strategy = solve(kuhn)
    found = evaluate(strategy)
    assert value == pytest.approx(KUHN_VALUE, abs=1e-9)
    assert found.value == pytest.approx(KUHN_VALUE, abs=1e-8)
    assert found.nash_conv == pytest.approx(0, abs=1e-8)


@pytest.mark.slow
def test_sampling_learns_on_a_larger_game() -> None:
    """Uniform play has a NashConv of 4.7."""
    for algorithm, iterations, gap in (("mccfr", 30_000, 0.5), ("q-learning", 300_000, 4.0)):
        learner = solving.make_solver(algorithm, STANDARD, 1, trees=ANY)
        learner.run(iterations)
        assert evaluate(learner.strategy()).nash_conv < gap


@pytest.mark.parametrize("algorithm", list(solving.ALGORITHMS))
def test_interrupted_work_goes_on_as_if_nothing_had_happened(
    kuhn: Game, algorithm: str, tmp_path: Path
) -> None:
    solving.Run(algorithm, kuhn, 5, tmp_path).advance(iterations=40)
    resumed = solving.Run(algorithm, kuhn, 5, tmp_path).resume().advance(iterations=100)
    whole = solving.Run(algorithm, kuhn, 5).advance(iterations=100)
    for one, other in zip(resumed.history[-3:], whole.history[-3:], strict=True):
        assert {**one, "seconds": 0} == {**other, "seconds": 0}
    assert (resumed.strategy().probabilities == whole.strategy().probabilities).all()


@pytest.mark.parametrize("algorithm", ["cfr", "mccfr"])
def test_a_state_stays_as_it_is_while_the_solver_goes_on(kuhn: Game, algorithm: str) -> None:
    solver = solving.make_solver(algorithm, kuhn)
    solver.run(5)
    state, before = solver.state(), solver.strategy().probabilities
    solver.run(20)
    solver.restore(state)
    assert (solver.strategy().probabilities == before).all()


def test_a_single_player_gains_what_a_better_strategy_brings() -> None:
    assert Evaluation(3.0, (5.0,)).nash_conv == 2.0
    assert Evaluation(3.0, (5.0, -2.0), (-3.0,)).nash_conv == 3.0
    assert Evaluation(3.0, (5.0, -2.0), (-4.0,)).nash_conv == 4.0


def test_a_seed_may_be_an_integer_of_numpy(kuhn: Game) -> None:
    assert solving.Run("mccfr", kuhn, np.int64(3)).settings["seed"] == 3


def test_an_unknown_algorithm_is_refused(kuhn: Game) -> None:
    with pytest.raises(InputError, match="no algorithm 'ppo'"):
        solving.make_solver("ppo", kuhn)
    with pytest.raises(InputError, match="a seed is a whole number of 0 or more, not -1"):
        solving.make_solver("mccfr", kuhn, -1)


@pytest.mark.parametrize("number", [-5, 2.5, "3"])
def test_iterations_are_a_whole_number(kuhn: Game, number: Any) -> None:
    solver = solving.make_solver("cfr+", kuhn)
    with pytest.raises(InputError, match="iterations is a whole number of 0 or more, not"):
        solver.run(number)
    assert solver.iterations == 0


def test_a_run_without_a_judgement_says_so(kuhn: Game) -> None:
    run = solving.Run("cfr+", kuhn)
    for ask in (run.summary, lambda: run.nash_conv):
        with pytest.raises(InputError, match=r"cfr\+ has no judgement yet: call advance first"):
            ask()


@pytest.mark.slow
def test_solvers_work_without_compiled_kernels() -> None:
    program = """
from closedhand import make_game
from closedhand.solvers import solving
from closedhand.solvers.tree import ANY
for name in ("dcfr", "mccfr", "mmd", "q-learning"):
    learner = solving.make_solver(name, make_game("leduc"), 3, trees=ANY)
    learner.run(2)
    strategy = learner.strategy()
    print(name, strategy.probabilities[::97].round(9).tolist(), strategy.keys[:3].tolist())
"""
    assert_alike_without_compiler(program)


def test_greedy_strategies_take_the_first_of_equal_actions(kuhn: Game) -> None:
    probabilities = solving.make_solver("q-learning", kuhn).strategy().probabilities
    assert (probabilities == np.tile([1.0, 0.0], 12)).all()

"""The linear program."""

import pytest
from support_leduc import STANDARD, STANDARD_VALUE, every_game, solved

from closedhand import Game
from closedhand.agents.leduc import linear
from closedhand.agents.leduc.tree import evaluate
from closedhand.solvers import solving


@pytest.mark.slow
@every_game
def test_the_linear_program_is_an_equilibrium_and_solvers_come_to_it(game: Game) -> None:
    solution = linear.solve(game)
    exact = evaluate(solution.strategy)
    assert abs(exact.nash_conv) < 1e-9
    assert solution.value == pytest.approx(exact.value, abs=1e-9)
    run = solving.Run("pcfr+", solving.make_solver("pcfr+", game), 0)
    found = run.advance(iterations=200_000, until=1e-6).points[-1].evaluation
    assert found.nash_conv < 1e-6
    assert found.value == pytest.approx(solution.value, abs=1e-6)


@pytest.mark.slow
def test_the_value_of_standard_leduc() -> None:
    assert linear.solve(STANDARD).value == pytest.approx(STANDARD_VALUE, abs=1e-9)
    assert evaluate(solved(STANDARD, 40_000)).value == pytest.approx(STANDARD_VALUE, abs=1e-6)

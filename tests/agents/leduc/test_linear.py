"""The linear program."""

import pytest
from support_leduc import STANDARD, STANDARD_VALUE, every_game, solved

from closedhand import Game
from closedhand.solvers import sequence_form, solving
from closedhand.solvers.strategy import evaluate


@pytest.mark.slow
@every_game
def test_the_linear_program_is_an_equilibrium_and_solvers_come_to_it(game: Game) -> None:
    value, strategy = sequence_form.solve(game)
    exact = evaluate(strategy)
    assert abs(exact.nash_conv) < 1e-9
    assert value == pytest.approx(exact.value, abs=1e-9)
    run = solving.Run("pcfr+", game)
    found = run.advance(iterations=200_000, until=1e-6).history[-1]
    assert found["nash_conv"] < 1e-6
    assert found["value"] == pytest.approx(value, abs=1e-6)


@pytest.mark.slow
def test_the_value_of_standard_leduc() -> None:
    assert sequence_form.solve(STANDARD)[0] == pytest.approx(STANDARD_VALUE, abs=1e-9)
    assert evaluate(solved(STANDARD, 40_000)).value == pytest.approx(STANDARD_VALUE, abs=1e-6)

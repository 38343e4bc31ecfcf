"""Counterfactual regret minimization: convergence and equilibria."""

import pytest
from support_leduc import STANDARD, STANDARD_VALUE, UH, solved

from closedhand.arena import match
from closedhand.solvers import solving
from closedhand.solvers.strategy import evaluate


@pytest.mark.parametrize(
    ("algorithm", "at_100", "at_1000"),
    [
        ("cfr", 9.6e-2, 1.2e-2),
        ("lcfr", 3.5e-2, 6.3e-3),
        ("cfr+", 1.3e-2, 2.4e-4),
        ("dcfr", 7.8e-3, 1.7e-4),
        ("pcfr+", 2.0e-2, 7.1e-4),
    ],
)
def test_the_family_converges_as_is_known(algorithm: str, at_100: float, at_1000: float) -> None:
    """Exploitability on standard Leduc, as another implementation measured it."""
    learner = solving.make_solver(algorithm, STANDARD)
    learner.run(100)
    assert evaluate(learner.strategy()).exploitability == pytest.approx(at_100, rel=0.05)
    learner.run(900)
    assert evaluate(learner.strategy()).exploitability == pytest.approx(at_1000, rel=0.2)


@pytest.mark.slow
def test_an_equilibrium_does_not_lose_on_average() -> None:
    data = match.play(UH, ["equilibrium", "random"], 2000, seed=3)
    both = data.pairs[0].returns
    assert (both[:, 0, 0] + both[:, 1, 1]).mean() > 0.8  # exactly: about 1.17


@pytest.mark.slow
@pytest.mark.peers
def test_open_spiel_solves_to_the_same_value() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pyspiel.load_game("leduc_poker")
    solver = pyspiel.CFRPlusSolver(theirs)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    values = pyspiel.expected_returns(theirs.new_initial_state(), solver.average_policy(), -1, True)
    gap = pyspiel.nash_conv(theirs, solver.average_policy())
    assert values[0] == pytest.approx(STANDARD_VALUE, abs=gap)
    assert evaluate(solved(STANDARD, 300, "cfr+")).nash_conv == pytest.approx(gap, rel=0.1)

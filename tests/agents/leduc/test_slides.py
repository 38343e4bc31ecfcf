"""The slides' states as an abstraction."""

import numpy as np
import pytest
from support_leduc import STANDARD, UH, solved
from support_strategies import uniform

from closedhand import InputError
from closedhand.agents.leduc.tree import SLIDES, slides_of_sets
from closedhand.solvers import solving
from closedhand.solvers.strategy import Strategy, evaluate
from closedhand.solvers.tied import tie, tied_trees
from closedhand.solvers.tree import ANY, build


def on_slides(iterations: int, algorithm: str, seed: int = 0) -> Strategy:
    learner = solving.make_solver(algorithm, UH, seed, SLIDES)
    learner.run(iterations)
    return learner.strategy()


@pytest.mark.slow
def test_what_the_slides_states_cost() -> None:
    """Imperfect recall: not solved however long it is tried, where true information sets are."""
    strategy = on_slides(3000, "cfr+")
    assert evaluate(strategy).nash_conv == pytest.approx(0.273, abs=0.001)
    tree = build(UH)
    shared: dict[int, np.ndarray] = {}
    numbers = slides_of_sets(UH, tree).tolist()
    assert len(set(numbers)) < len(numbers)
    for s, number in enumerate(numbers):
        row = strategy.probabilities[tree.rows[s] : tree.rows[s + 1]]
        assert np.allclose(shared.setdefault(number, row), row)
    assert evaluate(solved(UH, 3000, "cfr+")).nash_conv < 1e-3


@pytest.mark.slow
def test_q_learning_on_the_slides_states_is_judged_in_the_real_game() -> None:
    learned = evaluate(on_slides(1_000_000, "q-learning", 1)).nash_conv
    assert 0.27 < learned < evaluate(uniform(UH)).nash_conv


@pytest.mark.parametrize("algorithm", ["cfr+", "dcfr", "mmd", "mccfr", "q-learning"])
def test_classes_of_one_set_change_nothing(algorithm: str) -> None:
    whole = solving.make_solver(algorithm, STANDARD, 3, trees=ANY)
    alone = tied_trees(lambda game, tree: np.arange(len(tree.owner)))
    tied = solving.make_solver(algorithm, STANDARD, 3, trees=alone)
    for each in (whole, tied):
        each.run(20)
    assert np.allclose(whole.strategy().probabilities, tied.strategy().probabilities)


def test_sets_of_other_actions_cannot_be_tied() -> None:
    tree = build(STANDARD)
    with pytest.raises(InputError, match="same player and actions"):
        tie(tree, np.zeros(len(tree.owner), np.int64))

"""The slides' states as an abstraction."""

import numpy as np
import pytest
from support_leduc import UH, solved

from closedhand.baselines.leduc import abstraction
from closedhand.baselines.leduc.strategy import information_sets
from closedhand.baselines.leduc.tree import evaluate


@pytest.mark.slow
def test_what_the_slides_states_cost() -> None:
    """Imperfect recall: not solved however long it is tried, where true information sets are."""
    strategy = abstraction.solve(UH, 3000)
    assert evaluate(strategy).nash_conv == pytest.approx(0.27, abs=0.01)
    shared: dict[str, np.ndarray] = {}
    for place in information_sets(UH):
        row = strategy.probabilities[place.node, place.slot, place.card]
        assert (shared.setdefault(place.state, row) == row).all()
    assert evaluate(solved(UH, 3000, "cfr+")).nash_conv < 1e-3

"""Games as they flow through the slides' graph."""

from dataclasses import replace

import numpy as np
import pytest
from support_leduc import UH, place_of, shares_at, solved, state_text
from support_strategies import uniform

from closedhand.agents.leduc.tree import views_of
from closedhand.games.leduc.plays import ACTIONS, graph
from closedhand.papers.leduc_slides.graph import _titles as titles, probabilities


@pytest.mark.parametrize("iterations", [0, 3, 500])
def test_games_flow_through_the_graph(iterations: int) -> None:
    """The probability of a state is that of the edges to it; phase 1 depends on no flop."""
    strategy = solved(UH, iterations, "cfr") if iterations else uniform(UH)
    states, edges = probabilities(strategy)
    assert states["s1,1,1"] == pytest.approx(1)
    coming: dict[str, float] = {}
    for state, actions in graph(UH.rules.tables).items():
        assert sum(edges[state, action] for action in actions) == pytest.approx(1)
        for action, to in actions.items():
            coming[to] = coming.get(to, 0.0) + states[state] * edges[state, action]
    for state in states:
        assert state == "s1,1,1" or coming[state] == pytest.approx(states[state])
    assert sum(p for name, p in coming.items() if name[0] in "WP") == pytest.approx(1)
    first = [view for view in views_of(UH) if state_text(UH, view).startswith("(s1,1,1,")]
    raises = [shares_at(strategy)[place_of(view)][ACTIONS.index("raise")] for view in first]
    expected = np.average(raises, weights=UH.rules.tables.copies)
    assert edges["s1,1,1", "raise"] == pytest.approx(expected)


def test_what_made_a_strategy_is_no_formula() -> None:
    strategy = replace(uniform(UH), about={"algorithm": "best response of S to strategy:$a$"})
    title, _ = titles(strategy)
    assert title == r"UH-Leduc, played by best response of S to strategy:\$a\$"

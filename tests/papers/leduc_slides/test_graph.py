"""Games as they flow through the slides' graph."""

from dataclasses import replace

import numpy as np
import pytest
from support_leduc import UH, place_of, shares_at, solved, state_text
from support_strategies import uniform

from closedhand import InputError, make_game
from closedhand.agents.leduc.tree import views_of
from closedhand.games.leduc.notation import CARDS
from closedhand.games.leduc.plays import ACTIONS, graph
from closedhand.papers.leduc_slides.graph import _titles as titles
from closedhand.papers.leduc_slides.probabilities import probabilities, probabilities_at


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


def test_states_with_cards_add_up_to_those_of_the_graph() -> None:
    strategy = solved(UH, 200)
    states, edges = probabilities(strategy)
    for state, actions in graph(UH.rules.tables).items():
        flops = CARDS if state[1] == "2" else ["*"]
        short = [probabilities_at(strategy, f"({state},{flop})") for flop in flops]
        long = [
            probabilities_at(strategy, f"({state}, {c}, {flop})") for c in CARDS for flop in flops
        ]
        for found in (short, long):
            assert sum(reached for reached, _ in found) == pytest.approx(states[state])
            for action in actions:
                taken = sum(reached * shares[action] for reached, shares in found if reached)
                assert taken == pytest.approx(states[state] * edges[state, action])
    # No earlier betting is left out of these.
    for view in views_of(UH):
        if (text := state_text(UH, view)).startswith(("(s1", "(t1")):
            shares = shares_at(strategy)[place_of(view)]
            reached, found = probabilities_at(strategy, text)
            assert reached == 0 or [found.get(each, 0) for each in ACTIONS] == pytest.approx(shares)


@pytest.mark.parametrize(
    "text",
    [
        *("", "hello", "WL7", "s1,1,1,SK,*", "(s1,9,9,SK,*)", "(s1,01,1,SK,*)", "(s1,1,1,SX,*)"),
        *("(s1,1,1,SK,SA)", "(s2,4,4,SK,*)", "(s2,4,4)", "(s2,1,1,*,SA)", "(s2,1,1,SK,HA,HA)"),
    ],
)
def test_what_is_no_state_of_the_slides_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no state of the slides: states are such as"):
        probabilities_at(uniform(UH), text)


def test_the_slides_have_states_of_uh_leduc_only() -> None:
    with pytest.raises(InputError, match="is that of uh_leduc, not of leduc"):
        probabilities_at(uniform(make_game("leduc")), "(s2,3,3,SK,HK)")


def test_what_made_a_strategy_is_no_formula() -> None:
    strategy = replace(uniform(UH), about={"algorithm": "best response of S to strategy:$a$"})
    title, _ = titles(strategy)
    assert title == r"UH-Leduc, played by best response of S to strategy:\$a\$"

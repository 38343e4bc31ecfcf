"""Offered agents can be made, and their strengths were measured."""

import pytest

from closedhand import make_agent, make_game
from closedhand.core.agents import traits_of
from closedhand.core.registry import GAMES
from closedhand.web.catalogue import check_agent, offered, strengths, usual

games = pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n == "doudizhu")) for n in GAMES]
)


@games
def test_offered_agents_can_be_made(name: str) -> None:
    game = make_game(name).flat
    for text in offered(game):
        assert make_agent(game, check_agent(game, text), 0).name


@games
def test_all_agents_but_those_of_the_clock_were_measured(name: str) -> None:
    """And against the opponent that the page names."""
    game = make_game(name).flat
    found = strengths(name)
    assert set(found) == {text for text in offered(game) if not traits_of(game, text).clocked}
    for each in found.values():
        mean, low, high = each["points"]
        assert low <= mean <= high
    mean, low, high = found[usual(name)]["points"]
    assert low <= 0 <= high  # against itself

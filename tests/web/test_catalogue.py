"""Offered agents can be made, and their strengths were measured."""

import pytest

from closedhand import make_agent, make_game
from closedhand.core.agents import traits_of
from closedhand.core.registry import GAMES
from closedhand.web.catalogue import adviser_of, check_agent, offered, strengths, usual

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


@pytest.mark.parametrize(
    ("name", "options", "agent"),
    [
        ("doudizhu", {}, "value-net"),
        ("doudizhu", {"rules": "two_players"}, "decompose"),
        ("daihinmin", {}, "policy"),
        ("leduc", {}, "equilibrium"),
    ],
)
def test_the_strongest_quick_agent_gives_hints(name: str, options: dict, agent: str) -> None:
    """Or the next one that plays the rules of the table."""
    game = make_game(name, **options).flat
    assert adviser_of(game) == agent
    assert make_agent(game, agent, 0).name

"""Offered agents can be made, and their strengths were measured."""

from pathlib import Path

import pytest

from closedhand import InputError, make_agent, make_game
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


MC = """
def make_mc(game, seed, argument):
    if argument is None or not argument.isdigit():
        from closedhand import InputError
        raise InputError("mc takes a number of simulations")
    from closedhand.agents.random import RandomAgent
    return RandomAgent(game, seed)
"""


def test_a_budget_of_simulations_alone_is_a_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of an agent of another package, which says nothing of itself before it is made."""
    info = tmp_path / "mc-1.0.dist-info"
    info.mkdir()
    (tmp_path / "mc_of_leduc.py").write_text(MC)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mc\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[closedhand.agents]\nleduc.mc = mc_of_leduc:make_mc\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    game = make_game("leduc")
    assert check_agent(game, "mc:100") == "mc:100"
    assert check_agent(game, "ismcts:100") == "ismcts:100"
    for text in ("mc:100ms", "random:100", "learned:100"):
        with pytest.raises(InputError, match="takes no budget"):
            check_agent(game, text)


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

"""Offered agents can be made, and their strengths were measured."""

from pathlib import Path

import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.core.agents import traits_of
from closedhand.core.registry import GAMES
from closedhand.web import catalogue
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


@pytest.mark.parametrize("description", [None, {"default": float("inf")}, {"default": object()}])
def test_a_game_that_cannot_be_described_hides_no_other(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, description: dict | None
) -> None:
    """Its module raises anything, or the values of its options are no JSON."""

    def describe(name: str) -> dict:
        if name != "leduc":
            return {"name": name}
        if description is None:
            raise ImportError("needs another version")
        return description

    monkeypatch.setattr(catalogue, "describe_game", describe)
    found = [each["name"] for each in catalogue.games.__wrapped__()]
    assert found == [name for name in GAMES if name != "leduc"]
    assert "leduc is left out" in caplog.text


def test_presets_are_described() -> None:
    """The page shows what is dealt if an option is left out."""
    presets = catalogue.describe_game("doudizhu")["presets"]
    assert presets["botzone"] == {"bidding": True, "spring": True}


MC = """
def make_mc(game, seed, argument):
    if argument is None or not argument.isdigit():
        from closedhand import InputError
        raise InputError("mc takes a number of simulations")
    from closedhand.agents.random import RandomAgent
    return RandomAgent(game, seed)
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str) -> None:
    """Install a package with an agent of Leduc."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir()
    (folder / f"{name}_of_leduc.py").write_text(code)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    point = f"leduc.{name} = {name}_of_leduc:make_{name}"
    (info / "entry_points.txt").write_text(f"[closedhand.agents]\n{point}\n")
    monkeypatch.syspath_prepend(str(folder))


def test_an_agent_that_cannot_be_imported_hides_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "broken", "1 / 0")
    found = offered(make_game("leduc"))
    assert "random" in found and "broken" not in found


def test_a_budget_of_simulations_alone_is_a_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also of an agent of another package, which says nothing of itself before it is made."""
    install(tmp_path, monkeypatch, "mc", MC)
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

"""Games between agents that are drawn for each game."""

from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.arena import generate
from closedhand.core import duplicate
from closedhand.core.records import replay


def test_each_game_has_its_deal_and_agents(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where they are played in several pieces."""
    game, done = make_game("leduc"), []
    monkeypatch.setattr(generate, "CHUNK", 3)
    played = list(generate.generate(game, ["random", "random", "equilibrium"], 7, 5, done.append))
    assert done == [3, 6, 7]
    for number, record in enumerate(played):
        rng = np.random.default_rng((5, number))
        assert record.deal == game.deal_text(game.deal(rng))
        drawn = rng.integers(3, size=2)
        assert record.agents == tuple(("random", "random", "equilibrium")[k] for k in drawn)
        assert game.over(replay(record))
    with pytest.raises(InputError, match="name the agents"):
        list(generate.generate(game, [], 1))
    with pytest.raises(InputError, match="a record holds one round, not 3: leave out rounds"):
        list(generate.generate(make_game("daihinmin", rounds=3), ["default"], 1))


def test_agents_of_a_kind_choose_apart_from_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a seed of its own in each piece."""
    made, seeds = duplicate.make_agent, []

    def noted(game: Any, agent: Any, seed: int) -> Any:
        seeds.append(seed)
        return made(game, agent, seed)

    monkeypatch.setattr(duplicate, "make_agent", noted)
    monkeypatch.setattr(generate, "CHUNK", 1)
    games = [list(generate.generate(make_game("leduc"), ["random"] * 2, 2, 5)) for _ in range(2)]
    assert games[0] == games[1] and seeds[:4] == seeds[4:]
    assert len(set(seeds)) == 4

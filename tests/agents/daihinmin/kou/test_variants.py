"""The variants of kou."""

from typing import Any

import numpy as np
import pytest
from support_daihinmin import GAME

from closedhand import InputError, make_agent, make_game
from closedhand.agents.daihinmin.kou.variants import (
    DEPARTURES,
    PAPER,
    TUNED,
    TUNED_OPTIONS,
    VARIANTS,
    parse,
)
from closedhand.core.agents import act_batch


def views_of(agent: str) -> np.ndarray:
    """Many decisions of rounds of an agent."""
    game, found = make_game("daihinmin", rounds=200), []
    state, player = game.deal(np.random.default_rng(3)), make_agent(game, agent)
    while not game.over(state):
        found.append(game.view(state, int(state.player)))
        game.play(state, player.act(found[-1]))
    return np.array(found, game.dtype)


@pytest.fixture(scope="module", params=["kou", "kou-tuned"])
def played(request: Any) -> tuple[str, np.ndarray]:
    """An agent, and many decisions of its rounds."""
    return request.param, views_of(request.param)


@pytest.mark.slow
@pytest.mark.parametrize("variant", [*VARIANTS, "w80,lock+"])
def test_variants_decide_otherwise(variant: str, played: tuple[str, np.ndarray]) -> None:
    agent, views = played
    plain, other = make_agent(GAME, agent), make_agent(GAME, f"{agent}:{variant}")
    differ = act_batch(plain, views) != act_batch(other, views)
    leads = views["target"] < 0
    assert differ.any()
    assert differ[~leads].any() == (variant not in ("weak", "single"))
    if variant in ("lock-", "lock+", "use_2"):
        assert not differ[leads].any()


@pytest.mark.slow
@pytest.mark.parametrize("name", DEPARTURES)
def test_departures_decide_otherwise(name: str, played: tuple[str, np.ndarray]) -> None:
    agent, views = played
    value = DEPARTURES[name] if agent == "kou" else getattr(PAPER, name)
    other = make_agent(GAME, f"{agent}[{name}={value}]")
    differ = act_batch(make_agent(GAME, agent), views) != act_batch(other, views)
    assert differ.any() or name in RARE


RARE = {"last_kaidan", "kaidan_to_ace", "weakness_of_top"}
"""Departures that change a decision in one of a thousand rounds or less."""


def test_all_departures_make_the_tuned_agent() -> None:
    numbers = ",".join(f"{name}={value}" for name, value in DEPARTURES.items())
    assert parse(numbers) == TUNED == parse(None, TUNED, TUNED_OPTIONS)
    assert all(getattr(PAPER, name) != value for name, value in DEPARTURES.items())


def test_variants_are_numbers() -> None:
    assert parse("w80") == parse("threshold=80") == PAPER._replace(threshold=80) != parse(None)
    assert parse("lock-,weak,hold_rise=-3") == PAPER._replace(lock=-1, lead=1, hold_rise=-3)


@pytest.mark.parametrize("argument", ["w70", "threshold", "threshold=", "threshold=x", "w80,,w90"])
def test_bad_variants_are_refused(argument: str) -> None:
    with pytest.raises(
        InputError, match=r"kou( has no variant .*w100.*threshold=NUMBER|: threshold is a)"
    ):
        make_agent("daihinmin", f"kou:{argument}")

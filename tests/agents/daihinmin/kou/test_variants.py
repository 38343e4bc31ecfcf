"""The variants of kou."""

from typing import Any

import numpy as np
import pytest
from support_daihinmin import GAME

from closedhand import InputError, make_agent, make_game
from closedhand.agents.daihinmin.kou.variants import (
    DEPARTURES,
    KOU,
    LETTER,
    REFINED,
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


@pytest.fixture(scope="module", params=["kou", "kou[letter=1]"])
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
    text = f"kou[{name}={getattr(LETTER, name)}]"
    if agent != "kou":
        text = f"kou[letter=1,{name}={DEPARTURES[name]}]"
    differ = act_batch(make_agent(GAME, agent), views) != act_batch(make_agent(GAME, text), views)
    assert differ.any()


def test_all_departures_make_kou_of_the_letter() -> None:
    assert parse(None, letter=1, **DEPARTURES) == KOU == parse(None)
    assert parse(None, letter=1) == LETTER != KOU
    assert all(getattr(LETTER, name) != value for name, value in DEPARTURES.items())
    assert REFINED._replace(**DEPARTURES) == REFINED != KOU


def test_variants_are_numbers() -> None:
    assert parse("w80") == parse(None, threshold=80) == KOU._replace(threshold=80) != parse(None)
    assert parse("w80", threshold=None) == parse("w90,w80") == parse("w80")
    assert parse("lock-,weak", hold_rise=-3) == KOU._replace(lock=-1, lead=1, hold_rise=-3)


@pytest.mark.parametrize("argument", ["w70", "threshold", "threshold=93", "w80,,w90"])
def test_bad_variants_are_refused(argument: str) -> None:
    with pytest.raises(InputError, match=r"kou has no variant .*w100.*kou\[threshold=93\]"):
        make_agent("daihinmin", f"kou:{argument}")

"""The variants of kou."""

import numpy as np
import pytest
from support_daihinmin import GAME

from closedhand import InputError, make_agent, make_game
from closedhand.baselines.daihinmin.kou.variants import VARIANTS, Numbers, parse
from closedhand.core.agents import act_batch


@pytest.fixture(scope="module")
def views() -> np.ndarray:
    """Many decisions of rounds of `kou`."""
    game, found = make_game("daihinmin", rounds=60), []
    state, player = game.deal(np.random.default_rng(3)), make_agent(game, "kou")
    while not game.over(state):
        found.append(game.view(state, int(state.player)))
        game.play(state, player.act(found[-1]))
    return np.array(found, game.dtype)


@pytest.mark.parametrize("variant", [*VARIANTS, "unwanted_lock=0", "w80,lock+"])
def test_variants_decide_otherwise(variant: str, views: np.ndarray) -> None:
    plain, other = make_agent(GAME, "kou"), make_agent(GAME, f"kou:{variant}")
    differ = act_batch(plain, views) != act_batch(other, views)
    leads = views["target"] < 0
    assert differ.any()
    assert differ[leads].any() == (variant[0] == "w" or variant == "single")
    assert differ[~leads].any() == (variant not in ("weak", "single"))


def test_variants_are_numbers() -> None:
    assert parse("w80") == parse("threshold=80") == Numbers(threshold=80) != parse(None)
    assert parse("lock-,weak,hold_rise=-3") == Numbers(lock=-1, lead=1, hold_rise=-3)


@pytest.mark.parametrize("argument", ["w70", "threshold", "threshold=", "threshold=x", "w80,,w90"])
def test_bad_variants_are_refused(argument: str) -> None:
    with pytest.raises(
        InputError, match=r"kou( has no variant .*w100.*threshold=NUMBER|: threshold is a)"
    ):
        make_agent("daihinmin", f"kou:{argument}")

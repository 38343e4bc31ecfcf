"""`kou-tuned` plays as `kou` did in version 0.1.0, to the digit."""

import numpy as np
import pytest
from support import DATA

from closedhand import make_agent, make_game
from closedhand.core.reading import read_arrays

BEFORE = read_arrays(DATA / "v0.1.0" / "kou.npz")
"""For a seed and an agent: the actions that it chose in version 0.1.0, and those that were played.

One in three of those played is random. `kou` of that version is named as it is now.
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", BEFORE)
def test_decisions_are_those_of_version_0_1_0(name: str) -> None:
    seed, text = name.split(" ", 1)
    chosen, played = BEFORE[name]
    game = make_game("daihinmin", rounds=12, classes="random", seat_period=2)
    agent, own = make_agent(game, text), []
    state = game.deal(np.random.default_rng(int(seed)))
    for action in played:
        own.append(int(agent.act(game.view(state, int(state.player)))))
        game.play(state, int(action))
    assert own == chosen.tolist()
    assert game.over(state)

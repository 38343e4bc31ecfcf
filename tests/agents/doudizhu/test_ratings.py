"""Agents that rate plays: the best one is what they play, whole or in sub-steps."""

import numpy as np
import pytest
from support import positions

from closedhand import make_agent, make_game


@pytest.mark.parametrize("substeps", [False, True])
@pytest.mark.parametrize("name", ["decompose", "value-net"])
def test_the_best_play_is_played(name: str, substeps: bool) -> None:
    game = make_game("doudizhu", substeps=substeps, bidding=True, objective="win")
    agent = make_agent(game, name)
    rated, words = 0, 0
    for state in positions(game, 3, 3):
        if game.over(state):
            continue
        view = game.view(state, int(state.player))
        legal = game.legal(view)
        values = agent.values(view, legal)  # type: ignore[attr-defined]
        assert legal[np.nanargmax(values)] == agent.act(view)
        assert not np.isnan(values).all()
        rated += int(np.isfinite(values).sum() > 1)
        words += int(view.landlord < 0)
    assert rated > 20 and words

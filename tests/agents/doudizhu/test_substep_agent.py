"""Agents of the flat game that play in sub-steps."""

import numpy as np
import pytest
from support_agents import DETERMINISTIC, games_of

from closedhand import make_agent, make_game


@pytest.mark.parametrize("agent", DETERMINISTIC)
@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "openspiel", "douzero"])
def test_substeps_make_the_flat_plays(agent: str, rules: str) -> None:
    flat, steps = (make_game("doudizhu", rules=rules, substeps=s) for s in (False, True))
    one, two = (games_of(game, [agent], 100) for game in (flat, steps))
    assert (one["history"] == two["history"]).all()


@pytest.mark.parametrize("agent", DETERMINISTIC)
def test_a_play_that_somebody_else_began_is_completed(agent: str) -> None:
    """As for a hint to a person in the middle of another play."""
    game = make_game("doudizhu", substeps=True)
    rng = np.random.default_rng(2)
    adviser = make_agent(game, agent)
    begun = 0
    for _ in range(40):
        state = game.deal(rng)
        while not game.over(state):
            legal = game.legal(state)
            if state.group >= 0:
                begun += 1
                assert adviser.act(game.view(state, int(state.player))) in legal
            game.play(state, int(rng.choice(legal)))
    assert begun > 10

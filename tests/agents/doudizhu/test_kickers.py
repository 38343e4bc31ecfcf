"""The next kicker after every first one, to the main group that the agent itself has chosen."""

import numpy as np
import pytest

from closedhand import make_agent, make_game

DEALS = 400
"""Most deals; `rule` is left out, which never plays a main group with two kickers."""


@pytest.mark.slow
@pytest.mark.parametrize("agent", ["greedy", "decompose", "search[threads=1,worlds=4]:32"])
@pytest.mark.parametrize("rules", ["deeprocket", "rlcard", "douzero"])
def test_after_every_first_kicker_the_next_is_legal(agent: str, rules: str) -> None:
    game = make_game("doudizhu", rules=rules, substeps=True)
    player, rng = make_agent(game, agent, 1), np.random.default_rng(5)
    asked, enough = 0, 20 if "search" in agent else 200
    for _ in range(DEALS):
        if asked >= enough:
            break
        state = game.deal(rng)
        while not game.over(state):
            before = int(state.moves)
            game.play(state, player.act(game.view(state, int(state.player))))
            while state.moves == before:
                for kicker in game.legal(state):
                    other = state.copy()
                    game.play(other, int(kicker))
                    if other.moves == before:
                        action = player.act(game.view(other, int(other.player)))
                        assert action in game.legal(other), game.text(int(kicker))
                        asked += 1
                game.play(state, int(rng.choice(game.legal(state))))
    assert asked

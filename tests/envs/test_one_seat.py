"""One seat: the solo env and a vector env with opponents agree with the AEC env."""

from typing import Any

import numpy as np
import pytest
from support_envs import Fixed, every_variant

from closedhand import make_game
from closedhand.envs.aec import GameAEC
from closedhand.envs.observation_form import ACTION_MASK, FORMS
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv
from closedhand.testing.envs import alike, as_in_vector

STEPS = 60


def row(observations: Any) -> Any:
    return {name: part[0] for name, part in observations.items()}


def begin_as(envs: GameVectorEnv, solo: SoloEnv, table: GameAEC) -> Any:
    """Begin the game of a vector env in the other envs, as its later deals come from its stream."""
    start = {"state": envs.states[0]}
    table.reset(options=start)
    return solo.reset(options=start)


def let_act(table: GameAEC, agent: Fixed, name: str) -> float:
    """Let the agent act in the AEC env until `name` is to act; return the rewards of `name`."""
    paid = 0.0
    while not all(table.terminations.values()) and table.agent_selection != name:
        state = table.game_state
        table.step(agent.act(table.game.view(state, int(state.player))))
        paid += table.rewards[name]
    return paid


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@every_variant
def test_one_seat_is_that_of_the_aec_env(variant: tuple[str, dict[str, Any]], form: str) -> None:
    game = make_game(variant[0], **variant[1])
    agent, seat = Fixed(game), 1 % game.num_players
    solo = SoloEnv(game, opponents=agent, seat=seat, observation=form)
    envs = GameVectorEnv(game, 1, opponents=agent, seat=seat, observation=form)
    table, name = GameAEC(game, observation=form), f"player_{seat}"
    seen, info = solo.reset(seed=0)
    batch, _ = envs.reset(seed=0)
    table.reset(seed=0)
    over = False
    for _ in range(STEPS):
        # A game that ends before the seat's turn is no episode of it.
        while not over and table.agent_selection != name:
            let_act(table, agent, name)
            if all(table.terminations.values()):
                seen, info = begin_as(envs, solo, table)
        alike(row(batch), as_in_vector(seen, over), "vector and solo env")
        alike(seen, table.observe(name), "solo and AEC env")
        if over:
            batch, *_ = envs.step(np.zeros(1, np.int64))
            seen, info, over = *begin_as(envs, solo, table), False
            continue
        action = int(np.random.default_rng(0).choice(np.flatnonzero(seen[ACTION_MASK])))
        seen, reward, over, _, info = solo.step(np.int64(action))
        batch, rewards, *_ = envs.step(np.array([action]))
        table.step(action)
        paid = table.rewards[name] + let_act(table, agent, name)
        assert over == all(table.terminations.values())
        assert reward == pytest.approx(paid) and rewards[0] == pytest.approx(paid)
    assert info["current_player"] == seat

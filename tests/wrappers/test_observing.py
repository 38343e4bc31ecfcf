"""Functions of observations as agents: they see what the envs show, and nothing else."""

from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.arena import match
from closedhand.core import batch
from closedhand.envs.vector import GameVectorEnv
from closedhand.wrappers import ObservingAgent


@pytest.mark.parametrize("form", ["planes", "flat", "compact"])
def test_it_is_shown_what_the_vector_env_shows(form: str) -> None:
    envs = GameVectorEnv("doudizhu", 3, observation=form, reward="seats", substeps=True)
    told: list[dict[str, np.ndarray]] = []

    def choose(seen: dict[str, np.ndarray]) -> np.ndarray:
        told.append(seen)
        return seen["action_mask"].argmax(axis=1)

    agent = ObservingAgent(envs.game, choose, form)
    seen, _ = envs.reset(seed=5)
    for _ in range(20):
        actions = agent.act_batch(batch.views(envs.game, envs.states))
        assert told[-1].keys() == seen.keys()
        assert all(np.array_equal(told[-1][part], seen[part]) for part in seen)
        assert (
            agent.act(envs.game.view(envs.states[1], int(envs.states[1]["player"]))) == actions[1]
        )
        seen, *_ = envs.step(actions)


def test_it_plays_a_match_under_its_name() -> None:
    agent = ObservingAgent(make_game("leduc"), lambda seen: seen["action_mask"].argmax(1), name="x")
    played = match.play(agent.game, [agent, "random"], deals=5)
    assert played.names == ("x", "random") and played.deals == 5


@pytest.mark.parametrize("answer", [None, 1, [0.5], [0, 0], "pass"])
def test_answers_that_are_no_actions_are_refused(answer: Any) -> None:
    game = make_game("leduc")
    view = game.view(game.deal(np.random.default_rng(0)), 0)
    with pytest.raises(InputError, match="the actions of agent 'learned' are 1 whole numbers"):
        ObservingAgent(game, lambda seen: answer).act(view)
    with pytest.raises(InputError, match="observation is planes, flat or compact"):
        ObservingAgent(game, lambda seen: answer, "pixels")

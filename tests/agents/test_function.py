"""Functions of observations as agents: they see what the envs show, and nothing else."""

from typing import Any

import gymnasium
import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.agents import from_function
from closedhand.arena import match
from closedhand.core import batch
from closedhand.envs.vector import GameVectorEnv


def first(seen: Any, masks: np.ndarray) -> np.ndarray:
    return masks.argmax(axis=1)


@pytest.mark.parametrize("form", ["planes", "flat", "compact"])
def test_it_is_shown_what_the_vector_env_shows(form: str) -> None:
    envs = GameVectorEnv(
        "doudizhu", 3, observation=form, mask="info", reward="seats", substeps=True
    )
    told: list[Any] = []

    def act(seen: Any, masks: np.ndarray) -> np.ndarray:
        told.append(seen)
        assert masks.dtype == bool and masks.shape == (len(masks), envs.game.num_actions)
        return masks.argmax(axis=1)

    agent: Any = make_agent(envs.game, from_function(act, form))
    seen, infos = envs.reset(seed=5)
    for _ in range(20):
        actions = agent.act_batch(batch.views(envs.game, envs.states))
        if form == "planes":
            assert told[-1].keys() == seen.keys()
            assert all(np.array_equal(told[-1][part], seen[part]) for part in seen)
        else:
            assert np.array_equal(told[-1], seen)
        assert np.array_equal(actions, infos["action_mask"].argmax(axis=1))
        view = envs.game.view(envs.states[1], int(envs.states[1]["player"]))
        assert agent.act(view) == actions[1]
        seen, _, _, _, infos = envs.step(actions)


@pytest.mark.parametrize("workers", [1, 2])
def test_it_plays_a_match_under_its_name(workers: int) -> None:
    agent = from_function(first, name="x")
    played = match.play(make_game("leduc"), [agent, "random"], deals=5, workers=workers)
    assert played.names == ("x", "random") and played.deals == 5


def test_it_plays_in_envs() -> None:
    env = gymnasium.make("closedhand/DouDizhu-v0", opponents=from_function(first))
    env.reset(seed=1)
    envs = GameVectorEnv("leduc", 2, opponents=[from_function(first)])
    _, infos = envs.reset(seed=1)
    assert envs.step(infos["action_mask"].argmax(axis=1))[0]["observation"].any()


@pytest.mark.parametrize("answer", [None, 1, [0.5], [0, 0], "pass"])
def test_answers_that_are_no_actions_are_refused(answer: Any) -> None:
    game = make_game("leduc")
    view = game.view(game.deal(np.random.default_rng(0)), 0)
    with pytest.raises(InputError, match="the actions of agent 'function' are 1 whole numbers"):
        make_agent(game, from_function(lambda seen, masks: answer)).act(view)


def test_other_arguments_are_refused() -> None:
    with pytest.raises(InputError, match="observation is planes, flat or compact"):
        from_function(first, "pixels")
    with pytest.raises(InputError, match="an agent is made of a function, not of"):
        from_function(make_game("leduc"))  # type: ignore[arg-type]

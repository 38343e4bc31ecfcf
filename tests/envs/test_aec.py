"""The AEC env; the rest is `check_game`'s."""

import copy
import pickle
from typing import Any
from unittest.mock import Mock

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import performance_benchmark, render_test
from support import VARIANTS
from support_envs import every_variant, make_aec, play_aec

from closedhand import Game, InputError
from closedhand.envs.aec import GameAEC, raw_env


@pytest.mark.slow
@every_variant
def test_aec_renders(
    variant: tuple[str, dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    render_test(lambda render_mode: make_aec(variant, render_mode=render_mode))
    assert "player_0" in capsys.readouterr().out
    env = make_aec(variant, render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape == (540, 960, 3)


@pytest.mark.slow
def test_performance_benchmark_runs() -> None:
    performance_benchmark(make_aec(VARIANTS[0]))


@every_variant
def test_state_is_in_its_space(variant: tuple[str, dict[str, Any]]) -> None:
    env = raw_env(variant[0], **variant[1])
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    while env.agents:
        assert env.state_space.contains(env.state())
        play_aec(env, rng, 5)


def test_masks_are_zero_for_who_waits() -> None:
    env = make_aec(VARIANTS[0])
    env.reset(seed=0)
    for agent in env.agents:
        acts = agent == env.agent_selection
        assert env.observe(agent)["action_mask"].any() == acts
        assert env.infos[agent]["action_mask"].any() == acts
        assert list(env.observe(agent)) == ["observation", "status", "action_mask"]


@pytest.mark.slow
def test_a_state_can_be_returned_to() -> None:
    env = raw_env("doudizhu")
    env.reset(seed=0)
    play_aec(env, np.random.default_rng(0), 3)
    state = env.game_state
    logs = []
    for _ in range(2):
        env.reset(options={"state": state})
        logs.append(play_aec(env, np.random.default_rng(1)))
    assert data_equivalence(*logs)


@pytest.mark.parametrize("action", [12654, 99999, -1, 2.5, None])
def test_raw_env_refuses_an_illegal_action_and_goes_on(action: Any) -> None:
    env = raw_env("doudizhu")
    env.reset(seed=0)
    before = env.game_state
    with pytest.raises(InputError, match=r"not legal|not one of the|whole number"):
        env.step(action)
    assert env.game_state == before
    assert len(play_aec(env, np.random.default_rng(0))) > 3


def test_made_env_ends_with_a_penalty() -> None:
    env = make_aec(VARIANTS[0], illegal_reward=-3)
    env.reset(seed=0)
    agent = env.agent_selection
    env.step(env.game.parse("PASS"))
    assert env.rewards == {a: -3 if a == agent else 0 for a in env.possible_agents}
    assert env.last()[1:4] == (-3, True, False) and env.last()[4]["illegal_action"]
    assert all(env.terminations.values())
    assert not env.observe(agent)["action_mask"].any() and not env.action_masks().any()
    for _ in env.possible_agents:
        env.step(None)
    assert not env.agents


def test_a_lean_env_that_was_not_reset_says_so() -> None:
    env = raw_env("leduc")
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), env.agent_iter):
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
            call()
    env.reset(seed=0)
    env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))


def test_before_a_reset_there_is_no_last() -> None:
    with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
        GameAEC("leduc").last()


def test_nobody_who_writes_to_what_he_gets_changes_what_others_get() -> None:
    env = GameAEC("leduc")
    env.reset(seed=1)
    for _ in range(2):
        first, *_, info = env.last()
        expected = {name: part.copy() for name, part in first.items()}
        assert not np.shares_memory(info["action_mask"], first["action_mask"])
        for part in (*first.values(), info["action_mask"]):
            part[...] = 7
        second = env.last()[0]
        for name, part in second.items():
            assert (part == expected[name]).all()
        env.step(int(expected["action_mask"].argmax()))


@pytest.mark.parametrize("clone", [copy.deepcopy, copy.copy, "pickle"])
def test_in_copies_too_nobody_writes_to_the_mask_of_who_waits(clone: Any) -> None:
    if clone == "pickle":
        clone = lambda env: pickle.loads(pickle.dumps(env))  # noqa: E731
    env = GameAEC("leduc")
    env.reset(seed=1)
    for one in (env, clone(env), clone(clone(env))):
        waiting = next(each for each in one.agents if each != one.agent_selection)
        with pytest.raises(ValueError, match="read-only"):
            one.infos[waiting]["action_mask"][0] = 1


def test_after_the_last_agent_is_gone_there_is_no_last() -> None:
    env = GameAEC("leduc")
    env.reset(seed=1)
    play_aec(env, np.random.default_rng(0))
    while env.agents:
        env.step(None)
    for call in (env.last, env.action_masks):
        with pytest.raises(gymnasium.error.ResetNeeded, match="call reset"):
            call()


def test_after_a_first_deal_that_is_interrupted_there_is_no_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = GameAEC("leduc")
    with monkeypatch.context() as patch:
        patch.setattr(Game, "deal", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            env.reset(seed=1)
    for call in (env.state, lambda: env.observe("player_0")):
        with pytest.raises(gymnasium.error.ResetNeeded):
            call()


@pytest.mark.parametrize("call", ["reset", "step"])
def test_after_ctrl_c_amid_a_call_only_a_reset_goes_on(
    call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    env = GameAEC("leduc")
    env.reset(seed=1)
    action = int(env.action_masks().argmax())
    with monkeypatch.context() as patch:
        patch.setattr(env, "_to_act", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            env.reset() if call == "reset" else env.step(action)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(action)
    env.reset(seed=1)
    env.step(action)


def test_after_ctrl_c_amid_a_penalty_only_a_reset_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    env = GameAEC("doudizhu")
    env.reset(seed=1)
    with monkeypatch.context() as patch:
        patch.setattr(env, "_accumulate_rewards", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            env.step(env.game.parse("PASS"))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(int(env.infos["player_0"]["action_mask"].argmax()))

"""The solo env; test_one_seat.py compares it with the AEC env, and `check_game` tests its API."""

import threading
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from support import VARIANTS, positions
from support_envs import every_variant, make_solo, play_solo

from closedhand import InputError, make_agent, make_game
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv


@every_variant
def test_solo_complies(variant: tuple[str, dict[str, Any]]) -> None:
    for seat in (0, make_game(variant[0]).num_players - 1, "random"):
        check_env(make_solo(variant, seat=seat), skip_render_check=True)
    for mode in SoloEnv.metadata["render_modes"]:
        env = make_solo(variant, seat=1, render_mode=mode)
        env.reset(seed=1)
        frame = env.render()
        assert (frame is None) == (mode == "human")


def test_human_mode_prints_the_table_after_every_reset_and_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    printed: dict[str, list[str]] = {}
    frames = []
    for mode in ("human", "ansi"):
        env = make_solo(("leduc", {}), seat=0, render_mode=mode)
        observation, _ = env.reset(seed=1)
        printed[mode] = [capsys.readouterr().out]
        frames += [env.render()] if mode == "ansi" else []
        env.step(observation["action_mask"].argmax())
        printed[mode].append(capsys.readouterr().out)
        frames += [env.render()] if mode == "ansi" else []
    assert printed["human"] == [f"{frame}\n\n" for frame in frames]
    assert printed["ansi"] == ["", ""] and frames[0] != frames[1]


@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_seed_reproduces_a_solo_episode(seat: int | str) -> None:
    env = make_solo(VARIANTS[0], seat=seat)
    logs = []
    for _ in range(2):
        first = env.reset(seed=3)
        logs.append([first, *play_solo(env, np.random.default_rng(0))])
    assert data_equivalence(*logs)
    final = logs[0][-1]
    assert final[1] == final[4]["returns"][env.seat]
    assert not final[4]["action_mask"].any()


@pytest.mark.parametrize("seat", [3, -1, "landlord"])
def test_wrong_seat(seat: Any) -> None:
    with pytest.raises(InputError, match="seat must be 0 to 2"):
        make_solo(VARIANTS[0], seat=seat)


def test_solo_env_ends_with_a_penalty() -> None:
    env = make_solo(VARIANTS[0])
    env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step(env.game.parse("PASS"))
    assert (reward, terminated, truncated) == (env.illegal_reward, True, False)
    assert info["illegal_action"] and not observation["action_mask"].any()
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_agents_given_as_objects_are_not_copied() -> None:
    """Whatever they hold: networks, locks, connections."""
    for make in (SoloEnv, GameVectorEnv):
        agent = make_agent("leduc", "random")
        agent.held = threading.Lock()
        env = make("leduc", opponents=agent)
        state = make_game("leduc").deal(np.random.default_rng(1))
        env.reset(seed=1, options={"state": state})
        assert env._opponents.agents == [agent]


def test_a_given_state_that_ends_before_our_turn_is_refused() -> None:
    """It would end so for ever, while a shuffled game is dealt again."""
    state = next(
        state.copy()
        for state in positions(make_game("doudizhu"), seed=1, games=50)
        if state.player == 1 and state.left[1] == 1 and state.target < 0  # his last card: he leads
    )
    for env, action in (
        (SoloEnv("doudizhu", seat=2, opponents="greedy"), 0),
        (GameVectorEnv("doudizhu", 2, seat=2, opponents="greedy"), np.zeros(2, int)),
    ):
        env.reset(seed=1)
        with pytest.raises(InputError, match="before the seat's first turn"):
            env.reset(seed=1, options={"state": state})
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.step(action)
        env.reset()

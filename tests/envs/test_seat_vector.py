"""Every seat as a row of its own: what it sees, what it is paid, and when it waits."""

import inspect
from typing import Any
from unittest.mock import Mock

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from closedhand import InputError
from closedhand.envs import GameVectorEnv, SeatVectorEnv

GAMES = 3
MODES = [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED]


def choices(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (masks * rng.random(masks.shape)).argmax(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("leduc", {}),
        ("uh_leduc", {"observation": "compact"}),
        ("daihinmin", {"rounds": 2}),
        ("chinese_poker", {"substeps": True}),
        ("doudizhu", {"substeps": True, "observation": "compact"}),
    ],
)
def test_rows_are_the_seats_of_the_vector_env(
    name: str, options: dict[str, Any], mode: AutoresetMode
) -> None:
    """The same games, played by the rows to act: their rewards, ends and views are those there."""
    rows = SeatVectorEnv(name, GAMES, autoreset_mode=mode, **options)
    games = GameVectorEnv(name, GAMES, autoreset_mode=mode, reward="seats", **options)
    seats = rows.num_seats
    assert rows.num_envs == GAMES * seats
    seen, told = rows.reset(seed=4)
    looks, infos = games.reset(seed=4)
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(300):
        acting = np.arange(GAMES) * seats + infos["current_player"]
        for part in looks:
            assert np.array_equal(seen[part][acting], looks[part])
        waiting = ~told["to_act"]
        assert np.delete(waiting, acting).all()
        assert (seen["action_mask"][waiting].sum(axis=1) == 1).all()
        assert seen["action_mask"][waiting][:, 0].all()
        assert np.array_equal(told["action_mask"], seen["action_mask"])
        assert rows.observation_space.contains(seen)
        chosen = choices(looks["action_mask"], rng)
        actions = rng.integers(0, rows.single_action_space.n, rows.num_envs)  # ignored of others
        actions[acting] = chosen
        seen, rewards, terminated, truncated, told = rows.step(actions)
        looks, paid, ended, _, infos = games.step(chosen)
        assert np.array_equal(rewards.reshape(GAMES, seats), paid)
        assert np.array_equal(terminated, np.repeat(ended, seats)) and not truncated.any()
        ends += ended.sum()
        if mode == AutoresetMode.SAME_STEP and ended.any():
            for i in np.flatnonzero(ended):
                seat = infos["final_info"]["current_player"][i]
                last, by_game = told["final_obs"][i * seats + seat], infos["final_obs"][i]
                assert all(np.array_equal(last[part], by_game[part]) for part in by_game)
        elif mode == AutoresetMode.DISABLED and ended.any():
            with pytest.raises(gymnasium.error.ResetNeeded):
                rows.step(actions)
            seen, told = rows.reset(options={"reset_mask": terminated})
            looks, infos = games.reset(options={"reset_mask": ended})
    assert ends >= GAMES


def test_bad_input_is_refused() -> None:
    rows = SeatVectorEnv("leduc", 2, autoreset_mode="Disabled")
    with pytest.raises(gymnasium.error.ResetNeeded):
        rows.step(np.zeros(4, int))
    with pytest.raises(gymnasium.error.ResetNeeded):
        rows.action_masks()
    rows.reset(seed=[1, None, 2, None])
    first = rows.states.tobytes()
    rows.reset(seed=[1, 5, 2, 6])
    assert rows.states.tobytes() == first
    for seed in (-1, 1.5, [1, 2], [[1], [2, 3], [], []], "12", True):
        with pytest.raises(InputError):
            rows.reset(seed=seed)
    for mask in ([True] * 3, [1] * 4, [False] * 4, "x"):
        with pytest.raises(InputError, match="must be bool"):
            rows.reset(options={"reset_mask": mask})
    with pytest.raises(InputError, match="the same for all rows of a game"):
        rows.reset(options={"reset_mask": np.array([True, False, True, True])})
    for actions in ([0], [0.0] * 4, None):
        with pytest.raises(InputError, match="actions are 4 whole numbers, one for each row"):
            rows.step(actions)
    with pytest.raises(InputError, match="no autoreset mode"):
        SeatVectorEnv("leduc", autoreset_mode="never")
    for name, value in {"opponents": "random", "legal": "ids", "seat": 0}.items():
        with pytest.raises(InputError, match=f"unexpected keyword argument '{name}'"):
            SeatVectorEnv("leduc", **{name: value})
    assert rows.states.tobytes() == first


def test_an_illegal_action_is_paid_to_its_own_row() -> None:
    rows = SeatVectorEnv("leduc", 1, illegal_reward=-7)
    seen, told = rows.reset(seed=1)
    acting = int(told["to_act"].argmax())
    illegal = int(seen["action_mask"][acting].argmin())
    _, rewards, ended, _, _ = rows.step(np.full(2, illegal))
    assert rewards[acting] == -7 and rewards[1 - acting] == 0 and ended.all()


def test_arguments_have_the_defaults_of_the_vector_env() -> None:
    own, other = (inspect.signature(env).parameters for env in (SeatVectorEnv, GameVectorEnv))
    assert {name: other[name].default for name in own if name in other} == {
        name: own[name].default for name in own if name != "num_games"
    }
    assert own["num_games"].default == other["num_envs"].default == 1


def test_ctrl_c_amid_a_step_leaves_no_game_that_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = SeatVectorEnv("leduc", 1, autoreset_mode=AutoresetMode.DISABLED)
    rows.reset(seed=1)
    illegal = rows.action_masks().argmin(axis=1)
    with monkeypatch.context() as patch:
        patch.setattr(rows._env, "_put_together", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            rows.step(illegal)
    with pytest.raises(gymnasium.error.ResetNeeded):
        rows.step(illegal)

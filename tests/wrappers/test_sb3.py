"""Vector envs as one `VecEnv` of Stable-Baselines3, also where several games end together."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from support_envs import Fixed

from closedhand import InputError, make_game
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv

pytest.importorskip("stable_baselines3")

SEATS = (0, 1, 1)
EACH = 4


def make(name: str = "leduc", observation: str = "planes", **options: Any) -> Any:
    from closedhand.wrappers.sb3 import SB3VecEnv

    game = make_game(name, **options)
    return SB3VecEnv(
        [
            GameVectorEnv(
                game, EACH, opponents=Fixed(game), seat=seat, observation=observation,
                autoreset_mode=AutoresetMode.SAME_STEP,
            )
            for seat in SEATS
        ]
    )  # fmt: skip


def alone(look: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What a vector env of one game shows of it."""
    return {name: part[0] for name, part in look.items()}


@pytest.mark.parametrize(("name", "options"), [("leduc", {}), ("uh_leduc", {}), ("doudizhu", {})])
def test_every_game_gets_its_own_last_observation(name: str, options: dict[str, Any]) -> None:
    game = make_game(name, **options)
    singles = [
        GameVectorEnv(game, 1, opponents=Fixed(game), seat=seat, autoreset_mode="Disabled")
        for seat in SEATS
        for _ in range(EACH)
    ]
    envs = make(name, **options)
    envs.seed(70)
    seen = envs.reset()
    # The seeds of a group begin with that of its first game.
    looks = [alone(single.reset(seed=70 + i)[0]) for i, single in enumerate(singles)]
    rng = np.random.default_rng(2)
    together = across = 0
    earned, steps = np.zeros(len(singles)), np.zeros(len(singles), int)
    for _ in range(120):
        masks = envs.env_method("action_masks")
        for i, look in enumerate(looks):
            assert masks[i].tolist() == (look["action_mask"] != 0).tolist()
            for part, rows in seen.items():
                assert rows[i].tobytes() == look[part].tobytes()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        seen, rewards, dones, infos = envs.step(actions)
        together += dones.sum() > 1
        across += dones.reshape(len(SEATS), EACH).any(axis=1).sum() > 1
        for i, single in enumerate(singles):
            look, reward, over, _, _ = single.step(actions[i : i + 1])
            looks[i] = alone(look)
            assert rewards[i] == np.float32(reward[0]) and dones[i] == over[0]
            earned[i], steps[i] = earned[i] + reward[0], steps[i] + 1
            if not over[0]:
                assert infos[i] == {}
                continue
            assert set(infos[i]) == {"terminal_observation", "TimeLimit.truncated", "episode"}
            assert infos[i]["TimeLimit.truncated"] is False
            assert infos[i]["episode"] == {"r": earned[i], "l": steps[i]}
            earned[i] = steps[i] = 0
            last = infos[i]["terminal_observation"]
            assert set(last) == set(looks[i]) - {"action_mask"}
            for part, values in last.items():
                assert values.tobytes() == looks[i][part].tobytes()
            looks[i] = alone(single.reset()[0])
    assert together and across, "no two games ended in one step"


@pytest.mark.parametrize("form", ["flat", "compact"])
def test_one_vector_is_served_as_such(form: str) -> None:
    """Also where a game ends: `MlpPolicy` takes no dicts."""
    planes, envs = make(), make(observation=form)
    planes.seed(3), envs.seed(3)
    seen, parts = envs.reset(), planes.reset()
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(40):
        assert seen.shape == (EACH * len(SEATS), *envs.observation_space.shape)
        assert all(map(envs.observation_space.contains, seen))
        if form == "flat":
            rows = [part.reshape(len(part), -1) for part in parts.values()]
            assert np.array_equal(seen, np.concatenate(rows, axis=1))
        masks = envs.env_method("action_masks")
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        seen, _, dones, infos = envs.step(actions)
        parts, *_ = planes.step(actions)
        for i in np.flatnonzero(dones):
            assert envs.observation_space.contains(infos[i]["terminal_observation"])
            ended += 1
    assert ended


def test_bad_actions_and_seeds_are_refused() -> None:
    envs, other = make(), make()
    for each in (envs, other):
        each.seed(1)
        each.reset()
    number = EACH * len(SEATS)
    for actions in (None, 1, "x", [1], [1.0] * number, [True] * number, [2**70] * number, object()):
        with pytest.raises(InputError, match=f"actions are {number} whole numbers"):
            envs.step(actions)
    for seed in (-1, 1.5, "3", True, []):
        with pytest.raises(InputError, match="a seed is a whole number of 0 or more"):
            envs.seed(seed)
    actions = np.array([mask.argmax() for mask in envs.env_method("action_masks")])
    one, two = envs.step(actions), other.step(actions)
    assert all(one[0][part].tobytes() == two[0][part].tobytes() for part in one[0])


def test_a_seed_is_for_the_next_start_alone() -> None:
    envs = make(observation="flat")
    envs.seed(1)
    first, second = envs.reset(), envs.reset()
    envs.seed(1)
    assert envs.reset().tobytes() == first.tobytes() != second.tobytes()


def test_options_are_for_the_next_start_alone() -> None:
    envs = make(observation="flat")
    first, other = "SQ;SJ;HK", "SK;SJ;HQ"
    seen: list[bytes] = []
    for deal in (first, other, first):
        envs.set_options({"deal": deal})
        seen.append(envs.reset().tobytes())
        assert {env.game.deal_text(state) for env in envs.envs for state in env.states} == {deal}
    envs.reset()
    assert len({env.game.deal_text(state) for env in envs.envs for state in env.states}) > 1
    assert seen[0] == seen[2] != seen[1]
    with pytest.raises(InputError, match="options of a reset are a dict, not"):
        envs.set_options([{"deal": first}] * envs.num_envs)


def test_an_episode_is_told_with_its_length_and_reward() -> None:
    envs, rng = make(observation="flat"), np.random.default_rng(1)
    number = EACH * len(SEATS)
    for _ in range(2):  # a game that another reset has ended counts for nothing
        envs.reset()
        earned, steps = np.zeros(number), np.zeros(number, int)
        for _ in range(20):
            masks = envs.env_method("action_masks")
            _, rewards, dones, infos = envs.step([rng.choice(np.flatnonzero(m)) for m in masks])
            earned += rewards
            steps += 1
            for i in np.flatnonzero(dones):
                assert infos[i]["episode"] == {"r": earned[i], "l": steps[i]}
                earned[i], steps[i] = 0.0, 0


def test_attributes_are_those_of_the_envs() -> None:
    envs = make()
    envs.reset()
    assert envs.has_attr("action_masks") and not envs.has_attr("seat")
    assert [len(mask) for mask in envs.env_method("action_masks", indices=[1, 3])] == [4, 4]
    assert [game.name for game in envs.get_attr("game", indices=[0, 5])] == ["leduc"] * 2
    assert envs.env_is_wrapped(GameVectorEnv, indices=[1, 3]) == [False, False]
    with pytest.raises(AttributeError, match="SB3VecEnv has no method seat"):
        envs.env_method("seat")
    with pytest.raises(AttributeError, match="no attribute 'seat'"):
        envs.get_attr("seat")
    with pytest.raises(AttributeError, match="when it is made"):
        envs.set_attr("seat", 1)


def test_games_are_drawn_and_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from stable_baselines3.common.vec_env import VecVideoRecorder

    from closedhand.wrappers.sb3 import SB3VecEnv

    given: Any = {"opponents": "random", "autoreset_mode": "SameStep", "render_mode": "rgb_array"}
    envs = SB3VecEnv([GameVectorEnv("leduc", 2, seat=seat, **given) for seat in (0, 1)])
    envs.seed(1)
    envs.reset()
    assert len(envs.get_images()) == 4
    assert envs.render().shape == (2 * 540, 2 * 960, 3)
    monkeypatch.setitem(sys.modules, "moviepy", ModuleType("moviepy"))  # it writes the file alone
    video = VecVideoRecorder(envs, str(tmp_path), lambda step: step == 0, video_length=10)
    video.reset()
    video.step(np.array([mask.argmax() for mask in envs.env_method("action_masks")]))
    assert len(video.recorded_frames) == 2 and video.frames_per_sec == 2
    video.recorded_frames.clear()


@pytest.mark.filterwarnings("ignore")
def test_a_model_plays_in_single_envs_and_logs_its_episodes(tmp_path: Path) -> None:
    import gymnasium
    from sb3_contrib import MaskablePPO
    from sb3_contrib.common.maskable.evaluation import evaluate_policy

    from closedhand.wrappers.sb3 import SB3VecEnv

    given: Any = {"opponents": "random", "observation": "compact"}
    envs = gymnasium.make_vec("closedhand/Leduc-v0", 4, autoreset_mode="SameStep", **given)
    model = MaskablePPO("MlpPolicy", SB3VecEnv(envs), n_steps=16, batch_size=32)
    model.learn(64)
    assert len(model.ep_info_buffer) and {"r", "l"} <= set(model.ep_info_buffer[0])
    env = gymnasium.make("closedhand/Leduc-v0", mask="info", **given)
    assert env.observation_space == model.observation_space
    rewards, lengths = evaluate_policy(model, env, 4, return_episode_rewards=True)
    assert len(rewards) == len(lengths) == 4
    model.save(tmp_path / "model")
    MaskablePPO.load(tmp_path / "model", env).learn(16)


def test_one_env_of_a_registry_is_enough_and_others_are_refused() -> None:
    import gymnasium

    from closedhand.wrappers.sb3 import SB3VecEnv

    options = {"opponents": "random", "autoreset_mode": "SameStep"}
    made = gymnasium.make_vec("closedhand/Leduc-v0", 3, **options)
    envs = SB3VecEnv(made)
    assert envs.num_envs == 3 == len(envs.reset()["observation"])
    with pytest.raises(InputError, match="use autoreset_mode='SameStep'"):
        SB3VecEnv(GameVectorEnv("leduc", 2, opponents="random"))
    with pytest.raises(InputError, match="use legal='mask'"):
        SB3VecEnv(GameVectorEnv("leduc", 2, legal="ids", **options))
    with pytest.raises(InputError, match="takes one reward a row: leave out reward='seats'"):
        SB3VecEnv(GameVectorEnv("leduc", 2, reward="seats", **options))
    with pytest.raises(InputError, match="a vector env of closedhand is needed here"):
        SB3VecEnv(SoloEnv("leduc"))
    with pytest.raises(InputError, match="without the wrapper ClipReward: put wrappers of S"):
        SB3VecEnv([made, gymnasium.wrappers.vector.ClipReward(made, 0, 1)])
    beside = gymnasium.make_vec("closedhand/Leduc-v0", 3, mask="info", **options)
    assert SB3VecEnv(beside).observation_space == SB3VecEnv(made).observation_space
    flat = gymnasium.make_vec("closedhand/Leduc-v0", 3, observation="flat", **options)
    for envs in ([], [made, flat], [made, gymnasium.make_vec("closedhand/UHLeduc-v0", **options)]):
        with pytest.raises(InputError, match="takes one or more envs, all with the same spaces"):
            SB3VecEnv(envs)


def test_in_self_play_every_seat_is_a_row_that_is_paid_for_itself() -> None:
    from closedhand.envs import SeatVectorEnv
    from closedhand.wrappers.sb3 import SB3VecEnv

    envs = SB3VecEnv(SeatVectorEnv("leduc", 3, observation="compact", autoreset_mode="SameStep"))
    envs.seed(2)
    envs.reset()
    rng = np.random.default_rng(1)
    ends = 0
    for _ in range(40):
        masks = np.array(envs.env_method("action_masks"))
        assert masks.shape == (6, 4) and masks.any(axis=1).all()
        _, rewards, dones, infos = envs.step((masks * rng.random(masks.shape)).argmax(axis=1))
        by_game = rewards.reshape(3, 2)
        assert np.array_equal(by_game[:, 0], -by_game[:, 1])
        assert not rewards[~dones].any()
        for i in np.flatnonzero(dones):
            assert envs.observation_space.contains(infos[i]["terminal_observation"])
        ends += dones.sum()
    assert ends > 6
    for reward in (None, "actor", "seats"):
        shared = GameVectorEnv("leduc", 2, reward=reward, autoreset_mode="SameStep")
        with pytest.raises(InputError, match="make the env with opponents, or a SeatVectorEnv"):
            SB3VecEnv(shared)

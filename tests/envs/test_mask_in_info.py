"""The option `mask="info"`: observations are arrays, in every env, as wrappers of others need."""

import pickle
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from support_envs import choose, complies, every_variant, make_aec, make_solo

from closedhand import GAMES, InputError, make_game
from closedhand.envs import DeviceVectorEnv, GameAEC, GameVectorEnv, SeatVectorEnv, SoloEnv
from closedhand.wrappers import AutoPass, KickerSubsteps

Variant = tuple[str, dict[str, Any]]

VECTORS = ("flat", "compact")
SIZE = make_game("leduc").feature_size
in_every_vector = pytest.mark.parametrize("form", VECTORS)


def same(array: Any, seen: dict[str, np.ndarray]) -> bool:
    return isinstance(array, np.ndarray) and np.array_equal(array, seen["observation"])


@every_variant
@in_every_vector
def test_every_env_shows_the_array_and_the_mask_beside_it(variant: Variant, form: str) -> None:
    name, options = variant
    rng = np.random.default_rng(3)
    given: dict[str, Any] = {"observation": form}
    table, other = make_aec(variant, **given, mask="info"), make_aec(variant, **given)
    table.reset(seed=1), other.reset(seed=1)
    for _ in range(12):
        agent = table.agent_selection
        seen, _, ended, _, info = table.last()
        expected = other.last()[0]
        assert same(seen, expected) and table.observation_space(agent).contains(seen)
        assert np.array_equal(info["action_mask"], expected["action_mask"])
        assert np.array_equal(table.unwrapped.action_masks(), expected["action_mask"] != 0)
        if ended:
            break
        action = choose(info["action_mask"], rng)
        table.step(action), other.step(action)
    solo, other = make_solo(variant, **given, mask="info"), make_solo(variant, **given)
    seen, info = solo.reset(seed=1)
    expected = other.reset(seed=1)[0]
    ended = False
    while not ended:
        assert same(seen, expected) and solo.observation_space.contains(seen)
        assert np.array_equal(info["action_mask"], solo.action_masks())
        action = choose(info["action_mask"], rng)
        seen, reward, ended, _, info = solo.step(action)
        expected, paid, *_ = other.step(action)
        assert reward == paid
    assert same(seen, expected) and not info["action_mask"].any()
    many: Any = {"num_envs": 3, "autoreset_mode": "SameStep", "reward": "seats", **given, **options}
    vector = gymnasium.make_vec(GAMES[name].gymnasium_id, mask="info", **many).unwrapped
    other = gymnasium.make_vec(GAMES[name].gymnasium_id, **many)
    seen, infos = vector.reset(seed=1)
    expected = other.reset(seed=1)[0]
    for _ in range(25):
        assert same(seen, expected) and vector.observation_space.contains(seen)
        assert np.array_equal(vector.action_masks(), infos["action_mask"] != 0)
        actions = np.array([choose(mask, rng) for mask in infos["action_mask"]])
        seen, _, ends, _, infos = vector.step(actions)
        expected, _, _, _, told = other.step(actions)
        for i in np.flatnonzero(ends):
            assert same(infos["final_obs"][i], told["final_obs"][i])


@in_every_vector
def test_parallel_envs_and_rows_of_seats_do_so_too(form: str) -> None:
    given: dict[str, Any] = {"observation": form}
    env, other = (
        pettingzoo.make("parallel", "closedhand/chinese_poker-v0", **given, **more)
        for more in ({"mask": "info"}, {})
    )
    (seen, infos), (expected, _) = env.reset(seed=2), other.reset(seed=2)
    for agent in env.agents:
        assert same(seen[agent], expected[agent]) and infos[agent]["action_mask"].any()
        assert env.observation_space(agent).contains(seen[agent])
    given["autoreset_mode"] = "SameStep"
    rows = SeatVectorEnv("leduc", 3, mask="info", **given)
    other = SeatVectorEnv("leduc", 3, **given)
    (seen, infos), (expected, _) = rows.reset(seed=2), other.reset(seed=2)
    for _ in range(20):
        assert same(seen, expected) and rows.observation_space.contains(seen)
        assert np.array_equal(infos["action_mask"], expected["action_mask"])
        assert np.array_equal(rows.action_masks(), expected["action_mask"] != 0)
        actions = infos["action_mask"].argmax(axis=1)
        seen, _, ends, _, infos = rows.step(actions)
        expected, _, _, _, told = other.step(actions)
        if ends[0]:
            assert same(infos["final_obs"][0], told["final_obs"][0])


def test_planes_stay_a_dict_without_the_mask() -> None:
    solo = SoloEnv("doudizhu", substeps=True, mask="info")
    seen, info = solo.reset(seed=1)
    assert list(seen) == list(solo.game.shapes) and info["action_mask"].any()
    assert solo.observation_space.contains(seen)
    envs = GameVectorEnv("leduc", 2, legal="ids", reward="seats", mask="info", observation="flat")
    seen, infos = envs.reset(seed=1)
    assert isinstance(seen, np.ndarray) and "action_mask" not in infos
    with pytest.raises(InputError, match="make the env without legal='ids'"):
        envs.action_masks()


def test_planes_without_the_mask_are_checked_against_the_infos() -> None:
    env: Any = pettingzoo.make(
        "aec", "closedhand/doudizhu-v0", mask="info", illegal_reward=-3
    )  # fmt: skip
    env.reset(seed=1)
    for _ in range(4):
        seen, *_, info = env.last()
        assert list(seen) == list(make_game("doudizhu").shapes)
        env.step(int(info["action_mask"].argmax()))
    agent = env.agent_selection
    env.step(int(env.last()[-1]["action_mask"].argmin()))
    assert env.rewards[agent] == -3 and all(env.terminations.values())


@pytest.mark.parametrize("place", ["observation", "info"])
def test_a_mask_that_the_caller_changes_leaves_the_check_as_it_is(place: str) -> None:
    env: Any = pettingzoo.make("aec", "closedhand/leduc-v0", mask=place, illegal_reward=-3)
    for action, paid in ((1, 0), (0, -3)):  # a check, and a fold, which is illegal
        env.reset(seed=1)
        agent = env.agent_selection
        seen, *_, info = env.last()
        masks = [info["action_mask"], *(seen.pop(name) for name in list(seen) if "mask" in name)]
        for mask in masks:
            mask[:] = 1 - mask
        env.step(action)
        assert env.rewards[agent] == paid and all(env.terminations.values()) == (paid != 0)


def test_games_on_a_device_show_one_tensor() -> None:
    torch = pytest.importorskip("torch")
    given: Any = {"device": "cpu", "observation": "compact"}
    env, other = (DeviceVectorEnv("leduc", 3, **given, **more) for more in ({"mask": "info"}, {}))
    seen, infos = env.reset(seed=1)
    expected, _ = other.reset(seed=1)
    assert torch.equal(seen, expected["observation"])
    assert torch.equal(env.action_masks(), infos["action_mask"] != 0)
    planes = DeviceVectorEnv("leduc", 3, device="cpu", mask="info")
    assert list(planes.reset(seed=1)[0]) == list(planes.game.shapes)
    assert seen.shape[1:] == env.single_observation_space.shape


@pytest.mark.parametrize("make", [GameAEC, GameVectorEnv, SeatVectorEnv, SoloEnv])
@pytest.mark.parametrize("mask", ["infos", "", None, True, ["info"]])
def test_other_places_are_refused_in_one_line(make: Any, mask: Any) -> None:
    with pytest.raises(InputError, match="mask is observation or info, not ") as caught:
        make("leduc", mask=mask)
    assert "\n" not in str(caught.value)


def test_checks_copies_and_wrappers_of_ours_keep_the_form() -> None:
    complies(lambda: pettingzoo.make("aec", "closedhand/leduc-v0", observation="flat", mask="info"))
    solo = SoloEnv("leduc", observation="compact", mask="info", opponents="random")
    solo.reset(seed=1)
    again = pickle.loads(pickle.dumps(solo))
    assert np.array_equal(again.step(1)[0], solo.step(1)[0])
    for wrap in (KickerSubsteps, AutoPass):
        env: Any = wrap(GameAEC("doudizhu", observation="compact", mask="info"))
        env.reset(seed=0)
        rng = np.random.default_rng(0)
        for _ in range(30):
            seen, _, ended, _, info = env.last()
            assert env.observation_space(env.agent_selection).contains(seen)
            if ended:
                break
            env.step(choose(info["action_mask"], rng))


def test_gymnasium_checks_the_env() -> None:
    given: Any = {"observation": "compact", "mask": "info", "illegal_reward": -1}
    env = gymnasium.make("closedhand/Leduc-v0", render_mode="rgb_array", **given)
    check_env(env.unwrapped, skip_render_check=True)


WRAPPERS = {
    "ClipReward": {"min_reward": -1, "max_reward": 1},
    "FlattenObservation": {},
    "NormalizeObservation": {},
    "NormalizeReward": {},
    "RecordEpisodeStatistics": {},
    "RescaleObservation": {"min_obs": np.float32(0), "max_obs": np.float32(1)},
    "DtypeObservation": {"dtype": np.float32},
    "DictInfoToList": {},
}
"""Vector wrappers of Gymnasium, with arguments."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRAPPERS)
def test_vector_wrappers_of_gymnasium_take_arrays(name: str) -> None:
    import gymnasium.wrappers.vector as wrappers

    envs = gymnasium.make_vec(
        "closedhand/Leduc-v0", 4, opponents="random", observation="compact", mask="info"
    )
    env = getattr(wrappers, name)(envs, **WRAPPERS[name])
    seen, infos = env.reset(seed=1)
    for _ in range(10):
        assert np.isfinite(seen).all()
        assert seen.shape == (4, *envs.single_observation_space.shape)
        masks = [each["action_mask"] for each in infos] if name == "DictInfoToList" else infos
        masks = np.array(masks if isinstance(masks, list) else masks["action_mask"])
        seen, _, _, _, infos = env.step(masks.argmax(axis=1))


def floats(env: Any, suit: Any) -> Any:
    return suit.dtype_v0(env, np.float32)


SUPERSUIT: dict[str, Any] = {
    "agent_indicator_v0": lambda env, suit: suit.agent_indicator_v0(env),
    "clip_reward_v0": lambda env, suit: suit.clip_reward_v0(env),
    "delay_observations_v0": lambda env, suit: suit.delay_observations_v0(env, 2),
    "dtype_v0": floats,
    "flatten_v0": lambda env, suit: suit.flatten_v0(env),
    "frame_stack_v1": lambda env, suit: suit.frame_stack_v1(env, 3),
    "frame_stack_v2": lambda env, suit: suit.frame_stack_v2(env, 3),
    "max_observation_v0": lambda env, suit: suit.max_observation_v0(env, 2),
    "nan_noop_v0": lambda env, suit: suit.nan_noop_v0(env, 0),
    "nan_random_v0": lambda env, suit: suit.nan_random_v0(env),
    "normalize_obs_v0": lambda env, suit: suit.normalize_obs_v0(floats(env, suit)),
    "observation_lambda_v0": lambda env, suit: suit.observation_lambda_v0(
        env, lambda seen, space: seen, lambda space: space
    ),
    "pad_action_space_v0": lambda env, suit: suit.pad_action_space_v0(env),
    "pad_observations_v0": lambda env, suit: suit.pad_observations_v0(env),
    "reshape_v0": lambda env, suit: suit.reshape_v0(env, (SIZE, 1)),
    "reward_lambda_v0": lambda env, suit: suit.reward_lambda_v0(env, lambda reward: 2 * reward),
    "sticky_actions_v0": lambda env, suit: suit.sticky_actions_v0(env, 0.0),
}
"""Wrappers of SuperSuit, without those of pictures and `frame_skip`, which repeats actions."""
OF_AGENTS = ("agent_indicator_v0", "pad_action_space_v0", "pad_observations_v0")
"""Those that take PettingZoo's envs alone."""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", SUPERSUIT)
def test_supersuit_takes_arrays(name: str) -> None:
    suit = pytest.importorskip("supersuit")
    given: Any = {"observation": "compact", "mask": "info"}
    env = SUPERSUIT[name](pettingzoo.make("aec", "closedhand/leduc-v0", **given), suit)
    env.reset(seed=1)
    turns = 0
    while env.agents:
        seen, _, ended, _, info = env.last()
        assert isinstance(seen, np.ndarray)
        turns += not ended
        env.step(None if ended else int(info["action_mask"].argmax()))
    assert turns > 1
    if name not in OF_AGENTS:
        env = SUPERSUIT[name](gymnasium.make("closedhand/Leduc-v0", **given), suit)
        seen, info = env.reset(seed=1)
        ended = False
        while not ended:
            assert env.observation_space.contains(seen)
            seen, _, ended, _, info = env.step(int(info["action_mask"].argmax()))

"""What the envs have in common: copies, rewards, options, bad input."""

import copy
import dataclasses
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from pettingzoo.utils import CaptureStdoutWrapper
from support import VARIANTS, apart, variant_id
from support_envs import (
    Fixed,
    choose,
    deal_of,
    duplicate,
    every_variant,
    make_aec,
    make_solo,
    play_aec,
    play_solo,
)

from closedhand import InputError, make_game
from closedhand.envs.aec import raw_env
from closedhand.envs.seat_vector import SeatVectorEnv
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv
from closedhand.wrappers import AutoPass

CLONES: list[Callable[[Any], Any]] = [
    copy.deepcopy,
    copy.copy,
    lambda env: pickle.loads(pickle.dumps(env)),
    apart,
]


@pytest.mark.parametrize("clone", CLONES, ids=["deepcopy", "copy", "pickle", "apart"])
@pytest.mark.parametrize("variant", VARIANTS[:2], ids=variant_id)
def test_copies_go_on_with_the_game(variant: Any, clone: Callable[[Any], Any]) -> None:
    aec, solo = raw_env(variant[0], **variant[1]), make_solo(variant, seat=1)
    wrapped = (make_aec(variant), AutoPass(make_aec(variant)), duplicate(make_aec(variant)))
    for env, play in [(solo, play_solo), *((each, play_aec) for each in (aec, *wrapped))]:
        env.reset(seed=5)
        play(env, np.random.default_rng(0), 4)
        twin = clone(env)
        logs = []
        for one in (env, twin):
            log = play(one, np.random.default_rng(1))
            one.reset()
            logs.append(log + play(one, np.random.default_rng(2)))
        assert data_equivalence(*logs)


def test_a_batch_that_was_pickled_apart_goes_on() -> None:
    envs = GameVectorEnv("leduc", 3, opponents=["monte-carlo:5"])
    seen, _ = envs.reset(seed=2)
    twin = apart(envs)
    logs = [[one.step(seen["action_mask"].argmax(1)) for _ in range(5)] for one in (envs, twin)]
    assert data_equivalence(*logs)


def test_copies_keep_a_game_of_ones_own() -> None:
    """A pickle holds its name and options, so that of a changed game would be another one."""
    leduc = make_game("leduc")
    tables = leduc.rules.tables.copy()
    tables["copies"] *= 2
    changed = {"payoff_range": (-99.0, 99.0), "rules": leduc.rules._replace(tables=tables)}
    for name, value in changed.items():
        game = dataclasses.replace(leduc, **{name: value})
        solo, envs = SoloEnv(game, opponents="random"), GameVectorEnv(game, 2)
        for env in (solo, envs, raw_env(game)):
            assert copy.copy(env).game is copy.deepcopy(env).game is game
            why = f"this leduc cannot be pickled: .* one with other {name}"
            with pytest.raises(InputError, match=why):
                pickle.dumps(env)
        for env in (solo, envs):
            env.reset(options={"state": leduc.deal(np.random.default_rng(0))})
        assert envs.game is solo.game is game


def test_a_change_of_one_env_s_modes_changes_no_other() -> None:
    """PettingZoo's wrapper appends `ansi` to the list of the env that it wraps."""
    CaptureStdoutWrapper(raw_env("leduc", render_mode="human"))
    others = [raw_env("leduc"), SoloEnv, GameVectorEnv, GameVectorEnv("leduc"), SeatVectorEnv]
    lists = [env.metadata["render_modes"] for env in others]
    assert lists == [["human", "ansi", "rgb_array"]] * len(others)
    assert len(set(map(id, lists))) == len(others)


def test_a_class_keeps_metadata_of_its_own() -> None:
    own = type("Own", (GameVectorEnv,), {"metadata": {"render_modes": ["ansi"], "more": 1}})
    assert own("leduc").metadata == {
        "render_modes": ["ansi"], "more": 1, "autoreset_mode": AutoresetMode.NEXT_STEP,
    }  # fmt: skip


def test_states_that_the_rules_do_not_allow_are_refused() -> None:
    """And so are views."""
    game = make_game("doudizhu")
    state = game.deal(np.random.default_rng(0))
    damaged = state.copy()
    damaged.hands[1] = 2**60
    for env in (raw_env("doudizhu"), make_solo(VARIANTS[0]), GameVectorEnv(game, 2)):
        env.reset(seed=0, options={"state": state})
        with pytest.raises(InputError, match="not a state of doudizhu: the cards do not make a"):
            env.reset(options={"state": damaged})
        with pytest.raises(InputError, match="is a view: some cards are not known"):
            env.reset(options={"state": game.view(state, 1)})


@pytest.mark.slow
@every_variant
def test_rewards_add_up_to_returns(variant: tuple[str, dict[str, Any]]) -> None:
    """At every step of a game that pays in stages, otherwise at the end."""
    env, rng = raw_env(variant[0], **variant[1]), np.random.default_rng(4)
    for _ in range(3):
        env.reset(seed=int(rng.integers(99)))
        before = env.game.returns(env.game_state)
        paid, asked, stages = 0 * before, dict.fromkeys(env.agents, 0.0), 0
        for agent in env.agent_iter():
            observation, reward, over, _, _ = env.last()
            asked[agent] += reward
            env.step(None if over else choose(observation["action_mask"], rng))
            if not over:
                assert list(env.rewards) == env.possible_agents
                paid += list(env.rewards.values())
                stages += any(env.rewards.values())
                assert (paid == env.game.returns(env.game_state)).all()
        assert list(asked.values()) == paid.tolist()
        assert stages == variant[1].get("rounds", 1) or not paid.any()
    solo = make_solo(variant, seat=1)
    solo.reset(seed=6)
    log = play_solo(solo, rng)
    assert sum(step[1] for step in log) == log[-1][4]["returns"][1]
    assert sum(step[1] != 0 for step in log) <= variant[1].get("rounds", 1)


@pytest.mark.slow
def test_rewards_begin_where_the_game_does() -> None:
    """A match that is gone on with pays no points a second time."""
    game = make_game("daihinmin", rounds=3)
    state, rng = game.deal(np.random.default_rng(0)), np.random.default_rng(1)
    while not state.round_number:
        game.play(state, int(rng.choice(game.legal(state))))
    points = game.returns(state)
    assert points.any()
    env, solo = raw_env(game), SoloEnv(game, opponents=Fixed(game), seat=2)
    for one in (env, solo):
        one.reset(seed=0, options={"state": state})
    log = play_aec(env, rng)
    assert sum(step[2] for step in log) == 30
    log = play_solo(solo, rng)
    assert sum(step[1] for step in log) == log[-1][4]["returns"][2] - points[2]
    envs = GameVectorEnv(game, 2, opponents=Fixed(game), seat=2)
    observation, _ = envs.reset(options={"state": state})
    rewards, over = np.zeros(2), np.zeros(2, bool)
    while not over.any():
        observation, reward, over, _, info = envs.step(observation["action_mask"].argmax(axis=1))
        rewards += reward
    assert (rewards == info["returns"][:, 2] - points[2]).all()


@pytest.mark.parametrize("illegal", ["pass", "error"])
def test_lenient_envs_go_on_after_an_illegal_action(illegal: str) -> None:
    variant = ("daihinmin", {"illegal": illegal})
    aec, solo, envs = (
        make_aec(variant),
        make_solo(variant),
        GameVectorEnv(variant[0], reward="actor", **variant[1]),
    )
    for env in (aec, solo, envs):
        env.reset(seed=0)
    masks = aec.last()[0]["action_mask"], solo.action_masks(), envs.observe()[0]["action_mask"][0]
    wrong = [np.argmin(mask) for mask in masks]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        aec.step(wrong[0])
    ended = {solo.step(wrong[1])[2], bool(envs.step(np.array(wrong[2:]))[2])}
    assert ended == {all(aec.terminations.values())} == {illegal == "error"}
    if illegal == "pass":
        assert solo.step(np.int64(99_999))[1:3] == (solo.illegal_reward, True)


@pytest.mark.slow
@every_variant
def test_reset_starts_from_a_deal(variant: tuple[str, dict[str, Any]]) -> None:
    deal = deal_of(variant)
    for env in (make_aec(variant), make_solo(variant)):
        env.reset(seed=1, options={"deal": deal})
        unwrapped = env.unwrapped
        assert unwrapped.game.deal_text(unwrapped.game_state) == deal


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": "345"}, "a deal is four fields"),
        ({"deal": 7}, "must be the text of a deal, not 7"),
        ({"state": 7}, "is not a state of doudizhu"),
        ({"deal": "345", "state": 7}, "not from both"),
    ],
)
def test_bad_reset_options(options: dict[str, Any], message: str) -> None:
    for env in (raw_env("doudizhu"), make_solo(VARIANTS[0])):
        with pytest.raises(InputError, match=message) as error:
            env.reset(options=options)
        assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "whist"}, "no game 'whist'"),
        (
            {"rules": "house"},
            "rules is deeprocket, rlcard, openspiel, douzero, botzone, mini, tiny or two_players, "
            "not 'house'",
        ),
        ({"speed": 3}, "has no option 'speed'"),
        ({"render_mode": "neon"}, "render_mode is human, ansi or rgb_array, not 'neon'"),
        ({"game": make_game("doudizhu"), "substeps": True}, "brings its own options"),
    ],
)
def test_bad_arguments(arguments: dict[str, Any], message: str) -> None:
    arguments = {"game": "doudizhu", **arguments}
    with pytest.raises(InputError, match=message):
        raw_env(**arguments)
    with pytest.raises(InputError, match=message):
        SoloEnv(opponents=Fixed(make_game("doudizhu")), **arguments)

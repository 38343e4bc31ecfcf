"""Kicker sub-steps."""

import copy
import dataclasses
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.utils.wrappers import TerminateIllegalWrapper
from support import VARIANTS, variant_id
from support_envs import choose, complies, duplicate, make_aec, play_aec

from closedhand import InputError, make_game
from closedhand.envs.aec import raw_env
from closedhand.wrappers import AutoPass, KickerSubsteps

kicker_variants = pytest.mark.parametrize(
    "variant",
    [v for v in VARIANTS if v[0] == "doudizhu" and make_game(v[0], **v[1]).substep_options],
    ids=variant_id,
)


@pytest.mark.parametrize("wrap", [KickerSubsteps, AutoPass, duplicate])
def test_nothing_is_done_before_a_game(wrap: Any) -> None:
    env = wrap(raw_env("doudizhu"))
    for call in (env.step, env.observe):
        with pytest.raises(gymnasium.error.ResetNeeded):
            call(0)


@kicker_variants
def test_kicker_substeps_comply(variant: tuple[str, dict[str, Any]]) -> None:
    complies(lambda: KickerSubsteps(make_aec(variant)))
    complies(lambda: KickerSubsteps(duplicate(make_aec(variant))))
    complies(lambda: duplicate(KickerSubsteps(raw_env(variant[0], **variant[1]))))


@kicker_variants
def test_kicker_substeps_play_the_substepped_game(variant: tuple[str, dict[str, Any]]) -> None:
    name, rules = variant
    wrapped = KickerSubsteps(raw_env(name, **rules))
    direct = raw_env(name, **{**rules, "substeps": True})
    for seed in range(4):
        logs = []
        for env in (wrapped, direct):
            env.reset(seed=seed)
            logs.append(play_aec(env, np.random.default_rng(seed)))
        assert data_equivalence(*logs)


@kicker_variants
def test_the_state_of_all_is_that_of_the_substepped_game(
    variant: tuple[str, dict[str, Any]],
) -> None:
    """Also between a main group and its kickers."""
    name, rules = variant
    wrapped = KickerSubsteps(raw_env(name, **rules))
    direct = raw_env(name, **{**rules, "substeps": True})
    assert wrapped.state_space == direct.state_space
    with pytest.raises(gymnasium.error.ResetNeeded):
        wrapped.state()
    rng = np.random.default_rng(0)
    for env in (wrapped, direct):
        env.reset(seed=0)
    while direct.agents:
        assert (wrapped.state() == direct.state()).all()
        over = direct.terminations[direct.agent_selection]
        action = None if over else choose(direct.last()[0]["action_mask"], rng)
        for env in (wrapped, direct):
            env.step(action)


def test_kicker_substeps_on_a_redeal() -> None:
    env = KickerSubsteps(raw_env("doudizhu", bidding=True))
    env.reset(seed=0)
    before = env.unwrapped.game_state
    for _ in range(3):
        env.step(env.game.parse("PASS"))
    after = env.unwrapped.game_state
    assert after.moves == 0 and (after.hands != before.hands).any()
    assert env.last()[0]["action_mask"].any()


def test_kicker_substeps_refuses() -> None:
    with pytest.raises(InputError, match="has no sub-steps"):
        KickerSubsteps(raw_env("doudizhu", substeps=True))
    with pytest.raises(InputError, match="this leduc has no sub-steps"):
        KickerSubsteps(raw_env("leduc"))
    with pytest.raises(InputError, match="doudizhu pays in stages"):
        KickerSubsteps(raw_env(dataclasses.replace(make_game("doudizhu"), staged=True)))
    env = KickerSubsteps(raw_env("doudizhu"))
    env.reset(seed=0)
    observation, *_ = env.last()
    with pytest.raises(InputError, match=r"PASS.*not legal for player_0"):
        env.step(env.game.parse("PASS"))
    assert data_equivalence(env.last()[0], observation)
    ends = []
    for table in (KickerSubsteps(raw_env("doudizhu")), raw_env("doudizhu", substeps=True)):
        checked = TerminateIllegalWrapper(table, illegal_reward=-1)
        checked.reset(seed=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            checked.step(env.game.parse("PASS"))
        assert all(checked.terminations.values()) and checked.rewards["player_0"] == -1
        ends.append(checked.last())
    assert data_equivalence(*ends)


@pytest.mark.parametrize("clone", [copy.deepcopy, copy.copy, "pickle"])
def test_copies_go_on_with_the_game(clone: Any) -> None:
    if clone == "pickle":
        clone = lambda env: pickle.loads(pickle.dumps(env))  # noqa: E731
    env = KickerSubsteps(duplicate(make_aec(VARIANTS[0])))
    env.reset(seed=0)
    kickers = [
        i for i, text in enumerate(map(env.game.text, range(env.game.num_actions))) if "?" in text
    ]
    rng = np.random.default_rng(0)
    while not env.last()[0]["action_mask"][kickers].any():
        play_aec(env, rng, 1)
        if not env.agents:
            env.reset()
    env.step(next(i for i in kickers if env.last()[0]["action_mask"][i]))
    logs = []
    for one in (env, clone(env)):
        log = play_aec(one, np.random.default_rng(1))
        one.reset()
        logs.append(log + play_aec(one, np.random.default_rng(2)))
    assert logs[0][0][1]["kicker"].any()
    assert data_equivalence(*logs)

"""The opponents of the solo env."""

import copy
from typing import Any, NoReturn

import numpy as np
import pytest
from gymnasium import error
from gymnasium.utils.env_checker import check_env, data_equivalence
from support import VARIANTS
from support_envs import Fixed, choose, make_solo, play_solo

from closedhand import InputError, agent_names, make_game
from closedhand.agents import from_function
from closedhand.core.game import State
from closedhand.envs.opponents import Opponents
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv


@pytest.mark.skipif("random" not in agent_names("doudizhu"), reason="closedhand is not installed")
def test_seed_reproduces_opponents_that_are_named() -> None:
    env = make_solo(VARIANTS[0], opponents="random", seat=2)
    check_env(env, skip_render_check=True)
    logs = []
    for _ in range(2):
        first = env.reset(seed=3)
        log = play_solo(env, np.random.default_rng(0))
        second = env.reset()
        logs.append([first, *log, second, *play_solo(env, np.random.default_rng(0))])
    assert data_equivalence(*logs)


@pytest.mark.slow
def test_a_seed_reproduces_opponents_of_vector_envs_that_decide_in_python() -> None:
    """One in Python is enough: then the named one, which draws, is asked there as well."""
    game = make_game("doudizhu")
    envs = GameVectorEnv(game, 3, opponents=["random", Fixed(game)])
    logs = []
    for _ in range(2):
        rng, log = np.random.default_rng(0), [envs.reset(seed=3)]
        for _ in range(20):
            masks = log[-1][0]["action_mask"]
            log.append(envs.step(np.array([choose(mask, rng) for mask in masks])))
        logs.append(log)
    assert data_equivalence(*logs)


def test_opponents_keep_their_seeds_if_the_first_game_goes_on() -> None:
    game = make_game("doudizhu")
    envs = GameVectorEnv(game, 2, opponents=["random", Fixed(game)], seat=2)
    starts = []
    for seed in (5, 6):
        envs.reset(seed=3)
        envs.reset(seed=[seed, 7], options={"reset_mask": [False, True]})
        starts.append([envs.reset()[0] for _ in range(5)])
    assert data_equivalence(*starts)


def test_opponents_sit_in_order_after_us() -> None:
    game = make_game("doudizhu")
    asked: list[tuple[str, int]] = []

    class Spy(Fixed):
        def __init__(self, name: str) -> None:
            super().__init__(game)
            self.name = name

        def act(self, view: State) -> int:
            asked.append((self.name, int(view.player)))
            assert not view.hands[(view.player + 1) % 3]
            return super().act(view)

    env = SoloEnv(game, opponents=[Spy("next"), Spy("last")], seat=1)
    env.reset(seed=0)
    play_solo(env, np.random.default_rng(0))
    assert set(asked) == {("next", 2), ("last", 0)}


@pytest.mark.skipif("random" not in agent_names("doudizhu"), reason="closedhand is not installed")
@pytest.mark.parametrize("spec", ["random", ["random", "random"]])
def test_opponents_that_are_named_have_seeds_of_their_own(spec: str | list[str]) -> None:
    game = make_game("doudizhu")
    view = game.view(game.deal(np.random.default_rng(0)), 0)
    opponents = Opponents(game, spec, np.random.default_rng(1))
    choices = [[agent.act(view.copy()) for _ in range(20)] for agent in opponents.agents]
    assert choices[0] != choices[1]


def test_wrong_opponents() -> None:
    with pytest.raises(InputError, match="has 3 seats"):
        make_solo(VARIANTS[0], opponents=[Fixed(make_game("doudizhu"))])
    with pytest.raises(InputError, match="no agent 'nobody'"):
        make_solo(VARIANTS[0], opponents="nobody")


def test_an_opponent_that_cheats_is_named() -> None:
    class Cheat(Fixed):
        def act(self, view: State) -> int:
            return -5

    env = make_solo(VARIANTS[0], opponents=Cheat(make_game("doudizhu")), seat=1)
    with pytest.raises(InputError, match="agent 'fixed' cannot continue: action -5"):
        env.reset(seed=0)


class Asked:
    """A function that plays as an agent, folds, and cannot be copied, like one with a lock."""

    times = 0

    def __deepcopy__(self, memo: Any) -> NoReturn:
        raise TypeError("it cannot be copied")

    def __call__(self, seen: Any, masks: np.ndarray) -> np.ndarray:
        self.times += 1
        return masks.argmax(axis=1)


@pytest.mark.parametrize("vector", [False, True])
def test_a_given_start_leaves_the_function_that_plays(vector: bool) -> None:
    game, asked = make_game("leduc"), Asked()
    agent = from_function(asked, "compact")
    env: Any = SoloEnv(game, opponents=agent)
    action: Any = game.parse("raise")
    if vector:
        env, action = GameVectorEnv(game, 2, opponents=agent), np.array([action, action])
    env.reset(seed=1)
    state = game.deal(np.random.default_rng(3))
    env.reset(options={"state": state})
    game.play(state, game.parse("raise"))
    with pytest.raises(InputError, match="the opponents end this game"):
        env.reset(options={"state": state})
    env.reset()
    asked.times = 0
    env.step(action)
    assert asked.times


@pytest.mark.parametrize("vector", [False, True])
def test_after_a_failure_of_an_opponent_only_a_reset_goes_on(vector: bool) -> None:
    class Failing(Fixed):
        """An agent that fails after a number of decisions."""

        left = 0

        def act(self, view: State) -> int:
            self.left -= 1
            return super().act(view) if self.left >= 0 else -5

    agent = Failing(make_game("leduc"))
    env: Any = SoloEnv("leduc", opponents=agent)
    check: Any = 1  # seat 0 opens, and the opponent is to act
    if vector:
        env, check = GameVectorEnv("leduc", 2, opponents=agent), np.array([1, 1])
    env.reset(seed=1)
    start = copy.deepcopy(env)
    with pytest.raises(InputError, match="cannot continue"):
        env.step(check)
    for _ in range(2):
        with pytest.raises(error.ResetNeeded):
            env.step(check)
    agent.left = 100
    again, twin = env.reset(), copy.deepcopy(start)
    assert not data_equivalence(again, env.reset(seed=1))
    assert data_equivalence(again, twin.reset())
    env.step(check)

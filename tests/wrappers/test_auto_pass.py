"""Forced actions played by the env."""

import warnings
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper
from pettingzoo.utils.wrappers import TerminateIllegalWrapper
from support import positions
from support_envs import complies, duplicate, every_variant, make_aec, play_aec

from closedhand import InputError, make_game
from closedhand.core.duplicate import seatings
from closedhand.envs.aec import GameAEC, raw_env
from closedhand.wrappers import AutoPass, DuplicateDealing, KickerSubsteps


@every_variant
def test_auto_pass_complies(variant: tuple[str, dict[str, Any]]) -> None:
    complies(lambda: AutoPass(make_aec(variant)))
    complies(lambda: AutoPass(duplicate(make_aec(variant))))


def play_forced(env: Any) -> np.ndarray:
    """Play while there is no choice; return what that pays everybody."""
    paid = np.zeros(len(env.possible_agents))
    while len(legal := np.flatnonzero(env.last()[0]["action_mask"])) == 1:
        env.step(int(legal[0]))
        paid += list(env.rewards.values())
    return paid


@every_variant
def test_auto_pass_asks_for_decisions_only(variant: tuple[str, dict[str, Any]]) -> None:
    """The same choices lead to the same game and rewards as without it."""
    env, direct = AutoPass(raw_env(variant[0], **variant[1])), raw_env(variant[0], **variant[1])
    rng = np.random.default_rng(0)
    forced = 0
    for seed in range(3):
        env.reset(seed=seed)
        direct.reset(seed=seed)
        play_forced(direct)
        earned = dict.fromkeys(env.agents, 0.0)
        while not all(env.terminations.values()):
            observation, reward, *_ = env.last()
            earned[env.agent_selection] += reward
            assert env.agent_selection == direct.agent_selection
            assert data_equivalence(observation, direct.last()[0])
            assert observation["action_mask"].sum() > 1
            action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
            env.step(action)
            direct.step(action)
            paid = np.array(list(direct.rewards.values()))
            moves = int(direct.game_state.moves)
            paid += play_forced(direct)
            forced += direct.game_state.moves != moves
            assert list(env.rewards.values()) == paid.tolist()
        assert env.unwrapped.game_state.tobytes() == direct.game_state.tobytes()
        for agent, _, reward, _, _ in play_aec(env, rng):
            earned[agent] += reward
        assert list(earned.values()) == env.game.returns(env.unwrapped.game_state).tolist()
    assert forced or variant[0] != "daihinmin"


@pytest.mark.slow
def test_auto_pass_goes_on_within_reset() -> None:
    game = make_game("daihinmin", lead_pass=False)
    env, rng = AutoPass(raw_env(game)), np.random.default_rng(0)
    ends = {True: 0, False: 0}
    for state in positions(game, seed=0, games=20):
        legal = [] if game.over(state) else game.legal(state)
        if len(legal) == 1:
            env.reset(options={"state": state})
            over = all(env.terminations.values())
            ends[over] += 1
            if over:
                log = play_aec(env, rng)
                assert sum(reward for _, _, reward, _, _ in log) == 15
            else:
                assert env.last()[0]["action_mask"].sum() > 1
    assert min(ends.values()) > 0


class Tipping(GameAEC):
    """Pays 1 for every action, forced ones too."""

    def step(self, action: int | None) -> None:
        agent, plays = self.agent_selection, not all(self.terminations.values())
        super().step(action)
        if plays:
            self.rewards = {each: float(each == agent) for each in self.agents}


def test_auto_pass_adds_up_the_rewards_of_forced_actions() -> None:
    """Those within `reset` too, and duplicate dealing counts all of them."""
    env = AutoPass(Tipping("daihinmin"))
    env.reset(seed=0)
    state = env.unwrapped.game_state
    while len(legal := env.game.legal(state)) > 1:
        env.game.play(state, int(legal[0]))
    tables, total = duplicate(env), 0.0
    for table in range(5):
        tables.reset(options=None if table else {"state": state})
        paid = sum(env.rewards.values())
        assert paid > 0
        while not all(env.terminations.values()):
            tables.step(int(np.argmax(env.last()[0]["action_mask"])))
            paid += sum(env.rewards.values())
        assert paid == env.unwrapped.game_state.moves - state.moves
        total += paid
    assert sum(tables.infos["player_0"]["duplicate_score"].values()) == total


def test_tables_that_forced_actions_end_within_reset_have_a_score() -> None:
    env = duplicate(AutoPass(raw_env("doudizhu")))
    *_, state, _ = (each.copy() for each in positions(env.game, seed=0, games=1))
    assert len(env.game.legal(state)) == 1
    for deal in range(2):
        total = np.zeros(2)
        for table in range(2):
            env.reset(options=None if table else {"state": state})
            assert all(env.terminations.values())
            info = env.infos["player_0"]
            assert (info["deal"], info["table"]) == (deal, table)
            returns = env.game.returns(env.unwrapped.game_state)
            for seat, team in enumerate(seatings(env.game.sides)[table]):
                total[team] += returns[seat]
        assert list(info["duplicate_score"].values()) == total.tolist()
    env.reset()
    assert env.infos["player_0"]["deal"] == 2 and not any(env.terminations.values())


def test_auto_pass_pays_all_rewards_of_a_wrapper_that_keeps_its_own() -> None:
    """Also in a game that follows one whose agents have not fetched their rewards."""
    suit = pytest.importorskip("supersuit")
    tenfold = suit.reward_lambda_v0(raw_env("daihinmin", rounds=2), lambda reward: 10 * reward)
    env = AutoPass(tenfold)
    for seed in range(2):
        env.reset(seed=seed)
        rng, over = np.random.default_rng(seed), False
        earned, paid = dict.fromkeys(env.agents, 0.0), np.zeros(5)
        while not over:
            observation, reward, over, _, _ = env.last()
            earned[env.agent_selection] += reward
            if not over:
                env.step(int(rng.choice(np.flatnonzero(observation["action_mask"]))))
                paid += list(env.rewards.values())
        for agent in set(env.agents) - {env.agent_selection}:
            earned[agent] += env._cumulative_rewards[agent]
        returns = 10 * env.game.returns(env.unwrapped.game_state)
        assert list(earned.values()) == paid.tolist() == returns.tolist()


def test_auto_pass_and_other_wrappers() -> None:
    """Penalties are seen through it, and scores of duplicate deals below and above it are right."""
    env = TerminateIllegalWrapper(AutoPass(raw_env("doudizhu")), illegal_reward=-1)
    env.reset(seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        env.step(env.game.parse("PASS"))
    assert env.last()[1] == env.rewards["player_0"] == -1
    for wrap in (lambda e: duplicate(AutoPass(e)), lambda e: AutoPass(duplicate(e))):
        env = wrap(raw_env("daihinmin", rounds=2))
        total = np.zeros(5)
        for table in range(5):
            env.reset(seed=None if table else 3)
            play = np.random.default_rng(table)
            while not all(env.terminations.values()):
                env.step(int(play.choice(np.flatnonzero(env.last()[0]["action_mask"]))))
            returns = env.game.returns(env.unwrapped.game_state)
            total += returns[[seatings(env.game.sides)[table].index(team) for team in range(5)]]
        assert list(env.infos["player_0"]["duplicate_score"].values()) == total.tolist()


def test_other_envs_are_refused() -> None:
    class Foreign(AECEnv):
        pass

    others = (
        Foreign(), BaseWrapper(Foreign()), 3,
        pettingzoo.make("parallel", "closedhand/chinese_poker-v0"),
        gymnasium.make("closedhand/ChinesePoker-v0"),
    )  # fmt: skip
    for wrap in (AutoPass, KickerSubsteps, partial(DuplicateDealing, teams=["a", "b"])):
        for env in others:
            with pytest.raises(InputError, match="an AEC env of closedhand is needed here"):
                wrap(env)

"""Kicker sub-steps, duplicate dealing and forced actions on AEC envs."""

import copy
import pickle
import warnings
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from envs.test_envs import every_variant, make_aec, play_aec
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper
from support import VARIANTS, positions, variant_id

from closedhand import InputError, make_game
from closedhand.core.seating import num_tables, seating
from closedhand.envs.aec import GameAEC, raw_env
from closedhand.wrappers.auto_pass import AutoPass
from closedhand.wrappers.duplicate import DuplicateDealing
from closedhand.wrappers.kickers import KickerSubsteps

kicker_variants = pytest.mark.parametrize(
    "variant",
    [v for v in VARIANTS if v[0] == "doudizhu" and not v[1].get("substeps")],
    ids=variant_id,
)


def teams_of(env: Any) -> list[str]:
    return [f"team {i}" for i in range(num_tables(env.unwrapped.game.sides))]


def duplicate(env: Any) -> DuplicateDealing:
    return DuplicateDealing(env, teams_of(env))


def complies(make: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent")
        warnings.filterwarnings("ignore", "Action mask numpy array is all zeros")
        api_test(make(), num_cycles=200)
    seed_test(make, num_cycles=200)


@every_variant
def test_duplicate_dealing_complies(variant: tuple[str, dict[str, Any]]) -> None:
    complies(lambda: duplicate(make_aec(variant)))


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
    with pytest.raises(InputError, match="cannot be taken apart"):
        KickerSubsteps(raw_env("doudizhu", substeps=True))
    with pytest.raises(InputError, match="this leduc cannot be taken apart"):
        KickerSubsteps(raw_env("leduc"))
    env = KickerSubsteps(raw_env("doudizhu"))
    env.reset(seed=0)
    observation, *_ = env.last()
    with pytest.raises(InputError, match=r"PASS.*not legal for player_0"):
        env.step(env.game.parse("PASS"))
    assert data_equivalence(env.last()[0], observation)
    checked = TerminateIllegalWrapper(KickerSubsteps(raw_env("doudizhu")), illegal_reward=-1)
    checked.reset(seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checked.step(env.game.parse("PASS"))
    assert all(checked.terminations.values()) and checked.rewards["player_0"] == -1


@pytest.mark.parametrize(
    ("sides", "tables"),
    [
        ((0, 1, 1), [(0, 1, 1), (1, 0, 0)]),
        ((0, 1, 2), [(0, 1, 2), (1, 2, 0), (2, 0, 1)]),
        ((0, 1, 0, 1), [(0, 1, 0, 1), (1, 0, 1, 0)]),
        (tuple(range(5)), [tuple((seat + t) % 5 for seat in range(5)) for t in range(5)]),
    ],
)
def test_seating(sides: tuple[int, ...], tables: list[tuple[int, ...]]) -> None:
    assert [seating(sides, table) for table in range(num_tables(sides))] == tables


@every_variant
def test_duplicate_schedule(variant: tuple[str, dict[str, Any]]) -> None:
    env = duplicate(make_aec(variant))
    teams, game = teams_of(env), env.unwrapped.game
    starts = []
    for deal in range(3):
        totals: dict[str, float] = defaultdict(float)
        for table in range(len(teams)):
            env.reset(seed=0 if deal == table == 0 else None)
            starts.append(str(env.unwrapped.game_state))
            log = play_aec(env, np.random.default_rng([deal, table]))
            for _, _, _, _, info in log:
                assert (info["deal"], info["table"]) == (deal, table)
            ends = {agent: info for agent, _, _, over, info in log if over}
            assert [teams.index(ends[a]["team"]) for a in env.possible_agents] == [
                *seating(game.sides, table)
            ]
            for _, _, reward, _, info in log:
                totals[info["team"]] += reward
            for info in ends.values():
                assert ("duplicate_score" in info) == (table == len(teams) - 1)
        assert info["duplicate_score"] == pytest.approx(totals)
        assert len(set(starts[-len(teams) :])) == 1
    assert len(set(starts)) == 3
    env.reset(seed=0)
    assert str(env.unwrapped.game_state) == starts[0]
    assert env.infos["player_0"]["deal"] == env.infos["player_0"]["table"] == 0


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
        assert (paid > 0) == (table == 0)
        while not all(env.terminations.values()):
            tables.step(int(np.argmax(env.last()[0]["action_mask"])))
            paid += sum(env.rewards.values())
        assert table or paid == env.unwrapped.game_state.moves - state.moves
        total += paid
    assert sum(tables.infos["player_0"]["duplicate_score"].values()) == total


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
            total += returns[[seating(env.game.sides, table).index(team) for team in range(5)]]
        assert list(env.infos["player_0"]["duplicate_score"].values()) == total.tolist()


def test_an_abandoned_table_leaves_no_score() -> None:
    env = duplicate(raw_env("doudizhu"))
    env.reset(seed=0)
    env.reset()
    log = play_aec(env, np.random.default_rng(0))
    assert log[-1][-1]["table"] == 1
    assert "duplicate_score" not in log[-1][-1]


def test_a_given_deal_is_played_at_all_tables() -> None:
    env = duplicate(raw_env("doudizhu"))
    game = env.unwrapped.game
    deal = game.deal_text(game.deal(np.random.default_rng(0)))
    env.reset(seed=5)
    env.reset(options={"deal": deal})
    env.reset()
    assert game.deal_text(env.unwrapped.game_state) == deal
    assert env.infos["player_1"]["table"] == env.infos["player_1"]["deal"] == 1


@pytest.mark.parametrize("teams", [[], ["a"], ["a", "a"], ["a", "b", "c"]])
def test_wrong_teams(teams: list[str]) -> None:
    with pytest.raises(InputError, match="has 2 sides"):
        DuplicateDealing(raw_env("doudizhu"), teams)


@pytest.mark.parametrize("clone", [copy.deepcopy, "pickle"])
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

"""Duplicate dealing."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from support_envs import complies, duplicate, every_variant, make_aec, play_aec, teams_of

from closedhand import InputError
from closedhand.core.seating import seating
from closedhand.envs.aec import env as checked_env, raw_env
from closedhand.wrappers.duplicate import DuplicateDealing


@every_variant
def test_duplicate_dealing_complies(variant: tuple[str, dict[str, Any]]) -> None:
    complies(lambda: duplicate(make_aec(variant)))


@pytest.mark.slow
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


def test_an_abandoned_table_leaves_no_score() -> None:
    env = duplicate(raw_env("doudizhu"))
    env.reset(seed=0)
    env.reset()
    log = play_aec(env, np.random.default_rng(0))
    assert log[-1][-1]["table"] == 1
    assert "duplicate_score" not in log[-1][-1]


@pytest.mark.parametrize("illegal_at", [0, 1])
def test_a_table_that_an_illegal_action_ends_leaves_no_score(illegal_at: int) -> None:
    env = duplicate(checked_env("leduc"))
    for table in range(2):
        env.reset(seed=0 if table == 0 else None)
        if table == illegal_at:
            env.step(int(np.argmin(env.last()[4]["action_mask"])))
        log = play_aec(env, np.random.default_rng(0))
        assert log[-1][-1]["table"] == table and "duplicate_score" not in log[-1][-1]
    for _ in range(2):
        env.reset()
        log = play_aec(env, np.random.default_rng(0))
    assert "duplicate_score" in log[-1][-1]


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


@pytest.mark.parametrize("teams", [3, None, "ab", ["a", ["b"]], [1, 2]])
def test_teams_that_are_no_names(teams: Any) -> None:
    with pytest.raises(InputError, match="teams are a list of names, not"):
        DuplicateDealing(raw_env("doudizhu"), teams)

"""Duplicate dealing."""

from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from support import SHIPPED
from support_envs import complies, duplicate, every_variant, make_aec, play_aec, teams_of

from closedhand import InputError
from closedhand.core.duplicate import seatings
from closedhand.core.records import read
from closedhand.envs.aec import env as checked_env, raw_env
from closedhand.wrappers import DuplicateDealing


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
        sides: dict[str, dict[int, float]] = defaultdict(lambda: defaultdict(float))
        for table in range(len(teams)):
            env.reset(seed=0 if deal == table == 0 else None)
            starts.append(str(env.unwrapped.game_state))
            log = play_aec(env, np.random.default_rng([deal, table]))
            for _, _, _, _, info in log:
                assert (info["deal"], info["table"]) == (deal, table)
            ends = {agent: info for agent, _, _, over, info in log if over}
            assert [teams.index(ends[a]["team"]) for a in env.possible_agents] == [
                *seatings(game.sides)[table]
            ]
            for agent, _, reward, _, info in log:
                totals[info["team"]] += reward
                sides[info["team"]][game.sides[env.possible_agents.index(agent)]] += reward
            for info in ends.values():
                for name in ("duplicate_score", "side_scores"):
                    assert (name in info) == (table == len(teams) - 1)
        assert info["duplicate_score"] == pytest.approx(totals)
        for team, scores in info["side_scores"].items():
            assert dict(enumerate(scores)) == pytest.approx(sides[team])
        assert len(set(starts[-len(teams) :])) == 1
    assert len(set(starts)) == 3
    env.reset(seed=0)
    assert str(env.unwrapped.game_state) == starts[0]
    assert env.infos["player_0"]["deal"] == env.infos["player_0"]["table"] == 0


def test_the_match_of_the_deeprocket_paper() -> None:
    """The paper decides by the landlords' sums, 24 : 30 in its Table 7."""
    records = [each for each in read(SHIPPED / "deeprocket_match.jsonl") if "match" in each.extra]
    by_landlord = {(each.extra["match"], each.extra["landlord"]): each for each in records}
    teams = ["DeepRocket", "human"]
    env = DuplicateDealing(raw_env("doudizhu", rules="deeprocket"), teams)
    game, landlords, totals = env.unwrapped.game, Counter[str](), Counter[str]()
    for match in range(1, 11):
        for table, landlord in enumerate(teams):
            record = by_landlord[match, landlord]
            env.reset(options=None if table else {"deal": record.deal})
            for action in record.actions:
                env.step(game.parse(action, env.unwrapped.game_state))
        info = env.infos["player_0"]
        totals.update(info["duplicate_score"])
        landlords.update({team: scores[0] for team, scores in info["side_scores"].items()})
    assert landlords == {"human": 24, "DeepRocket": 30}
    assert totals == {"human": -6, "DeepRocket": 6}


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

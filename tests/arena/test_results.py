"""The results of matches."""

import json

import numpy as np
import pytest

from closedhand import make_game
from closedhand.arena import match, results
from closedhand.core import duel

DOUDIZHU = make_game("doudizhu")


def test_points_are_those_of_the_side_that_an_agent_plays() -> None:
    # One deal, two tables, three seats; agent 0 is the landlord at the first one.
    returns = np.array([[[6.0, -3.0, -3.0], [-12.0, 6.0, 6.0]]])
    assert duel.tables(DOUDIZHU.sides) == [(0, 1, 1), (1, 0, 0)]
    assert results.points(DOUDIZHU, returns, 0).tolist() == [[6.0, 12.0]]
    assert results.points(DOUDIZHU, returns, 1).tolist() == [[-12.0, -6.0]]
    assert results.role_names(DOUDIZHU) == ["landlord", "peasants"]


def test_summaries_are_json_and_complete() -> None:
    data = json.loads(json.dumps(results.summary(match.play(DOUDIZHU, ["rule", "greedy"], 20, 8))))
    assert data["game"] == "doudizhu"
    assert data["options"]["rules"] == "deeprocket"
    assert (data["seed"], data["deals"]) == (8, 20)
    (pair,) = data["pairs"]
    assert np.shape(pair["returns"]) == (20, 2, 3)
    assert [(r["agent"], r["role"]) for r in pair["results"]] == [
        (agent, role) for agent in ("rule", "greedy") for role in ("landlord", "peasants", "all")
    ]
    rule, greedy = pair["results"][2], pair["results"][5]
    assert rule["points"]["mean"] == pytest.approx(-greedy["points"]["mean"])
    assert all(time > 0 for time in pair["microseconds_per_decision"])

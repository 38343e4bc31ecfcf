"""Scratch space of agents is enough in every position: what they write is measured in more room."""

from typing import Any

import numpy as np
import pytest
from support import positions
from support_hands import greatest

from closedhand import Game, make_game
from closedhand.agents.daihinmin.policy import critic, light_policy, patterns
from closedhand.agents.daihinmin.policy.shared import options, seen_cards_of
from closedhand.agents.daihinmin.policy.situation import situation_of
from closedhand.agents.doudizhu.decompose import agent as decompose, features, partition
from closedhand.agents.doudizhu.value_net import features as inputs
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.auction import is_opening

MORE = 4
"""Times as much room as the agents have."""


@kernel
def described(rules, state, action, number, out):
    """Describe one of a number of actions by patterns; return the numbers of features by sign."""
    if state.leader < 0:
        return patterns.describe_gift(state, seen_cards_of(state), action, out)
    return patterns.describe(rules, state, situation_of(rules, state), action, number, out)


@pytest.mark.slow
@pytest.mark.parametrize(
    "rules",
    [
        {"classes": "random"},
        {"classes": "random", "jack_back": True, "five_skip": True, "lead_pass": True},
        {"kaidan": False, "lock": False, "revolution": False},
    ],
)
def test_features_of_daihinmin_fit(rules: dict[str, Any]) -> None:
    game = make_game("daihinmin", **rules)
    ids, few = np.empty(game.num_actions, np.int32), np.empty(MORE * 32, np.int64)
    found = np.empty((2, MORE * patterns.MOST_FEATURES), np.int32)
    most = np.zeros(3, int)
    for state in positions(game, 1, 60):
        if game.over(state):
            continue
        n = int(options(game.rules, state, ids))
        numbers = [described(game.rules, state, np.int64(action), n, found) for action in ids[:n]]
        seen, of_plays = seen_cards_of(state), [0]
        if state["leader"] >= 0:
            of_plays += [
                int(light_policy.describe(game.rules, state, seen, int(action), few))
                for action in ids[:n]
            ]
        reasons = int(critic.reasons(game.rules, state, few))
        most = np.maximum(most, [np.max(numbers), max(of_plays), reasons])
    assert (most <= [224, 10, 17]).all()
    assert (most >= [60, 6, 12]).all()
    assert patterns.MOST_FEATURES >= 224
    assert light_policy.MOST_FEATURES >= 10
    assert critic.MOST_REASONS >= 17


def doudizhu() -> list[Game]:
    named = [{"rules": name} for name in ("deeprocket", "rlcard", "douzero", "mini", "two_players")]
    more: list[dict[str, Any]] = [{"bidding": True, "robbing": True, "doubling": True}]
    return [make_game("doudizhu", **rules) for rules in (*named, *more)]


@pytest.mark.slow
@pytest.mark.parametrize("game", doudizhu(), ids=str)
def test_features_of_dou_dizhu_fit(game: Game) -> None:
    ids, plays = np.empty(game.num_actions, np.int32), np.empty(decompose.CANDIDATES, np.int64)
    sums, numbers = np.empty(len(plays)), np.zeros(len(plays), np.int64)
    found = np.empty((len(plays), MORE * features.MOST_FEATURES), np.int64)
    nodes, costs = np.empty(partition.MOST_NODES, partition.NODE), np.empty((7, 15), np.int64)
    position = np.empty(MORE * inputs.MOST_POSITION, np.int64)
    policy = decompose.policy_of(decompose.load(None))
    most = np.zeros(2, int)
    for state in positions(game, 2, 60):
        if game.over(state) or is_opening(game.rules, state):
            continue
        n, _ = decompose.list_plays(game.rules, state, ids, costs, nodes, plays)
        decompose.weigh(policy, game.rules, state, plays, n, costs, nodes, sums, found, numbers)
        written = int(inputs.describe_position(game.rules, state, position))
        most = np.maximum(most, [numbers[:n].max(), written])
    assert (most <= [features.MOST_FEATURES, inputs.MOST_POSITION]).all()
    assert (most >= [10, 20]).all()


def test_no_hand_needs_more_of_the_stack_than_there_is() -> None:
    costs, unused = np.zeros((partition.ROWS, 15), np.int64), -7
    nodes: Any = np.zeros(MORE * partition.MOST_NODES, partition.NODE)

    def used(hand: np.uint64) -> int:
        nodes["kickers"] = unused
        partition.partition(hand, costs, nodes)
        return int((nodes["kickers"] != unused).sum())

    deepest = greatest(used, cards=20, climbs=8, steps=400, seed=3)
    assert 15 < deepest <= 352 < partition.MOST_NODES

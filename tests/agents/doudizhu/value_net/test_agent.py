"""The agent: what it values, and its strength."""

import numpy as np
import pytest
from support import assert_alike_without_compiler
from support_agents import games_of
from support_doudizhu import choice

from closedhand import make_agent, make_game
from closedhand.agents.doudizhu.value_net import agent as value_net, files, network
from closedhand.agents.doudizhu.value_net.features import HAND, PLAY, write_cards
from closedhand.arena import match
from closedhand.learning.evaluation import judge

GAME = make_game("doudizhu", objective="win")


def test_values_are_the_same_when_every_play_is_described_anew() -> None:
    """`rate` adds to the sums of the position what a play changes; here all is added up."""
    net = files.load(None, "win")[0]
    policy = value_net.policy_of(net, "win")
    scratch = np.empty(network.UNITS, np.int64), np.empty(network.SECOND, np.float32)
    off: list[float] = []
    rules, ids = GAME.rules, np.empty(GAME.num_actions, np.int32)
    space, rows = value_net.make_space(), np.empty(100, np.int64)
    seen = hopeless = many = 0
    for seed in range(4):
        state = GAME.deal(np.random.default_rng(seed))
        player = make_agent(GAME, "rule")
        while not GAME.over(state):
            n, k, known = value_net.rate(policy, rules, state, ids, space)
            for i in range(n if k < 0 else 0):
                far = policy.share * space.priors[i] < value_net.FURTHEST
                behind = (space.priors[:n] > space.priors[i]).sum() >= value_net.MOST_EVALUATED
                assert (space.values[i] == -np.inf) == (far or behind)
                if space.values[i] == -np.inf:
                    hopeless += far
                    many += not far
                    continue
                rows[:known] = space.position[:known]
                play = int(space.plays[i])
                left = state.hands[state.player] - rules.plays.need[play]
                end = write_cards(left, HAND, rows, known)
                rows[end] = PLAY + rules.plays.group[play]
                role = value_net.role_of(state)
                features = space.features[i, : space.numbers[i]]
                sums = net.inputs[role][rows[: end + 1]].astype(float).sum(axis=0)
                sums[: network.NARROW] += net.plays[features].astype(float).sum(axis=0)
                value = network.head(net.dense[role], sums.astype(np.float32), *scratch)
                assert space.values[i] == pytest.approx(
                    value + policy.share * space.priors[i], abs=0.1
                )
                off.append(space.values[i] - policy.share * space.priors[i] - value)
                seen += 1
            GAME.play(state, player.act(GAME.view(state, int(state.player))))
    assert seen > 100 and hopeless > 20 and many > 5
    # Whole numbers change little.
    assert np.std(off) < 0.01


def test_what_wins_at_once_is_played() -> None:
    assert choice("value-net", "3;99;88") == "3"


@pytest.mark.slow
def test_it_beats_the_others() -> None:
    for other, least in (("rule", 0.80), ("greedy", 0.64), ("decompose", 0.54)):
        result = match.play(GAME, ["value-net", other], 500, seed=1)
        points = result.pairs[0].returns[:, 0, 0], result.pairs[0].returns[:, 1, 1]
        assert np.mean([np.mean(side > 0) for side in points]) > least


@pytest.mark.slow
def test_the_network_for_points_makes_more_of_them() -> None:
    """Bombs double what is lost as well: who plays to win gets fewer points."""
    game = make_game("doudizhu")
    net = files.load(None, "win")[0]
    to_win = value_net.ValueNetAgent(game, "to win", net, "win")
    agents = make_agent(game, "value-net"), to_win
    found = [judge(game, agent, "decompose", 2000, 0).entry() for agent in agents]
    assert found[0]["points"][0] > found[1]["points"][0] + 0.2
    assert found[0]["won"][0] < found[1]["won"][0]


@pytest.mark.slow
def test_values_are_alike_without_compiler() -> None:
    """To the last bit, as all sums are in a fixed order."""
    program = (
        "import numpy as np\n"
        "from closedhand import make_game\n"
        "from closedhand.agents.doudizhu.value_net import agent, files\n"
        "game = make_game('doudizhu')\n"
        "policy = agent.policy_of(files.load(None, 'win')[0], 'win')\n"
        "space, ids = agent.make_space(), np.empty(game.num_actions, np.int32)\n"
        "state = game.deal(np.random.default_rng(4))\n"
        "for _ in range(12):\n"
        "    n, k, _ = agent.rate(policy, game.rules, state, ids, space)\n"
        "    k = space.values[:n].argmax() if k < 0 else k\n"
        "    print(space.plays[:n].tolist(), space.values[:n].tolist())\n"
        "    game.play(state, int(space.plays[k]))\n"
    )
    assert_alike_without_compiler(program)


def test_it_plays_every_kind_of_game() -> None:
    for options in ({"bidding": True}, {"substeps": True}, {"rules": "openspiel"}):
        game = make_game("doudizhu", **options)
        assert all(game.over(state) for state in games_of(game, ["value-net"], 5))

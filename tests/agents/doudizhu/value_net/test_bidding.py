"""The bid module that asks the network."""

from itertools import combinations

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.agents.doudizhu.bidding.modules import FITTED, bid_with
from closedhand.agents.doudizhu.value_net import bidding, files
from closedhand.agents.doudizhu.value_net.agent import policy_of
from closedhand.core import duplicate
from closedhand.games.doudizhu.counts import pack

GAME = make_game("doudizhu", bidding=True)


def chance(cards: str) -> float:
    view = GAME.view(GAME.deal(np.random.default_rng(0)), 0)
    view.hands[0] = pack(cards)
    policy = policy_of(files.load(None, "win")[0], "win")
    rng, ids = np.random.default_rng(1), np.empty(GAME.num_actions, np.int32)
    states = np.zeros(1, GAME.dtype)
    return bidding.chance_as_landlord(policy, GAME.rules, view, states, rng, ids)


def test_better_cards_have_better_chances() -> None:
    hands = ("3445667899TJJQKKA", "34455789TJQKKAA22", "5566789TJQKAA222B", "3456789TJAA2222SB")
    chances = [chance(hand) for hand in hands]
    assert 0 < chances[0] < 0.3 and 0.85 < chances[-1] <= 1
    assert all(one < two for one, two in combinations(chances, 2))


def test_bids_follow_from_the_chance() -> None:
    agent = make_agent(GAME, "bids:value:decompose")
    assert agent.name == "bids:value:decompose"
    state = GAME.deal(np.random.default_rng(5))
    for _ in range(2):
        view = GAME.view(state, int(state.player))
        action = agent.act(view)
        assert action == agent.act(view)  # though cards are dealt at random
        allowed = [bid_with(FITTED, p, GAME.rules, view) for p in np.linspace(0, 1, 50)]
        assert action in allowed
        GAME.play(state, GAME.legal(state)[0])


def test_it_plays_whole_games() -> None:
    for options in ({}, {"substeps": True}, {"objective": "win"}):
        game = make_game("doudizhu", bidding=True, **options)
        agents, dealt = duplicate.start(game, ["bids:value:decompose", "decompose"], 3, range(4))
        duplicate.play_out(game, dealt, np.tile([0, 1, 0], (4, 1)), agents)
        assert all(game.over(state) for state in dealt)
    with pytest.raises(InputError, match="for games with bidding"):
        make_agent("doudizhu", "bids:value:decompose")

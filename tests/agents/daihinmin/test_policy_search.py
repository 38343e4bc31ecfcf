"""The agent `policy-search` of Daihinmin."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from closedhand import InputError, make_agent, make_game
from closedhand.agents.daihinmin.policy import pattern_policy
from closedhand.agents.daihinmin.search_agents import goes_on
from closedhand.core.files import SHIPPED
from closedhand.core.policies import decide

GAME = make_game("daihinmin", classes="random")


@pytest.mark.parametrize("argument", ["fast", "0", "5s", "100x4", "100:/nowhere/x.npz"])
def test_it_refuses_other_arguments(argument: str) -> None:
    with pytest.raises(InputError):
        make_agent("daihinmin", f"policy-search:{argument}")


def test_its_weights_may_come_from_a_file(tmp_path: Path) -> None:
    weights = tmp_path / "weights.npz"
    weights.write_bytes((SHIPPED / "daihinmin_policy.npz").read_bytes())
    views = [GAME.view(state, int(state.player)) for state in _states(5)]
    names = "policy-search[worlds=16]:40", f"policy-search[worlds=16]:40:{weights}"
    agents = [make_agent(GAME, name, 1) for name in names]
    assert tuple(agent.name for agent in agents) == names
    shipped, copied = ([agent.act(view) for view in views] for agent in agents)
    assert shipped == copied


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [{}, {"actions": "card_sets"}, {"rounds": 2, "class_period": 5}]
)
def test_it_plays_whole_rounds_the_same_each_time(options: dict) -> None:
    game = make_game("daihinmin", illegal="error", classes="random", **options)
    played = []
    for _ in range(2):
        agent = make_agent(game, "policy-search:40", 1)
        state = game.deal(np.random.default_rng(12))
        while not game.over(state):
            game.play(state, agent.act(game.view(state, int(state.player))))
        assert game.returns(state).sum() == 15 * game.options["rounds"]
        played.append(state.tobytes())
    assert played[0] == played[1]


def test_an_action_that_is_no_better_does_not_replace_the_policys_own() -> None:
    agent, policy = make_agent(GAME, "policy-search:12", 1), pattern_policy.load()
    ids = np.empty(GAME.num_actions, np.int32)
    views = [GAME.view(state, int(state.player)) for state in _states(40)]
    own = [int(decide(policy, GAME.rules, view, ids)) for view in views]
    kept = [agent.act(view) == action for view, action in zip(views, own, strict=True)]
    assert np.mean(kept) > 0.7, "so few simulations prove little"


@pytest.mark.slow
def test_what_it_remembers_is_of_one_match() -> None:
    game = make_game("daihinmin", rounds=4)
    seats = [make_agent(game, name, 1) for name in ("policy-search:40", "default", "random")]
    seats += [make_agent(game, "policy")] * 2
    matches = [game.deal(np.random.default_rng(seed)) for seed in range(2)]
    seen: list[list[np.record]] = [[], []]
    for state, views in zip(matches, seen, strict=True):
        while not game.over(state):
            player = int(state.player)
            view = game.view(state, player)
            if player == 0:
                views.append(view.copy())
            game.play(state, seats[player].act(view))
        assert all(goes_on(*pair) for pair in pairwise(views))
    one, other = seen
    assert {int(view.round_number) for view in one} == {0, 1, 2, 3}
    assert not any(
        goes_on(a, b)
        for a in one
        for b in other
        if a.round_number == b.round_number and a.moves > 8
    )
    agent = make_agent(game, "policy-search:40", 1)
    for view in one:
        agent.act(view)
    assert agent._memories[0].odds.any()
    agent.act(other[0])
    assert not agent._memories[0].odds.any()


def _states(number: int) -> list[np.record]:
    """States of play, one of a game each, some plays after the exchange."""
    rng, states = np.random.default_rng(7), []
    agent = make_agent(GAME, "policy")
    while len(states) < number:
        state = GAME.deal(rng)
        for _ in range(8):
            GAME.play(state, agent.act(GAME.view(state, int(state.player))))
        states.append(state)
    return states

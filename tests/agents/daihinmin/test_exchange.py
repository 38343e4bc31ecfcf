"""The second card of an exchange, after every first card, whoever chose it."""

import numpy as np
import pytest

from closedhand import make_agent, make_game
from closedhand.core.agents import act_batch, agent_names

FAST = sorted(
    set(agent_names("daihinmin"))
    - {"monte-carlo", "search", "ismcts", "policy-search", "strategy", "learned"}
)
"""Agents without a search and without a file; `test_reachable` walks with all."""


@pytest.mark.parametrize("agent", [*FAST, "kou[give_eight=999999999,give_weakness=999999999]"])
@pytest.mark.parametrize("actions", ["plays", pytest.param("card_sets", marks=pytest.mark.slow)])
def test_after_every_first_card_the_second_is_legal(agent: str, actions: str) -> None:
    game = make_game("daihinmin", classes="random", illegal="error", actions=actions)
    rng = np.random.default_rng(8)
    states = []
    for _ in range(60):
        start = game.deal(rng)
        for card in game.legal(start):
            state = start.copy()
            game.play(state, int(card))
            assert state.leader < 0 and state.player == start.player, "a second card is chosen"
            states.append(state)
    views = np.array([game.view(state, int(state.player)) for state in states], game.dtype)
    player = make_agent(game, agent, 2)
    actions = act_batch(player, views)
    for state, action in zip(states, actions, strict=True):
        assert action in game.legal(state), game.board(state)
        game.play(state, int(action))
    assert [player.act(view) for view in views[:40]] == actions[:40].tolist() or agent == "random"

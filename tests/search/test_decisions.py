"""Decisions of searching agents on fixed seeds: they stay what they were, to the last draw."""

import json

import numpy as np
import pytest
from support import DATA

from closedhand import Game, make_agent, make_game
from closedhand.core.game import State

RECORDED = [json.loads(line) for line in (DATA / "search_decisions.jsonl").read_text().splitlines()]


def views_of(game: Game, players: str, seed: int, number: int) -> list[State]:
    """Views in which there is something to choose, of about every fourth move of some games."""
    agents = [make_agent(game, players, seat) for seat in range(game.num_players)]
    rng = np.random.default_rng(seed)
    views: list[State] = []
    deal = 0
    while len(views) < number:
        state = game.deal(np.random.default_rng((seed, deal)))
        deal += 1
        while not game.over(state):
            player = int(state.player)
            view = game.view(state, player)
            if len(game.legal(view)) > 1 and rng.random() < 0.25:
                views.append(view)
            game.play(state, agents[player].act(view))
    return views[:number]


@pytest.mark.slow
@pytest.mark.parametrize("recorded", RECORDED, ids=lambda recorded: recorded["agent"])
def test_decisions_stay_the_same(recorded: dict) -> None:
    game = make_game(recorded["game"])
    agent = make_agent(game, recorded["agent"], 5)
    views = views_of(game, recorded["players"], 77, len(recorded["decisions"]))
    assert [int(agent.act(view)) for view in views] == recorded["decisions"]

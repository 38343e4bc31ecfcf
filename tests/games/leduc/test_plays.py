"""The state graph of the course slides."""

import pytest
from support import positions
from support_leduc import UH, state_text

from closedhand import make_game
from closedhand.games.leduc.plays import ACTIONS, graph

# State by state: what each action leads to.
GRAPH = {
    "s1,1,1": {"raise": "t1,4,1", "check": "t1,1,1"},
    "t1,1,1": {"raise": "s1,1,4", "check": "s2,1,1"},
    "s1,1,4": {"fold": "PT1", "call": "s2,4,4"},
    "t1,4,1": {"fold": "PS1", "call": "s2,4,4", "raise": "s1,4,7"},
    "s1,4,7": {"fold": "PT4", "call": "s2,7,7"},
    "s2,1,1": {"raise": "t2,4,1", "fold": "PT1"},
    "t2,4,1": {"raise": "s2,4,7", "call": "WL4", "fold": "PS1"},
    "s2,4,4": {"raise": "t2,7,4", "check": "t2,4,4"},
    "t2,4,4": {"raise": "s2,4,7", "check": "WL4"},
    "t2,7,4": {"raise": "s2,7,10", "call": "WL7", "fold": "PS4"},
    "s2,4,7": {"call": "WL7", "fold": "PT4"},
    "s2,7,7": {"raise": "t2,10,7", "check": "t2,7,7"},
    "t2,7,7": {"raise": "s2,7,10", "check": "WL7"},
    "t2,10,7": {"raise": "s2,10,13", "call": "WL10", "fold": "PS7"},
    "s2,7,10": {"call": "WL10", "fold": "PT7"},
    "s2,10,13": {"call": "WL13", "fold": "PT10"},
}

ENDS = {"WL4", "WL7", "WL10", "WL13", "PS1", "PS4", "PS7", "PT1", "PT4", "PT7", "PT10"}


def test_the_state_graph_is_that_of_the_slides() -> None:
    assert graph(UH.rules.tables) == GRAPH
    assert (len(GRAPH), sum(map(len, GRAPH.values())), len(ENDS)) == (16, 36, 11)
    assert {end for edges in GRAPH.values() for end in edges.values()} - set(GRAPH) == ENDS


@pytest.mark.parametrize("options", [{}, {"pair": "card"}, {"double_pair": "split"}])
def test_games_walk_the_graph(options: dict[str, str]) -> None:
    game = make_game("uh_leduc", **options)
    visited, moves = set(), set()
    for state in positions(game, seed=1, games=400):
        name = state_text(game, state)
        if game.over(state):
            assert name in ENDS
            assert abs(game.returns(state)[0]) in (int(name[2:]), 0)
        else:
            name = name.rsplit(",", 2)[0].strip("(")
            assert {ACTIONS[action] for action in game.legal(state)} == set(GRAPH[name])
        visited.add(name)
        moves.add(int(state.moves))
    assert visited == set(GRAPH) | ENDS
    assert game.payoff_range == (-13, 13) and game.max_moves == max(moves)

"""Sure wins."""

import numpy as np
import pytest
from support_daihinmin import duel

from closedhand import Game, make_game
from closedhand.agents.daihinmin import endgame
from closedhand.core.game import State


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"overplay": False},
        {"forbidden_finish": True},
        {"joker_edges": False, "lock": False, "lead_pass": False},
    ],
)
def test_sure_wins_are_sure(options: dict) -> None:
    """Whoever follows them is out next, whatever the others hold, who play whenever they can."""
    game = make_game("daihinmin", classes="random", illegal="error", **options)
    rng = np.random.default_rng(11)
    tried = 0
    while tried < 150:
        state = game.deal(rng)
        while not game.over(state):
            player = int(state.player)
            if state.leader >= 0 and surely(game, game.view(state, player)) >= 0:
                tried += 1
                full = game.redeal(game.view(state, player), player, rng)
                place = int(full.out)
                while full.places[player] < 0:
                    if full.player == player:
                        action = surely(game, game.view(full, player))
                        assert action >= 0, "the plan is lost"
                    else:
                        others = game.legal(full)
                        action = int(rng.choice(others[:-1] if len(others) > 1 else others))
                    game.play(full, action)
                assert full.places[player] <= place  # `out` counts players who have fallen, too
            game.play(state, int(rng.choice(game.legal(state))))


def surely(game: Game, view: State) -> int:
    """What `sure_win` finds."""
    views, ids = game.empty(endgame.DEEPEST), np.empty(game.num_actions, np.int32)
    views[0] = view
    actions = np.empty((endgame.DEEPEST, game.num_actions), np.int32)
    return int(endgame.sure_win(game.rules, views, actions, ids))


@pytest.mark.parametrize(
    ("hand", "others", "wins"),
    [("3c8c", "4c", True), ("3c2c", "4c5c*", False), ("3c2c", "4c5c", True), ("3c4c", "5c", False)],
)
def test_a_sure_win_is_found(hand: str, others: str, wins: bool) -> None:
    """Two cards against two players who hold a card or two each."""
    game, state = duel(hand, others)
    view = game.view(state, 0)
    first = surely(game, view)
    assert (first >= 0) == wins
    if wins:
        assert game.text(first) == hand[2:]

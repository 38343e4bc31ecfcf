"""The longest games fit into the history of a state, under every option that lengthens them."""

from typing import Any

import numpy as np
import pytest

from closedhand import Game, make_game
from closedhand.core.game import State
from closedhand.games.daihinmin.plays import PASS
from closedhand.games.daihinmin.state import LONGEST, MOST_PASSES
from closedhand.games.doudizhu import state as doudizhu
from closedhand.games.doudizhu.auction import is_opening, pass_id


def slowest_round(game: Game, state: State) -> int:
    """Pass as long as the round goes on by it, then lead one card."""
    moves = 0
    while not game.over(state):
        legal = game.legal(state)
        remaining = game.num_players - int(state["out"])
        soon = int(state["passes"]) + remaining >= MOST_PASSES
        passing = PASS in legal and not (state["target"] < 0 and soon)
        game.play(state, PASS if passing else legal[0])
        moves = max(moves, int(state["moves"]))
    return moves


@pytest.mark.slow
@pytest.mark.parametrize("gifts", [False, True])
@pytest.mark.parametrize("jokers", [1, 2])
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_the_longest_round_of_daihinmin_fits(players: int, jokers: int, gifts: bool) -> None:
    game = make_game(
        "daihinmin", players=players, jokers=jokers, classes="random", pass_limit=MOST_PASSES,
        seven_give=gifts, ten_discard=gifts,
    )  # fmt: skip
    rounds = [slowest_round(game, game.deal(np.random.default_rng(seed))) for seed in range(8)]
    assert 0.7 * LONGEST < max(rounds) <= LONGEST


def slowest_game(game: Game, state: State) -> int:
    """Lead the lowest card, and beat only a player who then has one card left."""
    passing = int(pass_id(game.rules))
    while not game.over(state):
        legal = game.legal(state)
        if state["landlord"] < 0 or is_opening(game.rules, state):
            action = legal[-1]  # the highest word, not to end the game by passes
        elif state["target"] >= 0 and (state["left"][state["owner"]] > 1 or len(legal) == 1):
            action = passing
        else:
            action = legal[0]
        game.play(state, action)
    return int(state["moves"])


@pytest.mark.parametrize(
    ("options", "most"),
    [
        ({}, 150),
        ({"bidding": True, "robbing": True, "doubling": True, "open_hand": True}, 158),
        ({"rules": "two_players", "doubling": True, "open_hand": True}, 68),
    ],
)
def test_the_longest_game_of_dou_dizhu_fits(options: dict[str, Any], most: int) -> None:
    """Of three players all but two lay 52 single cards, two passes after each but three."""
    game = make_game("doudizhu", **options)
    games = [slowest_game(game, game.deal(np.random.default_rng(seed))) for seed in range(100)]
    assert max(games) == most <= doudizhu.LONGEST

"""The Leduc games of tests, and their strategies."""

from typing import Any

import pytest

from closedhand import Game, make_game
from closedhand.agents.leduc.strategy import Strategy
from closedhand.solvers import solving

UH, STANDARD = make_game("uh_leduc"), make_game("leduc")
STANDARD_VALUE = -0.085606424078
CONVENTIONS: list[dict[str, str]] = [{}, {"double_pair": "split"}, {"pair": "card"}]
GAMES = [STANDARD, *(make_game("uh_leduc", **options) for options in CONVENTIONS)]

every_game = pytest.mark.parametrize(
    "game", GAMES, ids=["standard", "rank-suit", "rank-split", "card"]
)


def play(game: Game, deal: str, actions: str = "") -> Any:
    state = game.parse_deal(deal)
    for action in actions.split():
        game.play(state, game.parse(action))
    return state


def solved(game: Game, iterations: int, algorithm: str = "pcfr+") -> Strategy:
    learner = solving.make_solver(algorithm, game)
    learner.run(iterations)
    return learner.strategy()

"""The Leduc games of tests, and their strategies."""

from typing import Any

import numpy as np
import pytest

from closedhand import Game, make_game
from closedhand.agents.leduc.tree import PUBLIC, views_of
from closedhand.games.leduc.notation import HIDDEN, card_text
from closedhand.games.leduc.plays import name
from closedhand.games.leduc.state import FLOP, revealed
from closedhand.solvers import solving
from closedhand.solvers.strategy import Strategy, rows_of

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


def state_text(game: Game, state: Any) -> str:
    """A state as on the slides: the knowledge of the player to act, or the end of the game."""
    node = game.rules.tables.nodes[state.node]
    if game.over(state):
        return name(node)
    flop = card_text(state.cards[FLOP]) if revealed(game.rules, state) else HIDDEN
    return f"({name(node)},{card_text(state.cards[state.player])},{flop})"


def place_of(view: Any) -> tuple[int, int, int]:
    """Node of the betting tree, slot of the flop and card of the player to act."""
    return int(view.node), int(view.cards[FLOP]) + 1, int(view.cards[view.player])


def shares_at(strategy: Strategy) -> dict[tuple[int, int, int], np.ndarray]:
    """The probabilities of all four actions by the places of the information sets."""
    layout = PUBLIC.layout(strategy.game)
    shares = rows_of(strategy, layout)
    found = {}
    for s, view in enumerate(views_of(strategy.game)):
        rows = slice(int(layout.rows[s]), int(layout.rows[s + 1]))
        row = found[place_of(view)] = np.zeros(4)
        row[layout.actions[rows]] = shares[rows]
    return found


def solved(game: Game, iterations: int, algorithm: str = "pcfr+") -> Strategy:
    learner = solving.make_solver(algorithm, game)
    learner.run(iterations)
    return learner.strategy()

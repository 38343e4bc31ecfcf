"""The Leduc games of tests, and their strategies."""

from typing import Any

import numpy as np
import pytest

from closedhand import Game, make_game
from closedhand.agents.leduc.tree import PUBLIC, build, information_sets
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


def shares_at(strategy: Strategy) -> dict[tuple[int, int, int], np.ndarray]:
    """The probabilities of all four actions by node of the betting tree, slot and card."""
    layout = PUBLIC.layout(strategy.game, build(strategy.game))
    shares = rows_of(strategy, layout)
    found = {}
    for s, place in enumerate(information_sets(strategy.game)):
        rows = slice(int(layout.rows[s]), int(layout.rows[s + 1]))
        row = found[place[:3]] = np.zeros(4)
        row[layout.actions[rows]] = shares[rows]
    return found


def solved(game: Game, iterations: int, algorithm: str = "pcfr+") -> Strategy:
    learner = solving.make_solver(algorithm, game)
    learner.run(iterations)
    return learner.strategy()

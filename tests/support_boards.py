"""Boards of Chinese Poker."""

from typing import Any

from reference import chinese_poker as reference

from closedhand import Game, make_game
from closedhand.core.game import State
from closedhand.games.chinese_poker.notation import parse_cards
from closedhand.games.chinese_poker.plays import CARDS

GAME = make_game("chinese_poker")
TABLES = GAME.rules.tables

# The game of the blog, and a third board of the same deck.
ALICE = "AsKs6s5s3s/QhQs8c3c2h/JsJd9h"
BOB = "KcQc6c5c4c/Kd6d5d4d3d/Th9s7s"
THIRD = "AcAdTdTsJc/9c9d8h7h7c/6h5h2d"

# Three boards of one deck. All parts of the first foul beat those of the plain board, but its back
# is weaker than its middle; the front of the other foul is stronger than its middle.
PLAIN = "9c9d4c4d3d/Tc8d6c5d2d/7c5c2c"
FOUL = "2s5s7s8sJs/AsAhAdKsKh/QsQhQd"
OTHER_FOUL = "6d6h6s3c3s/Td9h8h4h3h/JcJdJh"


def text(cards: Any) -> list[str]:
    return [CARDS[card] for card in cards]


def as_board(board: str) -> reference.Board:
    back, middle, front = (tuple(text(parse_cards(part))) for part in board.split("/"))
    return back, middle, front


def start(game: Game, *boards: str) -> State:
    return game.parse_deal(";".join(boards).replace("/", ""))


def set_boards(game: Game, *boards: str) -> State:
    state = start(game, *boards)
    for board in boards:
        game.play(state, game.parse(board, state))
    return state

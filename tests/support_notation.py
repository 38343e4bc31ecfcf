"""Games written in the notations that the games parse."""

from typing import Any

from closedhand.core.game import Game
from closedhand.games.chinese_poker.notation import board_text


def format_record(game: Game, state: Any) -> str:
    """Write a game as `GameSpec.parse_record` reads it; Dou Dizhu with three players, no words."""
    game = game.flat
    if game.name == "chinese_poker":
        boards = zip(state.hands[: game.num_players], state.history, strict=False)
        return ";".join(board_text(game.rules.tables, *board) for board in boards)
    actions = state.history[: state.moves]
    if game.name == "doudizhu":
        passing = game.rules.plays.number - 1
        made = [f"{k % 3},{game.text(a)}" for k, a in enumerate(actions) if a != passing]
        return ";".join([game.deal_text(state), *made])
    return f"{game.deal_text(state)};{' '.join(map(game.text, actions))}"

"""Play many games under the same rules in lockstep; each player sees only its own view."""

from collections.abc import Callable
from typing import Any

import numpy as np

from closedhand.core import batch_kernels, interrupt
from closedhand.core.checks import integers
from closedhand.core.game import Game, InputError, explain_illegal
from closedhand.core.status import ILLEGAL


def play_out(
    game: Game,
    states: np.ndarray,
    choose: Callable[[np.ndarray, np.ndarray], np.ndarray],
    name: Callable[[int], str],
    after: Callable[[np.ndarray], None] = lambda moved: None,
) -> None:
    """Play games to their end; a deferred Ctrl-C takes effect between two steps.

    Args:
        game: Rules of the games.
        states: The games, `game.dtype` [n]; changed in place.
        choose: Maps the views of the players to act, states [m], and the indices of their games,
            int64 [m], to actions, integers [m].
        name: Maps the index of a game to the name of its player to act, for messages.
        after: Called after every step with the indices of the games in which a player acted.

    Raises:
        InputError: An action was illegal, or there was not one integer for each view.
    """
    running = np.empty(len(states), bool)
    while True:
        interrupt.check()
        batch_kernels.running(game.rules, states, running)
        games = np.flatnonzero(running)
        if not len(games):
            return
        step(game, states, games, choose, name)
        after(games)


def step(
    game: Game,
    states: np.ndarray,
    games: np.ndarray,
    choose: Callable[[np.ndarray, np.ndarray], np.ndarray],
    name: Callable[[int], str],
) -> None:
    """Play one action in each of `games`, indices, int64 [m]; the rest is as for `play_out`."""
    views = states[games]
    batch_kernels.hide_for(game.rules, views, views["player"].astype(np.int64))
    actions = integers("actions", choose(views, games), len(games))
    status = np.empty(len(states), np.int8)
    batch_kernels.play_all(game.rules, states, games, actions, game.num_actions, status)
    for k in np.flatnonzero(status[games] == ILLEGAL):
        state: Any = states[games[k]]
        why = explain_illegal(game, state, int(actions[k]))
        raise InputError(f"{name(int(games[k]))} cannot continue: {why}")

"""Functions for `view_from` of the games: parsing and playing the observed actions.

`view_from` plays the actions by the rules, with any cards in place of those that the view hides.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, cast

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import INTEGERS, check_text as check_text, prefixed, shown, whole_number
from closedhand.core.game import Game, InputError, State, explain_illegal

UNSEEN = "?"
"""Text of an action that the player has not seen, such as a secret choice."""


def listed(actions: Any) -> list[Any]:
    """Convert the actions so far to a list; refuse a single text, or an object not iterable."""
    if isinstance(actions, str) or not isinstance(actions, Iterable):
        raise InputError(f"actions are a list of ids or texts, not {shown(actions)}")
    return [*actions]


def at_action(number: int, action: Any) -> AbstractContextManager[None]:
    """Return a context that puts an action and its number before the text of an `InputError`."""
    text = action if isinstance(action, str) else shown(cast(object, action))
    return prefixed(f"action {number}, {text}")


def is_unseen(action: Any) -> bool:
    """Return whether an action is `UNSEEN` or a negative id."""
    if isinstance(action, str):
        return action.strip() == UNSEEN
    return isinstance(action, INTEGERS) and int(action) < 0


def written(game: Game, action: int | str) -> str:
    """Write an action, not a sub-step: a negative id as `UNSEEN`, a text as it is."""
    if isinstance(action, str):
        return action
    return UNSEEN if action < 0 else game.text(action)


def read(game: Game, state: State, action: Any) -> int:
    """Return the id of an action, not a sub-step, from its id or notation.

    Raises:
        InputError: The action is neither, or is one that `is_unseen`.
    """
    if is_unseen(action):
        raise InputError("the player has seen this action: give its id or text")
    if isinstance(action, str):
        return game.parse(action, state)
    number = whole_number(action, "an action that is no text")
    if number >= game.num_actions:
        raise InputError(f"{game.name} has no action above {game.num_actions - 1}")
    return number


def play(game: Game, state: State, action: int) -> None:
    """Play an action that was seen, in place.

    A lenient game counts an illegal action as another one, such as a pass: here it is an error.

    Raises:
        InputError: The action is not legal, or a new deal follows it.
    """
    if game.lenient and not game.over(state):
        ids = np.empty(game.num_actions, np.int32)  # scratch space
        if contract.admit(game.rules, state, action, ids) != action:
            raise InputError(explain_illegal(game, state, action))
    moves = int(state["moves"])
    game.play(state, action)
    if state["moves"] != moves + 1:  # a new deal resets `moves`
        raise InputError(
            "the cards are dealt again after it: give only the actions since the last deal"
        )

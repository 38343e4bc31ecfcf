"""What the functions `view_from` of the games share: reading and playing what a player saw.

They build a view from what somebody at a real table knows. All of them play the actions by the
rules, from a position in which hidden cards are placeholders that no part of the view depends on.
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import INTEGERS, shown, whole_number
from closedhand.core.game import Game, InputError, State, explain_illegal

UNSEEN = "?"
"""In place of an action that the player has not seen, such as a choice made in secret."""

HIDDEN = -1
"""The id of such an action; any negative id is one."""


def check_text(text: Any, name: str) -> str:
    """Check that a value is a text, and return it.

    Raises:
        InputError: It is not a text.
    """
    if not isinstance(text, str):
        raise InputError(f"{name} is a text of cards, not {shown(text)}")
    return text


def listed(actions: Any) -> list[Any]:
    """The actions so far as a list.

    Raises:
        InputError: They are not iterable, or are a single text.
    """
    if isinstance(actions, str) or not isinstance(actions, Iterable):
        raise InputError(f"actions are a list of ids or texts, not {shown(actions)}")
    return [*actions]


def numbered(actions: list[Any]) -> Iterator[tuple[int, Any]]:
    """The actions with their numbers, from 1."""
    return enumerate(actions, 1)


@contextmanager
def at_action(number: int, action: Any) -> Generator[None]:
    """Add the number of the action to errors in this block."""
    try:
        yield
    except InputError as error:
        text = action if isinstance(action, str) else shown(cast(object, action))
        raise InputError(f"action {number}, {text}: {error}") from None


def is_unseen(action: Any) -> bool:
    """Whether an action is one that the player has not seen."""
    if isinstance(action, str):
        return action.strip() == UNSEEN
    return isinstance(action, INTEGERS) and int(action) < 0


def read(game: Game, state: State, action: Any) -> int:
    """The id of an action.

    Args:
        game: A flat game.
        state: Position in which its player acts.
        action: An id, or its notation.

    Raises:
        InputError: It is neither, or stands for an unseen action.
    """
    if is_unseen(action):
        raise InputError("this action is not hidden from the player: give it")
    if isinstance(action, str):
        return game.parse(action, state)
    number = whole_number(action, "an action that is no text")
    if number >= game.num_actions:
        raise InputError(f"{game.name} has no action above {game.num_actions - 1}")
    return number


def play(game: Game, state: State, action: int) -> None:
    """Play an action that was seen; an illegal one is refused even in a lenient game.

    Raises:
        InputError: The action is not legal, or the cards are dealt again after it.
    """
    if game.lenient and not game.over(state):
        ids = np.empty(game.num_actions, np.int32)
        if contract.admit(game.rules, state, action, ids) != action:
            raise InputError(explain_illegal(game, state, action))
    moves = int(state["moves"])
    game.play(state, action)
    if state["moves"] != moves + 1:
        raise InputError(
            "the cards are dealt again after it: give only the actions since the last deal"
        )

"""Checks whether the rules allow a state, for the functions `valid` of all games.

A game's module defines `valid(rules, state, player=None) -> str` in plain Python. It gets any
record of the right size, so it checks every field before a kernel reads it:

1. Check bounds and counts, so that the deal can be found safely (`outside`).
2. Replay the whole history from that deal (`replay`).
3. Compare the record with the outcome (`difference`).

`redeal` completes a view. The full state must be valid, and have this view (`unlike_redealt`).
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.numba.jit import Ids, Rules, State, kernel

SEED = 1
"""Seed of the deals that complete views; its value does not matter."""

NO_OUTCOME = " does not follow from the deal and the actions"


def outside(state: np.record, bounds: Mapping[str, tuple[int, int]]) -> str:
    """Say which field of a state is out of its range; return an empty text if none is.

    `bounds` are the least and greatest values by field, of every entry if the field is an array.
    """
    for name, (low, high) in bounds.items():
        for value in np.ravel(state[name]).tolist():
            if not low <= value <= high:
                return f"{name} holds {value}, not {low} to {high}"
    return ""


@kernel
def _play_while_admitted(rules: Rules, state: State, actions: Ids, ids: Ids) -> int:
    """Play `actions` up to the first that cannot be in a history; return the number played.

    `admit` decides, as in a lenient game an illegal pass may stand for another illegal action.
    """
    for k in range(len(actions)):
        if not 0 <= contract.admit(rules, state, actions[k], ids) == actions[k]:
            return k
        contract.play(rules, state, actions[k])
    return len(actions)


def replay(rules: Any, state: np.record, actions: Any, ids: int, what: str = "action") -> str:
    """Play actions in `state`; say which is the first illegal one, or return an empty text.

    Args:
        rules: Rules of the actions, flat or in sub-steps.
        state: State that is changed in place; it must be safe for kernels, and remains safe.
        actions: Any integers, [n].
        ids: Number of actions of `rules`.
        what: Name of an action, for the reason.
    """
    actions = np.asarray(actions, np.int64)
    number = _play_while_admitted(rules, state, actions, np.empty(ids, np.int32))
    if number < len(actions):
        return f"{what} {number + 1} of the history, id {actions[number]}, is not legal"
    return ""


def difference(state: np.record, replayed: np.record, seats: int) -> str:
    """Say which field of a state first differs from the replayed one; return "" if none does.

    A field with `seats` entries has one for each player.
    """
    if state.tobytes() == replayed.tobytes():
        return ""
    for name in state.dtype.names or ():
        differing = np.argwhere(np.atleast_1d(state[name] != replayed[name]))
        if len(differing):
            value, i = state[name], differing[0][0]
            if value.shape:
                name = f"{name} of player_{i}" if len(value) == seats else f"{name}[{i}]"
            return name + NO_OUTCOME
    return "the state" + NO_OUTCOME


def unlike_redealt(
    rules: Any, view: np.record, player: int, valid: Callable[[np.record], str]
) -> str:
    """Return the reason why no valid state has this view of a player; an empty text if one has.

    The view is safe for `redeal`; `valid` returns the reason why a full state is not valid.
    """
    state = view.copy()
    contract.redeal(rules, state, player, np.random.default_rng(SEED))
    reason = valid(state)
    if not reason:
        contract.hide(rules, state, player)
        if state.tobytes() == view.tobytes():
            return ""
        for name in state.dtype.names or ():
            if state[name].tobytes() != view[name].tobytes():
                return f"{name} is not as player_{player} sees it"
    return f"no deal fits the view: {reason}"


def generic(game: Any, state: np.record, player: int | None = None) -> str:
    """Check a state of any game by means of its notation of deals.

    Replay the history from the deal in the game's notation. The state must agree with the outcome
    in the player to act, the history, whether the game is over and, except in sub-steps, the
    observations of all players. A simultaneous game has no ordered history: check its ranges alone.
    A game whose functions crash on a damaged record needs its own `valid`.
    """
    bounds = {"player": (0, game.num_players - 1), "moves": (0, int(np.size(state.history)))}
    wrong = outside(state, bounds)
    if wrong or game.simultaneous:
        return wrong
    if player is not None:
        return unlike_redealt(game.rules, state, player, lambda full: generic(game, full))
    rules = game.rules
    try:
        replayed = game.parse_deal(game.deal_text(state))
    except Exception as error:
        return f"its deal cannot be written: {error}"
    flat = getattr(rules, "flat", rules)
    wrong = replay(flat, replayed, state.history[: state.moves], game.flat.num_actions)
    if wrong:
        return wrong
    for name in ("player", "moves", "history"):
        if state[name].tobytes() != replayed[name].tobytes():
            return name + NO_OUTCOME
    if game.over(state) != game.over(replayed):
        return "the end of the game" + NO_OUTCOME
    if flat is rules:
        for seat in range(game.num_players):
            seen, expected = game.observe(state, seat), game.observe(replayed, seat)
            for name in seen:
                if (seen[name] != expected[name]).any():
                    return f"what player_{seat} observes, {name},{NO_OUTCOME}"
    return ""

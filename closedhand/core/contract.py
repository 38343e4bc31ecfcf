"""The contract of a game inside kernels: eight functions that every game defines.

Four more, `features`, `is_legal`, `admit` and `payoff`, have defaults built from these.

A game is a module that defines these functions. Their first argument holds the game's tables and
options: a NamedTuple whose class names the module in an attribute `kernels`. A call of a function
here becomes a call of the game's function of that name when the calling kernel is compiled. So a
kernel works for every game, at no cost at run time.

A game's module may also define functions in plain Python. `valid(rules, state, player=None)`
returns the reason why the rules do not allow a state, else "" (see `closedhand.core.validity`).
`view_from(game, player, hand, actions, …)` builds a view from the knowledge of a player at a real
table (see `Game.view_from`). `knowledge(game, view, player)` is its inverse: it returns the hand,
the actions and a dict of the further facts. `deals(rules)`, for a game that is small enough to be
solved, iterates over all initial states with their probabilities (see `Game.deals`); under rules
whose deals it cannot list it raises an `InputError`.

An argument means the same in all functions: `rules`, tables and options; `state` or `view`, a
record, which `deal`, `play`, `hide` and `redeal` change; `player`, a seat from 0; `action`, an id;
`ids`, scratch space, int32 [num_actions]; `out`, an output array; `rng`, an object whose `random()`
draws a number in [0, 1).

Rules in sub-steps hold those of the flat game, whose actions are whole plays, as `rules.flat`. If a
game in sub-steps lacks one of the eight functions, the flat game's is called with `rules.flat`. If
it lacks one of the four others, the default is called, even if the flat game defines it.

The functions also run on a GPU, in a thread for each game, if the game keeps to these rules:

- Fields of states and of tables are at multiples of their size.
- Arrays have constant lengths; an array made in a loop is used only in the same iteration.
- Loops take the place of `array.copy()`, boolean indexing, and reductions such as `array.sum()`.
"""

from collections.abc import Callable
from importlib import import_module
from inspect import signature
from typing import Any, TypeVar, cast

import numpy as np

from closedhand.core.numba import linking
from closedhand.core.numba.jit import Flag, Floats, Ids, Integer, Planes, Rng, Rules, State, kernel

VERSION = 1
"""Version of the contract; a game states the version that it was written for."""

MAX_PLAYERS = 16

F = TypeVar("F", bound=Callable[..., Any])


def dispatched(default: Callable[..., Any] | None = None) -> Callable[[F], F]:
    """Dispatch on the class of the first argument, in Python and inside kernels.

    This decorates a function without a body, of which only name, signature and docstring are used.
    If the module that the class names has no function of that name, the default is called; without
    a default, the dispatch starts again with `rules.flat`.
    """

    def decorate(stub: F) -> F:
        def find(place: str) -> Callable[..., Any] | None:
            return getattr(import_module(place), stub.__name__, default)

        def in_kernel(rules: Any, *args: Any) -> Any:
            # Numba calls this with types; a NamedTuple's type has the class as `instance_class`.
            function = find(rules.instance_class.kernels)
            if function is None:  # a game in sub-steps leaves it to the flat game

                def of_flat(rules: Rules, *args: Any) -> Any:
                    return in_python(rules.flat, *args)  # in kernels Numba runs `in_kernel` here

                return of_flat

            return function

        def in_python(rules: Rules, *args: Any) -> Any:
            function = find(rules.kernels)
            if function is None:
                return in_python(rules.flat, *args)
            return function(rules, *args)

        in_python.__name__, in_python.__doc__ = stub.__name__, stub.__doc__
        in_python.__signature__ = signature(stub)  # type: ignore[attr-defined]
        linking.overload(in_python)(in_kernel)
        return cast(F, in_python)

    return decorate


def plain_function(rules: Rules, name: str) -> tuple[Callable[..., Any] | None, Rules]:
    """Find a function in plain Python in the module of a game, else in that of its flat game.

    Return the function, None if there is none, and the rules to call it with.
    """
    found = getattr(import_module(rules.kernels), name, None)
    if found is None and hasattr(rules, "flat"):
        return plain_function(rules.flat, name)
    return found, rules


@dispatched()
def deal(rules: Rules, state: State, seed: np.uint64) -> None:
    """Start the game of a seed, uint64 and not 0, in `state`, which may hold an earlier game."""


@dispatched()
def legal(rules: Rules, state: State, out: Ids) -> Integer:
    """Write the ids of the legal actions of `state.player`, ascending; return how many.

    The game is not over. `out`, integers, has room for `Game.num_actions` ids.
    """
    ...


@dispatched()
def play(rules: Rules, state: State, action: Integer) -> None:
    """Apply a legal action and move on to the next player to act."""


@dispatched()
def over(rules: Rules, state: State) -> bool:
    """Return whether the game has ended."""
    ...


@dispatched()
def returns(rules: Rules, state: State, out: Floats) -> None:
    """Write the payoffs by player into `out`, float64 [num_players] or longer, with any content.

    Called after the end; in a staged game at any time, for the payoffs so far.
    """


@dispatched()
def hide(rules: Rules, state: State, player: Integer) -> None:
    """Turn `state` into the view of `player`: blank everything that the player cannot know."""


@dispatched()
def redeal(rules: Rules, view: State, player: Integer, rng: Rng) -> None:
    """Turn the view of `player` into a random full state that is consistent with it."""


@dispatched()
def observe(rules: Rules, state: State, player: Integer, out: Planes) -> None:
    """Write the observation of `player` into `out`, int8; read only what `player` may know.

    `out` has one axis, of `Game.observation_size` entries, and is all zero.
    """


@kernel
def _observation(rules: Rules, state: State, player: Integer, out: Planes) -> None:
    observe(rules, state, player, out)


@dispatched(default=_observation)
def features(rules: Rules, state: State, player: Integer, out: Planes) -> None:
    """Write `player`'s compact observation into `out`, int8; read only what `player` may know.

    `out` has `Game.feature_size` entries, all zero. The default writes the observation. A game that
    defines this function describes the numbers in `Game.feature_table`.
    """


@kernel
def look(rules: Rules, state: State, player: Integer, compact: Flag, out: Planes) -> None:
    """Zero `out`, then do `features` if `compact`, else `observe`.

    `out` is int8 [`Game.feature_size`] or [`Game.observation_size`]. `compact` may also be None, a
    False known at compile time: kernels that never show compact observations omit `features`.
    """
    out[:] = 0
    if compact is None:
        observe(rules, state, player, out)
    elif compact:
        features(rules, state, player, out)
    else:
        observe(rules, state, player, out)


@kernel
def _is_listed(rules: Rules, state: State, action: Integer, ids: Ids) -> bool:
    if over(rules, state):
        return False
    for k in range(legal(rules, state, ids)):
        if ids[k] == action:
            return True
    return False


@dispatched(default=_is_listed)
def is_legal(rules: Rules, state: State, action: Integer, ids: Ids) -> bool:
    """Return whether `action`, any integer, is legal now; never when the game is over.

    The default lists all legal actions. A game with a faster test defines this function.
    """
    ...


@kernel
def _admit_legal(rules: Rules, state: State, action: Integer, ids: Ids) -> Integer:
    return np.int64(action) if is_legal(rules, state, action, ids) else -1


@dispatched(default=_admit_legal)
def admit(rules: Rules, state: State, action: Integer, ids: Ids) -> Integer:
    """Return the action that a submitted one, any integer, counts as; -1 if it is refused.

    A legal action counts as itself. By default any other is refused. A lenient game defines this
    function: an illegal id counts as another action, such as a pass, which may be illegal itself.
    """
    ...


@kernel
def _payoff_at_end(rules: Rules, state: State, player: Integer) -> float:
    if not over(rules, state):
        return np.nan
    out = np.zeros(MAX_PLAYERS)
    returns(rules, state, out)
    return out[player]


@dispatched(default=_payoff_at_end)
def payoff(rules: Rules, state: State, player: Integer) -> float:
    """Return the final payoff of `player` as soon as it is certain; NaN before.

    The default waits for the end of the game; a game may compute the payoff earlier, or faster.
    """
    ...


@kernel
def random_action(rules: Rules, state: State, rng: Rng, ids: Ids) -> Integer:
    """Draw a uniformly random legal action of a game that is not over."""
    return ids[np.int64(rng.random() * legal(rules, state, ids))]


@kernel
def random_playout(rules: Rules, state: State, rng: Rng, ids: Ids) -> int:
    """Play `state` to its end with uniformly random actions; return their number."""
    moves = 0
    while not over(rules, state):
        play(rules, state, random_action(rules, state, rng, ids))
        moves += 1
    return moves

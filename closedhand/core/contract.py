"""The contract of a game inside kernels: eight functions that every game's folder defines.

Three more, `is_legal`, `admit` and `payoff`, have defaults made of these.

A game is a module with the functions below. Its tables and options come as their first argument, a
NamedTuple whose class names that module in an attribute `kernels`; each function here hands over
to the module's function of the same name. That happens when a caller is compiled, so a kernel
written once against this module works for every game, costs nothing at run time, and is cached on
disk like any other.

The rules of a game in sub-steps hold those of the flat game, as `rules.flat`: a function that its
module does not define is that of the flat game.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
from numba.extending import overload

from closedhand.core.kernel import kernel, seed_in_kernel

VERSION = 1
"""Of the contract: a game states for which one it was written."""

MAX_PLAYERS = 16
"""No game has more players."""


def dispatched(
    stub: Callable[..., Any], default: Callable[..., Any] | None = None
) -> Callable[..., Any]:
    """Dispatch on the class of the first argument, in Python and inside kernels.

    A `default` stands in for games that do not define the function.
    """
    name = stub.__name__

    def find(game: str) -> Callable[..., Any] | None:
        return getattr(import_module(game), name, default)

    def in_kernel(rules, *args):
        function = find(rules.instance_class.kernels)
        if function is None:
            return lambda rules, *args: in_python(rules.flat, *args)
        return lambda rules, *args: function(rules, *args)

    def in_python(rules, *args):
        function = find(rules.kernels)
        if function is None:
            return in_python(rules.flat, *args)
        return function(rules, *args)

    in_python.__name__ = name
    in_python.__doc__ = stub.__doc__
    overload(in_python)(in_kernel)
    return in_python


@dispatched
def deal(rules, state, seed):
    """Start in `state` the game that belongs to a seed, uint64 (see `kernel.draw_seed`)."""


@dispatched
def legal(rules, state, out):
    """Write the ids of the legal actions of `state.player`, ascending; return how many.

    `out` has room for every action of the game.
    """


@dispatched
def play(rules, state, action):
    """Apply a legal action and move on to the next player who has to act."""


@dispatched
def over(rules, state):
    """Whether the game has ended."""


@dispatched
def returns(rules, state, out):
    """Write the payoff of every player of a game that is over into `out`, float64."""


@dispatched
def hide(rules, state, player):
    """Turn `state` into the view of `player`: blank everything that he cannot know."""


@dispatched
def redeal(rules, view, player, rng):
    """Turn the view of `player` into a random full state that is consistent with it."""


@dispatched
def observe(rules, state, player, out):
    """Write the observation of `player` into `out`, int8; reads only what `player` may know."""


@kernel
def _is_listed(rules, state, action, ids):
    """Whether an action is among those of `legal`."""
    if over(rules, state):
        return False
    for k in range(legal(rules, state, ids)):
        if ids[k] == action:
            return True
    return False


def _is_legal(rules, state, action, ids):
    """Whether `action`, any integer, is legal now; `ids` is scratch space as for `legal`.

    A game that knows better than to list all legal actions defines it.
    """


_is_legal.__name__ = "is_legal"
is_legal = dispatched(_is_legal, _is_listed)


@kernel
def _admit_legal(rules, state, action, ids):
    """An action if it is legal."""
    return np.int64(action) if is_legal(rules, state, action, ids) else -1


def _admit(rules, state, action, ids):
    """The action that a submitted one, any integer, counts as; -1 if it is refused.

    A game defines it in which what is illegal counts as something else.
    """


_admit.__name__ = "admit"
admit = dispatched(_admit, _admit_legal)


@kernel
def _payoff_at_end(rules, state, player):
    """The payoff of a player when the game is over."""
    if not over(rules, state):
        return np.nan
    out = np.zeros(MAX_PLAYERS)
    returns(rules, state, out)
    return out[player]


def _payoff(rules, state, player):
    """What `player` gets, as soon as that is certain; before, NaN.

    A game defines it in which that is certain before the end, or cheaper to tell than `returns`.
    """


_payoff.__name__ = "payoff"
payoff = dispatched(_payoff, _payoff_at_end)


@kernel
def random_action(rules, state, rng, buffer):
    """A uniformly random legal action; `buffer` is scratch space for the ids."""
    return buffer[np.int64(rng.random() * legal(rules, state, buffer))]


@kernel
def random_playout(rules, state, rng, buffer):
    """Play `state` to its end with uniformly random actions; return how many it took."""
    moves = 0
    while not over(rules, state):
        play(rules, state, random_action(rules, state, rng, buffer))
        moves += 1
    return moves


@kernel
def random_games(rules, states, rng, buffer):
    """Deal and play one random game in each of `states`; return the number of actions."""
    moves = 0
    for i in range(len(states)):
        deal(rules, states[i], seed_in_kernel(rng))
        moves += random_playout(rules, states[i], rng, buffer)
    return moves

"""Playouts: a policy plays a state on inside kernels until a player's payoff is certain.

A **policy** is a NamedTuple of numbers and tables. Its class attribute `kernels` names the module
that defines `choose` and further functions of searches for it, as `uniform.py` does.
"""

from typing import Any, NamedTuple

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import InputError, as_array, integers
from closedhand.core.contract import dispatched
from closedhand.core.game import Game, State, explain_illegal
from closedhand.core.numba.jit import Floats, Ids, Integer, Policy, Rng, Rules, States, kernel


@dispatched()
def choose(policy: Policy, rules: Rules, state: State, rng: Rng, ids: Ids) -> Integer:
    """Choose a legal action of the player to act.

    The policy may read the whole state, hidden cards included. `ids` is scratch space, int32
    [num_actions].
    """
    ...


class Uniform(NamedTuple):
    """The uniformly random policy, which does not weight determinisations."""

    kernels = "closedhand.search.uniform"


def legal_actions(game: Game, view: State) -> Ids:
    """Return the legal actions, int32 [n], to search; refuse a game that is over."""
    if game.over(view):  # kernels do not check it
        raise InputError("the game is over: there is no action to search")
    return game.legal(view)


def candidates(game: Game, view: State, actions: Any) -> Ids:
    """Check the actions that a search compares, and return them, int64 [n].

    Raises:
        InputError: The game is over, there is no action, or one is not a legal action's id.
    """
    legal = legal_actions(game, view)
    chosen = integers("candidates", actions, as_array(actions).size, "action")
    if not len(chosen):
        raise InputError("there is no action to search")
    for action in chosen[~np.isin(chosen, legal)]:
        raise InputError(explain_illegal(game, view, int(action)))
    return chosen


@kernel
def playout(
    policy: Policy, rules: Rules, state: State, player: Integer, rng: Rng, ids: Ids
) -> float:
    """Play `state` on in place until the payoff of `player` is certain; return the payoff."""
    payoff = contract.payoff(rules, state, player)
    while np.isnan(payoff):
        contract.play(rules, state, choose(policy, rules, state, rng, ids))
        payoff = contract.payoff(rules, state, player)
    return payoff


@kernel
def playouts(
    policy: Policy, rules: Rules, states: States, player: Integer, rng: Rng, num_actions: int,
    out: Floats,
) -> None:  # fmt: skip
    """Play full states, `game.dtype` [n], on in place until the payoffs of `player` are certain.

    `policy` plays for all; `out`, float64 [n], gets the payoffs. `num_actions` is the game's.
    """
    ids = np.empty(num_actions, np.int32)
    for i in range(len(states)):
        out[i] = playout(policy, rules, states[i], player, rng, ids)

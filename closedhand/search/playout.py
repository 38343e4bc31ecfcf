"""Playouts: a state played on by a policy inside kernels, until a player's payoff is certain.

A **policy** is to playouts what a game is to kernels: a NamedTuple of numbers and tables whose
class names in `kernels` the module that defines the functions that a search uses.
"""

from typing import Any, NamedTuple

import numpy as np

from closedhand.core import contract
from closedhand.core.checks import InputError, integers
from closedhand.core.contract import dispatched
from closedhand.core.game import Game, explain_illegal
from closedhand.core.numba.jit import (
    Floats,
    Ids,
    Integer,
    Policy,
    Rng,
    Rules,
    State,
    States,
    kernel,
)


@dispatched
def choose(policy: Policy, rules: Rules, state: State, rng: Rng, ids: Ids) -> Integer:
    """Choose a legal action of the player to act; the whole state may be looked at.

    `ids` is scratch space, int32 [num_actions].
    """
    ...


@dispatched
def plausibility(policy: Policy, rules: Rules, state: State, player: Integer, ids: Ids) -> float:
    """Likelihood of what `player` has seen if `state` is the truth, up to a factor.

    May change `state`.
    """
    ...


class Uniform(NamedTuple):
    """The policy of uniformly random actions, to which all deals are equally plausible."""

    kernels = "closedhand.search.uniform"


def candidates(game: Game, view: State, actions: Any) -> Ids:
    """Check the actions that a search is to judge, and return them, int64 [n].

    Raises:
        InputError: They are not ids of legal actions of the player to act.
    """
    chosen = integers("candidates", actions, np.size(actions), "action")
    for action in chosen[~np.isin(chosen, game.legal(view))]:
        raise InputError(explain_illegal(game, view, int(action)))
    return chosen


@kernel
def playout(
    policy: Policy, rules: Rules, state: State, player: Integer, rng: Rng, ids: Ids
) -> float:
    """Play on until the payoff of `player` is certain; return it."""
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
    """Play every state on, in place; write the payoffs of `player` into `out`, float64 [n]."""
    ids = np.empty(num_actions, np.int32)
    for i in range(len(states)):
        out[i] = playout(policy, rules, states[i], player, rng, ids)

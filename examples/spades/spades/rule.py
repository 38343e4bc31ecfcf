"""The agent `rule`: bids its high cards, and wins tricks as cheaply as it can."""

from typing import NamedTuple

import numpy as np

from closedhand.authoring import (
    Game,
    KernelAgent,
    Traits,
    contract,
    described,
    kernel,
    refuse_argument,
)
from spades.game import SEATS, SPADES, SUITS, beats, winner


class Rule(NamedTuple):
    """The policy; it has no tables."""

    kernels = "spades.rule"


@kernel
def bid(rules, view):
    """Return the number of aces and kings plus that of other spades beyond three."""
    high = spades = 0
    for card in range(SUITS * rules.ranks):
        if view.holder[card] == view.player:
            if card % rules.ranks >= rules.ranks - 2:
                high += 1
            elif card // rules.ranks == SPADES:
                spades += 1
    return min(high + max(spades - 3, 0), rules.ranks)


@kernel
def decide(policy, rules, view, ids):
    """Bid; lead high; follow with the lowest card that beats an opponent, or the lowest."""
    n = contract.legal(rules, view, ids)
    if view.moves < SEATS:
        return np.int64(SUITS * rules.ranks + bid(rules, view))
    leads = view.player == view.leader
    ahead = winner(rules, view)
    wants = not leads and ahead != (view.player + 2) % SEATS
    chosen, best = ids[0], -1000
    for k in range(n):
        rank = ids[k] % rules.ranks
        worth = rank if leads else -rank
        worth -= 50 if ids[k] // rules.ranks == SPADES else 0
        worth += 100 if wants and beats(rules, ids[k], view.trick[ahead]) else 0
        if worth > best:
            chosen, best = ids[k], worth
    return np.int64(chosen)


@described(Traits(microseconds=1.0, steady=True))
def make_rule(game: Game, seed: int, argument: str | None) -> KernelAgent:
    """Make the agent `rule`.

    Raises:
        InputError: An argument is given.
    """
    refuse_argument("rule", argument)
    return KernelAgent(game, "rule", Rule())

"""The agent `trick-ender`, our stand-in for Party, UECda-2012's light champion.

That program was never published. The paper about kou says that it tends to keep plays that can end
the trick, uses its joker to play weaker cards, and considers locks to end the trick. This agent
does the same, with the strengths and the exchange of kou but without its evaluation of the hand.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.agent import KernelAgent
from closedhand.agents.daihinmin.agent import kernel_agent
from closedhand.agents.daihinmin.gifts import choose_gift
from closedhand.agents.daihinmin.kou.agent import choose_pick
from closedhand.agents.daihinmin.kou.division import (
    MOST_PARTS,
    PART,
    count_below,
    decompose,
    divide_rest,
)
from closedhand.agents.daihinmin.kou.strength import (
    foes_of,
    locked,
    starts_lock,
    strength_of,
    turned_ranks,
)
from closedhand.agents.daihinmin.kou.variants import REFINED, Numbers
from closedhand.agents.daihinmin.limits import check_one_joker
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.legality import legal
from closedhand.games.daihinmin.plays import JOKER, JOKER_BIT, PASS
from closedhand.games.daihinmin.seven_ten_rules import due_of

NEVER = 10**6
KEEP_PLAYS = 6
"""While more plays than this remain, the agent does not follow with one that ends the trick."""
ENDS, LOCKS, LENDS_JOKER = 200, -100, -15
"""Additions to the price of a play, which is 10 times its rank minus its length."""


@kernel
def choose(rules, numbers, view, ids):
    """The action of the player to act."""
    hand = view.hands[view.player]
    parts = np.empty(MOST_PARTS, PART)
    if view.leader < 0:
        return choose_pick(rules, numbers, view, hand, parts)
    if due_of(view) > 0:
        return choose_gift(view)
    n = legal(rules, view, ids)
    before = decompose(numbers, foes_of(rules, view, np.int64(view.revolution), 0), hand, parts)
    best, least = PASS, NEVER
    for play in ids[:n]:
        if play != PASS:
            if rules.plays.need[play] == hand:
                return np.int64(play)
            price = price_of(rules, numbers, view, hand, before, play, parts)
            if price < least:
                best, least = np.int64(play), price
    # A leader always plays, even if that breaks up a set.
    return np.int64(ids[0]) if best == PASS and view.target < 0 else best


@kernel
def price_of(rules, numbers, view, hand, before, play, parts):
    """Price of a play from a hand that divides into `before` plays; `NEVER` if it is held back."""
    starts = starts_lock(rules, view, play)
    lock = np.int64(rules.plays.suits[play] if starts else view.lock)
    foes = foes_of(rules, view, np.int64(view.revolution), np.int64(view.passed))
    ends = strength_of(rules, numbers, locked(foes, lock), play) >= numbers.threshold
    n = divide_rest(rules, numbers, view, hand, play, parts)
    if n >= before:
        return NEVER
    if ends and count_below(parts, n, numbers.threshold) <= 1:
        return n - NEVER
    price = 10 * turned_ranks(rules, foes.revolution, play)[0] - rules.plays.length[play]
    if play != JOKER and rules.plays.need[play] & JOKER_BIT:
        price += LENDS_JOKER
    if ends and starts:
        return price + LOCKS
    if ends and view.target >= 0 and n > KEEP_PLAYS:
        return NEVER
    return price + ENDS if ends else price


class Policy(NamedTuple):
    """The policy.

    Attributes:
        numbers: Its parameters.
    """

    kernels = "closedhand.agents.daihinmin.trick_ender"

    numbers: Numbers


@kernel
def decide(policy, rules, view, ids):
    """The action of the player to act."""
    return np.int64(choose(rules, policy.numbers, view, ids))


@described(Traits(microseconds=15, steady=True))
def make_trick_ender(game: Game, seed: int, argument: str | None) -> KernelAgent:
    """The agent `trick-ender`; it is deterministic and needs no seed.

    Raises:
        InputError: It was given an argument, or a game with two jokers.
    """
    refuse_argument("trick-ender", argument)
    check_one_joker(game, "trick-ender")
    return kernel_agent(game, "trick-ender", Policy(REFINED))

"""The agent `trick-ender`, in the manner of Party, the champion of UECda-2012's light class.

That program is not published. The paper about kou says that it tends to keep plays that can end the
trick, uses its joker to play weaker cards, and considers locks to end the trick. This agent does
so:

1. Divide the hand into plays and rate their strengths as kou does (`kou/`).
2. Hold back plays that do not reduce the number of plays in the hand. While many plays remain, a
   follower also holds back plays that end the trick without a new lock.
3. Prefer a play that ends the trick and leaves at most one play that is not strong.
4. Price other plays by rank and length, with additions (`ENDS`, `LOCKS`, `LENDS_JOKER`). Choose the
   lowest price; a follower passes if all plays are held back.

Cards are exchanged as by kou.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.agent import PlayAgent
from closedhand.agents.daihinmin.gifts import choose_gift
from closedhand.agents.daihinmin.kou import division, strength
from closedhand.agents.daihinmin.kou.agent import choose_pick
from closedhand.agents.daihinmin.kou.division import MOST_PARTS, PART
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
"""Number of remaining plays above which a follower ends the trick only with a new lock."""
ENDS, LOCKS, LENDS_JOKER = 200, -100, -15
"""Additions to the price of a play, 10 * rank - length: for ending the trick without a new lock,
for ending it with a new lock, and for a joker among other cards."""


class Policy(NamedTuple):
    """Policy of the agent `trick-ender`."""

    kernels = "closedhand.agents.daihinmin.trick_ender"

    numbers: Numbers


@kernel
def decide(policy, rules, view, ids):
    """Choose the action of the player to act."""
    numbers, hand = policy.numbers, view.hands[view.player]
    parts = np.empty(MOST_PARTS, PART)
    if view.leader < 0:
        return choose_pick(rules, numbers, view, hand, parts)
    if due_of(view) > 0:
        return choose_gift(view)
    n = legal(rules, view, ids)
    foes = strength.foes_of(rules, view, np.int64(view.revolution), 0, 0)
    before = division.decompose(numbers, foes, hand, parts)
    best, least = PASS, NEVER
    for play in ids[:n]:
        if play != PASS:
            if rules.plays.need[play] == hand:
                return np.int64(play)
            price = price_of(rules, numbers, view, hand, before, play, parts)
            if price < least:
                best, least = np.int64(play), price
    # A leader plays something, even if every play is held back.
    return np.int64(ids[0]) if best == PASS and view.target < 0 else best


@kernel
def price_of(rules, numbers, view, hand, before, play, parts):
    """Price a play from a hand of `before` plays: `NEVER` if held back, near -`NEVER` by step 3."""
    foes = strength.foes_after(rules, view, play)
    ends = strength.strength_of(rules, numbers, foes, play) >= numbers.threshold
    n = division.divide_rest(rules, numbers, view, hand, play, parts)
    if n >= before:
        return NEVER
    if ends and division.count_below(parts, n, numbers.threshold) <= 1:
        return n - NEVER
    price = 10 * strength.turned_ranks(rules, foes.revolution, play)[0] - rules.plays.length[play]
    if play != JOKER and rules.plays.need[play] & JOKER_BIT:
        price += LENDS_JOKER
    if ends and strength.starts_lock(rules, view, play):
        return price + LOCKS
    if ends and view.target >= 0 and n > KEEP_PLAYS:
        return NEVER
    return price + ENDS if ends else price


@described(Traits(microseconds=15, steady=True))
def make_trick_ender(game: Game, seed: int, argument: str | None) -> PlayAgent:
    """Make the agent `trick-ender`; an `InputError` refuses an argument, or two jokers."""
    refuse_argument("trick-ender", argument)
    check_one_joker(game, "trick-ender")
    return PlayAgent(game, "trick-ender", Policy(REFINED))

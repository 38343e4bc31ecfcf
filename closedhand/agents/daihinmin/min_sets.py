"""The agent `min-sets`, in the manner of chibiHana, UECda-2013's light champion.

That program is not published. The paper about kou says that it divides its hand into the fewest
plays, and has a sophisticated search for the finish and a strategy for locks. So does this agent:

1. Play a sure win if there is one (`endgame.py`).
2. Count the fewest plays that the hand divides into now and after each action (`fewest`).
3. Make a play after which this number is least, preferably a low one and one that starts a lock. A
   follower passes unless the number falls.
4. While many plays remain, a follower holds back the joker and plays that may end a trick.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.agent import PlayAgent
from closedhand.agents.daihinmin.endgame import DEEPEST, sure_win
from closedhand.agents.daihinmin.gifts import MOST_GIFTS, list_gifts
from closedhand.agents.daihinmin.kou import strength
from closedhand.agents.daihinmin.kou.variants import REFINED, Numbers
from closedhand.agents.daihinmin.limits import check_no_gifts, check_one_joker
from closedhand.core import bits
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.cards import EACH_RANK, bit, ranks_between, ranks_with
from closedhand.games.daihinmin.exchange import TAXES, pair_in_exchange
from closedhand.games.daihinmin.legality import legal, longest_kaidan
from closedhand.games.daihinmin.plays import EIGHT, JOKER_BIT, NUM_RANKS, PASS, SHORTEST
from closedhand.games.daihinmin.state import empty_states

MOST_RUNS = 200
"""Maximum number of kaidan that `list_runs` lists."""
MOST_KAIDAN = 6
"""Maximum number of disjoint kaidan in a division: the largest hand, 20 cards with three players,
has room for six."""
NEVER = 10**6
"""Price of passing, above the prices of all plays."""
PLAYS_TO_STRIKE = 6
"""Maximum number of plays left after following with the joker or a play that may end a trick."""
JOKER_PRICE, STRONG_PRICE, LOCK_GAIN = 40, 30, 20
"""Surcharges for the joker and for a play that may end a trick, and the discount for a new lock.
Each remaining play costs 100, each rank 2."""


@kernel
def fewest(rules, hand, kaidan):
    """Count the fewest plays that a hand can be divided into.

    All combinations of disjoint kaidan are tried; the other cards of each rank form a play. The
    joker completes a kaidan or joins another play. `kaidan` is scratch space, uint64 [MOST_RUNS].
    """
    if hand == JOKER_BIT:
        return 1
    best = bits.size(ranks_with(hand, 1))
    number = list_runs(rules, hand, kaidan) if rules.options.kaidan else 0
    # Depth first: at each depth, `following` is the next kaidan to try, `left` the cards without
    # the chosen ones. These keep the order of the list, so each combination is met once.
    following = np.zeros(MOST_KAIDAN, np.int64)
    left = np.zeros(MOST_KAIDAN, np.uint64)
    left[0] = hand
    depth = 0
    while depth >= 0:
        i = following[depth]
        if i == number:
            depth -= 1
            continue
        following[depth] += 1
        if kaidan[i] & ~left[depth]:
            continue
        rest = left[depth] & ~kaidan[i]
        best = min(best, depth + 1 + bits.size(ranks_with(rest, 1)))
        if depth + 1 < MOST_KAIDAN and bits.size(rest) >= SHORTEST:
            depth += 1
            left[depth] = rest
            following[depth] = i + 1
    return best


@kernel
def list_runs(rules, hand, kaidan):
    """Write a hand's kaidan to `kaidan`, the joker only for a missing card; return how many."""
    own = hand & ~JOKER_BIT
    n = 0
    for length in range(SHORTEST, longest_kaidan(rules) + 1):
        # The lowest cards of complete runs, and of runs that lack one card.
        whole, lacking = strength.runs(own, length)
        starts = whole | lacking if hand & JOKER_BIT else whole
        if not starts:
            break
        while starts and n < MOST_RUNS:
            first = bits.lowest(starts)
            starts &= starts - np.uint64(1)
            # Shift a run of clubs from the 3 on to the rank and suit of the first card.
            cards = (ranks_between(0, length - 1) & EACH_RANK) << np.uint64(first)
            kaidan[n] = cards if whole & bit(first) else (cards & own) | JOKER_BIT
            n += 1
    return n


class Policy(NamedTuple):
    """Policy of the agent `min-sets`."""

    kernels = "closedhand.agents.daihinmin.min_sets"

    numbers: Numbers


@kernel
def decide(policy, rules, view, ids):
    """Choose the action of the player to act."""
    numbers, hand = policy.numbers, view.hands[view.player]
    kaidan = np.empty(MOST_RUNS, np.uint64)
    if view.leader < 0:
        return choose_pick(rules, view, hand, kaidan)
    views = empty_states(view, DEEPEST)
    actions = np.empty((DEEPEST, len(rules.plays.need)), np.int32)
    views[0] = view
    best = np.int64(sure_win(rules, views, actions, ids))
    if best >= 0:
        return best
    n = legal(rules, view, ids)
    before = fewest(rules, hand, kaidan)
    foes = strength.foes_of(rules, view, np.int64(view.revolution), 0, 0)
    over_own = view.owner == view.player and strength.count_waiting(view) == 0  # nobody can answer
    best, least = PASS, NEVER
    for i in range(n):
        play = np.int64(ids[i])
        if play == PASS:
            continue
        after = fewest(rules, hand & ~rules.plays.need[play], kaidan)
        with_joker = rules.plays.need[play] & JOKER_BIT != 0
        strong = strength.strength_of(rules, numbers, foes, play) >= numbers.threshold
        if view.target >= 0:
            most = 0 if over_own else PLAYS_TO_STRIKE
            if after >= before or ((strong or with_joker) and after > most):
                continue
        price = 100 * after + price_of(rules, view, play)
        price += JOKER_PRICE if with_joker else 0
        price += STRONG_PRICE if strong else 0
        if price < least:
            best, least = play, price
    return best


@kernel
def price_of(rules, view, play):
    """Return the price of a play by its rank, length and lock."""
    low, _ = strength.turned_ranks(rules, view.revolution, play)
    price = 2 * low - min(np.int64(rules.plays.length[play]), 4)
    return price - LOCK_GAIN if strength.starts_lock(rules, view, play) else price


@kernel
def choose_pick(rules, view, hand, kaidan):
    """Choose the next card to give back in the exchange: a low one that leaves few plays."""
    pair = pair_in_exchange(view)
    chosen = view.returned[pair]
    best, least = np.int64(-1), NEVER
    gifts = np.empty((MOST_GIFTS, 2), np.int64)
    for i in range(list_gifts(hand, chosen, TAXES[pair], gifts)):
        first, second = gifts[i, 0], gifts[i, 1]
        price = 10 * fewest(rules, hand & ~bit(first) & ~bit(second), kaidan)
        price += price_to_give(first) + (price_to_give(second) if second != first else 0)
        if price < least:
            best, least = second if chosen else first, price
    return best


@kernel
def price_to_give(card):
    """Return the price of giving a card away: its rank, with a surcharge for 8, A, 2 and joker."""
    rank = card // 4
    return rank + (30 if rank == EIGHT or rank >= NUM_RANKS - 2 else 0)


@described(Traits(microseconds=20, steady=True))
def make_min_sets(game: Game, seed: int, argument: str | None) -> PlayAgent:
    """Make the agent `min-sets`; an `InputError` refuses an argument, two jokers, or gifts."""
    refuse_argument("min-sets", argument)
    check_no_gifts(game, "min-sets")
    check_one_joker(game, "min-sets")
    return PlayAgent(game, "min-sets", Policy(REFINED))

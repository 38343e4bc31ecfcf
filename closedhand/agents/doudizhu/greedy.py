"""The agent `greedy`: makes the play or pass with the lowest price; `choose_bid` bids.

1. Make a play that empties the hand, or the only legal action, at once.
2. Price a play by the cost of playing out the hand that it leaves (`decompose/partition.py`), and a
   pass by the cost of the current hand. Correct the prices and choose the lowest.

The corrections are:

- A pass costs more when an enemy owns the trick, most of all an enemy with one or two cards left.
  It costs less when the partner owns the trick.
- A bomb or the rocket costs extra.
- If the enemy with the fewest cards has one, solos cost extra, low ones more; if two, pairs do.
- If a partner with one card is next to act, leading a solo is cheap; low ones are cheaper.
- A play that nobody can beat is cheapest of all if the rest of the hand is a single play.
"""

from typing import NamedTuple

import numpy as np

from closedhand.agents.agent import PlayAgent
from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.decompose import partition
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.auction import is_opening, pass_id
from closedhand.games.doudizhu.counts import at_least, contains, size
from closedhand.games.doudizhu.hidden import cards_of_others
from closedhand.games.doudizhu.state import SEATS

SOLO, PAIR, _ = partition.PLAIN_FAMILY

TEMPO = 10
"""Extra price of a pass when an enemy owns the trick."""
DANGER = 30
"""Extra price of a pass, in place of `TEMPO`, if that enemy has one or two cards left."""
YIELD = 3
"""Discount on a pass when the partner owns the trick; beating the partner must save more."""
KEEP_BOMB = 8
"""Extra price of a bomb or the rocket."""
FAR = 1000
"""Price above all costs of hands."""


class Policy(NamedTuple):
    """The policy, which has no parameters."""

    kernels = "closedhand.agents.doudizhu.greedy"


@kernel
def decide(policy, rules, view, ids):
    """Choose the flat action of the player to act."""
    if is_opening(rules, view):
        return choose_bid(rules, view)
    n = flat.legal(rules, view, ids)
    best = np.int64(ids[n - 1])
    if n == 1:
        return best
    player = view.player
    hand = view.hands[player]
    others = cards_of_others(rules, view, player)
    nodes = np.empty(partition.MOST_NODES, partition.NODE)
    costs = np.empty((partition.ROWS, 15), np.int64)
    partition.set_costs(others, costs)
    least = 10 * FAR
    passing = pass_id(rules)
    for i in range(n):
        play = np.int64(ids[i])
        if play == passing:
            price = price_of_pass(view, partition.partition(hand, costs, nodes)[0])
        else:
            rest = hand - rules.plays.need[play]
            if not rest:
                return play
            price = partition.partition(rest, costs, nodes)[0]
            price += surcharge(rules, view, play, rest, others)
        if price < least:
            best, least = play, price
    return best


@kernel
def is_partner(view, seat):
    """Return whether `seat` is the partner of the player to act."""
    return seat != view.player and seat != view.landlord and view.player != view.landlord


@kernel
def enemy_left(view):
    """Return the least number of cards left to an enemy of the player to act."""
    least = 20  # the most cards of a player
    for seat in range(SEATS):
        if seat != view.player and not is_partner(view, seat):
            least = min(least, np.int64(view.left[seat]))
    return least


@kernel
def price_of_pass(view, keep):
    """Price a pass: the cost `keep` of the current hand, corrected by who owns the trick."""
    if is_partner(view, view.owner):
        return keep - YIELD
    if view.left[view.owner] <= 2:
        return keep + DANGER
    return keep + TEMPO


@kernel
def surcharge(rules, view, play, rest, others):
    """Sum up the corrections of a play's price; `rest` is the hand that it leaves."""
    family = rules.plays.groups[rules.plays.group[play]].family
    # The rank, if it is a solo or a pair; not used otherwise.
    rank = rules.plays.group[play] - rules.plays.families[family].first
    price = 0
    if not beatable(rules, view, play, others) and is_one_play(rules, rest):
        return -FAR
    if flat.is_bomb(family):
        price += KEEP_BOMB
    enemy = enemy_left(view)
    if (family == SOLO and enemy == 1) or (family == PAIR and enemy == 2):
        price += 4 * (14 - rank)
    following = (view.player + 1) % SEATS
    feeding = view.target < 0 and is_partner(view, following) and view.left[following] == 1
    if feeding and family == SOLO:
        price += 20 * rank - FAR // 2
    return price


@kernel
def beatable(rules, view, play, others):
    """Return whether another player may beat a play with cards of `others`; kickers are ignored."""
    g = rules.plays.group[play]
    group = rules.plays.groups[g]
    family = rules.plays.families[group.family]
    most = 0
    for seat in range(SEATS):
        if seat != view.player:
            most = max(most, np.int64(view.left[seat]))
    if contains(others, partition.JOKERS) and most >= 2:
        return True
    if not flat.is_bomb(group.family) and most >= 4 and at_least(others, 4):
        return True
    # A bit for each group of the family that is higher than `g` and in the others' cards.
    higher = flat.lowest_ranks(family, others) >> np.uint64(4 * (g - family.first)) >> np.uint64(4)
    return most >= size(rules.plays.need[play]) and higher != 0


@kernel
def is_one_play(rules, cards):
    """Return whether `cards`, packed, are a single play."""
    for play in range(rules.plays.number - 1):
        if rules.plays.need[play] == cards:
            return True
    return False


@described(Traits(microseconds=5))
def make_greedy(game: Game, seed: int, argument: str | None) -> PlayAgent:
    """Make the agent `greedy`; ignore the seed, and refuse an argument by an `InputError`."""
    refuse_argument("greedy", argument)
    return PlayAgent(game, "greedy", Policy())

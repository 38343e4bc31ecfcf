"""The agent `rule`: the common rule baseline, RLCard's `doudizhu-rule-v1`, as a kernel.

1. As a leader, partition the hand: take out the rocket, bombs, trios and their chains, solo chains,
   pair chains, pairs and solos, in this order. Play the group that contains the lowest card.
2. Pass over the partner's play.
3. Follow an enemy's play with the lowest play of the same category and length that beats it.
4. If there is none, draw one of the legal bombs, the rocket and the pass. RLCard draws at random.
   Here the draw is a hash of the view, so that decisions are reproducible.

`rule[partner=beat]` takes step 3 after its partner's plays, too. So does the copy of the agent in
DouZero's evaluation, to which figures "against RLCard" in the literature refer.
"""

from typing import Annotated, Literal, NamedTuple

import numpy as np

from closedhand.agents.agent import PlayAgent
from closedhand.agents.doudizhu.bidding.modules import choose_bid
from closedhand.agents.doudizhu.decompose.partition import CHAINABLE, PLAIN_FAMILY, SHORTEST
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu import rules as flat
from closedhand.games.doudizhu.auction import is_opening, pass_id
from closedhand.games.doudizhu.counts import at_least, one
from closedhand.games.doudizhu.plays import BOMB, ROCKET, SMALL_JOKER
from closedhand.games.doudizhu.substeps import lowest_rank


@kernel
def plain_play(plays, copies, rank, length):
    """Return the id of the play of `length` ranks from `rank`, `copies` cards each, no kickers."""
    family = PLAIN_FAMILY[copies - 1]
    if length > 1:
        family += 1 + length - SHORTEST[copies - 1]
    return plays.groups[plays.families[family].first + rank].first


@kernel
def run_from(ranks, rank):
    """Count the consecutive ranks from `rank` in `ranks`, packed as one card each."""
    length = 0
    while ranks & one(rank + length):
        length += 1
    return length


@kernel
def take_chains(hand, copies):
    """Return a hand without its chains of `copies` cards per rank, each as long as possible."""
    ranks = at_least(hand, copies) & CHAINABLE
    rank = 0
    while rank < 12:
        length = run_from(ranks, rank)
        if length >= SHORTEST[copies - 1]:
            for i in range(rank, rank + length):
                hand -= np.uint64(copies) * one(i)
        rank += length + 1
    return hand


@kernel
def lead(plays, hand):
    """Return the flat play with the lowest card in the partition of the module's step 1."""
    jokers = one(SMALL_JOKER) + one(SMALL_JOKER + 1)
    if hand == jokers:
        return plays.groups[plays.families[ROCKET].first].first
    rank = lowest_rank(hand)
    fours = at_least(hand, 4)
    if fours & one(rank):
        return plays.groups[plays.families[BOMB].first + rank].first
    # `fours` has one card of each such rank: four times `fours` is all cards of these ranks.
    rest = hand - np.uint64(4) * fours
    trios = at_least(rest, 3)
    if trios & one(rank):
        # Chains contain no 2, so a trio of 2 is played alone.
        length = run_from(trios & CHAINABLE, rank) if trios & CHAINABLE & one(rank) else 1
        return plain_play(plays, 3, rank, length)
    rest -= np.uint64(3) * trios
    for copies in (1, 2):
        length = run_from(at_least(rest, copies) & CHAINABLE, rank)
        if length >= SHORTEST[copies - 1]:
            return plain_play(plays, copies, rank, length)
        rest = take_chains(rest, copies)
    copies = 2 if at_least(rest, 2) & one(rank) else 1
    return plain_play(plays, copies, rank, 1)


@kernel
def draw(hand, moves, n):
    """Draw a number below n by a hash of the hand and the number of actions so far."""
    # Four rounds of xorshift (Marsaglia, 2003) spread the few bits that differ between positions.
    x = hand ^ (np.uint64(moves + 1) << np.uint64(40))
    for _ in range(4):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
    return np.int64((x >> np.uint64(11)) % np.uint64(n))


@kernel
def options(rules, view, ids, beats_partner=False):
    """Write the flat actions to draw from into `ids`, usually one; return their number."""
    plays = rules.plays
    player = view.player
    if view.target < 0:
        ids[0] = lead(plays, view.hands[player])
        return 1
    partners = player != view.landlord and view.owner != view.landlord
    if not partners or beats_partner:
        n = flat.legal(rules, view, ids)
        family = plays.groups[plays.group[view.target]].family
        # Ids ascend by rank within a family: the first play of the family to beat is the lowest.
        for i in range(n):
            if plays.groups[plays.group[ids[i]]].family == family:
                ids[0] = ids[i]
                return 1
        if not partners:
            return n
    ids[0] = pass_id(rules)
    return 1


class Policy(NamedTuple):
    """The policy of `rule`; with `beats_partner` that of `rule[partner=beat]`."""

    kernels = "closedhand.agents.doudizhu.rule"

    beats_partner: bool


@kernel
def decide(policy, rules, view, ids):
    """Choose the flat action of the player to act."""
    if is_opening(rules, view):
        return np.int64(choose_bid(rules, view))
    n = options(rules, view, ids, policy.beats_partner)
    return np.int64(ids[draw(view.hands[view.player], view.moves, n)])


Partner = Annotated[Literal["spare", "beat"], "whether a peasant follows the other one's plays"]


@described(Traits(microseconds=0.3))
def make_rule(game: Game, seed: int, argument: str | None, partner: Partner = "spare") -> PlayAgent:
    """Make `rule` or `rule[partner=beat]`; ignore the seed, refuse an argument (`InputError`)."""
    refuse_argument("rule", argument)
    beats = partner == "beat"
    name = str(AgentSpec("rule", {"partner": partner if beats else None}))
    return PlayAgent(game, name, Policy(beats))

"""The agent `default`: the sample client of the UECda competition, decision for decision.

1. As a leader, play the longest kaidan, else the largest group, else the lowest card.
   `default[lead=single]` always leads its lowest card, as the `kou` paper describes the client.
2. As a follower, make the lowest play that the client's simple rules find; hold nothing back.
3. Pass if these rules find none.

Under revolution the order of ranks is mirrored. Like the client, the agent may submit an illegal
kaidan whose joker is below the lowest legal rank. In the competition such a play counts as a pass;
where the rules refuse illegal plays, the agent passes.

A `table` is a record with the fields `target`, `lock` and `revolution` of a state.
"""

from typing import Annotated, Literal, NamedTuple

import numpy as np

from closedhand.agents.agent import PlayAgent
from closedhand.agents.daihinmin.gifts import choose_gift
from closedhand.core import bits
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.cards import bit, in_runs, of_suits, ranks_between, ranks_with
from closedhand.games.daihinmin.exchange import TAXES, pair_in_exchange, picks
from closedhand.games.daihinmin.legality import admit, can_play, longest_kaidan
from closedhand.games.daihinmin.plays import (
    ALL_SUITS,
    BOTH,
    FIRST_KAIDAN,
    FIVE,
    JOKER,
    JOKER_BIT,
    NUM_RANKS,
    PASS,
    SECOND_BIT,
    SHORTEST,
    is_pair_of_jokers,
)
from closedhand.games.daihinmin.seven_ten_rules import due_of

NONE = -1
"""Id in place of a play that is not found."""


@kernel
def choose(rules, view, ids):
    """Choose the action of the sample client, or pass where the rules refuse it."""
    if view.leader < 0:
        return choose_pick(view, view.hands[view.player])
    if due_of(view) > 0:
        return choose_gift(view)
    action = choose_play(rules, view, view.hands[view.player])
    if view.target < 0 or rules.options.illegal_pass or can_play(rules, view, action):
        return action
    return PASS


@kernel
def admitted(rules, state, ids):
    """Return the action that the client's choice counts as: a pass if the choice is illegal."""
    return np.int64(admit(rules, state, choose(rules, state, ids), ids))


@kernel
def choose_play(rules, table, hand):
    """Choose the sample client's play from a hand, perhaps an illegal one, or the pass."""
    # The client knows one joker: of two it uses the first.
    hand &= ~SECOND_BIT
    if table.target < 0:
        return lead(rules, hand, table.revolution)
    if table.target == JOKER or is_pair_of_jokers(rules, table.target):
        return PASS
    family = np.int64(rules.plays.family[table.target])
    if family == 0:
        action = follow_single(rules, table, hand)
    else:
        action = follow_set(rules, table, hand, family)
    return PASS if action == NONE else action


@kernel
def weaker_first(cards, revolution):
    """Return the weakest card of a nonempty set without jokers; ties go to the first of s h d c."""
    rank = bits.highest(cards) // 4 if revolution else bits.lowest(cards) // 4
    return bits.highest(cards & ranks_between(rank, rank))


@kernel
def choose_pick(view, hand):
    """Choose the next card to give back in the exchange: the lowest one, the joker last."""
    pair = pair_in_exchange(view)
    if TAXES[pair] == 1 or view.returned[pair]:
        # The second card must be above the first, which another agent may have chosen. The joker
        # may be the only such card.
        cards = picks(view, hand)
        return weaker_first(cards & ~JOKER_BIT, 0) if cards != JOKER_BIT else JOKER
    first = weaker_first(hand & ~BOTH, 0)
    second = weaker_first(hand & ~BOTH & ~bit(first), 0)
    return min(first, second)


@kernel
def lead(rules, hand, revolution):
    """Choose the longest kaidan, else the largest group, else the lowest card."""
    joker = hand & JOKER_BIT != 0
    if rules.options.kaidan:
        for length in range(longest_kaidan(rules), SHORTEST - 1, -1):
            action = first_kaidan(rules, hand, hand, length, joker, revolution)
            if action != NONE:
                return action
    for size in range(FIVE, 1, -1):
        action = first_group(rules, hand, size, joker, 0, revolution)
        if action != NONE:
            return action
    return weakest_card(hand, revolution)


@kernel
def weakest_card(hand, revolution):
    """Return the lowest card of a hand without the second joker; the joker comes last."""
    return weaker_first(hand & ~JOKER_BIT, revolution) if hand != JOKER_BIT else JOKER


@kernel
def first_group(rules, cards, size, joker, lock, revolution):
    """Find the group of `size` cards, one of them the joker if `joker`, of the weakest rank.

    The joker stands for the first free suit of s h d c, under a lock among the locked suits. Return
    `NONE` if no rank in `cards` has exactly as many natural cards as the group needs.
    """
    own = size - 1 if joker else size
    ranks = np.uint64(0)
    if own <= 4:
        ranks = ranks_with(cards, own)
        if own < 4:  # the sample client splits no larger group
            ranks &= ~ranks_with(cards, own + 1)
    if not ranks:
        return NONE
    rank = weaker_first(ranks, revolution) // 4
    need = cards & ranks_between(rank, rank)
    suits = np.int64(need >> np.uint64(4 * rank))
    if joker:
        need |= JOKER_BIT
        if size < FIVE:
            suits |= 1 << bits.highest((lock if lock else ALL_SUITS) & ~suits)
    family = size - 1
    for play in range(rules.plays.first[family], rules.plays.first[family + 1]):
        if rules.plays.need[play] == need and rules.plays.suits[play] == suits:
            return play
    return NONE


@kernel
def first_kaidan(rules, cards, hand, length, joker, revolution):
    """Find the first kaidan of a length, made of the highest cards of a run; or `NONE`.

    Runs are of `cards`, a part of `hand`; the joker may add a card at an end or fill one gap. The
    first kaidan is the lowest, of equal ones that of spades; under revolution it is the highest, of
    equal ones that of clubs.
    """
    # Without a joker, `run` and `before_gap` both count the cards since the last gap. With one,
    # `before_gap` adds the joker, and `run` also the cards before this gap, which the joker fills.
    best, best_low = NONE, 0
    for i in range(4):
        suit = i if revolution else 3 - i
        run = before_gap = 1 if joker else 0
        for rank in range(NUM_RANKS + 1):
            if rank < NUM_RANKS and cards & bit(4 * rank + suit):
                run += 1
                before_gap += 1
                continue
            # The run ends at this rank, where the joker may begin the next run.
            if run >= length:
                low = rank - length
                own = low if cards & bit(4 * max(low, 0) + suit) else low + 1
                if best == NONE or (own > best_low if revolution else low < best_low):
                    action = kaidan_id(rules, hand, length, low, suit)
                    if action != NONE:
                        best, best_low = action, own if revolution else low
            run, before_gap = (before_gap, 1) if joker else (0, 0)
    return best


@kernel
def kaidan_id(rules, hand, length, low, suit):
    """Return the id of a kaidan, with the joker at a missing card; `NONE` if the rules lack it."""
    # Ids of a family: 4 with the joker below the lowest rank, one per suit; then for each rank and
    # suit `length + 1` ids, one without the joker and one with it at each card, the lowest first;
    # then 4 with the joker above the highest rank.
    place = 0
    for i in range(length):
        rank = low + i
        if rank < 0 or rank >= NUM_RANKS or not hand & bit(4 * rank + suit):
            place = 1 + i
    first = np.int64(rules.plays.first[FIRST_KAIDAN + length - SHORTEST])
    if low < 0 or low + length > NUM_RANKS:
        if not rules.options.joker_edges:
            return NONE
        return first + suit if low < 0 else first + 4 + 4 * low * (length + 1) + suit
    return first + 4 + (4 * low + suit) * (length + 1) + place


@kernel
def beating(rules, table, hand):
    """Return the cards of a hand, without jokers, that beat the target's ranks and fit the lock."""
    if table.revolution:
        ranks = ranks_between(0, rules.plays.low[table.target] - 1)
    else:
        ranks = ranks_between(rules.plays.high[table.target] + 1, NUM_RANKS)
    return hand & ranks & of_suits(table.lock)


@kernel
def follow_single(rules, table, hand):
    """Find the lowest card that beats the target and is in no run or pair; or joker, or `NONE`."""
    own = hand & ~JOKER_BIT
    groups = ranks_with(own, 2) * np.uint64(ALL_SUITS)
    spare = own & ~in_runs(own) & ~groups & beating(rules, table, hand)
    if spare:
        return weaker_first(spare, table.revolution)
    return JOKER if hand & JOKER_BIT else NONE


@kernel
def follow_set(rules, table, hand, family):
    """Find the client's first group or kaidan of a family that beats the target, or `NONE`.

    The joker is used only if no play without it is found. `family` is an index of `plays.first`.
    """
    cards, revolution = beating(rules, table, hand), table.revolution
    action = NONE
    for joker in (False, True):
        if action == NONE and (hand & JOKER_BIT or not joker):
            if family < FIRST_KAIDAN:  # groups of family + 1 cards
                action = first_group(rules, cards, family + 1, joker, table.lock, revolution)
            else:
                length = family - FIRST_KAIDAN + SHORTEST
                action = first_kaidan(rules, cards, hand, length, joker, revolution)
    return action


class Policy(NamedTuple):
    """Policy of the agent `default`; `single` is 1 if it always leads its lowest card, else 0."""

    kernels = "closedhand.agents.daihinmin.default"

    single: int = 0


@kernel
def decide(policy, rules, view, ids):
    """Choose the action of the player to act."""
    if policy.single and view.leader >= 0 and view.target < 0 and due_of(view) == 0:
        hand = view.hands[view.player] & ~SECOND_BIT
        return np.int64(weakest_card(hand, view.revolution))
    return np.int64(choose(rules, view, ids))


Lead = Annotated[
    Literal["sets", "single"],
    "lead: kaidan and groups before cards, as the client does, or always the lowest card",
]


@described(Traits(microseconds=10, steady=True))
def make_default(game: Game, seed: int, argument: str | None, lead: Lead = "sets") -> PlayAgent:
    """Make the agent `default`; an `InputError` refuses an argument."""
    refuse_argument("default", argument)
    name = str(AgentSpec("default", {"lead": None if lead == "sets" else lead}))
    return PlayAgent(game, name, Policy(int(lead == "single")))

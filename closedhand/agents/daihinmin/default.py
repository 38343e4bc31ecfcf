"""The agent `default`: the sample client of the UECda competition, decision for decision.

It leads its longest kaidan, or else its largest group, or else its lowest card, and follows with
the lowest play that its simple rules find; it never holds anything back. `default[lead=single]`
always leads its lowest card, which is how the paper about `kou` describes the client. Under
revolution everything is mirrored. Like the client, it may submit an illegal kaidan (whose joker
stands below the lowest legal rank). This is a pass in the competition, and here too where the rules
refuse it.
"""

from typing import Annotated, Literal, NamedTuple

import numpy as np

from closedhand.agents.agent import KernelAgent
from closedhand.agents.daihinmin.agent import kernel_agent
from closedhand.agents.daihinmin.gifts import choose_gift
from closedhand.core import bits
from closedhand.core.agent_spec import AgentSpec
from closedhand.core.agents import Traits, described, refuse_argument
from closedhand.core.game import Game
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.cards import bit, of_suits, ranks_between, ranks_with
from closedhand.games.daihinmin.exchange import TAXES, pair_in_exchange, picks
from closedhand.games.daihinmin.legality import can_play, longest_kaidan
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
)
from closedhand.games.daihinmin.seven_ten_rules import due_of
from closedhand.games.daihinmin.two_jokers import is_pair_of_jokers

NONE = -1


@kernel
def choose(rules, view, ids):
    """The action that the sample client submits; a pass in place of one that the rules refuse."""
    if view.leader < 0:
        return choose_pick(view, view.hands[view.player])
    if due_of(view) > 0:
        return choose_gift(view)
    action = choose_play(rules, view, view.hands[view.player])
    if view.target < 0 or rules.options.illegal_pass or can_play(rules, view, action):
        return action
    return PASS


@kernel
def choose_play(rules, table, hand):
    """What the sample client plays from a hand, or the pass, legal or not.

    Args:
        rules: Rules of the game.
        table: Anything with the `target`, the `lock` and the `revolution` of a state.
        hand: Set of cards.
    """
    # Of two jokers it sees one; it knows no plays with both.
    hand &= ~SECOND_BIT
    if table.target < 0:
        return lead(rules, hand, table.revolution)
    if table.target == JOKER or is_pair_of_jokers(rules, table.target):
        return PASS
    family = np.int64(rules.plays.family[table.target])
    if family == 0:
        action = follow_single(table, hand)
    elif family < FIRST_KAIDAN:
        action = follow_group(rules, table, hand, family)
    else:
        action = follow_kaidan(rules, table, hand, family)
    return PASS if action == NONE else action


@kernel
def weaker_first(cards, revolution):
    """First card of a set by rank, low to high (mirrored under revolution), then suit s h d c."""
    rank = bits.highest(cards) // 4 if revolution else bits.lowest(cards) // 4
    return bits.highest(cards & ranks_between(rank, rank))


@kernel
def choose_pick(view, hand):
    """Next card to give in the exchange: the lowest cards, the joker only if there is no other."""
    pair = pair_in_exchange(view)
    if TAXES[pair] == 1 or view.returned[pair]:
        # Above the first of two cards, whoever chose it, there may be nothing but the joker.
        cards = picks(view, hand)
        return weaker_first(cards & ~JOKER_BIT, 0) if cards != JOKER_BIT else JOKER
    first = weaker_first(hand & ~BOTH, 0)
    second = weaker_first(hand & ~BOTH & ~bit(first), 0)
    return min(first, second)


@kernel
def lead(rules, hand, revolution):
    """The longest kaidan, the largest group, or the lowest card."""
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
    """The lowest card of a hand without the second joker; the joker only if there is no other."""
    return weaker_first(hand & ~JOKER_BIT, revolution) if hand != JOKER_BIT else JOKER


@kernel
def first_group(rules, cards, size, joker, lock, revolution):
    """Group of the first rank with exactly `size` cards, including any `joker`; or `NONE`.

    The joker stands for the first free suit, out of those of the lock if there is one.
    """
    own = size - 1 if joker else size
    ranks = np.uint64(0)
    if own <= 4:
        ranks = ranks_with(cards, own)
        if own < 4:
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
    """First kaidan of a length, made of the last cards of a run; `NONE` if there is none.

    With the joker a run can extend below its first card, across one gap, or above its last card.
    Under revolution the joker does not extend it above, and the last suit comes first.
    """
    best, best_low = NONE, 0
    for i in range(4):
        suit = i if revolution else 3 - i
        run = before_gap = 1 if joker else 0
        for rank in range(NUM_RANKS + 1):
            if rank < NUM_RANKS and cards & bit(4 * rank + suit):
                run += 1
                before_gap += 1
                continue
            # The run ends here; the joker, if there is one, may stand here to begin the next run.
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
    """Id of a kaidan, with the joker where the hand lacks a card; `NONE` if the rules lack it."""
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
def follow_single(table, hand):
    """Lowest card that beats the table and is in no kaidan or group; otherwise the joker."""
    rank = np.int64(table.target) // 4
    spare = singles_of(hand & ~JOKER_BIT)
    higher = ranks_between(0, rank - 1) if table.revolution else ranks_between(rank + 1, NUM_RANKS)
    spare &= higher & of_suits(table.lock)
    if spare:
        return weaker_first(spare, table.revolution)
    return JOKER if hand & JOKER_BIT else NONE


@kernel
def singles_of(cards):
    """Cards of a set (without the joker) that are in no kaidan and no group of the set."""
    starts = cards & (cards >> np.uint64(4)) & (cards >> np.uint64(8))
    kaidan = starts | (starts << np.uint64(4)) | (starts << np.uint64(8))
    groups = ranks_with(cards, 2) * np.uint64(15)
    return cards & ~kaidan & ~groups


@kernel
def follow_group(rules, table, hand, family):
    """Lowest rank with exactly as many cards as needed, or one fewer and the joker."""
    rank = np.int64(rules.plays.low[table.target])
    higher = ranks_between(0, rank - 1) if table.revolution else ranks_between(rank + 1, NUM_RANKS)
    cards = hand & higher & of_suits(table.lock)
    action = first_group(rules, cards, family + 1, False, table.lock, table.revolution)
    if action == NONE and hand & JOKER_BIT:
        action = first_group(rules, cards, family + 1, True, table.lock, table.revolution)
    return action


@kernel
def follow_kaidan(rules, table, hand, family):
    """Last cards of the lowest run that beats the table; with the joker only if necessary."""
    length = family - FIRST_KAIDAN + SHORTEST
    rank = np.int64(
        rules.plays.low[table.target] if table.revolution else rules.plays.high[table.target]
    )
    higher = ranks_between(0, rank - 1) if table.revolution else ranks_between(rank + 1, NUM_RANKS)
    cards = hand & higher & of_suits(table.lock)
    action = first_kaidan(rules, cards, hand, length, False, table.revolution)
    if action == NONE and hand & JOKER_BIT:
        action = first_kaidan(rules, cards, hand, length, True, table.revolution)
    return action


class Policy(NamedTuple):
    """The policy.

    Attributes:
        single: 1 if it always leads its lowest card, else 0.
    """

    kernels = "closedhand.agents.daihinmin.default"

    single: int = 0


@kernel
def decide(policy, rules, view, ids):
    """The action of the player to act."""
    if policy.single and view.leader >= 0 and view.target < 0 and due_of(view) == 0:
        hand = view.hands[view.player]
        if hand != SECOND_BIT:
            return np.int64(weakest_card(hand & ~SECOND_BIT, view.revolution))
    return np.int64(choose(rules, view, ids))


Lead = Annotated[
    Literal["sets", "single"],
    "what it leads: kaidan and groups before cards, as the client does, or always its lowest card",
]


@described(Traits(microseconds=10, steady=True))
def make_default(game: Game, seed: int, argument: str | None, lead: Lead = "sets") -> KernelAgent:
    """The agent `default`; it is deterministic and needs no seed.

    Raises:
        InputError: It was given an argument.
    """
    refuse_argument("default", argument)
    name = str(AgentSpec("default", {"lead": None if lead == "sets" else lead}))
    return kernel_agent(game, name, Policy(int(lead == "single")))

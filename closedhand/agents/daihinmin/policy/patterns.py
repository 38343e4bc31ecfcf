"""The features of the pattern policy: some 118,000, of which an action has about sixty.

The logit of an action is the sum of the weights of its positive features, less the sum for its
negative ones. `describe` and `describe_gift` write the indices of both. A play has features for:

1. The slots (`situation.py`) of the hand that the play changes, alone and in pairs
   (`differences`). Their patterns after the play are positive, those before it negative. Other
   slots are left out, as their patterns would cancel out.
2. The play with the rest of the hand, and with the cards that the others may hold, by slots, suits
   and locks.
3. Every group and kaidan in the rest of the hand.
4. The table: numbers of cards and players, the owner of the play to beat, locks, revolution.

A pass changes no cards and has its own features.

An index is the first index of its type plus a number in mixed radix of the indices that the type
combines. Functions that take `n` write to `out` from index `n` on, and return the new number of
features. Counts by slot are a `uint64` of four bits per slot (`situation.by_slot`): those of a slot
begin at bit `4 * slot`, and `bits.lowest(x) // 4` is the lowest slot with cards.
"""

import numpy as np

from closedhand.agents.daihinmin.policy.shared import KINDS, STAGES, compared, form_of, kind_of
from closedhand.agents.daihinmin.policy.situation import (
    JOKER_SLOT,
    MOST_BEATING,
    SIZES,
    SLOTS,
    beaters,
    by_slot,
    effect_of,
    lowest_slot,
    size_class,
    slot_of,
    slot_of_play,
)
from closedhand.core import bits
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.cards import EACH_RANK, bit
from closedhand.games.daihinmin.exchange import pair_in_exchange
from closedhand.games.daihinmin.plays import (
    FIRST_KAIDAN,
    JOKER,
    JOKER_BIT,
    NUM_CARDS,
    NUM_RANKS,
    PASS,
    SPADE_THREE,
)
from closedhand.games.daihinmin.tricks import stops

MOST_WEAK, MOST_STRONG = 6, 4
STRONG, BEATING = MOST_STRONG + 1, MOST_BEATING + 1
FORMS = (MOST_WEAK + 1) * STRONG
"""Number of forms of a hand, see `form_of`."""
TARGETS = KINDS * SLOTS
"""Number of classes of plays, by kind and slot of the weakest rank."""
PLAYS = 2 * TARGETS
"""Number of classes of plays by leaders and by followers, which are kept apart."""
COUNTS = SLOTS * 4
"""Number of pairs of a slot and its number of cards, one to four."""
PAIRS = SLOTS * SLOTS * 16
"""Number of combinations of two such pairs, `COUNTS` squared."""
RUNS = 4
"""Number of classes of kaidan: 3, 4, 5, or more cards."""

# First index of each type of feature. The comments list its digits, the slowest first, many of them
# fields of `Situation` and `Effect`; after a colon a condition, or "difference": both signs, see 1.
RANK = 0  # sure, lead or follow, stage; slot, own and unseen cards of the slot: difference
PAIR = RANK + 2 * 2 * STAGES * COUNTS * 5  # sure, early; two slots, cards of each: difference
REST = PAIR + 2 * 2 * PAIRS  # play, early; slot and number of cards left
OTHERS = REST + PLAYS * 2 * COUNTS  # play, early; slot and number of unseen cards
LEFT_SIZE = OTHERS + PLAYS * 2 * COUNTS  # play, sizes of the rest and of the others' smallest hand
NEXT = LEFT_SIZE + PLAYS * SIZES * SIZES  # play, size of the next hand that may play
OWNER = NEXT + PLAYS * SIZES  # play of a follower, size of the trick owner's hand
TABLE = OWNER + TARGETS * SIZES  # play, others who may still play, players left
BEATERS = TABLE + PLAYS * 5 * 4  # lead or follow, kind, beating, locked, stage
FORM = BEATERS + 2 * KINDS * BEATING * 3 * STAGES  # sure, lead or follow, form, least, players
PLAY_FORM = FORM + 2 * 2 * FORMS * SIZES * 4  # play, form of the rest
SETS = PLAY_FORM + PLAYS * FORMS  # sure, follow, stage; size of a group left, slots that beat it
LEFT_RUN = SETS + 2 * 2 * STAGES * 4 * 8  # sure; a kaidan left, by length and lowest slot
SUIT = LEFT_RUN + 2 * RUNS * SLOTS  # follow + locked, size, slot; slot of same suit, own or unseen
WITH_JOKER = SUIT + 4 * 3 * SLOTS * SLOTS * 2  # kind, stage, whether the 3 of spades is unseen
WITH_EIGHT = WITH_JOKER + KINDS * STAGES * 2  # lead or follow, kind, stage
TURNING = WITH_EIGHT + 2 * KINDS * STAGES  # weak ranks before a revolution, form after it
SPLIT = TURNING + (MOST_WEAK + 1) * FORMS  # follow, slot, cards of the slot before and after
TORN = SPLIT + 2 * SLOTS * 16  # follow, size, slot: the play splits a kaidan
OVER_OWN = TORN + 2 * 4 * SLOTS  # kind: the trick is the player's own
PASS_REST = OVER_OWN + KINDS  # target, early; slot and number of cards in the hand
PASS_OTHERS = PASS_REST + TARGETS * 2 * COUNTS  # target, early; slot and number of unseen cards
PASSING = PASS_OTHERS + TARGETS * 2 * COUNTS  # target, stage, locked
PASS_SIZES = PASSING + TARGETS * STAGES * 2  # sizes of the hand, the owner, the smallest hand
PASS_FORM = PASS_SIZES + SIZES**3  # kind, form of the hand
PASS_TABLE = PASS_FORM + KINDS * FORMS  # others who may play, players left, own trick
CHOICE = PASS_TABLE + 5 * 4 * 2  # number of plays passed over: 1, 2, 3, or more; stage
GIFT = CHOICE + 4 * STAGES  # pair of the exchange, card
GIFT_RANK = GIFT + 2 * NUM_CARDS  # pair, slot, cards of the slot before
GIFT_PAIR = GIFT_RANK + 2 * COUNTS  # a pair of slots: a difference
GIFT_FORM = GIFT_PAIR + PAIRS  # form of the rest
GIFT_TORN = GIFT_FORM + FORMS  # whether the gift splits a kaidan
FEATURES = GIFT_TORN + 2
MOST_FEATURES = 256
"""Room for the features of one sign of an action; there are at most 223. A play has one for each of
14 slots, 91 pairs of slots, twice 14 numbers of cards, 13 groups, 12 runs (see
`kou.division.MOST_PARTS`), 52 cards of its suits, and 13 more. A pass and a gift have fewer."""


@kernel
def describe(rules, state, here, action, number, out):
    """Write the features of one of `number` legal actions, but not in the exchange.

    The indices of positive and of negative features are written to `out`, int32 [2, MOST_FEATURES].
    Their numbers are returned. `here` is the situation of the player to act.
    """
    if action == PASS:
        return describe_pass(rules, state, here, number, out[0]), 0
    # Indices are in mixed radix: the comments beside `RANK` and the others name the digits.
    plays, need = rules.plays, rules.plays.need[action]
    rest = here.seen.hand & ~need
    effect = effect_of(rules, state, here, action)
    kind = kind_of(rules, action)
    slot = slot_of_play(rules, action, state.revolution)
    play = (here.follow * KINDS + kind) * SLOTS + slot
    seen, own, unseen = here.seen, by_slot(rest, effect.revolution), here.unseen
    if effect.revolution != state.revolution:
        seen = compared(seen.hand, seen.others, seen.kaidan, seen.left, effect.revolution)
        unseen = by_slot(seen.others, effect.revolution)
    way = effect.sure * 2 + here.follow
    n, minus = differences(here, own, unseen, way, effect.sure, out)
    plus = out[0]
    n = counts(own, REST + (play * 2 + here.early) * COUNTS, plus, n)
    n = counts(here.unseen, OTHERS + (play * 2 + here.early) * COUNTS, plus, n)
    n = sets_left(own, unseen, SETS + (way * STAGES + here.stage) * 32, plus, n)  # 4 sizes, 8 slots
    n = runs_left(rest, effect, plus, n)
    n = suits_left(rules, state, here, action, effect, rest, slot, plus, n)
    left = here.seen.left - np.int64(plays.length[action])
    form = form_of(seen, rest, MOST_WEAK, MOST_STRONG)
    plus[n] = LEFT_SIZE + (play * SIZES + size_class(left)) * SIZES + here.least
    plus[n + 1] = NEXT + play * SIZES + here.next_size
    plus[n + 2] = TABLE + (play * 5 + here.active) * 4 + here.players
    beating = (here.follow * KINDS + kind) * BEATING + effect.beating
    plus[n + 3] = BEATERS + (beating * 3 + effect.locked) * STAGES + here.stage
    plus[n + 4] = FORM + ((way * FORMS + form) * SIZES + here.least) * 4 + here.players
    plus[n + 5] = PLAY_FORM + play * FORMS + form
    n += 6
    if here.follow:
        plus[n] = OWNER + (kind * SLOTS + slot) * SIZES + here.owner_size
        n += 1
        if state.owner == state.player:
            plus[n] = OVER_OWN + kind
            n += 1
    if need & JOKER_BIT:
        spade = 1 if here.seen.others & bit(SPADE_THREE) else 0
        plus[n] = WITH_JOKER + (kind * STAGES + here.stage) * 2 + spade
        n += 1
    if stops(rules, action):
        plus[n] = WITH_EIGHT + (here.follow * KINDS + kind) * STAGES + here.stage
        n += 1
    if effect.revolution != state.revolution:
        before = form_of(here.seen, rest, MOST_WEAK, MOST_STRONG) // STRONG
        plus[n] = TURNING + before * FORMS + form
        n += 1
    if kind < 4 and action != JOKER:
        # Slots in the order of ranks before the play, unlike those of `own`.
        shift, left_by_slot = np.uint64(4 * slot), by_slot(rest, state.revolution)
        held = np.int64((here.own >> shift) & np.uint64(15))
        kept = np.int64((left_by_slot >> shift) & np.uint64(15))
        plus[n] = SPLIT + ((here.follow * SLOTS + slot) * 4 + held - 1) * 4 + min(kept, 3)
        n += 1
        if need & here.seen.kaidan:
            plus[n] = TORN + (here.follow * 4 + kind) * SLOTS + slot
            n += 1
    return n, minus


@kernel
def describe_pass(rules, state, here, number, out):
    """Write the features of a pass, which are all positive; return their number."""
    kind = kind_of(rules, state.target)
    slot = slot_of_play(rules, state.target, state.revolution)
    target = kind * SLOTS + slot
    form = form_of(here.seen, here.seen.hand, MOST_WEAK, MOST_STRONG)
    mine = 1 if state.owner == state.player else 0
    n = counts(here.own, PASS_REST + (target * 2 + here.early) * COUNTS, out, 0)
    n = counts(here.unseen, PASS_OTHERS + (target * 2 + here.early) * COUNTS, out, n)
    out[n] = PASSING + (target * STAGES + here.stage) * 2 + (1 if state.lock else 0)
    sizes = (size_class(here.seen.left) * SIZES + here.owner_size) * SIZES + here.least
    out[n + 1] = PASS_SIZES + sizes
    out[n + 2] = PASS_FORM + kind * FORMS + form
    out[n + 3] = PASS_TABLE + (here.active * 4 + here.players) * 2 + mine
    out[n + 4] = CHOICE + (min(max(number - 1, 1), 4) - 1) * STAGES + here.stage
    return n + 5


@kernel
def describe_gift(state, seen, card, out):
    """Write the features of a card to give back, and return their numbers, as `describe` does."""
    pair = pair_in_exchange(state)
    before = seen.hand & ~state.returned[pair]
    rest = before & ~bit(card)
    own, after = by_slot(before, 0), by_slot(rest, 0)
    slot = JOKER_SLOT if card == JOKER else slot_of(card // 4, 0)
    number = np.int64((own >> np.uint64(4 * slot)) & np.uint64(15))
    plus = out[0]
    plus[0] = GIFT + pair * NUM_CARDS + card
    plus[1] = GIFT_RANK + (pair * SLOTS + slot) * 4 + number - 1
    plus[2] = GIFT_FORM + form_of(seen, rest, MOST_WEAK, MOST_STRONG)
    plus[3] = GIFT_TORN + (1 if bit(card) & seen.kaidan else 0)
    changed = np.uint64(15) << np.uint64(4 * slot)
    return pairs(after, changed, GIFT_PAIR, plus, 4), pairs(own, changed, GIFT_PAIR, out[1], 0)


@kernel
def differences(here, own, unseen, way, sure, out):
    """Write the patterns of the slots that a play changes; return the number of features by sign.

    `own` and `unseen` are the counts by slot after the play; unseen cards change their slots in a
    revolution. `here` is the situation before the play, `way` is 2 x sure + follow, and `out` is as
    in `describe`.
    """
    # `changed` has all four bits of every slot whose count differs.
    changed = np.uint64(0)
    differing = (here.own ^ own) | (here.unseen ^ unseen)
    while differing:
        slot = np.uint64(15) << np.uint64(bits.lowest(differing) // 4 * 4)
        changed |= slot
        differing &= ~slot
    first = RANK + (way * STAGES + here.stage) * COUNTS * 5
    n = ranks(own & changed, unseen, first, out[0], 0)
    minus = ranks(here.own & changed, here.unseen, first, out[1], 0)
    first = PAIR + (sure * 2 + here.early) * PAIRS
    return pairs(own, changed, first, out[0], n), pairs(here.own, changed, first, out[1], minus)


@kernel
def ranks(own, unseen, first, out, n):
    """Write a feature for every slot of `own`, by its numbers of own and of unseen cards."""
    while own:
        place, number, own = lowest_slot(own)
        others = np.int64((unseen >> np.uint64(place)) & np.uint64(15))
        out[n] = first + (place + number - 1) * 5 + others
        n += 1
    return n


@kernel
def pairs(own, changed, first, out, n):
    """Write a feature for every pair of a changed slot and another slot of the hand.

    A slot with its number of cards is `4 * slot + number - 1`, below `COUNTS`. The smaller of the
    two is the slower index. `own` has the counts by slot of the hand, and `changed` all four bits
    of each slot that the action changes.
    """
    ones = own & changed
    while ones:
        place, number, ones = lowest_slot(ones)
        one = place + number - 1
        # A pair of two changed slots is counted with the first of them.
        others = own & ~(changed & ~ones)
        while others:
            place, number, others = lowest_slot(others)
            other = place + number - 1
            out[n] = first + min(one, other) * COUNTS + max(one, other)
            n += 1
    return n


@kernel
def counts(cards, first, out, n):
    """Write a feature for every slot in `cards`, packed counts by slot."""
    while cards:
        place, number, cards = lowest_slot(cards)
        out[n] = first + place + number - 1
        n += 1
    return n


@kernel
def sets_left(own, unseen, first, out, n):
    """Write a feature for every group left, by its size and the number of slots that beat it."""
    cards = own & ~(np.uint64(15) << np.uint64(4 * JOKER_SLOT))
    while cards:
        place, size, cards = lowest_slot(cards)
        out[n] = first + (size - 1) * 8 + beaters(unseen, place // 4, size)
        n += 1
    return n


@kernel
def runs_left(rest, effect, out, n):
    """Write a feature for every maximal kaidan that is left, by length and lowest slot."""
    own = rest & ~JOKER_BIT
    if not own & (own >> np.uint64(4)) & (own >> np.uint64(8)):
        return n
    for suit in range(4):
        cards = (own >> np.uint64(suit)) & EACH_RANK
        while cards:
            low = bits.lowest(cards) // 4
            high = low
            while high < NUM_RANKS and cards & bit(4 * high):
                cards &= ~bit(4 * high)
                high += 1
            if high - low >= 3:
                slot = slot_of(high - 1 if effect.revolution else low, effect.revolution)
                length = min(high - low - 3, RUNS - 1)
                out[n] = LEFT_RUN + (effect.sure * RUNS + length) * SLOTS + slot
                n += 1
    return n


@kernel
def suits_left(rules, state, here, action, effect, rest, slot, out, n):
    """Write a feature for every card of the play's suits, left in the hand (`rest`) or unseen."""
    plays = rules.plays
    family = np.int64(plays.family[action])
    if family >= FIRST_KAIDAN or action == JOKER:
        return n
    trick = here.follow + effect.locked
    first = SUIT + ((trick * 3 + min(family, 2)) * SLOTS + slot) * SLOTS * 2
    suits = EACH_RANK * np.uint64(plays.suits[action])
    for whose in range(2):
        cards = (here.seen.others if whose else rest) & suits
        while cards:
            rank = bits.lowest(cards) // 4
            cards &= cards - np.uint64(1)
            out[n] = first + slot_of(rank, state.revolution) * 2 + whose
            n += 1
    return n

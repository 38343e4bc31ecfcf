"""Legal actions in Daihinmin, and the actions that illegal ones count as.

`legal` lists the legal actions, family by family, from the bits of a hand. `can_play` tests one
action without a list. For plays the two are independent implementations of the same rules.
"""

import numpy as np

from closedhand.core import bits
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin.cards import EACH_RANK, bit, of_suits, ranks_between, ranks_with
from closedhand.games.daihinmin.exchange import best_pick, can_pick, picks
from closedhand.games.daihinmin.plays import (
    ALL_SUITS,
    BOTH,
    FIRST_KAIDAN,
    FIVE,
    JOKER,
    JOKER_BIT,
    LONGEST_KAIDAN,
    NUM_RANKS,
    PASS,
    SHORTEST,
    SPADE_THREE,
    first_of_both,
    is_pair_of_jokers,
)
from closedhand.games.daihinmin.rules import over
from closedhand.games.daihinmin.seven_ten_rules import cards_to_hand_over, due_of
from closedhand.games.daihinmin.state import two_jokers
from closedhand.games.daihinmin.tricks import is_number_locked


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions to `out`, ascending; return their number."""
    hand = state.hands[state.player]
    if state.leader < 0:  # in the exchange
        return list_cards(picks(state, hand), out, 0)
    if due_of(state) > 0:
        n = list_cards(cards_to_hand_over(state), out, 0)
        out[n] = PASS
        return n + 1
    if state.target < 0:
        return legal_leads(rules, state, hand, out)
    n = 0
    # Ranks and family of plays that beat `target`; empty: only a pass, unless a branch fills it.
    low, high, family = 0, -1, 0
    if state.target == JOKER:
        if rules.options.spade_three and hand & bit(SPADE_THREE):
            out[0] = SPADE_THREE
            n = 1
    elif is_pair_of_jokers(rules, state.target):
        pass
    elif state.left[state.player] >= rules.plays.length[state.target]:
        low, high = np.int64(rules.plays.high[state.target]) + 1, NUM_RANKS
        if state.revolution:
            low, high = -1, np.int64(rules.plays.low[state.target]) - 1
        if is_number_locked(rules, state):
            span = np.int64(rules.plays.high[state.target] - rules.plays.low[state.target])
            low, high = (high - span, high) if state.revolution else (low, low + span)
        family = np.int64(rules.plays.family[state.target])
        n = plays_between(rules, hand, family, low, high, np.int64(state.lock), out, 0)
    # Kaidan of 12 or more cards, with ids above the pass, cannot follow each other: there are too
    # few ranks. So only plays with two jokers come after the pass.
    out[n] = PASS
    if two_jokers(rules.plays) and low <= high:
        return both_between(rules, hand, family, low, high, np.int64(state.lock), out, n + 1)
    return n + 1


@kernel
def legal_leads(rules, state, hand, out):
    """Write every play in the hand and, if a leader may pass, the pass; return their number."""
    n = plays_between(rules, hand, 0, 0, NUM_RANKS, 0, out, 0)
    held = np.int64(state.left[state.player])
    for family in range(1, min(FIVE, held)):
        before = n
        n = plays_between(rules, hand, family, 0, NUM_RANKS, 0, out, n)
        if n == before:  # without a group of this size there is none that is larger
            break
    if rules.options.kaidan:
        n = leading_kaidan(rules, hand, SHORTEST, min(LONGEST_KAIDAN, held), out, n)
    if rules.options.lead_pass:
        out[n] = PASS
        n += 1
    # The ids of longer kaidan are above the pass.
    if rules.options.kaidan and held > LONGEST_KAIDAN:
        most = min(longest_kaidan(rules), held)
        n = leading_kaidan(rules, hand, LONGEST_KAIDAN + 1, most, out, n)
    if two_jokers(rules.plays):
        families = len(rules.plays.first) - 1 if rules.options.kaidan else FIRST_KAIDAN
        for family in range(1, families):
            n = both_between(rules, hand, family, -1, NUM_RANKS, 0, out, n)
    return n


@kernel
def longest_kaidan(rules):
    """Return the length of the longest kaidan in the table of plays."""
    # `first` has an entry for each family and one for the end.
    return len(rules.plays.first) - 2 - FIRST_KAIDAN + SHORTEST


@kernel
def leading_kaidan(rules, hand, shortest, longest, out, n):
    """Do `plays_between` for all kaidan of `shortest` to `longest` cards in the hand."""
    for length in range(shortest, longest + 1):
        before = n
        family = FIRST_KAIDAN + length - SHORTEST
        n = plays_between(rules, hand, family, -1, NUM_RANKS, 0, out, n)
        if n == before:  # without a kaidan of this length there is none that is longer
            break
    return n


@kernel
def plays_between(rules, hand, family, low, high, lock, out, n):
    """Write the plays of a family whose ranks all lie between `low` and `high`, inclusive.

    The ids go to `out`, ascending, from index `n` on; return the number of ids in `out`. The ranks
    -1 and 13 are those of the joker in a kaidan, below the 3 and above the 2. `lock` has the bits
    of the suits that a play must have, 0 for any; a lone joker is exempt. `both_between` writes the
    plays with two jokers, whose ids come after the pass.
    """
    if family == 0:
        # The id of a single is that of its card; the joker is above every rank in either order.
        cards = (hand & ranks_between(low, high) & of_suits(lock)) | (hand & JOKER_BIT)
        return list_cards(cards, out, n)
    if family < FIRST_KAIDAN:
        return groups_between(rules, hand, family, max(low, 0), high, lock, out, n)
    return kaidan_between(rules, hand, family, low, high, lock, out, n)


@kernel
def list_cards(cards, out, n):
    """Write the ids of cards, ascending, to `out` from index `n` on; return the number in `out`."""
    while cards:
        out[n] = bits.lowest(cards)
        cards &= cards - np.uint64(1)
        n += 1
    return n


@kernel
def groups_between(rules, hand, family, low, high, lock, out, n):
    """Do `plays_between` for groups of `family + 1` equal ranks."""
    size = family + 1
    joker = np.int64((hand >> np.uint64(JOKER)) & np.uint64(1))
    # No rank has five cards without the joker, and `ranks_with` counts up to four.
    ranks = ranks_with(hand, size - joker) if size - joker < FIVE else np.uint64(0)
    ranks &= ranks_between(low, high)
    shapes = (rules.plays.first[family + 1] - rules.plays.first[family]) // NUM_RANKS
    while ranks:
        place = bits.lowest(ranks)  # 4 * rank, where the four bits of the rank begin
        ranks &= ranks - np.uint64(1)
        suits = np.int64((hand >> np.uint64(place)) & np.uint64(ALL_SUITS))
        first = rules.plays.first[family] + shapes * (place // 4)
        for k in range(1, 1 + rules.plays.options[size, joker, suits, 0]):
            play = first + rules.plays.options[size, joker, suits, k]
            if lock == 0 or rules.plays.suits[play] == lock:
                out[n] = play
                n += 1
    return n


@kernel
def kaidan_between(rules, hand, family, low, high, lock, out, n):
    """Do `plays_between` for kaidan, with the bits of cards and the order of ids of `plays.py`."""
    length = family - FIRST_KAIDAN + SHORTEST
    own = hand & (JOKER_BIT - np.uint64(1)) & of_suits(lock)
    joker = hand & JOKER_BIT != 0
    # Sets of the lowest cards of runs. After i rounds, `whole` has the runs of i cards that are in
    # hand, `lacking` those of which at most one card is missing, and `shorter` those of i - 1 cards
    # in hand, to which the joker can be added at an edge.
    whole = EACH_RANK * np.uint64(ALL_SUITS)
    shorter = lacking = whole
    for i in range(length):
        cards = own >> np.uint64(4 * i)
        lacking = (lacking & cards) | whole
        shorter = whole
        whole &= cards
    first = np.int64(rules.plays.first[family])
    # The joker below the 3: the run has the ranks -1 to length - 2, and one id for each suit.
    if joker and rules.options.joker_edges and low < 0 and length - 2 <= high:
        for suit in range(4):
            if shorter & bit(suit):
                out[n] = first + suit
                n += 1
    first += 4
    last = min(high, NUM_RANKS - 1) - length + 1
    starts = (lacking if joker else whole) & ranks_between(low, last)
    while starts:
        place = bits.lowest(starts)
        starts &= starts - np.uint64(1)
        # Each lowest card has 1 + length ids: without the joker, then with it in each place.
        play = first + place * (length + 1)
        if whole & bit(place):
            for k in range(1 + length if joker else 1):
                out[n] = play + k
                n += 1
        else:
            # The joker has to stand for the one missing card of the run.
            missing = ranks_between(0, length - 1) & EACH_RANK
            missing = (missing << np.uint64(place)) & ~own
            out[n] = play + 1 + (bits.lowest(missing) - place) // 4
            n += 1
    # The joker above the 2: the run begins at rank `above`. Its ids follow those of the kaidan
    # within the ranks, whose lowest ranks are the `above` ranks before.
    above = NUM_RANKS + 1 - length
    if joker and rules.options.joker_edges and high >= NUM_RANKS and low <= above:
        for suit in range(4):
            if shorter & bit(4 * above + suit):
                out[n] = first + 4 * above * (length + 1) + suit
                n += 1
    return n


@kernel
def both_between(rules, hand, family, low, high, lock, out, n):
    """Do `plays_between` for the plays with two jokers."""
    if hand & BOTH != BOTH:
        return n
    plays, edges = rules.plays, rules.options.joker_edges or family < FIRST_KAIDAN
    for play in range(first_of_both(plays, family), first_of_both(plays, family + 1)):
        if plays.need[play] & ~hand:
            continue
        # The pair of jokers is above every rank and exempt from the lock.
        if not is_pair_of_jokers(rules, play):
            if plays.low[play] < low or plays.high[play] > high:
                continue
            if lock != 0 and plays.suits[play] != lock:
                continue
        if edges or (plays.low[play] >= 0 and plays.high[play] < NUM_RANKS):
            out[n] = play
            n += 1
    return n


@kernel
def admit(rules, state, action, ids):
    """Return the action that a submitted one, any integer, counts as; -1 if it is refused."""
    if can_play(rules, state, action):
        return np.int64(action)
    is_action = 0 <= action < len(rules.plays.need)
    if not is_action or not rules.options.illegal_pass or over(rules, state):
        return -1
    return PASS if state.leader >= 0 else best_pick(state)


@kernel
def is_legal(rules, state, action, ids):
    """Return whether `action`, any integer, is legal now."""
    return can_play(rules, state, action)


@kernel
def can_play(rules, state, action):
    """Do `is_legal` without scratch space."""
    if action < 0 or action >= len(rules.plays.need) or over(rules, state):
        return False
    if state.leader < 0:
        return can_pick(state, action)
    if due_of(state) > 0:
        return action == PASS or (action <= JOKER and cards_to_hand_over(state) & bit(action) != 0)
    if action == PASS:
        return state.target >= 0 or rules.options.lead_pass
    plays = rules.plays
    if plays.need[action] & ~state.hands[state.player]:
        return False
    if plays.family[action] >= FIRST_KAIDAN:
        if not rules.options.kaidan:
            return False
        at_edge = plays.low[action] < 0 or plays.high[action] >= NUM_RANKS
        if at_edge and not rules.options.joker_edges:
            return False
    return state.target < 0 or beats(rules, state, action)


@kernel
def beats(rules, state, action):
    """Return whether a play beats the play on the table, by family, ranks, lock and number lock."""
    if not beats_table(rules, state, action):
        return False
    return not is_number_locked(rules, state) or is_next(rules, state, action)


@kernel
def beats_table(rules, table, action):
    """Do `beats` without the number lock; `table` is a record with target, lock and revolution."""
    plays, target = rules.plays, np.int64(table.target)
    if target == JOKER:
        return rules.options.spade_three and action == SPADE_THREE
    if plays.family[action] != plays.family[target] or is_pair_of_jokers(rules, target):
        return False
    if action == JOKER or is_pair_of_jokers(rules, action):
        return True
    if table.lock and plays.suits[action] != table.lock:
        return False
    if table.revolution:
        return plays.high[action] < plays.low[target]
    return plays.low[action] > plays.high[target]


@kernel
def is_next(rules, table, action):
    """Return whether a play that beats the last one is of the next rank; True for jokers alone."""
    plays, target = rules.plays, np.int64(table.target)
    if action == JOKER or is_pair_of_jokers(rules, action):
        return True
    if table.revolution:
        return plays.high[action] == plays.low[target] - 1
    return plays.low[action] == plays.high[target] + 1

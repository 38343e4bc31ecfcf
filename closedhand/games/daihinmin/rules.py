"""The rules of Daihinmin: what a state is and how it moves on.

A round goes through the exchange, if there are classes, and then tricks until four players are
out. Players keep their numbers; `seats` is the order in which they sit. Actions are the ids of
`plays.py`. Kernels trust their callers: an action is legal, `admit` sees to it, and who only holds
a view asks nothing that the view does not know.
"""

from typing import NamedTuple

import numpy as np

from closedhand.core import bits
from closedhand.core.cards import shuffle
from closedhand.core.kernel import kernel
from closedhand.games.daihinmin.plays import (
    ALL_SUITS,
    DIAMOND_THREE,
    FIRST_KAIDAN,
    FIVE,
    JOKER,
    JOKER_BIT,
    LONGEST_KAIDAN,
    NUM_ACTIONS,
    NUM_CARDS,
    NUM_RANKS,
    PASS,
    SHORTEST,
    SPADE_THREE,
)

PLAYERS = 5
EVERYBODY = 2**PLAYERS - 1
MOST_PASSES = 20
EACH_RANK = np.uint64(0x1111111111111)
"""The clubs; times suits as bits, all cards of these suits."""
PAIRS_OF_BITS = np.uint64(0x3333333333333)
LONGEST = 1102
"""No round has more actions: 53 plays, not all 20 passes behind each, three picks; and so many
leave no padding in a state."""
NOBODY = -1
HIDDEN = -1
"""In the history: an exchanged card that the observer does not know."""
TAXES = (2, 1)
"""Cards that the daihinmin gives the daifugo, and the hinmin the fugo; as many come back."""

# Wide fields first: without padding, equal states are equal bytes.
STATE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                # Sets of cards, a bit for each:
                ("hands", "u8", PLAYERS),  # held
                ("played", "u8", PLAYERS),  # played in this round
                ("trick", "u8", PLAYERS),  # played in this trick
                ("taxed", "u8", 2),  # what daihinmin and hinmin gave
                ("returned", "u8", 2),  # what they got for it, or is chosen of it so far
                ("seed", "u8"),  # of all chance to come
                ("history", "i2", LONGEST),  # all actions of the round
                ("moves", "i4"),  # how many
                ("player", "i4"),  # to act
                ("target", "i4"),  # the play to beat, -1 for the player who leads
                ("owner", "i4"),  # who made it, or leads
                ("leader", "i4"),  # who led the first trick, -1 in the exchange
                ("left", "i4", PLAYERS),  # cards left
                ("places", "i4", PLAYERS),  # 0 for who was out first, -1 for who is not out
                ("out", "i4"),  # how many are out
                ("passed", "i4"),  # bits of the players who cannot play on in this trick
                ("passes", "i4"),  # since the last play
                ("lock", "i4"),  # bits of the suits that have to be played, 0 for any
                ("revolution", "i4"),  # whether low ranks beat high ones
                ("classes", "i4", PLAYERS),  # places of the last round, -1 in a round without
                ("seats", "i4", PLAYERS),  # the players in seat order
                ("next", "i4", PLAYERS),  # who sits behind each player
                ("round_number", "i4"),  # from 0
                ("points", "i4", PLAYERS),  # of the rounds that are over
            ],
            align=True,
        ),
    )
)


OPTIONS = np.dtype(
    (
        np.record,
        [
            (name, "i4")
            for name in (
                "rounds",
                "seat_period",
                "class_period",
                "ranked",  # whether the first round has classes
                "exchange",
                "kaidan",
                "joker_edges",
                "revolution",
                "eight_stop",
                "lock",
                "joker_unlocks",
                "spade_three",
                "overplay",
                "lead_pass",
                "pass_limit",
                "illegal_pass",  # whether what is illegal counts as a pass
            )
        ],
    )
)


class Rules(NamedTuple):
    """The table `plays.PLAYS` and the options of a game, as `make` describes them.

    Two records: kernels hand on as many pointers, not twenty numbers.
    """

    kernels = "closedhand.games.daihinmin.game"

    plays: np.record
    options: np.record


# Beginning a round


@kernel
def deal(rules, state, seed):
    """Start the match that belongs to a seed."""
    state.seed = seed
    state.round_number = 0
    for player in range(PLAYERS):
        state.points[player] = 0
        state.seats[player] = player
        state.places[player] = player
    if rules.options.ranked:
        state.seed = shuffle(state.places, state.seed)
    if rules.options.rounds > 1:
        state.seed = shuffle(state.seats, state.seed)
    deal_round(rules, state)


@kernel
def deal_round(rules, state):
    """Deal a round: classes by the places of the last one, cards in seat order."""
    reset = state.round_number % rules.options.class_period == 0 and not (
        rules.options.ranked and state.round_number == 0
    )
    for player in range(PLAYERS):
        state.classes[player] = -1 if reset else state.places[player]
    deck = np.arange(NUM_CARDS)
    state.seed = shuffle(deck, state.seed)
    first = np.int64(state.seed % np.uint64(PLAYERS))
    for seat in range(PLAYERS):
        if state.classes[state.seats[seat]] == 0:
            first = seat
    for player in range(PLAYERS):
        state.hands[player] = np.uint64(0)
    for i in range(NUM_CARDS):
        state.hands[state.seats[(first + i) % PLAYERS]] |= bit(deck[i])
    begin(rules, state)


@kernel
def begin(rules, state):
    """Start a round from the hands as dealt, seats, classes, round and points in `state`."""
    for player in range(PLAYERS):
        state.played[player] = np.uint64(0)
        state.left[player] = bits.size(state.hands[player])
        state.places[player] = NOBODY
        state.next[state.seats[player - 1]] = state.seats[player]
    for i in range(LONGEST):
        state.history[i] = 0
    for pair in range(2):
        state.taxed[pair] = np.uint64(0)
        state.returned[pair] = np.uint64(0)
    state.moves = 0
    state.out = 0
    state.passes = 0
    state.revolution = 0
    state.leader = NOBODY
    if rules.options.exchange and state.classes[0] >= 0:
        for pair in range(2):
            state.taxed[pair] = best_cards(state.hands[loser(state, pair)], TAXES[pair])
            give(state, state.taxed[pair], loser(state, pair), winner(state, pair))
        new_trick(state, winner(state, 0))
    else:
        lead_first(state)


@kernel
def bit(card):
    """The set of one card."""
    return np.uint64(1) << np.uint64(card)


@kernel
def best_cards(cards, number):
    """The best cards of a set, as taxes go: the joker, then by rank, then by suit s h d c."""
    best = np.uint64(0)
    for _ in range(number):
        best |= bit(bits.highest(cards & ~best))
    return best


@kernel
def of_class(state, rank):
    """The player of a class, 0 the daifugo to 4 the daihinmin."""
    for player in range(PLAYERS):
        if state.classes[player] == rank:
            return player
    return NOBODY


@kernel
def winner(state, pair):
    """The daifugo (pair 0) or the fugo (pair 1)."""
    return of_class(state, pair)


@kernel
def loser(state, pair):
    """The daihinmin (pair 0) or the hinmin (pair 1)."""
    return of_class(state, PLAYERS - 1 - pair)


@kernel
def give(state, cards, giver, taker):
    """Hand cards over."""
    state.hands[giver] &= ~cards
    state.hands[taker] |= cards
    state.left[giver] -= bits.size(cards)
    state.left[taker] += bits.size(cards)


@kernel
def pair_in_exchange(state):
    """Which winner chooses cards now: 0 the daifugo, 1 the fugo; 2 when tricks are played."""
    if state.leader >= 0:
        return 2
    return 0 if state.moves < TAXES[0] else 1


@kernel
def lead_first(state):
    """The holder of the three of diamonds leads the first trick."""
    for player in range(PLAYERS):
        if state.hands[player] & bit(DIAMOND_THREE):
            state.leader = player
    new_trick(state, state.leader)


@kernel
def rewind(state):
    """Go back to the first trick of the round; the history keeps what follows."""
    for player in range(PLAYERS):
        state.hands[player] |= state.played[player]
        state.played[player] = np.uint64(0)
        state.left[player] = bits.size(state.hands[player])
        state.places[player] = NOBODY
    state.moves = 0 if state.returned[0] == 0 else TAXES[0] + TAXES[1]
    state.out = 0
    state.passes = 0
    state.revolution = 0
    new_trick(state, state.leader)


# Legal actions


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions, ascending; return how many."""
    hand = state.hands[state.player]
    if state.leader < 0:
        return legal_picks(state, hand, out)
    if state.target < 0:
        return legal_leads(rules, state, hand, out)
    n = 0
    if state.target == JOKER:
        if rules.options.spade_three and hand & bit(SPADE_THREE):
            out[0] = SPADE_THREE
            n = 1
    elif state.left[state.player] >= rules.plays.length[state.target]:
        low, high = np.int64(rules.plays.high[state.target]) + 1, NUM_RANKS
        if state.revolution:
            low, high = -1, np.int64(rules.plays.low[state.target]) - 1
        family = np.int64(rules.plays.family[state.target])
        n = plays_between(rules, hand, family, low, high, np.int64(state.lock), out, 0)
    out[n] = PASS
    return n + 1


@kernel
def legal_picks(state, hand, out):
    """The cards that the daifugo or the fugo may give: two are chosen in ascending order."""
    pair = pair_in_exchange(state)
    cards = hand
    if state.returned[pair]:
        cards &= ~((state.returned[pair] << np.uint64(1)) - np.uint64(1))
    elif TAXES[pair] == 2:
        cards &= ~bit(bits.highest(hand))
    n = 0
    while cards:
        out[n] = bits.lowest(cards)
        cards &= cards - np.uint64(1)
        n += 1
    return n


@kernel
def legal_leads(rules, state, hand, out):
    """Every play that the hand holds, and the pass."""
    n = plays_between(rules, hand, 0, 0, NUM_RANKS, 0, out, 0)
    held = np.int64(state.left[state.player])
    for family in range(1, min(FIVE, held)):
        before = n
        n = plays_between(rules, hand, family, 0, NUM_RANKS, 0, out, n)
        if n == before:
            break
    if rules.options.kaidan:
        for length in range(SHORTEST, min(LONGEST_KAIDAN, held) + 1):
            before = n
            family = FIRST_KAIDAN + length - SHORTEST
            n = plays_between(rules, hand, family, -1, NUM_RANKS, 0, out, n)
            if n == before:
                break
    if rules.options.lead_pass:
        out[n] = PASS
        n += 1
    return n


@kernel
def plays_between(rules, hand, family, low, high, lock, out, n):
    """Write the plays of a family whose ranks are all `low` or higher and `high` or lower.

    The ranks -1 and 13 are those of the joker in a kaidan, below the 3 and above the 2.

    Args:
        rules: Of the game.
        hand: The cards to play from.
        family: Of plays.
        low: Lowest rank, from -1 on.
        high: Highest rank, up to 13.
        lock: Bits of the suits that a play must have, 0 for any; not for a lone joker.
        out: Takes the ids, ascending, from index `n` on.
        n: How many ids `out` holds already.

    Returns:
        How many it holds now.
    """
    if family == 0:
        return singles_between(hand, low, high, lock, out, n)
    if family < FIRST_KAIDAN:
        return groups_between(rules, hand, family, max(low, 0), high, lock, out, n)
    return kaidan_between(rules, hand, family, low, high, lock, out, n)


@kernel
def ranks_between(low, high):
    """All cards but the joker whose rank is `low` or higher and `high` or lower."""
    first, end = max(low, 0), min(high, NUM_RANKS - 1) + 1
    if first >= end:
        return np.uint64(0)
    return bit(4 * end) - bit(4 * first)


@kernel
def of_suits(suits):
    """All cards but the joker of the suits that are bits of `suits`; of 0 those of all suits."""
    return EACH_RANK * np.uint64(suits if suits else ALL_SUITS)


@kernel
def ranks_with(cards, number):
    """The ranks of which a set holds at least `number` cards, 1 to 4, as bits 4 x rank."""
    counts = cards & (JOKER_BIT - np.uint64(1))
    counts -= (counts >> np.uint64(1)) & np.uint64(0x5555555555555)
    counts = (counts & PAIRS_OF_BITS) + ((counts >> np.uint64(2)) & PAIRS_OF_BITS)
    return ((counts + EACH_RANK * np.uint64(8 - number)) >> np.uint64(3)) & EACH_RANK


@kernel
def singles_between(hand, low, high, lock, out, n):
    """`plays_between` for singles; the joker is above every rank in either order."""
    cards = hand & ranks_between(low, high) & of_suits(lock)
    cards |= hand & JOKER_BIT
    while cards:
        out[n] = bits.lowest(cards)
        cards &= cards - np.uint64(1)
        n += 1
    return n


@kernel
def groups_between(rules, hand, family, low, high, lock, out, n):
    """`plays_between` for groups of `family + 1` equal ranks."""
    size = family + 1
    joker = np.int64(hand >> np.uint64(JOKER))
    ranks = ranks_with(hand, size - joker) if size - joker < FIVE else np.uint64(0)
    ranks &= ranks_between(low, high)
    shapes = (rules.plays.first[family + 1] - rules.plays.first[family]) // NUM_RANKS
    while ranks:
        place = bits.lowest(ranks)
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
    """`plays_between` for kaidan."""
    length = family - FIRST_KAIDAN + SHORTEST
    own = hand & (JOKER_BIT - np.uint64(1)) & of_suits(lock)
    joker = hand & JOKER_BIT != 0
    # Bits of the lowest cards of runs that lack none of their cards, or one at most.
    whole = EACH_RANK * np.uint64(ALL_SUITS)
    shorter = lacking = whole
    for i in range(length):
        cards = own >> np.uint64(4 * i)
        lacking = (lacking & cards) | whole
        shorter = whole
        whole &= cards
    first = np.int64(rules.plays.first[family])
    if joker and rules.options.joker_edges and low < 0 and length - 2 <= high:
        for suit in range(4):
            if shorter & bit(suit):
                out[n] = first + suit
                n += 1
    first += 4
    starts = (lacking if joker else whole) & ranks_between(
        low, min(high, NUM_RANKS - 1) - length + 1
    )
    while starts:
        place = bits.lowest(starts)
        starts &= starts - np.uint64(1)
        play = first + place * (length + 1)
        if whole & bit(place):
            for k in range(1 + length if joker else 1):
                out[n] = play + k
                n += 1
        else:
            missing = ranks_between(0, length - 1) & EACH_RANK
            missing = (missing << np.uint64(place)) & ~own
            out[n] = play + 1 + (bits.lowest(missing) - place) // 4
            n += 1
    above = NUM_RANKS + 1 - length
    if joker and rules.options.joker_edges and high >= NUM_RANKS and low <= above:
        for suit in range(4):
            if shorter & bit(4 * above + suit):
                out[n] = first + 4 * above * (length + 1) + suit
                n += 1
    return n


@kernel
def admit(rules, state, action, ids):
    """The action that a submitted one, any integer, counts as; -1 if it is refused.

    What is illegal is a pass, in the exchange the best card, or else it is refused.
    """
    if can_play(rules, state, action):
        return np.int64(action)
    if not rules.options.illegal_pass or action < 0 or action >= NUM_ACTIONS or over(rules, state):
        return -1
    return PASS if state.leader >= 0 else best_pick(state)


@kernel
def is_legal(rules, state, action, ids):
    """Whether `action`, any integer, is legal now."""
    return can_play(rules, state, action)


@kernel
def can_play(rules, state, action):
    """`is_legal`, which is told without a list of actions."""
    if action < 0 or action > PASS or over(rules, state):
        return False
    if state.leader < 0:
        return can_pick(state, action)
    if action == PASS:
        return state.target >= 0 or rules.options.lead_pass
    plays = rules.plays
    if plays.need[action] & ~state.hands[state.player]:
        return False
    if plays.family[action] >= FIRST_KAIDAN:
        if not rules.options.kaidan:
            return False
        if not rules.options.joker_edges and (
            plays.low[action] < 0 or plays.high[action] >= NUM_RANKS
        ):
            return False
    return state.target < 0 or beats(rules, state, action)


@kernel
def beats(rules, state, action):
    """Whether a play beats the one on the table, as kind, order of ranks and lock have it."""
    plays, target = rules.plays, np.int64(state.target)
    if target == JOKER:
        return rules.options.spade_three and action == SPADE_THREE
    if plays.family[action] != plays.family[target]:
        return False
    if action == JOKER:
        return True
    if state.lock and plays.suits[action] != state.lock:
        return False
    if state.revolution:
        return plays.high[action] < plays.low[target]
    return plays.low[action] > plays.high[target]


@kernel
def can_pick(state, action):
    """Whether a card may be given in the exchange now."""
    if action > JOKER or not state.hands[state.player] & bit(action):
        return False
    pair = pair_in_exchange(state)
    if state.returned[pair]:
        return action > bits.highest(state.returned[pair])
    return TAXES[pair] == 1 or action < bits.highest(state.hands[state.player])


# Playing


@kernel
def play(rules, state, action):
    """Apply a legal action and move on to the next player who has to act."""
    if state.leader < 0:
        pick(state, np.int64(action))
        return
    state.history[state.moves] = action
    state.moves += 1
    if action == PASS:
        state.passes += 1
        state.passed |= 1 << state.player
        if state.passes >= rules.options.pass_limit:
            rank_rest(state)
        else:
            move_on(rules, state)
    else:
        lay(rules, state, np.int64(action))
    if state.out == PLAYERS:
        end_round(rules, state)


@kernel
def best_pick(state):
    """The best card that may be given in the exchange now."""
    hand = state.hands[state.player]
    pair = pair_in_exchange(state)
    if TAXES[pair] == 2 and not state.returned[pair]:
        hand &= ~bit(bits.highest(hand))
    return bits.highest(hand)


@kernel
def pick(state, card):
    """Choose a card in the exchange; with the last one of a winner all of his change hands."""
    pair = pair_in_exchange(state)
    state.history[state.moves] = card
    state.moves += 1
    state.returned[pair] |= bit(card)
    if bits.size(state.returned[pair]) < TAXES[pair]:
        return
    give(state, state.returned[pair], winner(state, pair), loser(state, pair))
    if pair == 0:
        state.player = winner(state, 1)
    else:
        lead_first(state)


@kernel
def lay(rules, state, action):
    """Lay cards on the table."""
    player = np.int64(state.player)
    cards = rules.plays.need[action]
    suits = np.int64(rules.plays.suits[action])
    state.hands[player] &= ~cards
    state.played[player] |= cards
    state.trick[player] |= cards
    state.left[player] -= rules.plays.length[action]
    state.passes = 0
    beaten = np.int64(state.target)
    if action == JOKER:
        if rules.options.joker_unlocks:
            state.lock = 0
    elif rules.options.lock and beaten >= 0 and rules.plays.suits[beaten] == suits:
        state.lock = suits
    state.target = action
    state.owner = player
    if rules.options.revolution and rules.plays.revolts[action]:
        state.revolution = 1 - state.revolution
    if state.left[player] == 0:
        go_out(state, player)
        if state.out == PLAYERS - 1:
            for last in range(PLAYERS):
                if state.places[last] < 0:
                    go_out(state, last)
            return
    if (rules.options.eight_stop and rules.plays.eight[action]) or beaten == JOKER:
        new_trick(state, player)
    else:
        move_on(rules, state)


@kernel
def go_out(state, player):
    """Give a player the next place; he acts no more."""
    state.places[player] = state.out
    state.out += 1
    state.passed |= 1 << player


@kernel
def rank_rest(state):
    """Rank the players who are not out at random.

    Their cards, which nobody knows all of, draw: so a round follows from its deal and its actions.
    """
    seed = np.uint64(state.moves)
    order = np.arange(PLAYERS)
    for player in range(PLAYERS):
        seed = shuffle(order, seed ^ state.hands[player])
    shuffle(order, seed)
    for player in order:
        if state.places[player] < 0:
            go_out(state, player)


@kernel
def move_on(rules, state):
    """It is the turn of the next player who can play on; where there is none, a new trick begins.

    The trick's owner may play over his own cards, unless the rules forbid it.
    """
    waiting = EVERYBODY & ~state.passed
    if not rules.options.overplay and state.target >= 0:
        waiting &= ~(1 << state.owner)
    if waiting == 0:
        new_trick(state, state.owner)
        return
    player = state.next[state.player]
    while not waiting & (1 << player):
        player = state.next[player]
    state.player = player


@kernel
def new_trick(state, leader):
    """Clear the table; `leader` leads, or if he is out the next player who is not."""
    state.target = -1
    state.lock = 0
    state.passed = 0
    for player in range(PLAYERS):
        state.trick[player] = np.uint64(0)
        if state.places[player] >= 0:
            state.passed |= 1 << player
    while state.passed & (1 << leader):
        leader = state.next[leader]
    state.player = leader
    state.owner = leader


@kernel
def end_round(rules, state):
    """Count the points; begin the next round, if there is one."""
    for player in range(PLAYERS):
        state.points[player] += PLAYERS - state.places[player]
    if state.round_number + 1 < rules.options.rounds:
        state.round_number += 1
        if state.round_number % rules.options.seat_period == 0:
            state.seed = shuffle(state.seats, state.seed)
        deal_round(rules, state)


@kernel
def over(rules, state):
    """Whether the last round has ended."""
    return state.out == PLAYERS


@kernel
def returns(rules, state, out):
    """Write the points by player of all rounds that have ended, 5 to 1 for each."""
    for player in range(PLAYERS):
        out[player] = state.points[player]


@kernel
def payoff(rules, state, player):
    """The points of a player as soon as they are certain: in the last round when he is out."""
    if state.places[player] < 0 or state.round_number + 1 < rules.options.rounds:
        return np.nan
    points = np.float64(state.points[player])
    return points if over(rules, state) else points + PLAYERS - state.places[player]

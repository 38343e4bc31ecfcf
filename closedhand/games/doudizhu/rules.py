"""The rules of Dou Dizhu: deals, plays and payoffs.

`auction.py` defines words (bids, doubling, the open hand), `counts.py` packed cards, and `plays.py`
main groups, families and standings. Here `g` is the id of a main group, `group` its record, `f` the
index of a family, and `family` its record. Kernels take the arguments of `core.contract`; they do
not check whether an action is legal, nor whether a view hides what they read. In a game of two the
third seat holds the cards that are set aside.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from closedhand.core import bits
from closedhand.core.cards import shuffle
from closedhand.core.checks import InputError
from closedhand.core.numba.jit import State, inlined, kernel
from closedhand.games.doudizhu import auction
from closedhand.games.doudizhu.counts import EACH, at_least, contains, count, one, size
from closedhand.games.doudizhu.plays import ALL_FAMILIES, BOMB, FAMILIES, PASS_FAMILY, PASS_GROUP
from closedhand.games.doudizhu.state import LONGEST, SEATS, STATE, Rules, around, clear

CARDS = 54
"""Number of cards of the largest deck."""
SUITED = EACH & np.uint64((1 << 4 * 13) - 1)
"""One card of each rank but the jokers, packed."""


@kernel
def third(rules):
    """Return the number of cards that the third seat is dealt."""
    return rules.options.hand if rules.options.players == SEATS else rules.options.aside


@kernel
def deal(rules, state, seed):
    """Deal the cards of `seed`, a uint64 other than 0, and start the game in `state`."""
    dealt = 2 * rules.options.hand + third(rules) + rules.options.public
    deck = np.empty(CARDS, np.int8)[:dealt]  # made with a constant length, for GPUs
    i = 0
    for rank in range(15):
        for _ in range(count(rules.options.deck, rank)):
            deck[i] = rank
            i += 1
    seed = shuffle(deck, seed)
    i = 0
    for seat in range(SEATS):
        state.hands[seat] = np.uint64(0)
        for _ in range(rules.options.hand if seat < 2 else third(rules)):
            state.hands[seat] += one(deck[i])
            i += 1
    public = np.uint64(0)
    while i < len(deck):
        public += one(deck[i])
        i += 1
    state.public = public
    state.seed = seed  # advanced by the shuffle; it deals again if all pass
    begin(rules, state)


def deals(rules: Rules) -> Iterator[tuple[State, float]]:
    """Iterate over all deals, by counts of ranks, with their probabilities.

    Raises:
        InputError: There is an auction, and another deal follows if all pass.
    """
    if rules.options.bidding and rules.options.passed_deals != 1:
        raise InputError(
            "with an auction there is no list of deals, as another one follows if all pass; with "
            "passed_deals=1 none does"
        )
    sizes = [rules.options.hand, rules.options.hand, third(rules), rules.options.public]
    held = [int(count(rules.options.deck, rank)) for rank in range(15)]
    # All `ways` to deal different cards are equally likely; `alike` of them give the same counts.
    ways = math.factorial(sum(sizes)) // math.prod(map(math.factorial, sizes))
    for hands in _shared_out(held, sizes):
        packed = [sum(n << 4 * rank for rank, n in enumerate(hand)) for hand in hands]
        state = np.zeros(1, STATE)[0]
        state.hands[:] = packed[:SEATS]
        state.public = packed[SEATS]
        state.seed = 1  # any but 0, which `valid` refuses: nothing is drawn from it
        begin(rules, state)
        alike = math.prod(
            math.factorial(number) // math.prod(math.factorial(hand[rank]) for hand in hands)
            for rank, number in enumerate(held)
        )
        yield state, alike / ways


def _shared_out(held: Sequence[int], sizes: list[int]) -> Iterator[list[tuple[int, ...]]]:
    """Iterate over all ways to divide `held` into hands of some sizes, all as counts by rank."""
    if not sizes:
        yield []
        return
    for hand in product(*(range(min(number, sizes[0]) + 1) for number in held)):
        if sum(hand) == sizes[0]:
            rest = [number - taken for number, taken in zip(held, hand, strict=True)]
            for others in _shared_out(rest, sizes[1:]):
                yield [hand, *others]


@kernel
def begin(rules, state):
    """Start a game from the dealt hands, the public cards and the seed in `state`."""
    for seat in range(SEATS):
        state.played[seat] = np.uint64(0)
        state.left[seat] = rules.options.hand if seat < 2 else third(rules)
        state.plays[seat] = 0
    for i in range(LONGEST):
        state.history[i] = 0
    state.moves = 0
    state.target = -1
    state.player = 0
    state.owner = -1
    state.words = 0
    state.bombs = 0
    state.stake = 0
    state.landlord = -1
    state.passed = 0
    clear(state)
    if not rules.options.bidding:  # seat 0 is the landlord
        state.stake = rules.options.stake
        auction.crown(rules, state, 0)


@kernel
def lowest_ranks(family, cards):
    """Return the lowest main ranks, packed, of all groups of a family that `cards` hold."""
    return chained(at_least(cards, family.copies) & family.within, family.length)


@inlined
def chained(ranks, length):
    """Return the packed `ranks` at which a chain of `length` consecutive ones begins."""
    found = ranks
    for i in range(1, length):  # rank + i must be there, too
        found &= ranks >> np.uint64(4 * i)
    return found


@kernel
def has_ranks(group, cards):
    """Return whether cards that hold a main group have enough different ranks for its kickers."""
    # Different ranks other than jokers may always be kickers. If there are too few, a joker or
    # equal kickers may still do. `first` is `end` if the preset has no plays of the group.
    ranks = at_least(cards, group.unit) & SUITED
    spare = bits.size(ranks) - bits.size(group.ranks)
    return spare >= group.kickers and group.first < group.end


@inlined
def allows(plays, cards, play, least):
    """Return whether `cards` contain `play`, an id, and its strength is `least` or more; 0: any."""
    return contains(cards, plays.need[play]) and (least == 0 or plays.strength[play] >= least)


@kernel
def has_play(plays, g, cards, least):
    """Return whether `cards`, which hold main group `g`, allow a play of it; see `allows`."""
    group = plays.groups[g]
    if least == 0 and has_ranks(group, cards):
        return True
    for play in range(group.first, group.end):
        if allows(plays, cards, play, least):
            return True
    return False


@kernel
def least_strength(rules, state):
    """Return the least `strength` of `plays.PLAYS` that a play with kickers needs now; 0: any."""
    if state.target < 0:
        return 0
    return np.int64(rules.plays.standings[rules.plays.standing[state.target]].least)


@kernel
def is_bomb(f):
    """Return whether family `f`, an index, is that of bombs or the rocket, which double payoffs."""
    return f >= BOMB and f < PASS_FAMILY


@kernel
def legal_groups(rules, state, out):
    """Write the main groups that may be played now and are in hand, ascending; return their number.

    Only the main cards are checked, not the kickers (see `least_strength`). The pass is left out,
    and so are the groups after it, the shuttles: `legal_shuttles` writes their plays.
    """
    hand = state.hands[state.player]
    # A leader may play any family. A follower may play the groups after `above` in the families `f`
    # and `then`, and in those from `BOMB` on.
    above, f, then = -1, 0, BOMB
    if state.target >= 0:
        standing = rules.plays.standings[rules.plays.standing[state.target]]
        above = np.int64(standing.above)
        f = np.int64(standing.family)
        then = np.int64(standing.then)
    n = 0
    while f < PASS_FAMILY:
        family = rules.plays.families[f]
        # The lowest four bits are now those of the first group of the family.
        ranks = lowest_ranks(family, hand) >> np.uint64(4 * family.rank)
        if state.target >= 0 and f < BOMB:
            f, then = then, BOMB  # the next `f`: `then`, and after it bombs and the rocket
        elif ranks:
            f += 1
        else:
            # Without a chain of this length there is none that is longer: skip those families.
            f += 1 + family.longer
        while ranks:
            g = np.int64(family.first) + (bits.lowest(ranks) >> 2)
            out[n] = g
            n += g > above  # in place of a branch that the processor could not predict
            ranks &= ranks - np.uint64(1)
    return n


@kernel
def legal_shuttles(rules, state, out, n):
    """Write the legal shuttles to `out` from index `n` on; return the number of ids in `out`."""
    hand = state.hands[state.player]
    for f in range(FAMILIES, ALL_FAMILIES):
        family = rules.plays.families[f]
        ranks = lowest_ranks(family, hand) >> np.uint64(4 * family.rank)
        for g in range(family.first, family.end):
            held = ranks >> np.uint64(4 * (g - family.first)) & np.uint64(1)
            if held and follows(rules, state, g):
                group = rules.plays.groups[g]
                for play in range(group.first, group.end):
                    if contains(hand, rules.plays.need[play]):
                        out[n] = play
                        n += 1
    return n


@kernel
def follows(rules, state, g):
    """Return whether main group `g`, assumed in hand with fitting kickers, may be played now."""
    if state.target < 0:
        return True
    if g > PASS_GROUP:  # a shuttle beats only lower ones of its family
        target = np.int64(rules.plays.group[state.target])
        return g > target and rules.plays.groups[g].family == rules.plays.groups[target].family
    standing = rules.plays.standings[rules.plays.standing[state.target]]
    f = rules.plays.groups[g].family
    may_follow = f == standing.family or f == standing.then or is_bomb(f)
    return may_follow and g > standing.above


@kernel
def is_said(rules, state, action, ids):
    """Return whether `action`, any integer, may be said now, in the opening: a word or the pass."""
    if over(rules, state):  # all have passed in the last deal
        return False
    for i in range(auction.legal_words(rules, state, ids)):
        if ids[i] == action:
            return True
    return False


@kernel
def is_legal(rules, state, action, ids):
    """Return whether `action`, any integer, is legal now; `ids` is scratch space."""
    if auction.is_opening(rules, state):
        return is_said(rules, state, action, ids)
    if action < 0 or action > auction.pass_id(rules) or over(rules, state):
        return False
    if action == auction.pass_id(rules):
        return state.target >= 0
    g = np.int64(rules.plays.group[action])
    hand = state.hands[state.player]
    if not (contains(hand, rules.plays.need[action]) and follows(rules, state, g)):
        return False
    has_kickers = rules.plays.groups[g].kickers > 0
    return not has_kickers or rules.plays.strength[action] >= least_strength(rules, state)


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions, ascending; return their number."""
    if auction.is_opening(rules, state):
        return auction.legal_words(rules, state, out)
    hand = state.hands[state.player]
    # The groups are kept at the end of `out` while their plays are written at its beginning. No
    # hand allows so many plays that the two meet.
    groups = out[len(out) - PASS_GROUP :]  # so many groups come before the pass
    least = least_strength(rules, state)
    n = 0
    for i in range(legal_groups(rules, state, groups)):
        group = rules.plays.groups[groups[i]]
        for play in range(group.first, group.end):
            if group.kickers == 0 or allows(rules.plays, hand, play, least):
                out[n] = play
                n += 1
    if rules.plays.shuttles:
        n = legal_shuttles(rules, state, out, n)
    if state.target >= 0:
        out[n] = auction.pass_id(rules)
        n += 1
    return n


@kernel
def play(rules, state, action):
    """Apply a legal action, and determine the next player to act."""
    opening = auction.is_opening(rules, state)  # it reads `moves`, which grows below
    state.history[state.moves] = action
    state.moves += 1
    if opening:
        if auction.say(rules, state, action - auction.pass_id(rules)):
            if rules.options.passed_deals == 0:  # no limit: deal until somebody bids or calls
                deal(rules, state, state.seed)
            elif state.passed + 1 < rules.options.passed_deals:
                passed = state.passed + 1
                deal(rules, state, state.seed)
                state.passed = passed
        return
    player = state.player
    following = around(rules, player + 1)
    if action == auction.pass_id(rules):
        if following == state.owner:  # all others have passed: the owner leads
            state.target = -1
    else:
        cards = rules.plays.need[action]
        state.hands[player] -= cards
        state.played[player] += cards
        state.left[player] -= size(cards)
        state.plays[player] += 1
        state.target = action
        state.owner = player
        if is_bomb(rules.plays.groups[rules.plays.group[action]].family):
            state.bombs += 1
    state.player = following


@kernel
def over(rules, state):
    """Return whether a side has won, or all have passed in the auction of the last deal."""
    if state.landlord < 0:  # the stake is 0 until a bid or call
        return state.words == rules.options.players and state.stake == 0
    if min(state.left[0], state.left[1], state.left[2]) == 0:
        return True
    if rules.options.players == SEATS:
        return False
    # With two players the peasant also wins with at most as many cards left as were conceded.
    return state.left[1 - state.landlord] <= auction.conceded(rules, state)


@kernel
def is_spring(rules, state):
    """Return whether spring or anti-spring doubles the payoffs of a finished game with a landlord.

    Spring: the peasants made no play. Anti-spring: the landlord made only the first play.
    """
    if not rules.options.spring:
        return False
    landlord = np.int64(state.landlord)
    if state.left[landlord] == 0:
        return state.plays[0] + state.plays[1] + state.plays[2] == state.plays[landlord]
    return state.plays[landlord] == 1


@kernel
def returns(rules, state, out):
    """Write the payoffs of a finished game by player: 0 if nobody became the landlord."""
    landlord = np.int64(state.landlord)
    if landlord < 0:
        for seat in range(rules.options.players):
            out[seat] = 0.0
        return
    won = state.left[landlord] == 0
    sign = 1.0 if won else -1.0
    points = sign
    if not rules.options.win:
        points *= state.stake * 2.0**state.bombs
        if is_spring(rules, state):
            points *= 2.0
    total = 0.0
    for seat in range(rules.options.players):
        times = 1.0
        if rules.options.double_word and not rules.options.win:
            own = auction.doubled(rules, state, seat)
            times = 2.0 ** (auction.doubled(rules, state, landlord) + own)
        out[seat] = 0.0 - points * times  # not -0.0, which would be shown with its sign
        total += points * times if seat != landlord else 0.0
    out[landlord] = points if rules.options.win else total


@kernel
def rewind(state):
    """Take back all plays and passes after the words; `history` keeps them, for a replay."""
    for seat in range(SEATS):
        state.hands[seat] += state.played[seat]
        state.left[seat] += size(state.played[seat])
        state.played[seat] = np.uint64(0)
        state.plays[seat] = 0
    state.moves = state.words
    state.target = -1
    state.player = state.landlord
    state.owner = state.landlord
    state.bombs = 0
    clear(state)

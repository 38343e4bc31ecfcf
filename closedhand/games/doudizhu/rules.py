"""The rules of Dou Dizhu: states and transitions.

A game consists of an auction (only with `bidding`) and the play, which the landlord opens. Actions
are the ids of the preset's play table (`plays.py`), the last of which is `PASS`. With bidding the
pass also means bid 0, and the bids 1 to 3 follow it. Kernels trust their callers to pass legal
actions only, and to ask of a view nothing that it hides.
"""

from typing import NamedTuple

import numpy as np

from closedhand.core.cards import draw_place, shuffle
from closedhand.core.kernel import kernel, seed_in_kernel
from closedhand.games.doudizhu.counts import DECK, at_least, contains, count, one, size
from closedhand.games.doudizhu.plays import BOMB, PASS_FAMILY, PASS_GROUP

SEATS = 3
LONGEST = 160
"""Upper bound on actions in a game: 52 plays that do not end it, two passes each, three bids."""
MOST_BOMBS = 14
"""Thirteen ranks held four times, and the rocket."""

# Wide fields first: without padding, equal states are equal bytes.
STATE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("hands", "u8", SEATS),  # cards held, packed
                ("played", "u8", SEATS),  # cards played, packed
                ("public", "u8"),  # the three public cards, packed
                ("seed", "u8"),  # seed of the next deal, if everybody passes in the auction
                ("picked", "u8"),  # kickers chosen so far in a sub-stepped play, packed
                ("history", "u2", LONGEST),  # all actions since the deal, bids included
                ("moves", "i4"),  # number of actions
                ("target", "i4"),  # the play to beat, -1 for the player who leads
                ("player", "i4"),  # the player to act
                ("owner", "i4"),  # who made the play to beat; in the auction, the highest bidder
                ("landlord", "i4"),  # -1 during the auction
                ("bids", "i4"),  # number of bids made
                ("stake", "i4"),  # the highest bid, or the base
                ("bombs", "i4"),  # number of bombs and rockets played
                ("left", "i4", SEATS),  # number of cards left
                ("plays", "i4", SEATS),  # number of plays made, without passes
                # In kicker sub-steps, the incomplete play of the player to act:
                ("group", "i4"),  # its main group, -1 if none is chosen
                ("picks", "i4"),  # number of kickers still to choose
            ],
            align=True,
        ),
    )
)


class Rules(NamedTuple):
    """The table of a preset, a record of `plays.PLAYS`, and the options of the game."""

    kernels = "closedhand.games.doudizhu.game"

    plays: np.record
    bidding: bool
    spring: bool
    win: bool
    base: int


@kernel
def deal(rules, state, seed):
    """Deal the cards determined by a seed, and start."""
    deck = np.empty(54, np.int8)
    for i in range(54):
        deck[i] = i // 4 if i < 52 else i - 39
    seed = shuffle(deck, seed)
    for seat in range(SEATS):
        state.hands[seat] = np.uint64(0)
    public = np.uint64(0)
    for i in range(51):
        state.hands[i // 17] += one(deck[i])
    for i in range(51, 54):
        public += one(deck[i])
    state.public = public
    state.seed = seed
    begin(rules, state)


@kernel
def begin(rules, state):
    """Start a game from the hands of 17 and the public cards in `state`."""
    for seat in range(SEATS):
        state.played[seat] = np.uint64(0)
        state.left[seat] = 17
        state.plays[seat] = 0
    for i in range(LONGEST):
        state.history[i] = 0
    state.moves = 0
    state.target = -1
    state.player = 0
    state.owner = -1
    state.bids = 0
    state.bombs = 0
    state.stake = 0
    state.landlord = -1
    clear(state)
    if not rules.bidding:
        state.stake = rules.base
        crown(state, 0)


@kernel
def clear(state):
    """Clear an incomplete play."""
    state.group = -1
    state.picked = np.uint64(0)
    state.picks = 0


@kernel
def crown(state, seat):
    """Make `seat` the landlord, who takes the public cards and leads."""
    state.landlord = seat
    state.hands[seat] += state.public
    state.left[seat] += 3
    state.player = seat
    state.owner = seat


@kernel
def pass_id(rules):
    """The id of the pass; the bids 1, 2 and 3 follow it."""
    return rules.plays.number - 1


@kernel
def lowest_ranks(family, cards):
    """The lowest main rank of each group of a family in `cards`, packed as one card each."""
    ranks = at_least(cards, family.copies) & family.within
    found = ranks
    for i in range(1, family.length):
        found &= ranks >> np.uint64(4 * i)
    return found


@kernel
def has_play(plays, g, cards):
    """Whether `cards` contain a play of group `g`."""
    group = plays.groups[g]
    for play in range(group.first, group.end):
        if contains(cards, plays.need[play]):
            return True
    return False


@kernel
def legal_groups(rules, state, out):
    """Write the main groups that may be played now and are in hand, ascending; return their number.

    Only the main cards are checked, not the kickers.
    """
    hand = state.hands[state.player]
    target = -1
    f = 0
    if state.target >= 0:
        target = np.int64(rules.plays.group[state.target])
        f = np.int64(rules.plays.groups[target].family)
    n = 0
    while f < PASS_FAMILY:
        family = rules.plays.families[f]
        ranks = lowest_ranks(family, hand) >> np.uint64(4 * family.rank)
        if state.target >= 0 and f < BOMB:
            f = BOMB
        elif ranks:
            f += 1
        else:
            # Without a chain of this length there is no longer one.
            f += 1 + family.longer
        g = np.int64(family.first)
        while ranks:
            if ranks & np.uint64(1) and g > target:
                out[n] = g
                n += 1
            ranks >>= np.uint64(4)
            g += 1
    return n


@kernel
def legal_bids(rules, state, out):
    """Write the pass, then every bid above the highest so far; return their number."""
    out[0] = pass_id(rules)
    n = 1
    for bid in range(state.stake + 1, 4):
        out[n] = pass_id(rules) + bid
        n += 1
    return n


@kernel
def legal(rules, state, out):
    """Write the ids of the legal actions, ascending; return their number."""
    if state.landlord < 0:
        return legal_bids(rules, state, out)
    hand = state.hands[state.player]
    # The groups are kept at the end of `out` while their plays are written at its beginning.
    groups = out[len(out) - PASS_GROUP :]
    n = 0
    for i in range(legal_groups(rules, state, groups)):
        group = rules.plays.groups[groups[i]]
        for play in range(group.first, group.end):
            if group.kickers == 0 or contains(hand, rules.plays.need[play]):
                out[n] = play
                n += 1
    if state.target >= 0:
        out[n] = pass_id(rules)
        n += 1
    return n


@kernel
def play(rules, state, action):
    """Apply a legal action, and determine the next player to act."""
    state.history[state.moves] = action
    state.moves += 1
    if state.landlord < 0:
        bid(rules, state, action - pass_id(rules))
        return
    player = state.player
    following = (player + 1) % SEATS
    if action == pass_id(rules):
        if following == state.owner:
            state.target = -1
    else:
        cards = rules.plays.need[action]
        state.hands[player] -= cards
        state.played[player] += cards
        state.left[player] -= size(cards)
        state.plays[player] += 1
        state.target = action
        state.owner = player
        if rules.plays.groups[rules.plays.group[action]].family >= BOMB:
            state.bombs += 1
    state.player = following


@kernel
def bid(rules, state, value):
    """Apply a bid: a 3 or the third bid ends the auction; after three passes, deal again."""
    state.bids += 1
    if value > 0:
        state.stake = value
        state.owner = state.player
    if value < 3 and state.bids < SEATS:
        state.player += 1
    elif state.stake > 0:
        crown(state, state.owner)
    else:
        deal(rules, state, state.seed)


@kernel
def over(rules, state):
    """Whether a player has run out of cards."""
    return state.landlord >= 0 and min(state.left[0], state.left[1], state.left[2]) == 0


@kernel
def returns(rules, state, out):
    """Write the payoffs of a finished game by player."""
    landlord = np.int64(state.landlord)
    won = state.left[landlord] == 0
    sign = 1.0 if won else -1.0
    points = sign
    if not rules.win:
        points *= state.stake * 2.0**state.bombs
        if rules.spring:
            peasants = state.plays[(landlord + 1) % SEATS] + state.plays[(landlord + 2) % SEATS]
            if (won and peasants == 0) or (not won and state.plays[landlord] == 1):
                points *= 2.0
    for seat in range(SEATS):
        out[seat] = -points
    out[landlord] = points if rules.win else 2.0 * points


@kernel
def rewind(state):
    """Take every play back: the landlord leads, and everybody holds its played cards again."""
    for seat in range(SEATS):
        state.hands[seat] += state.played[seat]
        state.left[seat] += size(state.played[seat])
        state.played[seat] = np.uint64(0)
        state.plays[seat] = 0
    state.moves = state.bids
    state.target = -1
    state.player = state.landlord
    state.owner = state.landlord
    state.bombs = 0
    clear(state)


@kernel
def known_public(state):
    """The public cards that the landlord is known to hold still, packed.

    Suits are not distinguished, so a card that the landlord has played counts as the public card of
    its rank.
    """
    known = np.uint64(0)
    if state.landlord >= 0:
        for rank in range(15):
            missing = count(state.public, rank) - count(state.played[state.landlord], rank)
            for _ in range(missing):
                known += one(rank)
    return known


@kernel
def unseen(state, player):
    """The cards that `player` has not seen, packed: not held, not played, not known public ones."""
    cards = DECK - state.hands[player] - state.played[0] - state.played[1] - state.played[2]
    return cards if player == state.landlord else cards - known_public(state)


@kernel
def hide(rules, state, player):
    """Blank, in place, everything that `player` cannot know.

    This includes another player's play until it is complete.
    """
    for seat in range(SEATS):
        if seat != player:
            state.hands[seat] = np.uint64(0)
    state.seed = np.uint64(0)
    if player != state.player:
        clear(state)
    if state.landlord < 0:
        state.public = np.uint64(0)


@kernel
def redeal(rules, view, player, rng):
    """Fill, in place, what `hide` blanked for `player` with a random consistent deal.

    Uniform over the ways to deal the unseen cards; the landlord keeps the public cards known to be
    in its hand.
    """
    hidden = unseen(view, player)
    room = np.empty(SEATS + 1, np.int64)
    for seat in range(SEATS):
        room[seat] = 0 if seat == player else view.left[seat]
    room[SEATS] = 0
    if view.landlord < 0:
        room[SEATS] = 3
    elif view.landlord != player:
        known = known_public(view)
        view.hands[view.landlord] = known
        room[view.landlord] -= size(known)
    left = room.sum()
    for rank in range(15):
        for _ in range(count(hidden, rank)):
            taker = draw_place(room, left, rng)
            left -= 1
            if taker < SEATS:
                view.hands[taker] += one(rank)
            else:
                view.public += one(rank)
    view.seed = seed_in_kernel(rng)

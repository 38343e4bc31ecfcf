"""The words before the landlord leads: the auction, doubling, and the open hand.

A **word** is a declaration such as a bid, or the pass, which declines. The words in use have the
ids after the pass: the bids 1 to 3 or, with `robbing`, call and rob; then double; then show.

- The auction (`bidding`): each seat bids once, 0 to 3, and the highest bid is the stake. In the
  preset `botzone` the first seat is the landlord if nobody bids; the stake is then 0.
- By calling and robbing instead (`robbing`): the seats are asked in turn whether they call, until
  one does. Each seat after it may rob once; if one has, so may the caller. Seats that passed before
  the call may not rob. The last to call or rob is the landlord, and each robbing doubles the stake.
- Doubling (`doubling`): the landlord, then the others in turn, may double. The landlord settles
  with each peasant for the stake, doubled if the landlord did, and again if that peasant did.
- The open hand (`open_hand`): then the landlord may show all cards, which doubles the stake.

In a game of two the players rob in turn, four times at most, until one passes. The landlord
concedes one card, with or without an auction, and one more for each robbing: the peasant wins once
it has no more cards left than were conceded.
"""

import numpy as np

from closedhand.core.numba.jit import kernel
from closedhand.games.doudizhu.state import SEATS, around

CALL, ROB = 1, 2
"""The words of an auction by calling and robbing, as ids minus `pass_id`."""
MOST_OF_TWO, MOST_OF_THREE = 4, 3
"""Maximum number of robberies in an auction of two players, and of three."""
MOST_WORDS, MOST_SAID = 5, 8
"""Maximum number of words besides the pass, and of words said before the landlord leads."""


@kernel
def pass_id(rules):
    """Return the id of the pass; the words follow it."""
    return rules.plays.number - 1


@kernel
def word(rules, state, i):
    """Return word `i` of the history, as its id minus `pass_id`."""
    return np.int64(state.history[i]) - pass_id(rules)


@kernel
def caller(rules, state):
    """Return the seat that has called; one must have."""
    seat = 0  # until the call, seat i says word i
    while seat < SEATS - 1 and word(rules, state, seat) != CALL:
        seat += 1
    return seat


@kernel
def robberies(rules, state):
    """Return how many of the words so far are robberies."""
    number = 0
    if rules.options.robbing:  # otherwise the number of `ROB` is a bid
        for i in range(state.words):
            if word(rules, state, i) == ROB:
                number += 1
    return number


@kernel
def auction_length(rules, state):
    """Return the number of words said in the auction, without those after it."""
    if state.landlord < 0 or rules.options.double_word + rules.options.show_word == 0:
        return np.int64(state.words)
    if not rules.options.bidding:
        return np.int64(0)
    if not rules.options.robbing:
        # Each seat bids once, until one bids 3.
        length = 1
        while length < rules.options.players and word(rules, state, length - 1) < 3:
            length += 1
        return np.int64(length)
    # With three players each speaks once, and the caller again if anybody has robbed. With two, a
    # call after a pass ends the auction. A call in the first word is followed by the robberies and,
    # unless these are as many as allowed, a pass.
    number = robberies(rules, state)
    if rules.options.players == SEATS:
        return np.int64(SEATS + (number > 0))
    length = 1 + caller(rules, state) + number
    return np.int64(length + (caller(rules, state) == 0 and number < MOST_OF_TWO))


@kernel
def words_to_come(rules, state):
    """Return how many words are still to be said after the auction, which must be over."""
    number = rules.options.players if rules.options.double_word else 0
    number += 1 if rules.options.show_word else 0
    return number - (np.int64(state.words) - auction_length(rules, state))


@kernel
def is_opening(rules, state):
    """Return whether a word is to be said now, before any cards are played."""
    if state.landlord < 0:  # also at the end of a game in which all have passed
        return True
    # Both ids are 0 if no words follow the auction. With more moves than words, play has begun.
    if rules.options.double_word + rules.options.show_word == 0 or state.moves > state.words:
        return False
    return words_to_come(rules, state) > 0


@kernel
def speaker(rules, state, i):
    """Return the seat that says word `i`; after the auction the landlord speaks first."""
    length = auction_length(rules, state)
    if i >= length:
        return around(rules, np.int64(state.landlord) + i - length)
    # The fourth word in an auction of three is the caller's.
    is_fourth = i >= SEATS and rules.options.players == SEATS
    return caller(rules, state) if is_fourth else around(rules, i)


@kernel
def bid_of(rules, state, seat):
    """Return the bid of a seat, or the number of its calls and robberies; -1 before its turn."""
    total = -1
    for i in range(auction_length(rules, state)):
        if speaker(rules, state, i) == seat:
            said = word(rules, state, i)
            total = max(total, 0) + (min(said, 1) if rules.options.robbing else said)
    return total


@kernel
def doubled(rules, state, seat):
    """Return whether a seat has doubled, 0 or 1; -1 before its turn, or if nobody may double."""
    if not rules.options.double_word or state.landlord < 0:
        return -1
    i = auction_length(rules, state) + around(rules, seat - state.landlord)
    return np.int64(word(rules, state, i) == rules.options.double_word) if i < state.words else -1


@kernel
def is_shown(rules, state):
    """Return whether the landlord has shown all cards; only the last word can say so."""
    if not rules.options.show_word or state.landlord < 0 or state.words == 0:
        return False
    return word(rules, state, state.words - 1) == rules.options.show_word


@kernel
def conceded(rules, state):
    """Return the largest number of cards left with which a peasant wins; 0 in a game of three."""
    return 1 + robberies(rules, state) if rules.options.players < SEATS else 0


@kernel
def legal_words(rules, state, out):
    """Write the ids of the pass and the other words allowed now to `out`; return their number."""
    options = rules.options
    out[0] = pass_id(rules)
    if state.landlord >= 0:
        showing = options.show_word > 0 and words_to_come(rules, state) == 1
        out[1] = pass_id(rules) + (options.show_word if showing else options.double_word)
        return 2
    if options.robbing:
        out[1] = pass_id(rules) + (CALL if state.stake == 0 else ROB)
        return 2
    n = 1
    for bid in range(state.stake + 1, 4):
        out[n] = pass_id(rules) + bid
        n += 1
    return n


@kernel
def say(rules, state, value):
    """Apply a word, its id minus `pass_id`; return whether the auction ends without a landlord."""
    state.words += 1
    if state.landlord >= 0:  # after the auction; `returns` applies doubling, which is by seat
        if value > 0 and value == rules.options.show_word:
            state.stake *= 2
        # `more`: whether another player may double. Else the landlord shows, or leads.
        more = words_to_come(rules, state) > (1 if rules.options.show_word else 0)
        state.player = speaker(rules, state, state.words) if more else state.landlord
        return False
    if rules.options.robbing:
        return claim(rules, state, value)
    return bid(rules, state, value)


@kernel
def bid(rules, state, value):
    """Apply a bid, 0 to 3; return whether the auction ends without a landlord."""
    if value > 0:
        state.stake = value
        state.owner = state.player
    if value < 3 and state.words < rules.options.players:  # `words` includes this one
        state.player += 1
    elif state.stake > 0:
        crown(rules, state, state.owner)
    elif rules.options.forced:
        crown(rules, state, 0)
    else:
        return True
    return False


@kernel
def claim(rules, state, value):
    """Apply a call, a robbery or a pass; return whether the auction ends without a landlord."""
    if value > 0:
        state.stake = rules.options.stake if value == CALL else 2 * state.stake
        state.owner = state.player
    if rules.options.players < SEATS and state.stake > 0:
        other = 1 - state.player
        robs = value > 0 and robberies(rules, state) < MOST_OF_TWO
        # A seat that passed before the call may not rob: word 0 is then that pass.
        if robs and word(rules, state, 0) == CALL:
            state.player = other
        else:
            crown(rules, state, state.owner)
    elif state.words < rules.options.players:
        state.player += 1
    elif state.stake == 0:
        return True
    elif state.words == rules.options.players and state.owner != caller(rules, state):
        state.player = caller(rules, state)
    else:
        crown(rules, state, state.owner)
    return False


@kernel
def crown(rules, state, seat):
    """Make `seat` the landlord, who takes the public cards and leads."""
    state.landlord = seat
    state.hands[seat] += state.public
    state.left[seat] += rules.options.public
    state.player = seat
    state.owner = seat

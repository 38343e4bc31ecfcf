"""The rules of Daihinmin: the match, its rounds, and their points.

A round consists of the exchange, if there are classes, and tricks until one player remains. Kernels
take the arguments of `closedhand.core.contract`; they do not check whether an action is legal, nor
whether a view hides what they read.
"""

import numpy as np

from closedhand.core import bits
from closedhand.core.cards import shuffle
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin import exchange, tricks
from closedhand.games.daihinmin.cards import alike, bit, deck_of
from closedhand.games.daihinmin.plays import NUM_CARDS, PASS
from closedhand.games.daihinmin.seven_ten_rules import clear_gifts, due_of, own_of
from closedhand.games.daihinmin.state import LONGEST, NOBODY, two_jokers


@kernel
def deal(rules, state, seed):
    """Start the match of `seed`, a uint64 other than 0, in `state`, and deal its first round."""
    state.seed = seed
    state.round_number = 0
    for player in range(len(state.hands)):
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
    """Deal a round in seat order; places of the round before become classes unless reset."""
    reset = state.round_number % rules.options.class_period == 0 and not (
        rules.options.ranked and state.round_number == 0
    )
    for player in range(len(state.hands)):
        state.classes[player] = -1 if reset else state.places[player]
    # Made with a constant length, for GPUs.
    deck = np.arange(NUM_CARDS + 1)[: bits.size(deck_of(state))]
    state.seed = shuffle(deck, state.seed)
    # Dealing begins with the daifugo, or without classes at a random seat.
    first = np.int64(state.seed % np.uint64(len(state.seats)))
    for seat in range(len(state.hands)):
        if state.classes[state.seats[seat]] == 0:
            first = seat
    for player in range(len(state.hands)):
        state.hands[player] = np.uint64(0)
    for i in range(len(deck)):
        state.hands[state.seats[(first + i) % len(state.seats)]] |= bit(deck[i])
    if two_jokers(state):
        for player in range(len(state.hands)):
            state.hands[player] = alike(state.hands[player])
    begin(rules, state)


@kernel
def begin(rules, state):
    """Start a round from the dealt hands, seats, classes, round number and points in `state`."""
    clear_tricks(state)
    for i in range(LONGEST):
        state.history[i] = 0
    for pair in range(len(state.taxed)):
        state.taxed[pair] = np.uint64(0)
        state.returned[pair] = np.uint64(0)
    state.moves = 0
    state.leader = NOBODY
    if exchange.has_exchange(rules, state):
        for pair in range(len(state.taxed)):
            taking, giving = exchange.winner(state, pair), exchange.loser(state, pair)
            state.taxed[pair] = exchange.best_cards(state.hands[giving], exchange.TAXES[pair])
            exchange.give(state, state.taxed[pair], giving, taking)
        tricks.new_trick(state, exchange.winner(state, 0))
    else:
        tricks.lead_first(state)


@kernel
def clear_tricks(state):
    """Prepare a round's tricks after the deal, but for the fields that `new_trick` sets."""
    for player in range(len(state.hands)):
        state.played[player] = np.uint64(0)
        state.left[player] = bits.size(state.hands[player])
        state.places[player] = NOBODY
        # The order of play is that of the seats, a circle: index -1 is the last seat.
        state.next[state.seats[player - 1]] = state.seats[player]
    state.out = 0
    state.passes = 0
    state.revolution = 0
    clear_gifts(state)


@kernel
def rewind(state):
    """Go back to the start of the tricks, once they have begun; `history` keeps all actions."""
    for player in range(len(state.hands)):
        state.hands[player] = own_of(state, player, state.hands[player])
    clear_tricks(state)
    state.moves = 0 if state.returned[0] == 0 else exchange.number_of_picks(state)
    tricks.new_trick(state, state.leader)


@kernel
def play(rules, state, action):
    """Apply a legal action, and determine the next player to act.

    An action is a card (in the exchange, or due after a 7 or 10), a play, or the pass. The last
    action of a round also adds the round's points and deals the next round, if any.
    """
    if state.leader < 0:
        exchange.pick(state, np.int64(action))
        return
    state.history[state.moves] = action
    state.moves += 1
    if due_of(state) > 0:
        tricks.hand_on(rules, state, np.int64(action))
    elif action == PASS:
        state.passes += 1
        state.passed |= 1 << state.player
        if state.passes >= rules.options.pass_limit:
            tricks.rank_rest(state)
        else:
            tricks.move_on(rules, state, 0)
    else:
        tricks.lay(rules, state, np.int64(action))
    if state.out == len(state.hands):
        end_round(rules, state)


@kernel
def end_round(rules, state):
    """Add the points of the round, and deal the next one, if any."""
    for player in range(len(state.hands)):
        state.points[player] += len(state.hands) - state.places[player]
    if state.round_number + 1 < rules.options.rounds:
        state.round_number += 1
        if state.round_number % rules.options.seat_period == 0:
            state.seed = shuffle(state.seats, state.seed)
        deal_round(rules, state)


@kernel
def over(rules, state):
    """Return whether the last round has ended."""
    return state.out == len(state.hands)


@kernel
def returns(rules, state, out):
    """Write the points by player: of n players, the first gets n in each round, the last 1."""
    for player in range(len(state.hands)):
        out[player] = state.points[player]


@kernel
def payoff(rules, state, player):
    """Return a player's points, which are certain once it is out in the last round; else NaN."""
    if state.places[player] < 0 or state.round_number + 1 < rules.options.rounds:
        return np.nan
    points = np.float64(state.points[player])
    return points if over(rules, state) else points + len(state.hands) - state.places[player]

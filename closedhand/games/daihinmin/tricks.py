"""Tricks: the leader, the effects of a legal play, the next turn, and the players who are out."""

import numpy as np

from closedhand.core import bits
from closedhand.core.cards import shuffle_first
from closedhand.core.numba.jit import kernel
from closedhand.games.daihinmin import plays, seven_ten_rules as gifts
from closedhand.games.daihinmin.cards import added, bit, removed
from closedhand.games.daihinmin.state import MOST


@kernel
def everybody(state):
    """Return the bits of all players."""
    return (1 << len(state.hands)) - 1


@kernel
def is_reversed(state):
    """Return whether the order of play is the reverse of the seat order."""
    return state.next[state.seats[0]] != state.seats[1]


@kernel
def reverse(state):
    """Reverse the order of play."""
    step = -1 if is_reversed(state) else 1
    for seat in range(len(state.hands)):
        state.next[state.seats[seat]] = state.seats[(seat - step) % len(state.seats)]


@kernel
def lead_first(state):
    """Start the first trick, led by the holder of the three of diamonds."""
    for player in range(len(state.hands)):
        if state.hands[player] & bit(plays.DIAMOND_THREE):
            state.leader = player
    new_trick(state, state.leader)


@kernel
def new_trick(state, leader):
    """Clear the table; `leader` leads, or the next player who is not out."""
    gifts.set_back(state, 0)
    state.target = -1
    state.lock = 0
    state.passed = 0
    for player in range(len(state.hands)):
        state.trick[player] = np.uint64(0)
        if state.places[player] >= 0:
            state.passed |= 1 << player
    while state.passed & (1 << leader):
        leader = state.next[leader]
    state.player = leader
    state.owner = leader


@kernel
def end_trick(rules, state, leader):
    """End the trick and the effect of a jack in it; `leader` leads, or the next player not out."""
    if is_back(rules, state):
        state.revolution = 1 - state.revolution
    new_trick(state, leader)


@kernel
def covers(rules, action, rank):
    """Return whether a play covers a rank, 0 to 12, also by the joker; a lone joker covers none."""
    return rules.plays.low[action] <= rank and rank <= rules.plays.high[action]


@kernel
def is_back(rules, state):
    """Return whether a jack has reversed the order of the ranks until the trick ends."""
    if not rules.options.jack_back:
        return False
    if rules.options.seven_give or rules.options.ten_discard:
        return gifts.back_of(state)
    # States under other rules have no field for the jack. Search the history backwards for a jack,
    # until as many cards are found as the players have in `trick`.
    cards = 0
    for player in range(len(state.hands)):
        cards += bits.size(state.trick[player])
    move = np.int64(state.moves)
    while cards > 0:
        move -= 1
        action = np.int64(state.history[move])
        if action != plays.PASS:
            cards -= np.int64(rules.plays.length[action])
            if covers(rules, action, plays.JACK):
                return True
    return False


@kernel
def play_before(rules, state):
    """Return the trick's last play but one, -1 if only one was made; `target` must be a play."""
    cards = 0
    for player in range(len(state.hands)):
        cards += bits.size(state.trick[player])
    if cards == rules.plays.length[state.target]:
        return np.int64(-1)
    # Read the history backwards to the last play but one.
    move, found = np.int64(state.moves), 0
    while found < 2:
        move -= 1
        found += state.history[move] != plays.PASS
    return np.int64(state.history[move])


@kernel
def is_number_locked(rules, state):
    """Return whether the last two plays of this trick force the next one to the next rank."""
    if not rules.options.number_lock or state.target < 0:
        return False
    before = play_before(rules, state)
    if before < 0 or rules.plays.low[state.target] == plays.NUM_RANKS:  # lone jokers have no rank
        return False
    # Two kaidan adjoin if one begins just above the other's end.
    above = rules.plays.low[state.target] == rules.plays.high[before] + 1
    below = rules.plays.high[state.target] == rules.plays.low[before] - 1
    return above or below


@kernel
def is_forbidden_finish(rules, action, revolution):
    """Return whether going out by a play is forbidden; `revolution` is that before the play."""
    if not rules.options.forbidden_finish:
        return False
    if rules.plays.need[action] & plays.BOTH or rules.plays.eight[action]:
        return True
    return covers(rules, action, 0 if revolution else plays.NUM_RANKS - 1)


@kernel
def stops(rules, action):
    """Return whether a play ends its trick because it covers an 8."""
    return rules.options.eight_stop and rules.plays.eight[action]


@kernel
def lock_after(rules, state, action):
    """Return the suits, as bits, to which the trick is locked after a play; 0 for none."""
    if action == plays.JOKER or plays.is_pair_of_jokers(rules, action):
        return np.int64(0) if rules.options.joker_unlocks else np.int64(state.lock)
    suits, beaten = np.int64(rules.plays.suits[action]), np.int64(state.target)
    if rules.options.lock and beaten >= 0 and rules.plays.suits[beaten] == suits:
        return suits
    return np.int64(state.lock)


@kernel
def revolution_after(rules, state, action):
    """Return whether low ranks beat high ones in the trick after a play, 0 or 1."""
    turned = np.int64(state.revolution)
    if rules.options.revolution and rules.plays.revolts[action]:
        turned = 1 - turned
    if rules.options.jack_back and covers(rules, action, plays.JACK):
        turned = 1 - turned
    return turned


@kernel
def skipped_after(rules, action):
    """Return the number of players whose turn a play skips: one for each five."""
    if not rules.options.five_skip or not covers(rules, action, plays.FIVE_SPOT):
        return np.int64(0)
    is_kaidan = rules.plays.family[action] >= plays.FIRST_KAIDAN
    return np.int64(1 if is_kaidan else rules.plays.length[action])


@kernel
def lay(rules, state, action):
    """Apply a play: put its cards on the table, with all effects."""
    player = np.int64(state.player)
    cards = rules.plays.need[action]
    state.hands[player] = removed(state, state.hands[player], cards)
    gifts.lay_down(state, player, cards)
    state.trick[player] = added(state, state.trick[player], cards)
    state.left[player] -= rules.plays.length[action]
    state.passes = 0
    beaten = np.int64(state.target)
    forbidden = is_forbidden_finish(rules, action, state.revolution)
    state.lock = lock_after(rules, state, action)
    state.revolution = revolution_after(rules, state, action)
    if rules.options.jack_back and covers(rules, action, plays.JACK):
        gifts.set_back(state, 1)
    if rules.options.six_reverse and covers(rules, action, plays.SIX):
        reverse(state)
    state.target = action
    state.owner = player
    if state.left[player] == 0:
        leave(rules, state, player, forbidden)
        if state.out == len(state.hands):
            return
    due = gifts.owed_after(rules, state, action)
    if due > 0:
        gifts.set_due(state, due)
        return
    # A lone joker is beaten only by the 3 of spades, which then ends the trick.
    if stops(rules, action) or beaten == plays.JOKER:
        end_trick(rules, state, player)
    else:
        move_on(rules, state, skipped_after(rules, action))


@kernel
def hand_on(rules, state, action):
    """Give or discard a card after a seven or a ten, or pass; move on once none is due."""
    player = np.int64(state.player)
    if action == plays.PASS:
        gifts.set_due(state, 0)
    else:
        gifts.hand_over(rules, state, action)
    if gifts.due_of(state) > 0:
        return
    gifts.set_least(state, 0)
    if state.left[player] == 0:
        leave(rules, state, player, False)
        if state.out == len(state.hands):
            return
    move_on(rules, state, 0)


@kernel
def leave(rules, state, player, forbidden):
    """Rank a player without cards (last if `forbidden`), a fallen daifugo and the last one left."""
    go_out(state, player, forbidden)
    if rules.options.capital_fall and not forbidden and state.places[player] == 0:
        # The daifugo falls if another player is out first.
        for daifugo in range(len(state.hands)):
            if state.classes[daifugo] == 0 and state.places[daifugo] < 0:
                go_out(state, daifugo, True)
    if state.out == len(state.hands) - 1:
        for last in range(len(state.hands)):
            if state.places[last] < 0:
                go_out(state, last, False)


@kernel
def move_on(rules, state, skipped):
    """Skip `skipped` players, and give the turn to the next who can play on, or end the trick."""
    waiting = everybody(state) & ~state.passed
    if not rules.options.overplay and state.target >= 0:
        waiting &= ~(1 << state.owner)
    if waiting == 0:
        end_trick(rules, state, state.owner)
        return
    player = state.player
    for _ in range(1 + skipped):
        player = state.next[player]
        while not waiting & (1 << player):
            player = state.next[player]
    state.player = player


@kernel
def go_out(state, player, is_last):
    """Give a player the best place left, or the worst if `is_last`; the player is out then."""
    # Players placed last, by a fall or a forbidden finish, count in `out`, but took no best place.
    first = len(state.hands) - 1 if is_last else state.out
    state.places[player] = first - placed_last(state)
    state.out += 1
    state.passed |= 1 << player


@kernel
def placed_last(state):
    """Return how many of the last places are taken: by a fallen daifugo or forbidden finishes."""
    number = 0
    for _ in range(len(state.hands)):
        for player in range(len(state.hands)):
            if state.places[player] == len(state.hands) - 1 - number:
                number += 1
                break
    return number


@kernel
def rank_rest(state):
    """Rank at random the players who are not out."""
    # Draw from the cards left, not from `state.seed`: the deal and the actions then determine the
    # round. While three or more players hold cards, none knows all of them to predict the order.
    seed = np.uint64(state.moves)
    order = np.arange(MOST)  # of constant length, for GPUs
    number = len(state.hands)
    for player in range(number):
        seed = shuffle_first(order, number, seed ^ state.hands[player])
    shuffle_first(order, number, seed)
    for i in range(number):
        if state.places[order[i]] < 0:
            go_out(state, order[i], False)

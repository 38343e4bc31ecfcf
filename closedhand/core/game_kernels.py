"""A step of one game of a batch, in a loop on a CPU or by a thread of a GPU.

1. Play the action.
2. Let the policies of the other seats answer.
3. Pay the rewards.
4. Deal the next game if this one is over.
5. Write the observation and the mask of the player to act.

All random numbers after the first deal come from the stream of the game (see
`closedhand.core.stream`), in this order: the seed of a deal, the seat if it is drawn, then the
draws of policies. So a game is the same on every device and in every batch.
"""

from typing import NamedTuple

import numpy as np

from closedhand.core import batch_kernels, contract
from closedhand.core.numba.jit import (
    Bools,
    Floats,
    Ids,
    Integer,
    Planes,
    Rules,
    States,
    kernel,
    seed_in_kernel,
)
from closedhand.core.policies import Policies, decide_by
from closedhand.core.status import ILLEGAL, OVER, REFUSED, RUNNING
from closedhand.core.stream import Streams

NONE = -1
ALL_SEATS = -1
"""In place of the user's seat: the user plays every seat."""
ALL_LEGAL = -(2**63)
"""In place of an illegal action: there was none. A policy that errs may choose any other number."""
RANDOM_SEAT = -2
"""In `Terms.seat`: the user's seat is drawn for every game."""

DEALT, GIVEN, SET = 0, 1, 2
"""How a game starts: dealt; from the state that is there; from it, and with the seat that is there.
"""


class Games(NamedTuple):
    """A batch of games, arrays with a row for each.

    Attributes:
        states: The games, `game.dtype` [n].
        streams: Their random numbers, uint64 [n, 2].
        seeds: Seed of the next deal, 0 if it is drawn from the stream, uint64 [n].
        seats: The user's seat, or `ALL_SEATS`, int64 [n].
        paid: Payoffs so far of games that pay in stages, float64 [n, seats].
        rewards: Rewards of all seats in this step, float64 [n, seats].
        status: Status after this step, int8 [n].
        actors: Seat that acted, int64 [n].
        players: Seat to act, whose observation and mask the row shows, int64 [n].
    """

    states: States
    streams: Streams
    seeds: Ids
    seats: Ids
    paid: Floats
    rewards: Floats
    status: Planes
    actors: Ids
    players: Ids


class Terms(NamedTuple):
    """The common settings of all games of a batch.

    Attributes:
        players: Number of seats.
        staged: Whether returns accumulate during the game.
        seat: The user's seat, `ALL_SEATS`, or `RANDOM_SEAT`.
        illegal_reward: Reward of an illegal action.
    """

    players: int
    staged: bool
    seat: int
    illegal_reward: float


@kernel
def let_others_play(
    rules: Rules, policies: Policies, states: States, streams: Streams | None, i: Integer,
    seat: Integer, players: int, views: States, k: Integer, ids: Ids,
) -> Integer:  # fmt: skip
    """Let policies play in game `i` until it is over or the turn of a seat.

    Args:
        rules: Rules of the game.
        policies: Policies of the seats after that one, in order; none if the user plays every seat
            or the others decide in Python.
        states: The games; changed in place.
        streams: Their random numbers; None: policies draw their own.
        i: Index of the game.
        seat: The user's seat.
        players: Number of seats.
        views: Scratch space for views.
        k: Index of the view to use.
        ids: Scratch space, int32, as long as the actions of the game or of its flat form, if there
            are more.

    Returns:
        An illegal action of a policy, which ends the loop; else `ALL_LEGAL`.
    """
    state = states[i]
    if len(policies) == 0:
        return np.int64(ALL_LEGAL)
    while not contract.over(rules, state) and state.player != seat:
        player = np.int64(state.player)
        views[k] = states[i]
        contract.hide(rules, views[k], player)
        ahead = (player - seat) % players
        action = np.int64(decide_by(policies, ahead - 1, streams, i, rules, views[k], ids))
        if batch_kernels.play(rules, state, action, ids) == ILLEGAL:
            return action
    return np.int64(ALL_LEGAL)


@kernel
def deal_next(
    rules: Rules, states: States, seeds: Ids, streams: Streams, i: Integer
) -> None:  # fmt: skip
    """Deal game `i` by `seeds[i]`, which becomes 0; or if it is 0, by its stream."""
    seed = seeds[i]
    seeds[i] = np.uint64(0)
    if seed == 0:
        seed = seed_in_kernel(streams[i])
    contract.deal(rules, states[i], seed)


@kernel
def draw_seat(seat: Integer, players: int, streams: Streams, i: Integer) -> Integer:
    """Return the user's seat in game `i`: `seat`, or one drawn from its stream."""
    if seat == RANDOM_SEAT:
        return np.int64(streams[i].random() * players)
    return np.int64(seat)


@kernel
def start(
    rules: Rules, policies: Policies, games: Games, terms: Terms, i: Integer, origin: int,
    views: States, k: Integer, ids: Ids,
) -> Integer:  # fmt: skip
    """Start a new game in place of game `i`, and let the others play until the user's turn.

    Args:
        rules: Rules of the game.
        policies: Policies of the other seats.
        games: The batch; changed in place.
        terms: Common settings of the games.
        i: Index of the game.
        origin: `DEALT`, `GIVEN` or `SET`. A given game may be over before the user's turn; a dealt
            one is not an episode then, and another is dealt.
        views: Scratch space for views.
        k: Index of the view to use.
        ids: Scratch space for ids.

    Returns:
        An illegal action of a policy, after which the game is in the position before it; else
        `ALL_LEGAL`.
    """
    while True:
        if origin == DEALT:
            deal_next(rules, games.states, games.seeds, games.streams, i)
        if origin != SET:
            games.seats[i] = draw_seat(terms.seat, terms.players, games.streams, i)
        if terms.staged:
            contract.returns(rules, games.states[i], games.paid[i])
        refused = let_others_play(
            rules, policies, games.states, games.streams, i, games.seats[i], terms.players, views,
            k, ids,
        )  # fmt: skip
        if refused != ALL_LEGAL or origin != DEALT or not contract.over(rules, games.states[i]):
            return refused


@kernel
def play(
    rules: Rules, policies: Policies, games: Games, terms: Terms, i: Integer, action: Integer,
    views: States, k: Integer, ids: Ids,
) -> Integer:  # fmt: skip
    """Play an action in game `i`, and let the others play; write `status` and `actors`.

    Returns:
        An illegal action of a policy, else `ALL_LEGAL`.
    """
    games.actors[i] = games.states[i].player
    status = batch_kernels.play(rules, games.states[i], action, ids)
    refused = np.int64(ALL_LEGAL)
    if status == RUNNING:
        refused = let_others_play(
            rules, policies, games.states, games.streams, i, games.seats[i], terms.players, views,
            k, ids,
        )  # fmt: skip
        if refused != ALL_LEGAL:
            status = REFUSED
        elif contract.over(rules, games.states[i]):
            status = OVER
    games.status[i] = status
    return refused


@kernel
def pay(rules: Rules, games: Games, terms: Terms, i: Integer) -> None:
    """Write the rewards of game `i` after `play`."""
    rewards = games.rewards[i]
    for seat in range(terms.players):
        rewards[seat] = 0.0
    if games.status[i] == ILLEGAL:
        rewards[games.actors[i]] = terms.illegal_reward
    elif terms.staged:
        paid = games.paid[i]
        for seat in range(terms.players):
            rewards[seat] = -paid[seat]
            paid[seat] = 0.0
        contract.returns(rules, games.states[i], paid)
        for seat in range(terms.players):
            rewards[seat] += paid[seat]
    elif games.status[i] == OVER:
        contract.returns(rules, games.states[i], rewards)


@kernel
def step(
    rules: Rules, policies: Policies, games: Games, terms: Terms, i: Integer, chosen: Planes,
    starting: bool, actions: Ids, views: States, k: Integer, ids: Ids,
) -> None:  # fmt: skip
    """Play `actions[i]` in game `i`, and if that ends it, start the next one.

    If `starting`, start a new game instead where it is `chosen`. Writes `rewards`, `status`,
    `actors` and `players`.
    """
    if not starting:
        play(rules, policies, games, terms, i, actions[i], views, k, ids)
        pay(rules, games, terms, i)
    elif chosen[i]:
        for seat in range(terms.players):
            games.rewards[i, seat] = 0.0
        games.actors[i] = NONE
        games.status[i] = RUNNING
    if chosen[i] if starting else games.status[i] != RUNNING:
        refused = start(rules, policies, games, terms, i, DEALT, views, k, ids)
        if refused != ALL_LEGAL:
            games.status[i] = REFUSED
    games.players[i] = games.states[i].player


@kernel
def mark(rules: Rules, states: States, i: Integer, mask: Planes, ids: Ids) -> None:
    """Write the action mask of game `i` into a row of zeros."""
    for j in range(contract.legal(rules, states[i], ids)):
        mask[ids[j]] = 1


@kernel
def step_games(
    rules: Rules, policies: Policies, games: Games, terms: Terms, chosen: Planes, starting: bool,
    actions: Ids, compact: bool, views: States, ids: Ids, observations: Planes, masks: Planes,
) -> None:  # fmt: skip
    """Step every game in a loop; a GPU uses a thread for each game.

    Args:
        rules: Rules of the game.
        policies: Policies of the other seats.
        games: The batch; changed in place.
        terms: Common settings of the games.
        chosen: Games to start anew if `starting`, int8 [n].
        starting: Whether new games are started instead of a step.
        actions: The actions, int64 [n].
        compact: Whether observations are those of `contract.features`.
        views: Scratch space, `game.dtype` [1].
        ids: Scratch space for ids, int32 [1, actions].
        observations: Observations of the players to act, int8 [n, size].
        masks: Their action masks, int8 [n, actions].
    """
    for i in range(len(games.states)):
        step(rules, policies, games, terms, i, chosen, starting, actions, views, 0, ids[0])
        masks[i] = 0
        mark(rules, games.states, i, masks[i], ids[0])
        contract.look(rules, games.states[i], games.players[i], compact, observations[i])


class Shown(NamedTuple):
    """What the user of a batch sees, arrays with a row for each game.

    Attributes:
        observations: Observations, int8 [n, size].
        masks: Action masks, int8 [n, actions]; or [n, 0], if there are none.
        copies: The same masks once more.
        returns: Payoffs by player of games that are over, else 0, float64 [n, seats].
    """

    observations: Planes
    masks: Planes
    copies: Planes
    returns: Floats


@kernel
def turn_games(
    rules: Rules, policies: Policies, games: Games, terms: Terms, first: int, last: int,
    chosen: Bools, origin: int, actions: Ids, scratch: int,
) -> None:  # fmt: skip
    """Play an action in every chosen game, or start the next game where it is over.

    Writes `status`, and `actors` where an action was played.

    Args:
        rules: Rules of the game.
        policies: Policies of the other seats.
        games: The batch; changed in place.
        terms: Common settings of the games.
        first: Index of the first game.
        last: Index after the last game.
        chosen: The games, bool [n].
        origin: How games start, see `start`.
        actions: The actions, int64 [n]; that of a game that becomes `REFUSED` is replaced by the
            illegal action of the policy.
        scratch: Size of the scratch space for ids.
    """
    ids = np.empty(scratch, np.int32)
    views = games.states[:1].copy()
    for i in range(first, last):
        if not chosen[i]:
            continue
        if games.status[i] == RUNNING:
            refused = play(rules, policies, games, terms, i, actions[i], views, 0, ids)
        else:
            games.status[i] = RUNNING
            refused = start(rules, policies, games, terms, i, origin, views, 0, ids)
        if refused != ALL_LEGAL:
            games.status[i] = REFUSED
            actions[i] = refused


@kernel
def settle_games(
    rules: Rules, games: Games, terms: Terms, first: int, last: int, chosen: Bools
) -> None:
    """Note which of the chosen games are over, and pay the rewards of those that were played."""
    for i in range(first, last):
        if chosen[i]:
            if games.status[i] == RUNNING and contract.over(rules, games.states[i]):
                games.status[i] = OVER
            if games.actors[i] != NONE:
                pay(rules, games, terms, i)


@kernel
def show_games(
    rules: Rules, games: Games, first: int, last: int, chosen: Bools, compact: bool, shown: Shown,
    scratch: int,
) -> None:  # fmt: skip
    """Write what the user sees of every chosen game, and `players`.

    The mask of a game that is over marks action 0.
    """
    ids = np.empty(scratch, np.int32)
    for i in range(first, last):
        if not chosen[i]:
            continue
        seat = games.seats[i]
        if seat == ALL_SEATS:
            seat = np.int64(games.states[i].player)
        games.players[i] = seat
        contract.look(rules, games.states[i], seat, compact, shown.observations[i])
        if shown.masks.shape[1]:
            mask = shown.masks[i]
            mask[:] = 0
            if games.status[i] == RUNNING:
                mark(rules, games.states, i, mask, ids)
            else:
                mask[0] = 1
            shown.copies[i] = mask
        if games.status[i] == OVER:
            contract.returns(rules, games.states[i], shown.returns[i])


@kernel
def list_games(rules: Rules, games: Games, first: int, last: int, ids: Ids, out: Ids) -> Integer:
    """Write the ids of the legal actions of game `i` into row i, ascending, then -1.

    Of a game that is over this is action 0.

    Args:
        rules: Rules of the game.
        games: The batch.
        first: Index of the first game.
        last: Index after the last game.
        ids: Scratch space, int32 [num_actions].
        out: The ids, int32 [n, width]; written.

    Returns:
        The length of the longest list, of which at most `width` ids are written.
    """
    longest: Integer = 0
    for i in range(first, last):
        number: Integer = 1
        ids[0] = 0
        if games.status[i] == RUNNING:
            number = contract.legal(rules, games.states[i], ids)
        longest = max(longest, number)
        for k in range(out.shape[1]):
            out[i, k] = ids[k] if k < number else -1
    return longest


@kernel
def pick(masks: Planes, streams: Streams, i: Integer) -> Integer:
    """Draw a uniformly random legal action by the mask of game `i`."""
    number = 0
    for action in range(masks.shape[1]):
        number += masks[i, action]
    left = np.int64(streams[i].random() * number)
    for action in range(masks.shape[1]):
        if masks[i, action]:
            if left == 0:
                return action
            left -= 1
    return 0


@kernel
def pick_all(masks: Planes, streams: Streams, actions: Ids) -> None:
    """Do `pick` in every game, into `actions`, int64 [n]."""
    for i in range(len(masks)):
        actions[i] = pick(masks, streams, i)


@kernel
def decide(
    rules: Rules, policies: Policies, states: States, streams: Streams, i: Integer, views: States,
    k: Integer, ids: Ids,
) -> Integer:  # fmt: skip
    """Return the action of the first of `policies` for the player to act in game `i`."""
    views[k] = states[i]
    contract.hide(rules, views[k], np.int64(states[i].player))
    return np.int64(decide_by(policies, 0, streams, i, rules, views[k], ids))


@kernel
def decide_all(
    rules: Rules, policies: Policies, states: States, streams: Streams, views: States, ids: Ids,
    actions: Ids,
) -> None:  # fmt: skip
    """Do `decide` in every game, into `actions`, int64 [n]."""
    for i in range(len(states)):
        actions[i] = decide(rules, policies, states, streams, i, views, 0, ids[0])


@kernel
def random_game(rules: Rules, states: States, streams: Streams, i: Integer, ids: Ids) -> int:
    """Deal game `i` from its stream and play it out at random; return the number of actions."""
    contract.deal(rules, states[i], seed_in_kernel(streams[i]))
    return contract.random_playout(rules, states[i], streams[i], ids)


@kernel
def random_games(rules: Rules, states: States, streams: Streams, ids: Ids, moves: Ids) -> None:
    """Do `random_game` for every state; write the numbers of actions into `moves`, int64 [n]."""
    for i in range(len(states)):
        moves[i] = random_game(rules, states, streams, i, ids[0])

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
    Floats,
    Ids,
    Indices,
    Integer,
    Masks,
    Planes,
    Rng,
    Rules,
    Seats,
    Seeds,
    States,
    Statuses,
    kernel,
    seed_in_kernel,
)
from closedhand.core.policies import Policies, decide_by
from closedhand.core.status import ILLEGAL, OVER, REFUSED, RUNNING
from closedhand.core.stream import Stream, Streams

NOBODY = -1
"""In place of the seat that acted: a game was started."""
ALL_SEATS = -1
"""In place of the user's seat: the user plays every seat."""
RANDOM_SEAT = -2
"""In place of the user's seat: it is drawn for every game."""
ALL_LEGAL = -(2**63)
"""In place of an illegal action: there was none. A policy that errs may choose any other number."""


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
        actors: Seat that acted, or `NOBODY`, int64 [n].
        players: Seat to act, whose observation and mask the row shows, int64 [n].
    """

    states: States
    streams: Streams
    seeds: Seeds
    seats: Seats
    paid: Floats
    rewards: Floats
    status: Statuses
    actors: Seats
    players: Seats


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
def decide(
    rules: Rules, policies: Policies, number: Integer, states: States, i: Integer,
    stream: Stream | None, views: States, k: Integer, ids: Ids,
) -> Integer:  # fmt: skip
    """Return the action of a policy, by its number, for the player to act in game `i`.

    Further arguments are those of `let_others_play`.
    """
    views[k] = states[i]
    contract.hide(rules, views[k], np.int64(states[i].player))
    return np.int64(decide_by(policies, number, stream, rules, views[k], ids))


@kernel
def let_others_play(
    rules: Rules, policies: Policies, states: States, i: Integer, stream: Stream | None,
    seat: Integer, players: int, views: States, k: Integer, ids: Ids,
) -> Integer:  # fmt: skip
    """Let policies play in game `i` until it is over or the turn of a seat.

    Args:
        rules: Rules of the game.
        policies: Policies of the seats after that one, in order; none if the user or agents in
            Python play all seats.
        states: The games; changed in place.
        i: Index of the game.
        stream: Random numbers of the game; None: policies draw their own.
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
        ahead = (np.int64(state.player) - seat) % players
        action = decide(rules, policies, ahead - 1, states, i, stream, views, k, ids)
        if batch_kernels.play(rules, state, action, ids) == ILLEGAL:
            return action
    return np.int64(ALL_LEGAL)


@kernel
def let_others_play_all(
    rules: Rules, policies: Policies, states: States, streams: Streams, seats: Seats,
    players: int, ids: Ids,
) -> tuple[int, Integer]:  # fmt: skip
    """Do `let_others_play` in every game.

    Returns:
        The first game in which an action is illegal, and that action; else any index and
        `ALL_LEGAL`.
    """
    views = states[:1].copy()
    i, action = 0, np.int64(ALL_LEGAL)
    while i < len(states) and action == ALL_LEGAL:
        action = let_others_play(
            rules, policies, states, i, streams[i], seats[i], players, views, 0, ids
        )
        i += 1
    return i - 1, action


@kernel
def deal_next(rules: Rules, states: States, seeds: Seeds, stream: Rng, i: Integer) -> None:
    """Deal game `i` by `seeds[i]`, which becomes 0; or if it is 0, by the stream of the game."""
    seed = seeds[i]
    seeds[i] = np.uint64(0)
    if seed == 0:
        seed = seed_in_kernel(stream)
    contract.deal(rules, states[i], seed)


@kernel
def draw_seat(seat: Integer, players: int, stream: Rng) -> Integer:
    """Return the user's seat in a game: `seat`, or one drawn from the stream of the game."""
    if seat == RANDOM_SEAT:
        return np.int64(stream.random() * players)
    return np.int64(seat)


@kernel
def deal_and_seat(
    rules: Rules, states: States, games: Indices, seeds: Seeds, streams: Streams, dealing: bool,
    seat: Integer, players: int, seats: Seats,
) -> None:  # fmt: skip
    """Deal games and draw the user's seats, each with the random numbers of its stream.

    Args:
        rules: Rules of the game.
        states: The batch; changed in place.
        games: Indices of those to deal.
        seeds: As in `Games`.
        streams: As in `Games`.
        dealing: Whether to deal; otherwise `states` hold the starts.
        seat: As in `Terms`.
        players: Number of seats.
        seats: The user's seat in each game; written.
    """
    for k in range(len(games)):
        i: Integer = games[k]
        if dealing:
            deal_next(rules, states, seeds, streams[i], i)
        seats[i] = draw_seat(seat, players, streams[i])


@kernel
def start(
    rules: Rules, policies: Policies, games: Games, terms: Terms, i: Integer, views: States,
    k: Integer, ids: Ids,
) -> bool:  # fmt: skip
    """Start a new game in place of game `i`, and let the others play until the user's turn.

    Returns:
        Whether an action of a policy was illegal; then the game is in the position before it.
    """
    while True:
        deal_next(rules, games.states, games.seeds, games.streams[i], i)
        seat = draw_seat(terms.seat, terms.players, games.streams[i])
        games.seats[i] = seat
        if terms.staged:
            contract.returns(rules, games.states[i], games.paid[i])
        if seat == ALL_SEATS:
            return False
        # A game that the others end before the user's turn is not an episode: deal another one.
        refused = let_others_play(
            rules, policies, games.states, i, games.streams[i], seat, terms.players, views, k, ids
        )
        if refused != ALL_LEGAL:
            return True
        if not contract.over(rules, games.states[i]):
            return False


@kernel
def step(
    rules: Rules, policies: Policies, games: Games, terms: Terms, i: Integer, action: Integer,
    views: States, k: Integer, ids: Ids,
) -> None:  # fmt: skip
    """Play an action in game `i`; if that ends it, start the next one.

    Writes `rewards`, `status` and `actors`.
    """
    state = games.states[i]
    rewards = games.rewards[i]
    actor = np.int64(state.player)
    games.actors[i] = actor
    for seat in range(terms.players):
        rewards[seat] = 0.0
    status = batch_kernels.play(rules, state, action, ids)
    if status != ILLEGAL:
        refused = let_others_play(
            rules, policies, games.states, i, games.streams[i], games.seats[i], terms.players,
            views, k, ids,
        )  # fmt: skip
        status = OVER if contract.over(rules, state) else RUNNING
        if refused != ALL_LEGAL:
            status = REFUSED
        if terms.staged:
            paid = games.paid[i]
            for seat in range(terms.players):
                rewards[seat] = -paid[seat]
                paid[seat] = 0.0
            contract.returns(rules, state, paid)
            for seat in range(terms.players):
                rewards[seat] += paid[seat]
        elif status == OVER:
            contract.returns(rules, state, rewards)
    else:
        rewards[actor] = terms.illegal_reward
    if status != RUNNING and start(rules, policies, games, terms, i, views, k, ids):
        status = REFUSED
    games.status[i] = status


@kernel
def take_turn(
    rules: Rules, policies: Policies, games: Games, terms: Terms, i: Integer, restarts: Masks,
    starting: bool, actions: Ids, views: States, k: Integer, ids: Ids,
) -> None:  # fmt: skip
    """Play `actions[i]` in game `i`; or if `starting`, start a new game if `restarts[i]`.

    Writes `players[i]` as well; see `step`.
    """
    if not starting:
        step(rules, policies, games, terms, i, actions[i], views, k, ids)
    elif restarts[i]:
        for seat in range(terms.players):
            games.rewards[i, seat] = 0.0
        games.actors[i] = NOBODY
        games.status[i] = RUNNING
        if start(rules, policies, games, terms, i, views, k, ids):
            games.status[i] = REFUSED
    games.players[i] = games.states[i].player


@kernel
def mark(rules: Rules, states: States, i: Integer, mask: Masks, ids: Ids) -> None:
    """Write the action mask of game `i` into a row of zeros."""
    for j in range(contract.legal(rules, states[i], ids)):
        mask[ids[j]] = 1


@kernel
def step_games(
    rules: Rules, policies: Policies, games: Games, terms: Terms, restarts: Masks,
    starting: bool, actions: Ids, compact: bool, views: States, ids: Ids, observations: Planes,
    masks: Masks,
) -> None:  # fmt: skip
    """Step every game in a loop; a GPU uses a thread for each game.

    Args:
        rules: Rules of the game.
        policies: Policies of the other seats.
        games: The batch; changed in place.
        terms: Common settings of the games.
        restarts: Games to start anew if `starting`, int8 [n].
        starting: Whether new games are started instead of a step.
        actions: The actions, int64 [n].
        compact: Whether observations are those of `contract.features`.
        views: Scratch space, `game.dtype` [1].
        ids: Scratch space for ids, int32 [1, actions].
        observations: Observations of the players to act, int8 [n, size].
        masks: Their action masks, int8 [n, actions].
    """
    for i in range(len(games.states)):
        take_turn(rules, policies, games, terms, i, restarts, starting, actions, views, 0, ids[0])
        masks[i] = 0
        mark(rules, games.states, i, masks[i], ids[0])
        contract.look(rules, games.states[i], games.players[i], compact, observations[i])


@kernel
def pick(masks: Masks, streams: Streams, i: Integer) -> Integer:
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
def pick_all(masks: Masks, streams: Streams, actions: Ids) -> None:
    """Do `pick` in every game, into `actions`, int64 [n]."""
    for i in range(len(masks)):
        actions[i] = pick(masks, streams, i)


@kernel
def decide_all(
    rules: Rules, policies: Policies, states: States, streams: Streams, views: States, ids: Ids,
    actions: Ids,
) -> None:  # fmt: skip
    """Do `decide` of the first policy in every game, into `actions`, int64 [n]."""
    for i in range(len(states)):
        actions[i] = decide(rules, policies, 0, states, i, streams[i], views, 0, ids[0])


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

"""The steps of a batch of games, in loops on a CPU or by a thread of a GPU for each game.

1. Play the action.
2. Let policies answer at the seats that the user of the env does not play.
3. Pay the rewards.
4. Deal the next game if this one is over.
5. Write the observation and the mask of the player to act.

In `closedhand.envs`, a `DeviceBatch` uses `step`, which does 1 to 4 for one game; its callers do 5.
A `GameVectorEnv` calls `advance_games` and, for lists of ids, `list_games`. Its autoreset mode says
when the next game begins. Agents in Python act between a call for 1 or 4 and one for 3 and 5.

All random numbers after the first deal come from the stream of the game (see
`closedhand.core.stream`), in this order: the seed of a deal, the seat if it is drawn, then the
draws of policies. So a game is the same on every device and in every batch.
"""

from typing import NamedTuple

import numpy as np

from closedhand.core import batch_kernels, contract
from closedhand.core.numba.fast_call import borrowed, unpack
from closedhand.core.numba.jit import (
    Bools,
    Floats,
    Ids,
    Integer,
    Masks,
    Planes,
    Rules,
    Seats,
    Seeds,
    States,
    Statuses,
    inlined,
    kernel,
    seed_in_kernel,
)
from closedhand.core.policies import Policies, decide_by
from closedhand.core.status import ILLEGAL, OVER, REFUSED, RUNNING
from closedhand.core.stream import Streams

NONE = -1
"""In `Games.actors`: no seat acted, since the step began a new game or did not change the game."""
ALL_SEATS = -1
"""In place of the user's seat: the user plays every seat."""
ALL_LEGAL = -(2**63)
"""Result of kernels that return the illegal action of a policy: every action was legal.

It is the least int64, since an illegal action may be any number that a faulty policy returns.
"""
RANDOM_SEAT = -2
"""In `Terms.seat`: the user's seat is drawn for every game."""


class Games(NamedTuple):
    """A batch of games, arrays with a row for each.

    Attributes:
        states: The games, `game.dtype` [n].
        streams: Their random numbers, uint64 [n, 2]; rows have `random()`.
        seeds: Seed of the next deal, 0 if it is drawn from the stream, uint64 [n].
        seats: The user's seat, or `ALL_SEATS`, int64 [n].
        paid: Payoffs so far of staged games, float64 [n, seats].
        rewards: Rewards of all seats in this step, float64 [n, seats].
        status: Status after this step, see `closedhand.core.status`, int8 [n].
        actors: Seat that played the action of this step, or `NONE`, int64 [n].
        players: Seat whose observation and mask are shown: that to act, or the user's, int64 [n].
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
        staged: `Game.staged`.
        seat: The user's seat, `ALL_SEATS`, or `RANDOM_SEAT`.
        illegal_reward: Reward of a user's illegal action.
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
    """Let policies play in game `i` until it is over or `seat` is to act.

    `policies` are those of the seats after `seat`, in order; without `streams` they draw random
    numbers of their own. Scratch space is `views[k]` and `ids`. Each thread of a GPU has its own
    `k`; in a loop `k` is 0. `ids`, int32, has room for the actions of the game and of `Game.flat`.
    An illegal action ends the loop, and is returned; else the result is `ALL_LEGAL`.
    """
    state = states[i]
    while not contract.over(rules, state) and state.player != seat:
        player = np.int64(state.player)
        views[k] = states[i]
        contract.hide(rules, views[k], player)
        ahead = (player - seat) % players  # at least 1: policy 0 plays the seat after the user's
        action = np.int64(decide_by(policies, ahead - 1, streams, i, rules, views[k], ids))
        if batch_kernels.play(rules, state, action, ids) == ILLEGAL:
            return action
    return np.int64(ALL_LEGAL)


@kernel
def start(
    rules: Rules, policies: Policies, states: States, seeds: Seeds, streams: Streams, seats: Seats,
    paid: Floats, terms: Terms, i: Integer, dealt: bool, views: States, k: Integer, ids: Ids,
) -> Integer:  # fmt: skip
    """Start a new game in place of game `i`, and let the others play until the user's turn.

    The arrays are those of `Games`, changed in place; scratch space is that of `let_others_play`.
    The game starts from a new deal if `dealt`, else from `states[i]`. If a dealt game is over
    before the user's turn, it is no episode: another one is dealt.

    Return an illegal action of a policy, which is not played; else `ALL_LEGAL`.
    """
    while True:
        if dealt:
            seed = seeds[i]
            seeds[i] = np.uint64(0)
            if seed == 0:
                seed = seed_in_kernel(streams[i])
            contract.deal(rules, states[i], seed)
        seats[i] = terms.seat
        if terms.seat == RANDOM_SEAT:
            seats[i] = np.int64(streams[i].random() * terms.players)
        if terms.staged:
            contract.returns(rules, states[i], paid[i])
        refused = np.int64(ALL_LEGAL)
        if len(policies):
            refused = let_others_play(
                rules, policies, states, streams, i, seats[i], terms.players, views, k, ids
            )
        if refused != ALL_LEGAL or not dealt or not contract.over(rules, states[i]):
            return refused


@kernel
def answer(
    rules: Rules, policies: Policies, states: States, streams: Streams, i: Integer, seat: Integer,
    players: int, views: States, k: Integer, ids: Ids,
) -> tuple[int, Integer]:  # fmt: skip
    """Do `let_others_play`; return (status, its result): `RUNNING`, `OVER` or `REFUSED` first."""
    refused = let_others_play(rules, policies, states, streams, i, seat, players, views, k, ids)
    status = OVER if contract.over(rules, states[i]) else RUNNING
    return status if refused == ALL_LEGAL else REFUSED, refused


@inlined
def pay(
    rules: Rules, states: States, terms: Terms, i: Integer, actor: Integer, status: Integer,
    paid: Floats, rewards: Floats,
) -> None:  # fmt: skip
    """Write the rewards of `actor`'s action into `rewards[i]`, zero before; update `paid[i]`."""
    if status == ILLEGAL:
        rewards[i, actor] = terms.illegal_reward
    elif terms.staged:
        # The growth of the payoffs: those now, less those paid so far.
        for seat in range(terms.players):
            rewards[i, seat] = -paid[i, seat]
            paid[i, seat] = 0.0
        contract.returns(rules, states[i], paid[i])
        for seat in range(terms.players):
            rewards[i, seat] += paid[i, seat]
    elif status == OVER:
        contract.returns(rules, states[i], rewards[i])


@kernel
def step(
    rules: Rules, policies: Policies, games: Games, terms: Terms, i: Integer, chosen: Masks,
    starting: bool, actions: Ids, views: States, k: Integer, ids: Ids,
) -> None:  # fmt: skip
    """Play `actions[i]` in game `i`, and start the next one unless this is still `RUNNING`.

    If `starting`, play no action; start a new game if `chosen[i]`. Write `rewards`, `status`,
    `actors` and `players`. `status` is that after the action, or `RUNNING` where a chosen game
    starts; in both cases `REFUSED` if a policy's action is illegal, also in a new game. Scratch
    space is that of `let_others_play`.
    """
    for seat in range(terms.players):
        games.rewards[i, seat] = 0.0
    if not starting:
        actor = np.int64(games.states[i].player)
        status = batch_kernels.play(rules, games.states[i], actions[i], ids)
        if len(policies) and status == RUNNING:
            status, _ = answer(
                rules, policies, games.states, games.streams, i, games.seats[i], terms.players,
                views, k, ids,
            )  # fmt: skip
        pay(rules, games.states, terms, i, actor, status, games.paid, games.rewards)
        games.actors[i], games.status[i] = actor, status
    else:
        games.actors[i] = NONE
        if chosen[i]:
            games.status[i] = RUNNING
    if chosen[i] if starting else games.status[i] != RUNNING:
        refused = start(
            rules, policies, games.states, games.seeds, games.streams, games.seats, games.paid,
            terms, i, True, views, k, ids,
        )  # fmt: skip
        if refused != ALL_LEGAL:
            games.status[i] = REFUSED
    games.players[i] = games.states[i].player


@inlined
def mark(rules: Rules, states: States, i: Integer, mask: Masks, ids: Ids) -> None:
    """Write the action mask of game `i`, which is not over, into a row of zeros."""
    for j in range(contract.legal(rules, states[i], ids)):
        mask[ids[j]] = 1


@kernel
def step_games(
    rules: Rules, policies: Policies, games: Games, terms: Terms, chosen: Masks, starting: bool,
    actions: Ids, compact: bool, views: States, ids: Ids, observations: Planes, masks: Masks,
) -> None:  # fmt: skip
    """Do `step` in every game; then write observations and masks of the players to act.

    `chosen`, int8 [n], and `actions`, int64 [n], are those of `step`. `observations`, int8
    [n, size], are written by `contract.features` if `compact`, else by `contract.observe`; `masks`
    are int8 [n, num_actions]. Scratch space is `views`, `game.dtype` [1], and `ids`, int32 [1, k],
    with room as in `let_others_play`.
    """
    for i in range(len(games.states)):
        step(rules, policies, games, terms, i, chosen, starting, actions, views, 0, ids[0])
        masks[i] = 0
        mark(rules, games.states, i, masks[i], ids[0])
        contract.look(rules, games.states[i], games.players[i], compact, observations[i])


class Plan(NamedTuple):
    """Settings of a call of `advance_games`.

    Attributes:
        turns: Whether actions are played, and games not `RUNNING` started anew.
        pays: Whether rewards are paid for the actions played.
        shows: Whether `Games.players`, observations, masks and returns are written.
        dealt: Whether games start from new deals, see `start`.
        compact: Whether observations are those of `contract.features`.
    """

    turns: bool
    pays: bool
    shows: bool
    dealt: bool
    compact: bool


class Shown(NamedTuple):
    """Output of a step for the user of a batch, arrays with a row for each game.

    Attributes:
        observations: Observations, int8 [n, size].
        masks: Action masks, int8 [n, actions]; or [n, 0], if there are none.
        copies: A copy of `masks` for observations, as infos hold `masks` itself; or [n, 0].
        returns: Payoffs by player of games that are over, float64 [n, seats]; zero on entry.
        reward: Reward of the seat that acted, float64 [n]; zero on entry.
        earned: Sum of the rewards of the game under way, float64 [n, seats]; kept between steps.
        steps: Number of steps of the game under way, int64 [n]; kept between steps.
        sums: `earned` of games that just ended, float64 [n, seats], zero on entry; or [0, seats].
        lengths: `steps` of these, int64 [n], zero on entry; [0]: no `add_up`.
    """

    observations: Planes
    masks: Masks
    copies: Masks
    returns: Floats
    reward: Floats
    earned: Floats
    steps: Ids
    sums: Floats
    lengths: Ids


@kernel
def advance_games(
    rules: Rules, policies: Policies, games: Games, terms: Terms, first: int, last: int,
    chosen: Bools, actions: Ids, plan: Plan, shown: Shown, views: States, ids: Ids,
) -> None:  # fmt: skip
    """Play an action in every chosen game, or start the next one if not `RUNNING`; pay and show.

    Of the games `first` to `last` - 1, those `chosen`, bool [n], are played and paid, and all are
    shown; `plan` may leave out each of the three. One pass fetches a game from memory only once.

    - Play: a running game plays `actions[i]`, int64 [n], and the policies answer. Any other game
      is replaced by the next one; one that this action ends stays until a later call. Writes
      `status`, and `actors`, which are `NONE` on entry, where an action was played.
    - Pay: writes `rewards`, which are zero on entry, and the sums of `shown`.
    - Show: writes `players`, and observations, masks and returns of `shown`.

    Where a policy's action is illegal, the game becomes `REFUSED`, and the action replaces the
    user's in `actions`. There are no policies if the user plays all seats, or if an agent decides
    in Python. Rules and policies may be packed (`fast_call.pack`). Scratch space is as in
    `let_others_play`, so every thread needs its own.
    """
    rules, answering = unpack(rules), unpack(policies)
    games, shown, chosen, actions = borrowed((games, shown, chosen, actions))
    views, ids = borrowed((views, ids))
    states, streams, seats, players = games.states, games.streams, games.seats, games.players
    status, actors, seeds, paid = games.status, games.actors, games.seeds, games.paid
    rewards, returns, reward = games.rewards, shown.returns, shown.reward
    observations, masks, copies = shown.observations, shown.masks, shown.copies
    earned, steps, sums, lengths = shown.earned, shown.steps, shown.sums, shown.lengths
    for i in range(first, last):
        if plan.turns and chosen[i]:
            refused = np.int64(ALL_LEGAL)
            if status[i] == RUNNING:
                actors[i] = states[i].player
                status[i] = batch_kernels.play(rules, states[i], actions[i], ids)
                # `len` of an argument is known at compile time: for 0 this is left out.
                if len(policies) and status[i] == RUNNING:
                    status[i], refused = answer(
                        rules, answering, states, streams, i, seats[i], terms.players, views, 0, ids
                    )
            else:
                refused = start(
                    rules, answering, states, seeds, streams, seats, paid, terms, i, plan.dealt,
                    views, 0, ids,
                )  # fmt: skip
                status[i] = OVER if contract.over(rules, states[i]) else RUNNING
            if refused != ALL_LEGAL:
                status[i] = REFUSED
                actions[i] = refused
        if plan.pays and chosen[i] and status[i] != REFUSED:
            if actors[i] != NONE:
                if terms.staged or status[i] != RUNNING:
                    pay(rules, states, terms, i, actors[i], status[i], paid, rewards)
                reward[i] = rewards[i, actors[i]]
            if len(lengths):
                add_up(
                    terms.players, i, actors[i], status[i], rewards, earned, steps, sums, lengths
                )
        if plan.shows:
            players[i] = states[i].player if seats[i] == ALL_SEATS else seats[i]
            contract.look(rules, states[i], players[i], plan.compact, observations[i])
            if masks.shape[1]:
                show_legal(rules, states, i, status[i], masks[i], copies[i], ids)
            if status[i] == OVER:
                contract.returns(rules, states[i], returns[i])


@inlined
def add_up(
    players: int, i: Integer, actor: Integer, status: Integer, rewards: Floats, earned: Floats,
    steps: Ids, sums: Floats, lengths: Ids,
) -> None:  # fmt: skip
    """Add the rewards of game `i` to `earned`, and 1 to `steps` if a seat acted.

    If the game is not `RUNNING`, move both to `sums` and `lengths`, and reset them to 0.
    """
    steps[i] += actor != NONE
    if status != RUNNING:
        lengths[i] = steps[i]
        steps[i] = 0
    for seat in range(players):
        earned[i, seat] += rewards[i, seat]
        if status != RUNNING:
            sums[i, seat] = earned[i, seat]
            earned[i, seat] = 0.0


@inlined
def show_legal(
    rules: Rules, states: States, i: Integer, status: Integer, mask: Masks, copy: Masks, ids: Ids
) -> None:
    """Write the action mask of game `i` into `mask`, and into `copy` too unless `copy` is empty.

    If the game is not `RUNNING`, the mask marks action 0, so that there is an action to draw.
    """
    number: Integer = 1
    ids[0] = 0
    if status == RUNNING:
        number = contract.legal(rules, states[i], ids)
    mask[:] = 0
    for k in range(number):
        mask[ids[k]] = 1
    if number > len(copy) // 4:
        for action in range(len(copy)):  # a slice would compile an error message
            copy[action] = mask[action]
    else:  # fewer marks take less time than reading a mask of thousands of actions
        copy[:] = 0
        for k in range(number):
            copy[ids[k]] = 1


@kernel
def list_games(rules: Rules, games: Games, first: int, last: int, ids: Ids, out: Ids) -> Integer:
    """Write the ids of the legal actions of games into `out`, int32 [n, width].

    For `first <= i < last`, row i lists those of game i, ascending, then -1; action 0 if game i is
    not `RUNNING`. At most `width` ids of a list are written. Return the length of the longest list,
    which may exceed `width`. `ids` is scratch space, int32 [num_actions].
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
def pick(masks: Masks, streams: Streams, i: Integer) -> Integer:
    """Draw a uniformly random legal action by `masks[i]`; 0 if the mask is all zero."""
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
    """Do `decide` in every game, into `actions`, int64 [n]; scratch space is as in `step_games`."""
    for i in range(len(states)):
        actions[i] = decide(rules, policies, states, streams, i, views, 0, ids[0])


@kernel
def random_game(rules: Rules, states: States, streams: Streams, i: Integer, ids: Ids) -> int:
    """Deal game `i` from its stream and play it out at random; return the number of actions."""
    contract.deal(rules, states[i], seed_in_kernel(streams[i]))
    return contract.random_playout(rules, states[i], streams[i], ids)


@kernel
def random_games(rules: Rules, states: States, streams: Streams, ids: Ids, moves: Ids) -> None:
    """Do `random_game` in every game, results into `moves`, int64 [n]; `ids`: see `step_games`."""
    for i in range(len(states)):
        moves[i] = random_game(rules, states, streams, i, ids[0])

"""Thousands of games at a time as NumPy arrays: deal, observe, choose, step.

A batch is an array of states, `game.dtype` [n]. Slices, selections and copies of it are batches.
Every function checks its arguments, then enters compiled code once for all games::

    states = batch.deal(game, range(1000))
    while batch.running(game, states).any():
        batch.step(game, states, batch.sample(game, states, rng))
    batch.returns(game, states)

Games that are over stay in the batch. They have no legal actions, and `step` does not change them.

Arguments mean the same everywhere, and a function raises an `InputError` for any other value:

- `states`: states of `game`, `game.dtype` [n], which only `step` changes;
- `rng`: a NumPy generator;
- `seats`: players who observe, one for all games or integers [n]; by default the players to act.
"""

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from closedhand.core import batch_kernels
from closedhand.core.checks import as_array, check_seed, generator, integers, whole_number
from closedhand.core.game import Game, InputError
from closedhand.core.numba.jit import Bools, Floats, Masks, Planes, Rng, States, Statuses, draw_seed
from closedhand.core.status import ILLEGAL as ILLEGAL, OVER as OVER, RUNNING as RUNNING

Observers = int | Sequence[int] | NDArray[np.integer[Any]]


def deal(game: Game, seeds: ArrayLike) -> States:
    """Deal new games, `game.dtype` [n], by their seeds, nonnegative integers [n].

    Game i is that of `game.deal(np.random.default_rng(seeds[i]))` and `env.reset(seed=seeds[i])`.
    """
    array = as_array(seeds)
    if array.ndim != 1:
        raise InputError("seeds must be a sequence of whole numbers")
    # Making a generator takes longer than the deal, but a seed must deal as it does in envs. Seeds
    # are not taken from the array: NumPy makes floats of integers that fit no single type.
    generators = (np.random.default_rng(check_seed(seed)) for seed in cast(Any, seeds))
    return _start(game, [draw_seed(each) for each in generators])


def deal_random(game: Game, number: int, rng: Rng) -> States:
    """Deal new games, `game.dtype` [number], as by `number` calls of `game.deal(rng)`."""
    generator(rng)
    count = whole_number(number, "a number of games", 0)
    return _start(game, [draw_seed(rng) for _ in range(count)])


def prepared(game: Game, states: Any, copy: bool = False) -> States:
    """Check that an array holds states of a game, and return it contiguous and writable.

    Kernels are compiled for such arrays. Other arrays are copied; with `copy`, all are.
    """
    found = cast(States, states)
    if not isinstance(states, np.ndarray) or found.dtype != game.dtype or found.ndim != 1:
        raise InputError(f"states are an array [n] of records of {game.name}, its dtype")
    acting = found["player"]
    if ((acting < 0) | (acting >= game.num_players)).any():
        raise InputError(f"states of {game.name} have a player 0 to {game.num_players - 1}")
    if type(found) is np.ndarray and found.flags.carray and not copy:
        return found
    return np.array(found, order="C", subok=False)


def running(game: Game, states: States) -> Bools:
    """Return which games are not over, bool [n]."""
    states = prepared(game, states)
    out = np.empty(len(states), np.bool_)
    batch_kernels.running(game.rules, states, out)
    return out


def legal_masks(game: Game, states: States) -> Masks:
    """Return the action masks of the players to act, int8 [n, num_actions]; zero after the end."""
    states = prepared(game, states)
    masks = np.empty((len(states), game.num_actions), np.int8)
    batch_kernels.mark_all(game.rules, states, masks, _ids(game))
    return masks


def sample(game: Game, states: States, rng: Rng) -> NDArray[np.int64]:
    """Draw a uniformly random legal action in every game, int64 [n]; -1 where a game is over.

    The generator draws once for every game that is not over.
    """
    states = prepared(game, states)
    generator(rng)
    actions = np.empty(len(states), np.int64)
    batch_kernels.sample_all(game.rules, states, rng, _ids(game), actions)
    return actions


def step(game: Game, states: States, actions: ArrayLike) -> Statuses:
    """Play the action of the player to act in every game, in place.

    `actions` are ids, integers [n]; those in games that are over are ignored. Return the status of
    each game, int8 [n]: `RUNNING`, `OVER`, or `ILLEGAL` where the action was refused and changed
    nothing. A lenient game only refuses numbers that are no ids.

    Raises:
        InputError: The states are read-only, or the actions are not one integer for each game.
    """
    ready = prepared(game, states)
    if not states.flags.writeable:
        raise InputError("these states are read-only: step a copy of them")
    status = np.empty(len(states), np.int8)
    ids = integers("actions", actions, len(states))
    games = np.arange(len(states))
    batch_kernels.play_all(game.rules, ready, games, ids, game.num_actions, status)
    if ready is not states:
        states[:] = ready
    return status


def observe(game: Game, states: States, seats: Observers | None = None) -> tuple[Planes, Masks]:
    """Return observations, int8 [n, observation_size], and action masks, int8 [n, num_actions].

    `game.split` cuts observations into named parts. A mask is zero where the seat is not to act.
    """
    return _look(game, states, seats, False)


def features(game: Game, states: States, seats: Observers | None = None) -> tuple[Planes, Masks]:
    """Return compact observations, int8 [n, feature_size], and the action masks of `observe`."""
    return _look(game, states, seats, True)


def views(game: Game, states: States, seats: Observers | None = None) -> States:
    """Return the views of `seats`, `game.dtype` [n], from which agents decide."""
    hidden = prepared(game, states, copy=True)
    batch_kernels.hide_for(game.rules, hidden, _seats(game, states, seats))
    return hidden


def returns(game: Game, states: States) -> Floats:
    """Return the payoffs of all players, float64 [n, num_players].

    Those of a game under way are zero or, in a staged game, the payoffs so far.
    """
    states = prepared(game, states)
    paid = np.arange(len(states)) if game.staged else np.flatnonzero(~running(game, states))
    out = np.zeros((len(states), game.num_players))
    batch_kernels.returns_all(game.rules, states, paid, out)
    return out


def playouts(game: Game, states: States, rng: Rng) -> States:
    """Play copies of games to their end with uniformly random actions; return the ends, [n]."""
    generator(rng)
    ends = prepared(game, states, copy=True)
    batch_kernels.play_out_all(game.rules, ends, rng, _ids(game))
    return ends


def _look(
    game: Game, states: States, seats: Observers | None, compact: bool
) -> tuple[Planes, Masks]:
    states = prepared(game, states)
    size = game.feature_size if compact else game.observation_size
    observations = np.empty((len(states), size), np.int8)
    masks = np.empty((len(states), game.num_actions), np.int8)
    seen_by = _seats(game, states, seats)
    batch_kernels.observe_all(game.rules, states, seen_by, compact, observations, masks)
    return observations, masks


def _start(game: Game, seeds: list[np.uint64]) -> States:
    states = game.empty(len(seeds))
    batch_kernels.deal_all(game.rules, states, np.array(seeds, np.uint64))
    return states


def _ids(game: Game) -> NDArray[np.int32]:
    return np.empty(game.num_actions, np.int32)


def _seats(game: Game, states: States, seats: Observers | None) -> NDArray[np.int64]:
    if seats is None:
        return states["player"].astype(np.int64)
    if as_array(seats).ndim == 0:
        return np.full(len(states), game.seat(seats, "the observer"))
    found = integers("seats", seats, len(states))
    if ((found < 0) | (found >= game.num_players)).any():
        raise InputError(f"seats of {game.name} must be 0 to {game.num_players - 1}")
    return found

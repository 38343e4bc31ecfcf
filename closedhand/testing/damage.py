"""Saved states, and damaged ones: random faults in their bytes, as from a bad disk or an attacker.

`Game.load` has to refuse a damaged state or return a valid one, which then goes to every function
of the game. A kernel that gets a wrong number may crash or hang: run `throw` in its own process.
"""

import os
import signal
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from closedhand.core import contract
from closedhand.core.game import HEADER, Game, InputError, State
from closedhand.testing.expectations import Broken, expect, same
from closedhand.testing.walk import Walk

DAMAGED = 100
"""Number of damaged states that are tried for a game."""

PATIENCE = 1800
"""Seconds after which the child process counts as hanging; it usually takes a few."""

FINE = "fine"  # last line of a child process that has found no fault

KINDS = 9
"""Number of kinds of faults, from 0; see `damaged` and `_damage_field`."""
FIRST = 12
"""Faults of single entries hit only the first `FIRST` of a field: a history is mostly empty."""


def check_save(walk: Walk) -> None:
    """Check that a state is the same after `save` and `load`."""
    twin = walk.game.load(walk.game.save(walk.state))
    same(walk.game, walk.state, twin, "a state is the same after it was saved and loaded")


def check_damaged(game: Game, seed: int) -> None:
    """Check that damaged states are refused, or are valid and do no harm.

    Where the system can fork, a child process makes the check, since kernels may crash or hang.
    """
    if not hasattr(os, "fork"):
        for _ in throw(game, seed, DAMAGED):
            pass
        return
    read, write = os.pipe()
    with warnings.catch_warnings():
        # Python warns that a fork copies only this thread; the child needs no other.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if not child:
        try:
            _report(game, seed, write)
        finally:
            os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8", errors="replace") as pipe:
        *_, last = pipe.read().splitlines() or ["nothing"]
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        how = signal.Signals(os.WTERMSIG(status))
        raise Broken(f"{last} {'hangs' if how == signal.SIGALRM else f'crashes: {how.name}'}")
    if last != FINE:
        raise Broken(last)


def _report(game: Game, seed: int, write: int) -> None:
    """In the child, write each state's number to a pipe before its test, then a fault or `FINE`."""
    state = "no state"  # until the first one
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # kills the child if a call hangs
    signal.alarm(PATIENCE)
    with open(write, "w", encoding="utf-8", errors="replace") as pipe:
        try:
            for number, _ in enumerate(throw(game, seed, DAMAGED)):
                state = f"state {number}"
                print(state, file=pipe, flush=True)
            print(FINE, file=pipe)
        except Exception as error:
            cause = str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"
            print(state, " ".join(cause.split()), sep=": ", file=pipe)


def throw(game: Game, seed: int, number: int) -> Iterator[int]:
    """Damage states and views of random games, and pass them to the game.

    Yield the number of accepted states so far, before each damaged state and at the end.
    """
    rng = np.random.default_rng(seed)
    pool = [state.copy() for _ in range(6) for state in _positions(game, rng)]
    accepted, header = 0, game.save(pool[0])[: HEADER.size]
    for i in range(number):
        yield accepted
        rng = np.random.default_rng((seed, i))
        state, other = (pool[int(k)] for k in rng.integers(len(pool), size=2))
        player = int(rng.integers(game.num_players)) if rng.random() < 0.4 else None
        if player is not None:
            state, other = game.view(state, player), game.view(other, player)
        data = damaged(state, other, rng)
        try:
            state = game.load(header + data, player)
        except InputError as error:
            expect("\n" not in str(error), "a damaged state is refused in several lines")
            continue
        accepted += 1
        survive(game, state, player, rng)
    yield accepted


def _positions(game: Game, rng: np.random.Generator) -> Iterator[State]:
    state = game.deal(rng)
    yield state
    while not game.over(state):
        game.play(state, game.sample(rng, state))
        yield state


def damaged(state: State, other: State, rng: np.random.Generator) -> bytes:
    """Return the bytes of a state, or of a view, with one to three random faults.

    A fault flips bits, changes a number a little, swaps entries or fields, copies an entry or a
    field from `other`, or fills a field with random bytes; the last fault may cut off or append
    bytes. One time in 20 all bytes are random instead.
    """
    state = state.copy()
    if rng.random() < 0.05:
        return rng.bytes(state.nbytes)
    for _ in range(int(rng.integers(1, 4))):
        kind = int(rng.integers(KINDS))
        if kind == 0:
            data = state.tobytes() + rng.bytes(8)
            return data[: int(rng.integers(len(data) + 1))]
        if kind == 1:
            state = _flip_bits(state, rng)
        elif kind == 2:
            _swap_fields(state, rng)
        else:
            _damage_field(state, other, kind, rng)
    return state.tobytes()


def _flip_bits(state: State, rng: np.random.Generator) -> State:
    raw = np.frombuffer(bytearray(state.tobytes()), np.uint8)
    for bit in rng.integers(8 * len(raw), size=int(rng.integers(1, 4))):
        raw[bit // 8] ^= 1 << int(bit % 8)
    return raw.view(state.dtype)[0]


def _swap_fields(state: State, rng: np.random.Generator) -> None:
    """Swap two fields of one dtype; nothing changes if the same field is drawn twice."""
    names = state.dtype.names or ()
    one = names[int(rng.integers(len(names)))]
    alike = [name for name in names if state.dtype[name] == state.dtype[one]]
    other = alike[int(rng.integers(len(alike)))]
    first, second = np.copy(state[one]), np.copy(state[other])
    state[one], state[other] = second, first


def _damage_field(state: State, other: State, kind: int, rng: np.random.Generator) -> None:
    """Damage a random field in place, for kinds 3 to 8; `damaged` does the others itself."""
    names = state.dtype.names or ()
    name = names[int(rng.integers(len(names)))]
    values = np.atleast_1d(state[name]).reshape(-1).copy()
    foreign = np.atleast_1d(other[name]).reshape(-1)
    i, j = (int(k) for k in rng.integers(min(len(values), FIRST), size=2))
    if kind == 3:
        values = foreign
    elif kind == 4:
        values[i] = foreign[j]
    elif kind == 5:
        values[i], values[j] = values[j], values[i]
    elif kind == 6:
        values[i] = wrapped(values[i], int(rng.integers(-3, 4)))
    elif kind == 7:
        values[i : i + 1].view(np.uint8)[0] ^= 1 << int(rng.integers(8))  # a bit of its first byte
    else:  # all bytes are random
        values.view(np.uint8)[:] = np.frombuffer(rng.bytes(values.nbytes), np.uint8)
    state[name] = values.reshape(state[name].shape) if state[name].shape else values[0]


def wrapped(number: Any, change: int) -> Any:
    """Add a change to a NumPy number; the sum wraps around in the number's dtype."""
    return np.array(int(number) + change).astype(number.dtype)


def survive(game: Game, state: State, player: int | None, rng: np.random.Generator) -> None:
    """Pass a valid state, or a view of `player`, to all functions; play full states to the end."""
    for seat in range(game.num_players) if player is None else (player,):
        game.observe(state, seat)
        view = game.view(state, seat)
        expect(game.valid(view, seat) == "", "a view of a valid state is refused")
        if not game.over(state) and seat == state.player:
            expect(len(game.legal(view)) > 0, "a valid state has no legal action")
        full = game.redeal(view, seat, rng)
        expect(game.valid(full) == "", "a redealt view of a valid state is refused")
        _play_on(game, full, rng)
    game.returns(state)
    if player is None:
        _play_on(game, state.copy(), rng)


def _play_on(game: Game, state: State, rng: np.random.Generator) -> None:
    """Play at random, and check that the end is reached within `max_moves` and is valid."""
    ids = np.empty(game.num_actions, np.int32)
    for _ in range(game.max_moves + 1):
        if contract.over(game.rules, state):
            break
        contract.play(game.rules, state, contract.random_action(game.rules, state, rng, ids))
    expect(game.over(state), "a valid state goes on after max_moves, {} actions", game.max_moves)
    expect(game.valid(state) == "", "a valid state has an end that is refused")
    game.returns(state)

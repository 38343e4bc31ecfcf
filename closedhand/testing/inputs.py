"""Checks of hostile input: wrong seats, actions and states are refused in one line."""

# pyright: reportArgumentType=false
# Arguments of wrong types are intended here.

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from closedhand.core.game import Game
from closedhand.envs.aec import GameAEC, env as aec_env
from closedhand.envs.parallel import GameParallel
from closedhand.envs.solo import SoloEnv
from closedhand.envs.vector import GameVectorEnv
from closedhand.testing.damage import throw
from closedhand.testing.expectations import Broken, refuses

NO_NUMBERS: tuple[Any, ...] = (
    None, True, np.bool_(True), 0.0, 0.5, float("nan"), np.float64(0), "0", b"0", (), [0], {},
    np.zeros(1, np.int64), np.zeros((), np.float64), np.datetime64(0, "s"), range(3), 0j,
)  # fmt: skip
"""Objects that are not whole numbers."""

_FAR: tuple[int, ...] = (-1, 10**9, 2**31, 2**63, 2**64, -(2**63) - 1, 2**70, -(2**70), 10**5000)
"""Whole numbers beyond any seat and any action."""

NO_STATES: tuple[Any, ...] = (
    None, 7, b"", "state", {}, np.zeros(3), np.zeros((), np.int64),
    np.zeros(1, np.dtype((np.record, [("player", "i4"), ("history", "i4", 2)])))[0],
)  # fmt: skip
"""Objects that are not states of any game."""

DAMAGED = 100
"""Number of damaged states that a game gets."""

PATIENCE = 1800
"""Seconds after which the child process counts as hanging; it usually takes a few."""

FINE = "fine"
"""Last line of a child process that has found no fault."""


def check_inputs(game: Game, seed: int) -> None:
    """Check that bad input is refused without a crash.

    If the system can fork, a child process does it, since a kernel may crash or hang on wrong
    arguments.
    """
    if not hasattr(os, "fork"):
        for _ in hostile_input(game, seed):
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
    """Write each call before it is made, then the fault or `FINE`."""
    what = "bad input"
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(PATIENCE)
    with open(write, "w", encoding="utf-8", errors="replace") as pipe:
        try:
            for what in hostile_input(game, seed):
                print(what, file=pipe, flush=True)
            print(FINE, file=pipe)
        except Exception as error:
            cause = str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"
            text = cause if cause.startswith(what) else f"{what}: {cause}"
            print(" ".join(text.split()), file=pipe)


def hostile_input(game: Game, seed: int) -> Iterator[str]:
    """Pass arguments to a game that it must refuse.

    Yields:
        Text of each call before it is made.

    Raises:
        Broken: A call is accepted, or not refused by an `InputError` of one line.
    """
    for what, call in (*_calls_of_game(game, seed), *_calls_of_envs(game, seed)):
        yield what
        refuses(call, what)
    for number, _ in enumerate(throw(game, seed, DAMAGED)):
        yield f"damaged state {number} of seed {seed}"


Calls = Iterator[tuple[str, Callable[[], object]]]


def _calls_of_game(game: Game, seed: int) -> Calls:
    """Iterate over calls of the methods of `Game`, each with a wrong argument."""
    rng = np.random.default_rng(seed)
    state = game.deal(rng)
    view, data = game.view(state, 0), game.save(state)
    for seat in (*NO_NUMBERS, *_FAR, game.num_players):
        name = _name(seat)
        yield f"view(state, {name})", lambda seat=seat: game.view(state, seat)
        yield f"key(state, {name})", lambda seat=seat: game.key(state, seat)
        yield f"observe(state, {name})", lambda seat=seat: game.observe(state, seat)
        yield f"redeal(view, {name}, rng)", lambda seat=seat: game.redeal(view, seat, rng)
        yield f"view_from({name}, …)", lambda seat=seat: game.view_from(seat, "")
        yield f"knowledge(view, {name})", lambda seat=seat: game.knowledge(view, seat)
        if seat is not None:
            yield f"valid(state, {name})", lambda seat=seat: game.valid(state, seat)
            yield f"load(bytes, {name})", lambda seat=seat: game.load(data, seat)
    for action in (*NO_NUMBERS, *_FAR, game.num_actions):
        name = _name(action)
        yield f"play(state, {name})", lambda action=action: game.play(state.copy(), action)
        yield f"text({name})", lambda action=action: game.text(action)
    for wrong in (*NO_STATES, game.empty(2), game.empty(1), game.empty(1).reshape(())):
        name = _name(wrong)
        yield f"legal({name})", lambda one=wrong: game.legal(one)
        yield f"play({name}, 0)", lambda one=wrong: game.play(one, 0)
        yield f"over({name})", lambda one=wrong: game.over(one)
        yield f"returns({name})", lambda one=wrong: game.returns(one)
        yield f"history({name})", lambda one=wrong: game.history(one)
        yield f"view({name}, 0)", lambda one=wrong: game.view(one, 0)
        yield f"redeal({name}, 0, rng)", lambda one=wrong: game.redeal(one, 0, rng)
        yield f"observe({name}, 0)", lambda one=wrong: game.observe(one, 0)
        yield f"sample(rng, {name})", lambda one=wrong: game.sample(rng, one)
        yield f"playout({name}, rng)", lambda one=wrong: game.playout(one, rng)
        yield f"deal_text({name})", lambda one=wrong: game.deal_text(one)
        yield f"scene({name})", lambda one=wrong: game.scene(one)
        yield f"save({name})", lambda one=wrong: game.save(one)
        if wrong is not None:
            yield f"text(0, {name})", lambda one=wrong: game.text(0, one)
            yield f"load({name})", lambda one=wrong: game.load(one)
    for text in (None, 7, b"x", ["x"], np.str_("x")[:0]):
        name = _name(text)
        yield f"parse({name})", lambda text=text: game.parse(text)
        yield f"parse_deal({name})", lambda text=text: game.parse_deal(text)
    for planes in (None, 7, np.zeros(3, np.int8), np.zeros((game.observation_size, 1), np.int8)):
        yield f"split({_name(planes)})", lambda planes=planes: game.split(planes)
    for none in (None, 7, np.random, np.random.RandomState(0)):
        name = _name(none)
        yield f"deal({name})", lambda none=none: game.deal(none)
        yield f"redeal(view, 0, {name})", lambda none=none: game.redeal(view, 0, none)
        yield f"playout(state, {name})", lambda none=none: game.playout(state, none)
        yield f"sample({name}, state)", lambda none=none: game.sample(none, state)
    frozen = np.frombuffer(state.tobytes(), game.dtype)[0]
    yield "play in a read-only state", lambda: game.play(frozen, int(game.legal(state)[0]))


def _calls_of_envs(game: Game, seed: int) -> Calls:
    """Iterate over calls of the envs, each with a wrong action, seat or state."""
    checked, raw, solo = aec_env(game), GameAEC(game), SoloEnv(game)
    envs = GameVectorEnv(game, 2)
    checked.reset(seed=seed)
    raw.reset(seed=seed)
    solo.reset(seed=seed)
    envs.reset(seed=seed)
    for action in (*NO_NUMBERS, *_FAR, game.num_actions):
        name = _name(action)
        yield f"step({name}) of an AEC env", lambda action=action: raw.step(action)
        yield f"step({name}) of a checked AEC env", lambda action=action: checked.step(action)
    for action in NO_NUMBERS:
        yield f"step({_name(action)}) of a solo env", lambda action=action: solo.step(action)
    zeros = np.zeros(2)
    for actions in (*NO_NUMBERS, zeros, zeros.astype(bool), zeros.astype(object), [[0], [0, 1]],
                    np.zeros((2, 1), int), np.zeros(3, int), ["0", "0"], [2**70, 0]):  # fmt: skip
        yield f"step({_name(actions)}) of a vector env", lambda actions=actions: envs.step(actions)
    for wrong in (*NO_STATES[1:], game.empty(2)):
        options: Any = {"state": wrong}
        where = f"reset to the state {_name(wrong)}"
        yield f"{where} of an AEC env", lambda options=options: raw.reset(options=options)
        yield f"{where} of a solo env", lambda options=options: solo.reset(options=options)
        yield f"{where} of a vector env", lambda options=options: envs.reset(options=options)
    for wrong in (*NO_STATES, game.empty(3), game.empty(2).reshape(2, 1), [None, None]):
        yield f"states = {_name(wrong)}", lambda one=wrong: setattr(envs, "states", one)
    for seat in (*NO_NUMBERS, *_FAR, game.num_players):
        name = _name(seat)
        yield f"SoloEnv(seat={name})", lambda seat=seat: SoloEnv(game, seat=seat)
        yield f"observe({name}) of an AEC env", lambda seat=seat: raw.observe(seat)
    if game.simultaneous:
        together = GameParallel(game)
        together.reset(seed=seed)
        for action in NO_NUMBERS:
            wrong = dict.fromkeys(together.agents, action)
            yield (
                f"step of {_name(action)} in a parallel env",
                lambda wrong=wrong: together.step(wrong),
            )


def _name(value: Any) -> str:
    """Write a value for a message."""
    if isinstance(value, int) and abs(value) > 10**100:
        return "a number of thousands of digits"
    return " ".join(repr(value).split())[:60]

"""Checks of hostile input: wrong seats, actions and states are refused in one line."""

# pyright: reportArgumentType=false
# Arguments of wrong types are intended here.

import os
import signal
import warnings
from collections.abc import Callable, Iterator
from functools import partial
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

_FAR: tuple[int, ...] = (-1, 10**9, 2**31, 2**63, 2**64, -(2**63) - 1, 2**70, -(2**70), 10**5000)
"""Whole numbers outside the range of any seat and any action."""

NO_STATES: tuple[Any, ...] = (
    None, 7, b"", "state", {}, np.zeros(3), np.zeros((), np.int64),
    np.zeros(1, np.dtype((np.record, [("player", "i4"), ("history", "i4", 2)])))[0],
)  # fmt: skip

DAMAGED = 100

PATIENCE = 1800
"""Seconds after which the child process counts as hanging; it usually takes a few."""

FINE = "fine"  # last line of a child process that has found no fault


def check_inputs(game: Game, seed: int) -> None:
    """Check that bad input is refused without a crash.

    A child process makes the check, where the system can fork, since kernels may crash or hang.
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
    """In the child, write each call to a pipe before it is made, then the fault or `FINE`."""
    what = "bad input"  # until the first call
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # kills the child if a call hangs
    signal.alarm(PATIENCE)
    with open(write, "w", encoding="utf-8", errors="replace") as pipe:
        try:
            for what in hostile_input(game, seed):
                print(what, file=pipe, flush=True)
            print(FINE, file=pipe)
        except Exception as error:
            cause = str(error) if isinstance(error, Broken) else f"{type(error).__name__}: {error}"
            text = cause if cause.startswith(what) else f"{what}: {cause}"  # `refuses` names it
            print(" ".join(text.split()), file=pipe)


def hostile_input(game: Game, seed: int) -> Iterator[str]:
    """Pass arguments to a game that it must refuse; yield the text of each call beforehand."""
    for what, call in (*_calls_of_game(game, seed), *_calls_of_envs(game, seed)):
        yield what
        refuses(call, what)
    for number, _ in enumerate(throw(game, seed, DAMAGED)):
        yield f"damaged state {number} of seed {seed}"


Calls = Iterator[tuple[str, Callable[[], object]]]


def _calls_of_game(game: Game, seed: int) -> Calls:
    rng = np.random.default_rng(seed)
    state = game.deal(rng)
    view, data = game.view(state, 0), game.save(state)
    for seat in (*NO_NUMBERS, *_FAR, game.num_players):
        name = _name(seat)
        for method in (game.view, game.key, game.observe):
            yield f"{method.__name__}(state, {name})", partial(method, state, seat)
        yield f"redeal(view, {name}, rng)", partial(game.redeal, view, seat, rng)
        yield f"view_from({name}, …)", partial(game.view_from, seat, "")
        yield f"knowledge(view, {name})", partial(game.knowledge, view, seat)
        if seat is not None:
            yield f"valid(state, {name})", partial(game.valid, state, seat)
            yield f"load(bytes, {name})", partial(game.load, data, seat)
    for action in (*NO_NUMBERS, *_FAR, game.num_actions):
        name = _name(action)
        yield f"play(state, {name})", partial(game.play, state.copy(), action)
        yield f"text({name})", partial(game.text, action)
    for wrong in (*NO_STATES, game.empty(2), game.empty(1), game.empty(1).reshape(())):
        name = _name(wrong)
        for method in (game.legal, game.over, game.returns, game.history, game.deal_text,
                       game.scene, game.save):  # fmt: skip
            yield f"{method.__name__}({name})", partial(method, wrong)
        for method in (game.play, game.view, game.observe):
            yield f"{method.__name__}({name}, 0)", partial(method, wrong, 0)
        yield f"redeal({name}, 0, rng)", partial(game.redeal, wrong, 0, rng)
        yield f"sample(rng, {name})", partial(game.sample, rng, wrong)
        yield f"playout({name}, rng)", partial(game.playout, wrong, rng)
        if wrong is not None:
            yield f"text(0, {name})", partial(game.text, 0, wrong)
            yield f"load({name})", partial(game.load, wrong)
    for text in (None, 7, b"x", ["x"], np.str_("x")[:0]):
        for method in (game.parse, game.parse_deal):
            yield f"{method.__name__}({_name(text)})", partial(method, text)
    for planes in (None, 7, np.zeros(3, np.int8), np.zeros((game.observation_size, 1), np.int8)):
        yield f"split({_name(planes)})", partial(game.split, planes)
    for none in (None, 7, np.random, np.random.RandomState(0)):
        name = _name(none)
        yield f"deal({name})", partial(game.deal, none)
        yield f"redeal(view, 0, {name})", partial(game.redeal, view, 0, none)
        yield f"playout(state, {name})", partial(game.playout, state, none)
        yield f"sample({name}, state)", partial(game.sample, none, state)
    frozen = np.frombuffer(state.tobytes(), game.dtype)[0]
    yield "play in a read-only state", lambda: game.play(frozen, int(game.legal(state)[0]))


def _calls_of_envs(game: Game, seed: int) -> Calls:
    checked, raw, solo, envs = aec_env(game), GameAEC(game), SoloEnv(game), GameVectorEnv(game, 2)
    for each in (checked, raw, solo, envs):
        each.reset(seed=seed)
    for action in (*NO_NUMBERS, *_FAR, game.num_actions):
        name = _name(action)
        yield f"step({name}) of an AEC env", partial(raw.step, action)
        yield f"step({name}) of a checked AEC env", partial(checked.step, action)
    for action in NO_NUMBERS:
        yield f"step({_name(action)}) of a solo env", partial(solo.step, action)
    zeros = np.zeros(2)
    for actions in (*NO_NUMBERS, zeros, zeros.astype(bool), zeros.astype(object), [[0], [0, 1]],
                    np.zeros((2, 1), int), np.zeros(3, int), ["0", "0"], [2**70, 0]):  # fmt: skip
        yield f"step({_name(actions)}) of a vector env", partial(envs.step, actions)
    for wrong in (*NO_STATES[1:], game.empty(2)):
        where, options = f"reset to the state {_name(wrong)}", {"state": wrong}
        yield f"{where} of an AEC env", partial(raw.reset, options=options)
        yield f"{where} of a solo env", partial(solo.reset, options=options)
        yield f"{where} of a vector env", partial(envs.reset, options=options)
    for seat in (*NO_NUMBERS, *_FAR, game.num_players):
        name = _name(seat)
        yield f"SoloEnv(seat={name})", partial(SoloEnv, game, seat=seat)
        yield f"observe({name}) of an AEC env", partial(raw.observe, seat)
    if game.simultaneous:
        together = GameParallel(game)
        together.reset(seed=seed)
        for action in NO_NUMBERS:
            wrong = dict.fromkeys(together.agents, action)
            yield f"step of {_name(action)} in a parallel env", partial(together.step, wrong)


def _name(value: Any) -> str:
    if isinstance(value, int) and abs(value) > 10**100:
        return "a number of thousands of digits"
    return " ".join(repr(value).split())[:60]

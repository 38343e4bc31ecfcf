"""Wrong seats, actions, states and texts: every method of `Game` refuses them in one line."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

from closedhand import GAMES, Game, make_game
from closedhand.envs.aec import GameAEC
from closedhand.testing.expectations import refuses

NO_NUMBERS: tuple[Any, ...] = (
    None, True, np.bool_(True), 0.0, 0.5, float("nan"), np.float64(0), "0", b"0", (), [0], {},
    np.zeros(1, np.int64), np.zeros((), np.float64), np.datetime64(0, "s"), range(3), 0j,
)  # fmt: skip

FAR: tuple[int, ...] = (-1, 10**9, 2**31, 2**63, 2**64, -(2**63) - 1, 2**70, -(2**70), 10**5000)
"""Whole numbers outside the range of any seat and any action."""

NO_STATES: tuple[Any, ...] = (
    None, 7, b"", "state", {}, np.zeros(3), np.zeros((), np.int64),
    np.zeros(1, np.dtype((np.record, [("player", "i4"), ("history", "i4", 2)])))[0],
)  # fmt: skip

Calls = Iterator[tuple[str, Callable[[], object]]]


def calls(game: Game) -> Calls:
    rng = np.random.default_rng(0)
    state = game.deal(rng)
    view, data = game.view(state, 0), game.save(state)
    for seat in (*NO_NUMBERS, *FAR, game.num_players):
        name = name_of(seat)
        for method in (game.view, game.key, game.observe, game.features):
            yield f"{method.__name__}(state, {name})", partial(method, state, seat)
        yield f"redeal(view, {name}, rng)", partial(game.redeal, view, seat, rng)
        yield f"view_from({name}, …)", partial(game.view_from, seat, "")
        yield f"knowledge(view, {name})", partial(game.knowledge, view, seat)
        if seat is not None:
            yield f"valid(state, {name})", partial(game.valid, state, seat)
            yield f"load(bytes, {name})", partial(game.load, data, seat)
    for action in (*NO_NUMBERS, *FAR, game.num_actions):
        name = name_of(action)
        yield f"play(state, {name})", partial(game.play, state.copy(), action)
        yield f"text({name})", partial(game.text, action)
    for wrong in (*NO_STATES, game.empty(2), game.empty(1), game.empty(1).reshape(())):
        name = name_of(wrong)
        for method in (game.legal, game.over, game.returns, game.history, game.deal_text,
                       game.scene, game.save):  # fmt: skip
            yield f"{method.__name__}({name})", partial(method, wrong)
        for method in (game.play, game.view, game.observe, game.features):
            yield f"{method.__name__}({name}, 0)", partial(method, wrong, 0)
        yield f"redeal({name}, 0, rng)", partial(game.redeal, wrong, 0, rng)
        yield f"sample(rng, {name})", partial(game.sample, rng, wrong)
        yield f"playout({name}, rng)", partial(game.playout, wrong, rng)
        if wrong is not None:
            yield f"text(0, {name})", partial(game.text, 0, wrong)
            yield f"load({name})", partial(game.load, wrong)
    for text in (None, 7, b"x", ["x"], np.str_("x")[:0]):
        for method in (game.parse, game.parse_deal):
            yield f"{method.__name__}({name_of(text)})", partial(method, text)
    for planes in (None, 7, np.zeros(3, np.int8), np.zeros((game.observation_size, 1), np.int8)):
        yield f"split({name_of(planes)})", partial(game.split, planes)
    for none in (None, 7, np.random, np.random.RandomState(0)):
        name = name_of(none)
        yield f"deal({name})", partial(game.deal, none)
        yield f"redeal(view, 0, {name})", partial(game.redeal, view, 0, none)
        yield f"playout(state, {name})", partial(game.playout, state, none)
        yield f"sample({name}, state)", partial(game.sample, none, state)
    frozen = np.frombuffer(state.tobytes(), game.dtype)[0]
    yield "play in a read-only state", lambda: game.play(frozen, int(game.legal(state)[0]))


def calls_of_an_env(game: Game) -> Calls:
    env = GameAEC(game)
    env.reset(seed=0)
    for seat in (*NO_NUMBERS, *FAR, game.num_players):
        yield f"observe({name_of(seat)}) of an AEC env", partial(env.observe, seat)
    for wrong in (*NO_STATES[1:], game.empty(2)):
        yield f"reset to {name_of(wrong)}", partial(env.reset, options={"state": wrong})


def name_of(value: Any) -> str:
    if isinstance(value, int) and abs(value) > 10**100:
        return "a number of thousands of digits"
    return " ".join(repr(value).split())[:60]


@pytest.mark.parametrize("name", GAMES)
def test_wrong_arguments_are_refused_in_one_line(name: str) -> None:
    game = make_game(name)
    for what, call in (*calls(game), *calls_of_an_env(game)):
        refuses(call, what)

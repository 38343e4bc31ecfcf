"""What several test files share: variants of every game, random positions of them, folders."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import closedhand
from closedhand import Game
from closedhand.core.game import State

DATA = Path(__file__).parent / "data"
"""Golden files and samples that tests compare with."""

FUZZ = float(os.environ.get("CLOSEDHAND_FUZZ", "1"))
"""Factor by which tests on generated inputs try more of them."""

SHIPPED = Path(closedhand.__file__).parent / "data"
"""What the package brings along: weights, tables, the games of papers."""

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    ("doudizhu", {**rules, **options})
    for rules in ({"rules": "deeprocket"}, {"rules": "rlcard"}, {"rules": "openspiel"})
    for options in (
        {},
        {"substeps": True},
        {"bidding": True, "spring": True},
        {"bidding": True, "substeps": True, "objective": "win"},
    )
] + [
    ("doudizhu", {"rules": "douzero"}),
    ("doudizhu", {"rules": "douzero", "substeps": True}),
    ("doudizhu", {"rules": "botzone"}),
    ("doudizhu", {"rules": "mini", "substeps": True}),
    ("doudizhu", {"rules": "tiny"}),
    ("uh_leduc", {}),
    ("uh_leduc", {"pair": "card"}),
    ("uh_leduc", {"double_pair": "split"}),
    ("leduc", {}),
    ("chinese_poker", {}),
    ("chinese_poker", {"substeps": True}),
    ("chinese_poker", {"players": 3, "rules": "1-6", "royalties": True}),
    ("chinese_poker", {"players": 4, "fouls": True, "naturals": True, "substeps": True}),
    ("daihinmin", {}),
    ("daihinmin", {"classes": "random", "illegal": "error", "actions": "card_sets"}),
    ("daihinmin", {"rounds": 3, "class_period": 2, "lead_pass": False, "overplay": False}),
]

HOUSE_RULES: list[tuple[str, dict[str, Any]]] = [
    ("doudizhu", {"bidding": True, "robbing": True, "doubling": True, "open_hand": True}),
    ("doudizhu", {"rules": "two_players", "doubling": True, "open_hand": True, "substeps": True}),
    (
        "daihinmin",
        {
            "classes": "random",
            "jack_back": True,
            "five_skip": True,
            "six_reverse": True,
            "capital_fall": True,
        },
    ),
    ("daihinmin", {"classes": "random", "seven_give": True, "ten_discard": True}),
    ("daihinmin", {"players": 3, "classes": "random", "seven_give": True, "capital_fall": True}),
    ("daihinmin", {"classes": "random", "forbidden_finish": True, "number_lock": True}),
    ("daihinmin", {"players": 4, "classes": "random", "actions": "card_sets", "illegal": "error"}),
    ("daihinmin", {"players": 6, "rounds": 2, "jack_back": True}),
    ("daihinmin", {"jokers": 2, "jack_back": True, "illegal": "error"}),
    ("daihinmin", {"jokers": 2, "players": 4, "classes": "random", "seven_give": True}),
]
"""Variants with what some people play and others do not."""

OF_A_TABLE = {"players", "jokers", "seven_give", "ten_discard"}
"""Options of Daihinmin that change its state, so that all kernels are compiled anew."""


def examples(number: int) -> int:
    """A number of examples, multiplied by `FUZZ`."""
    return max(1, int(number * FUZZ))


def variant_id(variant: tuple[str, dict[str, Any]]) -> str:
    """The name of a variant in test reports: the game and its options."""
    name, options = variant
    return "-".join([name, *(f"{key}={value}" for key, value in options.items())])


def positions(game: Game, seed: int, games: int) -> Iterator[State]:
    """Every position, the last one included, of games of uniformly random play."""
    rng = np.random.default_rng(seed)
    for _ in range(games):
        state = game.deal(rng)
        yield state
        while not game.over(state):
            game.play(state, int(rng.choice(game.legal(state))))
            yield state


def marks_of(variant: tuple[str, dict[str, Any]]) -> Any:
    """Marks of the tests of a variant: slow at other tables of Daihinmin.

    Of these the last of `HOUSE_RULES`, which has the most of their options, is quick.
    """
    name, options = variant
    other = name == "daihinmin" and options.keys() & OF_A_TABLE and variant != HOUSE_RULES[-1]
    return pytest.mark.slow if other else ()


def each_variant() -> list[Any]:
    """All variants, for a fixture or for `parametrize`."""
    return [
        pytest.param(variant, id=variant_id(variant), marks=marks_of(variant))
        for variant in VARIANTS + HOUSE_RULES
    ]


def apart(value: Any) -> Any:
    """A copy by a pickle that keeps arrays apart, as Ray's do: they come back read-only."""
    buffers: list[pickle.PickleBuffer] = []
    data = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return pickle.loads(data, buffers=[bytes(each.raw()) for each in buffers])


def sum_of_returns(game: Game, state: State) -> float:
    """What all returns together have to be: zero, but where places are worth points."""
    if game.name == "daihinmin":
        each = game.num_players * (game.num_players + 1) // 2
        return each * (int(state.round_number) + game.over(state))
    return 0


def interrupt_at(done: float = 0) -> Callable[..., None]:
    """A callback for progress that stops the work, as Ctrl-C does, once as much is done."""

    def progress(amount: float, *_: Any) -> None:
        if amount >= done:
            raise KeyboardInterrupt

    return progress


def run_program(program: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a new process."""
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
    )


def assert_alike_without_compiler(program: str) -> None:
    """Run a program with and without compiled kernels: it prints the same, and something."""
    outputs = [
        subprocess.run(
            [sys.executable, "-W", "error", "-c", program],
            env={**os.environ, "NUMBA_DISABLE_JIT": disable},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for disable in ("0", "1")
    ]
    assert outputs[0] == outputs[1] != ""

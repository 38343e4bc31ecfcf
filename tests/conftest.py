"""What several test files share: variants of every game, and random positions of them."""

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from closedhand import Game, make_game
from closedhand.core.game import State

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
    ("uh_leduc", {}),
    ("uh_leduc", {"pair": "card"}),
    ("uh_leduc", {"double_pair": "split"}),
    ("leduc", {}),
    ("chinese_poker", {}),
    ("chinese_poker", {"substeps": True}),
    ("chinese_poker", {"players": 3, "rules": "1-6", "royalties": True}),
    ("chinese_poker", {"players": 4, "fouls": True, "naturals": True, "substeps": True}),
    ("daihinmin", {}),
    ("daihinmin", {"classes": "random", "illegal": "error", "compact": True}),
    ("daihinmin", {"rounds": 3, "class_period": 2, "lead_pass": False, "overplay": False}),
]


def variant_id(variant: tuple[str, dict[str, Any]]) -> str:
    """The name of a variant in test reports: the game and its options."""
    name, options = variant
    return "-".join([name, *(f"{key}={value}" for key, value in options.items())])


@pytest.fixture(params=VARIANTS, ids=variant_id)
def game(request: pytest.FixtureRequest) -> Game:
    """Every game under every preset, flat and sub-stepped, with and without its options."""
    name, options = request.param
    return make_game(name, **options)


def positions(game: Game, seed: int, games: int) -> Iterator[State]:
    """Every position, the last one included, of games of uniformly random play."""
    rng = np.random.default_rng(seed)
    for _ in range(games):
        state = game.deal(rng)
        yield state
        while not game.over(state):
            game.play(state, int(rng.choice(game.legal(state))))
            yield state


def sum_of_returns(game: Game, state: State) -> float:
    """What all returns together have to be: zero, but where places are worth points."""
    if game.name == "daihinmin":
        return 15 * (int(state.round_number) + game.over(state))
    return 0


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

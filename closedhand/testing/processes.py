"""Checks that pickles and other processes give the same games, compiled or in plain Python."""

import hashlib
import json
import os
import pickle
import subprocess
import sys
from functools import partial
from typing import Any

import numba
import numpy as np

from closedhand.core.game import Game
from closedhand.core.registry import GAMES, GameSpec, add_game, make_game, spec_of
from closedhand.testing.expectations import Broken, expect

TRACED = 40
"""Work after which a trace ends: 1 for a position, and 1 for every `MANY` legal actions there."""

MANY = 3000
"""Number of legal actions whose listing takes as long as all other work at a position."""


def check_pickle(game: Game) -> None:
    """Check that a pickle is the same game."""
    for make in (
        # Pickling refuses a game that `make_game` does not make again, but does not say what
        # differs. So compare first with the game that `make_game` makes.
        lambda: make_game(game.name, **game.options),
        lambda: pickle.loads(pickle.dumps(game)),
    ):
        twin = make()
        for key in ("name", "options", "dtype", "num_players", "num_actions", "shapes", "roles",
                    "sides", "payoff_range", "max_moves", "payoff_sum", "simultaneous", "lenient",
                    "staged", "rounds", "layout"):  # fmt: skip
            ours, theirs = getattr(game, key), getattr(twin, key)
            expect(ours == theirs, "a pickle has {} {}, not {}", key, theirs, ours)
        expect(type(game.rules).__name__ == type(twin.rules).__name__,
                "a pickle has other rules, {}", type(twin.rules).__name__)  # fmt: skip


def check_other_process(game: Game, seed: int, jit: bool) -> None:
    """Check that another process plays the same games; if `jit`, one of the two in plain Python."""
    make: Any = spec_of(game.name).make
    while isinstance(make, partial):
        make = make.func
    if not hasattr(make, "__qualname__"):
        make = type(make)  # `make` is a callable object, or the text of a reference
    if make.__module__ == "__main__" or "<" in make.__qualname__:
        return  # the game of a script or notebook, which another process cannot import
    compiled = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
    ours = _trace(game, seed)
    theirs = _trace_elsewhere(game, seed, compiled != jit)
    if jit and ours != theirs:
        # Find out whether the process or the mode makes the difference.
        _compare(ours, _trace_elsewhere(game, seed, compiled), "in another process")
        _compare(ours, theirs, "with kernels and in plain Python (NUMBA_DISABLE_JIT=1)")
    _compare(ours, theirs, "in another process")


def _trace(game: Game, seed: int) -> list[tuple[str, str]]:
    """Trace a game's functions along random games: a name and a digest of each result."""
    trace: list[tuple[str, str]] = []

    def note(name: str, data: np.ndarray | bytes) -> None:
        data = data if isinstance(data, bytes) else np.ascontiguousarray(data).tobytes()
        trace.append((name, hashlib.sha256(data).hexdigest()[:16]))

    positions = work = 0
    while work < TRACED:
        rng = np.random.default_rng(seed)
        state = game.deal(rng)
        note(f"deal of seed {seed}", state.tobytes())
        while not game.over(state) and work < TRACED:
            legal, player = game.legal(state), int(state.player)
            note(f"legal at move {state.moves} of seed {seed}", legal)
            for part in game.observe(state, player).values():
                note(f"observe at move {state.moves} of seed {seed}", part)
            note(f"features at move {state.moves} of seed {seed}", game.features(state, player))
            view = game.view(state, player)
            note(f"hide at move {state.moves} of seed {seed}", view.tobytes())
            other = game.redeal(view, player, np.random.default_rng(positions))
            note(f"redeal at move {state.moves} of seed {seed}", other.tobytes())
            game.play(state, int(rng.choice(legal)))
            note(f"play after {int(state.moves)} moves of seed {seed}", state.tobytes())
            positions += 1
            work += 1 + len(legal) // MANY
        note(f"returns of seed {seed}", game.returns(state))
        seed += 1
    return trace


def _trace_elsewhere(game: Game, seed: int, compiled: bool) -> list[tuple[str, str]]:
    spec = spec_of(game.name)
    # Other fields may be functions that cannot be pickled.
    needed = GameSpec(
        name=spec.name, title=spec.title, make=spec.make, contract=spec.contract,
        aec_id=spec.aec_id, gymnasium_id=spec.gymnasium_id, options=spec.options,
    )  # fmt: skip
    run = subprocess.run(
        [sys.executable, "-c", f"from {__name__} import print_trace; print_trace()"],
        input=pickle.dumps((needed, dict(game.options), seed)),
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "0" if compiled else "1",
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        },
        capture_output=True,
    )
    if run.returncode:
        *_, last = run.stderr.decode(errors="replace").strip().splitlines() or ["no message"]
        raise Broken(f"another process cannot play the game: {last}")
    return [(name, digest) for name, digest in json.loads(run.stdout.splitlines()[-1])]


def print_trace() -> None:
    """Print the `_trace` of the game and the seed on stdin; the other process runs this."""
    spec, options, seed = pickle.loads(sys.stdin.buffer.read())
    if spec.name not in GAMES:
        add_game(spec)
    print(json.dumps(_trace(make_game(spec.name, **options), seed)))


def _compare(ours: list[tuple[str, str]], theirs: list[tuple[str, str]], what: str) -> None:
    for one, other in zip(ours, theirs, strict=True):
        expect(one == other, "{} differs {}", one[0], what)

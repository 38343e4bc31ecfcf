"""The agents that respond to a pool of opponents who play the separable strategy.

`counter` is the optimal counter-strategy of the blog: it counts the points of every arrangement
that could be best. `rescored` counts only those that the tables like, and is what a strategy
without the separable one's simplifications comes to: it knows how an opponent's parts hang together
and which cards he cannot hold. An argument is the number of the pool's hands (`counter:100000`), or
a file of tables (`rescored:runs/mine/tables.npz`).
"""

import hashlib
import os
import sys
from pathlib import Path

import numpy as np

from closedhand.baselines.chinese_poker import pool as pools
from closedhand.baselines.chinese_poker.counter import Responder
from closedhand.baselines.chinese_poker.separable import Tables, arrange, load, shipped
from closedhand.games.chinese_poker.plays import PARTS
from closedhand.games.chinese_poker.rules import Rules
from closedhand.games.game import Game, InputError
from closedhand.games.records import write_atomically

POOL_SIZE = 1 << 20
"""Hands of a pool: 13,400 opponents for every hand."""
SEED = 1
SLACK = 0.25
"""`rescored` leaves out what the tables expect to bring that much less than the best, points."""


def make_counter(game: Game, seed: int, argument: str | None) -> Responder:
    """The agent `counter`.

    Raises:
        InputError: The argument is neither a number of hands nor a file of tables.
    """
    return _make(game, "counter", np.inf, argument)


def make_rescored(game: Game, seed: int, argument: str | None) -> Responder:
    """The agent `rescored`.

    Raises:
        InputError: The argument is neither a number of hands nor a file of tables.
    """
    return _make(game, "rescored", SLACK, argument)


def _make(game: Game, name: str, slack: float, argument: str | None) -> Responder:
    tables, size = shipped(), POOL_SIZE
    if argument is not None and argument.isdecimal():
        size = int(argument)
    elif argument is not None:
        tables = load(Path(argument))
    full_name = name if argument is None else f"{name}:{argument}"
    pool = pool_of(getattr(game.rules, "flat", game.rules), tables, size)
    return Responder(game, pool, tables.win, slack, full_name)


def pool_of(rules: Rules, tables: Tables, size: int = POOL_SIZE) -> pools.Pool:
    """The pool of hands that tables set; kept in this process and in the cache folder.

    Raises:
        InputError: So few hands that one of ours might have no opponent.
    """
    if size < LEAST:
        raise InputError(f"a pool has {LEAST:,} hands at least, not {size:,}")
    meaning = (FORMAT, rules.majority, rules.scoop, size, SEED)
    digest = hashlib.sha256(tables.win.tobytes() + repr(meaning).encode()).hexdigest()[:20]
    if digest not in _POOLS:
        hands = pools.random_hands(np.random.default_rng(SEED), size)[:, 0]
        path = cache_folder() / f"chinese-poker-pool-{digest}"
        try:
            parts = np.frombuffer(path.read_bytes(), "<i2").reshape(size, len(PARTS))
        except (OSError, ValueError):
            parts = _set(rules, tables, hands, path)
        _POOLS[digest] = pools.build(hands, parts)
    return _POOLS[digest]


LEAST = 5_000
FORMAT = 1
"""Of the files in the cache folder."""
_POOLS: dict[str, pools.Pool] = {}


def _set(rules: Rules, tables: Tables, hands: np.ndarray, path: Path) -> np.ndarray:
    """Set hands, and keep the strengths of their parts in a file."""
    print(f"closedhand: setting a pool of {len(hands):,} hands, once", file=sys.stderr)
    parts = pools.strengths_of(rules, hands, arrange(rules, tables.win, hands))
    try:
        write_atomically(path, parts.astype("<i2").tobytes())
    except InputError as error:
        print(f"closedhand: it will be set anew next time: {error}", file=sys.stderr)
    return parts


def cache_folder() -> Path:
    """Where pools are kept: `closedhand` in XDG_CACHE_HOME, or in `.cache` of the home folder."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "closedhand"

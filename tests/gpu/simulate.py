"""Steps by threads and by blocks in numba-cuda's simulator, beside those on a CPU.

    NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1 python tests/gpu/simulate.py

The simulator runs the threads of a block as Python: it checks what threads do together, which rows
they draw and where these end up, not what the compiler makes of it.
"""

import os
import sys

import numpy as np

assert os.environ.get("NUMBA_ENABLE_CUDASIM") == "1" == os.environ.get("NUMBA_DISABLE_JIT")

from numba import cuda  # noqa: E402

from closedhand.core import game_kernels as kernels  # noqa: E402
from closedhand.core.numba.gpu import entries  # noqa: E402
from closedhand.core.registry import make_game  # noqa: E402
from closedhand.core.stream import make_streams  # noqa: E402

NUMBER = 10
"""Games: with four a block, the last one is not full."""


def blank(game, seat):
    n, seats = NUMBER, game.num_players
    streams = make_streams(n)
    streams[:, 0] = np.arange(1, n + 1)
    games = kernels.Games(
        game.empty(n), streams, np.zeros(n, np.uint64), np.zeros(n, np.int64),
        np.zeros((n, seats)), np.zeros((n, seats)), np.zeros(n, np.int8), np.zeros(n, np.int64),
        np.zeros(n, np.int64),
    )  # fmt: skip
    return games, kernels.Terms(seats, bool(game.staged), seat, -10.0)


def words(size):
    memory = np.zeros(-(-NUMBER * size // 16) * 16, np.int8)
    return memory, memory.view(np.int32)


def check(name, compact, steps, **options):
    game = make_game(name, **options)
    size, wide = game.feature_size if compact else game.observation_size, game.num_actions
    scratch = max(wide, game.flat.num_actions)
    want, terms = blank(game, kernels.ALL_SEATS)
    rows, masks = np.zeros((NUMBER, size), np.int8), np.zeros((NUMBER, wide), np.int8)
    got = {way: blank(game, kernels.ALL_SEATS)[0] for way in ("thread", "block")}
    chosen, actions = np.ones(NUMBER, np.int8), np.zeros(NUMBER, np.int64)
    rng = np.random.default_rng(0)
    by = "compact" if compact else "planes"
    thread = cuda.jit(entries.ENTRIES[f"step_{by}"])
    block = cuda.jit(entries.ENTRIES[f"step_{by}_by_block"])
    for step in range(steps):
        starting = step == 0
        kernels.step_games(
            game.rules, (), want, terms, chosen, starting, actions, compact, game.empty(1),
            np.zeros((1, scratch), np.int32), rows, masks,
        )  # fmt: skip
        ids, views = np.zeros((8, scratch), np.int32), game.empty(8)
        found, marks = np.zeros_like(rows), np.zeros_like(masks)
        thread[2, 4](game.rules, (), got["thread"], terms, chosen, starting, actions, views, ids,
                     found, marks)  # fmt: skip
        assert (found == rows).all() and (marks == masks).all(), (name, step)
        (flat, row_words), (flags, mask_words) = words(size), words(wide)
        block[2, 16, 0, 4 * (size + wide) + 16](
            game.rules, (), got["block"], terms, chosen, starting, actions, views, ids, row_words,
            mask_words, size, wide, 4,
        )  # fmt: skip
        assert (flat[: NUMBER * size].reshape(rows.shape) == rows).all(), (name, step)
        assert (flags[: NUMBER * wide].reshape(masks.shape) == masks).all(), (name, step)
        for games in got.values():
            for field, mine, theirs in zip(games._fields, games, want, strict=True):
                assert (mine == theirs).all(), (name, step, field)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        actions[step % NUMBER] = -1 if step % 3 == 2 else actions[step % NUMBER]
    print(f"{name} {by}: {steps} steps of {NUMBER} games are equal", flush=True)


if __name__ == "__main__":
    for name in sys.argv[1:] or ("uh_leduc",):
        check(name, False, 8)
        check(name, True, 8)

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
from variants import VARIANTS  # noqa: E402

from closedhand.core import game_kernels as kernels  # noqa: E402
from closedhand.core.agents import make_agent  # noqa: E402
from closedhand.core.numba.gpu import entries  # noqa: E402
from closedhand.core.policies import policy_of  # noqa: E402
from closedhand.core.registry import make_game  # noqa: E402
from closedhand.core.stream import make_streams  # noqa: E402

NUMBER = 10
"""Games: with four a block, the last one is not full."""
STEPS = 10
AGAINST = [
    ("uh_leduc", {}, "random"),
    ("doudizhu", {"rules": "openspiel", "substeps": True}, "rule"),
    ("daihinmin", {}, "default"),
    ("chinese_poker", {"substeps": True}, "random"),
]
"""Games in which policies play the other seats."""


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


def check(name, options, compact, agent=None, steps=STEPS):
    game = make_game(name, **options)
    size, wide = game.feature_size if compact else game.observation_size, game.num_actions
    scratch = max(wide, game.flat.num_actions)
    seat, policies = kernels.ALL_SEATS, ()
    if agent is not None:
        seat = kernels.RANDOM_SEAT
        policies = (policy_of(make_agent(game, agent, 0)),) * (game.num_players - 1)
    want, terms = blank(game, seat)
    rows, masks = np.zeros((NUMBER, size), np.int8), np.zeros((NUMBER, wide), np.int8)
    got = {way: blank(game, seat)[0] for way in ("thread", "block")}
    chosen, actions = np.ones(NUMBER, np.int8), np.zeros(NUMBER, np.int64)
    rng = np.random.default_rng(0)
    by = "compact" if compact else "planes"
    thread = cuda.jit(entries.ENTRIES[f"step_{by}"])
    block = cuda.jit(entries.ENTRIES[f"step_{by}_by_block"])
    for step in range(steps):
        starting = step in (0, steps - 2)
        chosen[: NUMBER // 2] = step == 0
        kernels.step_games(
            game.rules, policies, want, terms, chosen, starting, actions, compact, game.empty(1),
            np.zeros((1, scratch), np.int32), rows, masks,
        )  # fmt: skip
        ids, views = np.zeros((8, scratch), np.int32), game.empty(8)
        found, marks = np.zeros_like(rows), np.zeros_like(masks)
        thread[2, 4](game.rules, policies, got["thread"], terms, chosen, starting, actions, views,
                     ids, found, marks)  # fmt: skip
        assert (found == rows).all() and (marks == masks).all(), (name, step)
        (flat, row_words), (flags, mask_words) = words(size), words(wide)
        block[2, 16, 0, 4 * (size + wide) + 16](
            game.rules, policies, got["block"], terms, chosen, starting, actions, views, ids,
            row_words, mask_words, size, wide, 4,
        )  # fmt: skip
        assert (flat[: NUMBER * size].reshape(rows.shape) == rows).all(), (name, step)
        assert (flags[: NUMBER * wide].reshape(masks.shape) == masks).all(), (name, step)
        for games in got.values():
            for field, mine, theirs in zip(games._fields, games, want, strict=True):
                assert (mine == theirs).all(), (name, step, field)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        actions[step % NUMBER] = -1 if step % 3 == 2 else actions[step % NUMBER]
    print(f"{name} {options} {by} {agent or 'in self-play'}: {steps} steps are equal", flush=True)
    return game, want, masks


def check_others(game, want, masks, agent="random"):
    """Random actions, an agent's decisions, and whole random games."""
    policies = (policy_of(make_agent(game, agent, 0)),)
    scratch = max(game.num_actions, game.flat.num_actions)
    ids, views = np.zeros((8, scratch), np.int32), game.empty(8)
    for entry, on_cpu, arguments in (
        ("pick", kernels.pick_all, (masks,)),
        ("decide", kernels.decide_all, (game.rules, policies, want.states)),
        ("random_games", kernels.random_games, (game.rules, game.empty(NUMBER))),
    ):
        found = []
        for run in (cuda.jit(entries.ENTRIES[entry])[2, 4], on_cpu):
            streams, out = make_streams(NUMBER), np.zeros(NUMBER, np.int64)
            streams[:, 0] = np.arange(NUMBER)
            given = [each.copy() if isinstance(each, np.ndarray) else each for each in arguments]
            room = {"pick": (), "decide": (views, ids), "random_games": (ids,)}[entry]
            run(*given, streams, *room, out)
            found.append([*given[1:], streams, out])
        for mine, theirs in zip(*found, strict=True):
            assert not isinstance(mine, np.ndarray) or (mine == theirs).all(), (game.name, entry)
        print(f"{game.name} {entry}: equal", flush=True)


if __name__ == "__main__":
    only = sys.argv[1:]
    for name, options in VARIANTS:
        if only and name not in only:
            continue
        for compact in False, True:
            kept = check(name, options, compact)
        if make_game(name, **options).num_actions < 3000:
            check_others(*kept)
    for name, options, agent in AGAINST:
        if not only or name in only:
            check(name, options, True, agent)

"""The functions that a GPU thread runs, by name.

Grids may be smaller than batches: a thread plays games in turn, with its rows of `views` and `ids`.
"""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false, reportUnknownParameterType=false
# pyright: reportMissingParameterType=false
# numba-cuda is an extra, and has no types.

from collections.abc import Callable
from typing import Any

import numba.cuda
from numba import types

from closedhand.core import contract, game_kernels

cuda: Any = numba.cuda  # without its types, which are those of the simulator


def _step(compact: bool) -> Callable[..., None]:
    """Make `game_kernels.step_games` for a GPU; observations and masks are all zero on entry."""
    draw = contract.features if compact else contract.observe

    def entry(
        rules, policies, games, terms, chosen, starting, actions, views, ids, observations, masks
    ):
        thread = cuda.grid(1)
        for i in range(thread, len(games.states), cuda.gridsize(1)):
            game_kernels.step(
                rules, policies, games, terms, i, chosen, starting, actions, views, thread,
                ids[thread],
            )  # fmt: skip
            game_kernels.mark(rules, games.states, i, masks[i], ids[thread])
            draw(rules, games.states[i], games.players[i], observations[i])

    return entry


def _step_by_block(compact: bool) -> Callable[..., None]:
    """Make a step in which each block builds the rows of `per_block` games in shared memory.

    Each byte that a thread writes into global memory costs a transfer of 32 bytes. So rows are made
    in shared memory, laid out as in global memory: half of the threads write observations, half
    mark legal actions; then all copy words, int32. `observations` and `masks` are arrays of words;
    a row has `size` bytes of an observation, or `actions_size` of a mask. `per_block`, at most half
    the number of threads, is a multiple of 4, so that a block's rows begin at a word.
    """
    draw = contract.features if compact else contract.observe

    def entry(
        rules, policies, games, terms, chosen, starting, actions, views, ids, observations, masks,
        size, actions_size, per_block,
    ):  # fmt: skip
        rows = cuda.shared.array(0, types.int8)
        words = cuda.shared.array(0, types.int32)  # the same memory as `rows`
        number = len(games.states)
        thread, threads = cuda.threadIdx.x, cuda.blockDim.x
        half = threads // 2
        apart = half // per_block  # threads per row; only the first of them writes the row
        scratch = cuda.blockIdx.x * per_block  # first of the block's rows of `views` and `ids`
        begin_masks = per_block * size  # index in `rows`: the masks follow the observations
        mask_words = begin_masks // 4
        for block in range(cuda.blockIdx.x, (number + per_block - 1) // per_block, cuda.gridDim.x):
            first = block * per_block
            count = min(per_block, number - first)
            for word in range(thread, per_block * (size + actions_size) // 4, threads):
                words[word] = 0
            if thread < count:
                k = scratch + thread
                game_kernels.step(
                    rules, policies, games, terms, first + thread, chosen, starting, actions,
                    views, k, ids[k],
                )  # fmt: skip
            cuda.syncthreads()
            if thread < half:
                j = thread // apart
                if thread % apart == 0 and j < count:
                    i = first + j
                    draw(rules, games.states[i], games.players[i],
                         rows[j * size : (j + 1) * size])  # fmt: skip
            else:
                j = (thread - half) // apart
                if (thread - half) % apart == 0 and j < count:
                    start = begin_masks + j * actions_size
                    game_kernels.mark(
                        rules, games.states, first + j, rows[start : start + actions_size],
                        ids[scratch + j],
                    )  # fmt: skip
            cuda.syncthreads()
            out = first * size // 4
            for word in range(thread, (count * size + 3) // 4, threads):
                observations[out + word] = words[word]
            out = first * actions_size // 4
            for word in range(thread, (count * actions_size + 3) // 4, threads):
                masks[out + word] = words[mask_words + word]
            cuda.syncthreads()

    return entry


def _pick(masks, streams, actions):
    for i in range(cuda.grid(1), len(masks), cuda.gridsize(1)):
        actions[i] = game_kernels.pick(masks, streams, i)


def _decide(rules, policies, states, streams, views, ids, actions):
    thread = cuda.grid(1)
    for i in range(thread, len(states), cuda.gridsize(1)):
        actions[i] = game_kernels.decide(
            rules, policies, states, streams, i, views, thread, ids[thread]
        )


def _random_games(rules, states, streams, ids, moves):
    thread = cuda.grid(1)
    for i in range(thread, len(states), cuda.gridsize(1)):
        moves[i] = game_kernels.random_game(rules, states, streams, i, ids[thread])


ENTRIES: dict[str, Callable[..., None]] = {
    "step_planes": _step(False),
    "step_compact": _step(True),
    "step_planes_by_block": _step_by_block(False),
    "step_compact_by_block": _step_by_block(True),
    "pick": _pick,
    "decide": _decide,
    "random_games": _random_games,
}
"""Functions of a thread, by the name of their kernel in `closedhand.core.cubins`."""

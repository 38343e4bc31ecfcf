"""Work on many items in all cores of this process, for kernels, which release the GIL."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

MOST_THREADS = 1024
"""Maximum number of threads that a user may ask for."""
CHUNK = 512
"""Number of items in a piece; a single piece is done in the caller's thread."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(
    work: Callable[[slice], object],
    number: int,
    progress: Callable[[int], object] = lambda done: None,
    chunk: int = CHUNK,
) -> None:
    """Do work on `number` items, a slice of `chunk` at a time; it has to release the GIL.

    `progress` is called with the number of items done.
    """
    pieces = [slice(start, min(start + chunk, number)) for start in range(0, number, chunk)]
    if len(pieces) <= 1:
        for piece in pieces:
            work(piece)
        return
    # The pool ends with the work: the threads of a lasting pool would be missing after a fork.
    with ThreadPoolExecutor(cores()) as executor:
        futures = [executor.submit(work, piece) for piece in pieces]
        try:
            for piece, future in zip(pieces, futures, strict=True):
                future.result()
                progress(piece.stop)
        finally:
            for future in futures:
                future.cancel()


def side_by_side(work: Callable[[int, int], object], number: int, threads: int) -> None:
    """Do work on `number` items in a lasting pool of threads, for work of milliseconds.

    The work gets the index of its first item and that after its last one. One of the threads is the
    caller's.
    """
    share = -(-number // threads)
    spans = [(first, min(first + share, number)) for first in range(0, number, share)]
    if len(spans) == 1:
        work(0, number)
        return
    futures = [_pool(threads - 1, os.getpid()).submit(work, *span) for span in spans[1:]]
    work(*spans[0])
    for future in futures:
        future.result()


@cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Return the lasting pool of a process; after a fork, which has no threads, a new one."""
    return ThreadPoolExecutor(threads)

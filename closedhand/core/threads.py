"""Work on many items in all cores of this process, for kernels, which release the GIL."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

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
    """Do work on `number` items, piece by piece; it has to release the GIL, as kernels do.

    Args:
        work: Processes the items of a slice.
        number: Number of items.
        progress: Called with the number of items done.
        chunk: Number of items in a piece.
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

"""Work on many items in several threads, for kernels, which release the GIL."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from queue import SimpleQueue
from threading import Thread

from closedhand.core import interrupt

MOST_THREADS = 1024
"""Maximum number of threads that a user may ask for."""
CHUNK = 512
"""Default number of items in a slice."""


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(
    work: Callable[[slice], object],
    number: int,
    progress: Callable[[int], object] = lambda done: None,
    chunk: int = CHUNK,
) -> None:
    """Do work on `number` items on all cores; `work` gets slices of up to `chunk` items.

    `work` has to release the GIL. `progress` is called with the number of items done, in order. A
    single slice is done in the caller's thread, without `progress`.
    """
    pieces = [slice(start, min(start + chunk, number)) for start in range(0, number, chunk)]
    if len(pieces) <= 1:
        for piece in pieces:
            work(piece)
        return
    # The pool ends with the work: the threads of a lasting pool would be missing after a fork.
    executor = ThreadPoolExecutor(cores())
    try:
        # A pool that is interrupted while it holds its locks would wait for them forever.
        with interrupt.postponed():
            results = executor.map(work, pieces)
        for piece, _ in zip(pieces, results, strict=True):
            progress(piece.stop)
    finally:
        executor.shutdown(cancel_futures=True)


def side_by_side(work: Callable[[int, int], object], number: int, threads: int) -> None:
    """Divide `number` items, at least 1, among at most `threads`, for work of milliseconds.

    `work` gets the index of its first item and the index after its last. The caller's thread does
    one part; the others stay alive between calls. All have finished when this returns, or raises an
    exception of one of them.
    """
    share = -(-number // threads)
    spans = [(first, min(first + share, number)) for first in range(0, number, share)]
    if len(spans) == 1:
        work(0, number)
        return
    sent: list[None] = []  # an item for each job in the pool
    outcomes: list[BaseException | None] = []  # of the jobs that have ended: None is success
    finished = SimpleQueue[None]()  # an item wakes `wait`

    def do(first: int, last: int) -> None:
        error = None
        try:
            work(first, last)
        except BaseException as caught:
            error = caught
        outcomes.append(error)
        finished.put(None)

    def wait() -> None:
        while len(outcomes) < len(sent):
            finished.get()

    with interrupt.postponed():
        try:
            jobs = _jobs(threads - 1, os.getpid())
            # A single operation, which a signal handler that raises cannot divide.
            sent += map(jobs.put, [partial(do, *span) for span in spans[1:]])
            work(*spans[0])
            wait()
        finally:
            wait()  # again, where the first one was cut short
    for error in outcomes:
        if error is not None:
            raise error


@cache
def _jobs(threads: int, process: int) -> SimpleQueue[Callable[[], None]]:
    """Start threads and return their job queue; anew in a forked process, which has no threads."""
    # Not an executor, whose locks stay shut if a signal handler raises while one is held.
    jobs = SimpleQueue[Callable[[], None]]()
    for _ in range(threads):
        Thread(target=_work_off, args=(jobs,), daemon=True).start()
    return jobs


def _work_off(jobs: SimpleQueue[Callable[[], None]]) -> None:
    while True:  # without a name for the job: its reference would last until the next one
        jobs.get()()

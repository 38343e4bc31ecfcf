"""Jobs in several processes: their results in order, also after an interruption."""

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def results_of(
    work: Callable[..., Result],
    jobs: list[tuple[Any, ...]],
    first: list[tuple[Any, ...]],
    workers: int,
) -> Iterator[Result]:
    """The results of jobs in their order; after an interruption those finished, then raise.

    Args:
        work: Does a job.
        jobs: Arguments of each.
        first: Short jobs that several workers wait for: unknown names show there, and what has to
            be compiled is compiled once, not in each worker.
        workers: Processes; 1 works in this one.
    """
    if workers == 1:
        for job in jobs:
            yield work(*job)
        return
    for job in first:
        work(*job)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _leave_interrupts_to_parent) as pool:
        futures = [pool.submit(work, *job) for job in jobs]
        yield from _in_order(futures, pool)


def _in_order(futures: list[Future[Result]], pool: ProcessPoolExecutor) -> Iterator[Result]:
    done = 0
    try:
        for future in futures:
            yield future.result()
            done += 1
    except BaseException as error:
        pool.shutdown(wait=True, cancel_futures=True)
        if isinstance(error, KeyboardInterrupt):
            for future in futures[done:]:
                if future.cancelled() or future.exception() is not None:
                    break
                yield future.result()
        raise


def _leave_interrupts_to_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

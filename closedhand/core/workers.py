"""Jobs in several processes, or elsewhere: their results in order, also after an interruption."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, Protocol, TypeVar

from closedhand.core import interrupt
from closedhand.core.checks import InputError

Result = TypeVar("Result")


class WorkerLost(InputError):
    """A process, or too many actors, ended during a job."""


class Crew(Protocol):
    """Those who do jobs elsewhere, such as the actors of `closedhand.bridges.cluster`."""

    def share(self, value: Any) -> Any:
        """Send a value to all of them; what is returned stands for it in arguments of jobs."""
        ...

    def results_of(
        self, work: Callable[..., Result], jobs: list[tuple[Any, ...]]
    ) -> Iterator[Result]:
        """Yield the results of jobs in order."""
        ...


Workers = int | Crew
"""Who does jobs: a number of processes, or a crew."""


def check_workers(workers: Workers) -> Workers:
    """Refuse a number of processes below 1.

    Raises:
        InputError: There are no workers.
    """
    if isinstance(workers, int) and workers < 1:
        raise InputError(f"the number of workers must be at least 1, not {workers}")
    return workers


def results_of(
    work: Callable[..., Result],
    jobs: list[tuple[Any, ...]],
    first: list[tuple[Any, ...]],
    workers: Workers,
) -> Iterator[Result]:
    """Yield the results of jobs in order; after an interruption those finished, then raise.

    Where Ctrl-C is deferred (`closedhand.core.interrupt`), it is checked for between jobs and while
    waiting for one; a second one does not wait for running jobs.

    Args:
        work: Does a job.
        jobs: Arguments of each job.
        first: Short jobs done here before several workers start: they reveal unknown names, and
            kernels are compiled once, not in each worker.
        workers: Number of processes, 1: this one; or a crew.

    Raises:
        WorkerLost: A process was ended, after the results of the jobs before its own.
    """
    workers = min(workers, max(1, len(jobs))) if isinstance(workers, int) else workers
    if workers == 1:
        for job in jobs:
            interrupt.check()
            yield work(*job)
        return
    for job in first:
        work(*job)
    if not isinstance(workers, int):
        yield from workers.results_of(work, jobs)
        return
    context = multiprocessing.get_context("spawn")
    others = set(multiprocessing.active_children())
    begun = False
    try:
        with ProcessPoolExecutor(workers, context, _attach_to_parent) as pool:
            with _no_interrupts():
                futures = [pool.submit(work, *job) for job in jobs]
            try:
                for result in _in_order(futures, pool):
                    begun = True
                    yield result
            except KeyboardInterrupt:
                # The remaining processes have running jobs, which a second Ctrl-C does not wait
                # for.
                for process in set(multiprocessing.active_children()) - others:
                    process.kill()
                raise
    except BrokenProcessPool:
        main = (
            "" if begun else ", or because a script starts it without `if __name__ == '__main__':`"
        )
        raise WorkerLost(
            f"a worker process was ended from outside, perhaps because memory ran out{main}; what "
            "is saved goes on by the same command, that of a match with --resume"
        ) from None


def _in_order(futures: list[Future[Result]], pool: ProcessPoolExecutor) -> Iterator[Result]:
    done = 0
    try:
        for future in futures:
            interrupt.check()
            while not future.done():
                wait([future], interrupt.WAIT)
                interrupt.check()
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


@contextmanager
def _no_interrupts() -> Generator[None]:
    """Block Ctrl-C; processes that are started meanwhile do not get it, even while they start."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Its own start, which the first process would trigger, lifts the mask.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _attach_to_parent() -> None:
    """Leave Ctrl-C to the parent, and end with it, however it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()

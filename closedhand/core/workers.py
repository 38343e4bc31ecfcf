"""Do jobs in several processes or by remote workers, with results in order, even after Ctrl-C."""

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, Protocol, TypeVar

from closedhand.core import interrupt
from closedhand.core.checks import InputError, whole_number
from closedhand.core.text import reason_of

Result = TypeVar("Result")


class WorkerLost(InputError):
    """A process ended during a job, or too many remote workers did."""


class RemoteWorkers(Protocol):
    """Remote workers that do jobs, such as a `closedhand.bridges.cluster.Cluster`."""

    def share(self, value: Any) -> Any:
        """Send a value to all workers; return a handle that replaces it in arguments of jobs."""
        ...

    def results_of(
        self, work: Callable[..., Result], jobs: list[tuple[Any, ...]]
    ) -> Iterator[Result]:
        """Yield the results of jobs in order."""
        ...


Workers = int | RemoteWorkers


def check_workers(workers: Workers) -> Workers:
    """Return the workers; refuse a number of processes below 1."""
    if hasattr(workers, "results_of"):
        return workers
    return whole_number(workers, "a number of workers", 1)


def results_of(
    work: Callable[..., Result],
    jobs: list[tuple[Any, ...]],
    first: list[tuple[Any, ...]],
    workers: Workers,
) -> Iterator[Result]:
    """Yield the results of jobs in order; after Ctrl-C yield those of the finished jobs and raise.

    If Ctrl-C is deferred (`closedhand.core.interrupt`), it takes effect between jobs and while
    waiting for one. A second Ctrl-C does not wait for running jobs.

    Args:
        work: Function that does a job.
        jobs: Arguments of each job.
        first: Arguments of short jobs that this process does before several processes or remote
            workers start; it yields none of their results. So unknown names fail early, and kernels
            are compiled once, not in each worker. With one process it is not used.
        workers: Remote workers; or a number of processes, at most one a job; 1: this process alone.

    Raises:
        InputError: Processes cannot get the jobs, since they cannot be pickled.
        WorkerLost: A process was ended from outside; results of earlier jobs were yielded.
    """
    workers = min(workers, max(1, len(jobs))) if isinstance(workers, int) else workers
    if workers == 1:
        for job in jobs:
            interrupt.check()
            yield work(*job)
        return
    if isinstance(workers, int):
        _check_picklable((work, first, jobs[:1]))
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
                # After a second Ctrl-C some processes are left, which still run jobs.
                for process in set(multiprocessing.active_children()) - others:
                    process.kill()
                raise
    except BrokenProcessPool:
        cause = "memory ran out"
        if not begun:
            cause += ", or because a script starts it without `if __name__ == '__main__':`"
        raise WorkerLost(
            f"a worker process was ended from outside, perhaps because {cause}; "
            "repeat the command to go on from the saved results, for a match with --resume"
        ) from None


def _check_picklable(work: Any) -> None:
    # The pool pickles in a thread of its own: errors there may let it hang.
    try:
        pickle.dumps(work)
    except Exception as error:  # the code of an agent or a game may raise any
        raise InputError(
            f"this cannot be sent to other processes: {reason_of(error)}; use --workers 1"
        ) from None


def _in_order(futures: list[Future[Result]], pool: ProcessPoolExecutor) -> Iterator[Result]:
    """Yield results in order; after a Ctrl-C wait for the running jobs, yield theirs, and raise."""
    try:
        while futures:
            interrupt.check()
            while not futures[0].done():
                wait(futures[:1], interrupt.WAIT)
                interrupt.check()
            yield futures[0].result()
            del futures[0]  # all results together may be large
    except BaseException as error:
        pool.shutdown(wait=True, cancel_futures=True)
        if isinstance(error, KeyboardInterrupt):
            for future in futures:
                if future.cancelled() or future.exception() is not None:
                    break
                yield future.result()
        raise


@contextmanager
def _no_interrupts() -> Generator[None]:
    """Block Ctrl-C, also for processes that are started meanwhile."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Python's resource tracker would start with the first process, and unblock the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _attach_to_parent() -> None:
    """Ignore Ctrl-C, which the parent handles, and end with the parent even if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def follow() -> None:
        assert parent is not None
        parent.join()
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()

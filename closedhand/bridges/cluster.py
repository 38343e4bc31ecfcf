"""Jobs on a Ray cluster; the one module that knows Ray.

A cluster does jobs as processes do (`closedhand.core.workers`): functions of their arguments alone,
whose results come in the order of the jobs. It does not matter, therefore, who does a job, how
often it is begun, or how many actors there are. One actor takes a core; a node that joins is used
from the next round on, and the jobs of a node that is lost are done by the others.
"""

import os
import re
import secrets
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self, TypeVar, cast

from closedhand.core import interrupt
from closedhand.core.game import InputError
from closedhand.core.optional_imports import needing
from closedhand.core.threads import cores
from closedhand.core.workers import WorkerLost

Result = TypeVar("Result")

LOCAL = "local"
"""Address that stands for a new cluster of all cores of this machine."""
FOUND = "auto"
"""Address that stands for the cluster that runs on this machine."""
AHEAD = 2
"""Jobs that an actor is given at a time, so that it does not wait for the next one."""
PATIENCE = 10.0
"""Seconds to wait for an answer from an address."""
LOSSES = 5
"""Actors that a job may lose before it is given up: it may be the job that ends them."""


def _host_and_port(address: str) -> tuple[str, int] | None:
    """Where a cluster listens; None if Ray finds that out itself.

    Raises:
        InputError: The text is no address: Ray would try it for ever, deaf to Ctrl-C.
    """
    if address in (LOCAL, FOUND):
        return None
    parts = re.fullmatch(r"(?:ray://)?\[?([^/\s\[\]]+)\]?:(\d{1,5})", address)
    if parts is None or not 0 < int(parts[2]) < 2**16:
        raise InputError(
            f"no Ray cluster at {address}: an address is HOST:PORT, ray://HOST:PORT, {FOUND} or "
            f"{LOCAL}"
        )
    return parts[1], int(parts[2])


class _Actor:
    """What runs on a core of the cluster."""

    def ready(self) -> None:
        """Answer once the actor has started."""

    def work(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Do a job."""
        return function(*arguments)


class Cluster:
    """The actors of a cluster, while a `with` block lasts; a `closedhand.core.workers.Crew`.

    Attributes:
        lost: Number of actors that were lost, with their nodes or without.
    """

    def __init__(self, address: str = LOCAL, most: int | None = None) -> None:
        """Name a cluster.

        Args:
            address: Its address, as for `ray.init`, or `LOCAL`.
            most: Maximum number of actors; None: one for each core.

        Raises:
            InputError: That is no address, or Ray is not installed.
        """
        self._place = _host_and_port(address)
        # Ray reports to its makers unless told not to.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if address == LOCAL and "ray" not in sys.modules and "RAY_AUTH_MODE" not in os.environ:
            # Other machines may reach the ports. Read when Ray is imported.
            os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        with needing():
            import ray
        self._ray = cast(Any, ray)
        errors = self._ray.exceptions
        self._gone: tuple[type[Exception], ...] = (
            errors.RayActorError,
            errors.ObjectLostError,
            errors.NodeDiedError,
            errors.WorkerCrashedError,
        )
        self._address, self._most = address, most
        self._actors: list[Any] = []
        self._starting: dict[Any, Any] = {}
        self._own = False
        self.lost = 0

    def __enter__(self) -> Self:
        """Connect, unless this process is connected already.

        Raises:
            InputError: There is no cluster at the address.
        """
        self._own = not self._ray.is_initialized()
        if self._own:
            new: dict[str, Any] = {}
            if self._address == LOCAL:
                new["num_cpus"] = cores()
            try:
                if self._place is not None:
                    # Ray would go on trying for minutes.
                    socket.create_connection(self._place, PATIENCE).close()
                self._ray.init(
                    self._address, include_dashboard=False, log_to_driver=False,
                    logging_level="error", **new,
                )  # fmt: skip
            except Exception as error:  # Ray raises plain ones, too
                reason = str(error).partition("\n")[0]
                raise InputError(f"no Ray cluster at {self._address}: {reason}") from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """End the actors, and the connection if it was made here."""
        for actor in (*self._actors, *self._starting.values()):
            self._ray.kill(actor)
        self._actors, self._starting = [], {}
        if self._own:
            self._ray.shutdown()

    @property
    def cores(self) -> int:
        """The cores of the cluster that may be used."""
        number = int(self._ray.cluster_resources().get("CPU", 0))
        return number if self._most is None else min(number, self._most)

    def share(self, value: Any) -> Any:
        """Put a value into the object store: what is returned stands for it in arguments of jobs.

        It is sent to each node once, however many jobs take it.
        """
        return self._ray.put(value)

    def results_of(
        self, work: Callable[..., Result], jobs: list[tuple[Any, ...]]
    ) -> Iterator[Result]:
        """Yield the results of jobs in order.

        Args:
            work: Does a job; a function of a module that the nodes can import.
            jobs: Arguments of each job, which may be what `share` has returned.

        Raises:
            InputError: A job raised it, or no core is left.
            WorkerLost: A job has ended several actors.
            KeyboardInterrupt: Ctrl-C, where it is deferred (`closedhand.core.interrupt`).
        """
        done: dict[int, Result] = {}
        waiting = deque(range(len(jobs)))
        losses = [0] * len(jobs)
        running: dict[Any, tuple[int, Any]] = {}
        self._recruit()
        for number in range(len(jobs)):
            while number not in done:
                interrupt.check()
                self._hand_out(work, jobs, waiting, running)
                for ref in self._finished([*running]):
                    job, actor = running.pop(ref)
                    try:
                        done[job] = self._ray.get(ref)
                    except self._gone:
                        self._lose(actor)
                        losses[job] += 1
                        if losses[job] == LOSSES:
                            raise WorkerLost(
                                f"{LOSSES} actors ended during the same job; see the logs of Ray"
                            ) from None
                        waiting.appendleft(job)
                    except self._ray.exceptions.RayTaskError as error:
                        raise error.cause from None
            yield done.pop(number)

    def _hand_out(
        self,
        work: Callable[..., Any],
        jobs: list[tuple[Any, ...]],
        waiting: deque[int],
        running: dict[Any, tuple[int, Any]],
    ) -> None:
        """Give jobs to the actors that have the fewest."""
        has = {actor: 0 for actor in self._actors}
        for _, actor in running.values():
            if actor in has:
                has[actor] += 1
        for given in range(AHEAD):
            for actor in self._actors:
                if waiting and has[actor] <= given:
                    job = waiting.popleft()
                    running[actor.work.remote(work, *jobs[job])] = (job, actor)
                    has[actor] += 1

    def _finished(self, running: list[Any]) -> list[Any]:
        """Wait a moment for jobs to be finished, and let the actors that have started join."""
        found, _ = self._ray.wait(
            [*running, *self._starting], num_returns=1, timeout=interrupt.WAIT
        )
        if not found:
            self._recruit()
        for ref in [*self._starting]:
            if ref in found:
                found.remove(ref)
                actor = self._starting.pop(ref)
                try:
                    self._ray.get(ref)
                    self._actors.append(actor)
                except self._gone:
                    self.lost += 1
        return found

    def _recruit(self) -> None:
        """Start an actor for each core of the cluster that has none.

        Raises:
            InputError: There is no core.
        """
        number, there = self.cores, len(self._actors) + len(self._starting)
        if not number and not there:
            raise InputError(f"the Ray cluster at {self._address} has no core")
        kind = self._ray.remote(_Actor)
        for _ in range(there, number):
            actor = kind.options(num_cpus=1, max_restarts=0).remote()
            self._starting[actor.ready.remote()] = actor

    def _lose(self, actor: Any) -> None:
        """Do without an actor from now on."""
        if actor in self._actors:
            self._actors.remove(actor)
            self.lost += 1
            self._recruit()

"""Jobs on a Ray cluster; the one module that imports Ray.

A cluster runs jobs as processes do (`closedhand.core.workers`). Jobs are functions of their
arguments alone, and results come in the order of the jobs. So results depend neither on the number
of actors, nor on which actor runs a job, nor on how often a job is restarted. Each actor uses one
core. A node that joins is used from the next round of jobs on; jobs of a lost node are restarted on
others.
"""

import os
import re
import secrets
import socket
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar, cast

from closedhand.core import interrupt
from closedhand.core.game import InputError
from closedhand.core.optional_imports import needing
from closedhand.core.threads import cores
from closedhand.core.workers import WorkerLost

Result = TypeVar("Result")

LOCAL = "local"
"""Address of a new cluster on all cores of this machine."""
FOUND = "auto"
"""Address of the cluster that already runs on this machine."""
AHEAD = 2
"""Jobs assigned to an actor at a time, so that it need not wait for the next one."""
CONNECT_SECONDS = 10.0
"""Time limit for connecting to an address."""
LOSSES = 5
"""Lost actors after which a job is given up, as the job itself may end them."""


def _host_and_port(address: str) -> tuple[str, int] | None:
    """Parse an address; None for `LOCAL` and `FOUND`, which Ray resolves itself."""
    if address in (LOCAL, FOUND):
        return None
    # Ray would retry another text forever, and ignore Ctrl-C.
    parts = re.fullmatch(r"(?:ray://)?\[?([^/\s\[\]]+)\]?:(\d{1,5})", address)
    if parts is None or not 0 < int(parts[2]) < 2**16:
        raise InputError(
            f"no Ray cluster at {address}: an address is HOST:PORT, ray://HOST:PORT, {FOUND} or "
            f"{LOCAL}"
        )
    return parts[1], int(parts[2])


class _Actor:
    """A worker on one core of the cluster."""

    def ready(self) -> None:
        """Return once the actor has started."""

    def work(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """Run a job."""
        return function(*arguments)


class Cluster:
    """Workers on a cluster (`closedhand.core.workers.RemoteWorkers`), used in a `with` block.

    Attributes:
        lost: Number of lost actors, with their nodes or alone.
    """

    def __init__(self, address: str = LOCAL, most: int | None = None) -> None:
        """Import Ray; `with` connects to HOST:PORT, ray://HOST:PORT, `FOUND` or `LOCAL`.

        At most `most` actors are started, by default one for each core.

        Raises:
            InputError: The text is not an address, or Ray is not installed.
        """
        self._place = _host_and_port(address)
        # Ray sends usage statistics unless this is set.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        if address == LOCAL and "ray" not in sys.modules and "RAY_AUTH_MODE" not in os.environ:
            # Other machines may reach the ports, so require a token. Ray reads this on import.
            os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        with needing():
            import ray
        self._ray = cast(Any, ray)
        errors = self._ray.exceptions
        self._gone: tuple[type[Exception], ...] = (
            errors.RayActorError, errors.ObjectLostError, errors.NodeDiedError,
            errors.WorkerCrashedError,
        )  # fmt: skip
        self._address, self._most = address, most
        self._actors: list[Any] = []
        self._starting: dict[Any, Any] = {}
        self._own = False
        self.lost = 0

    def __enter__(self) -> Self:
        """Connect, unless this process is connected; refuse an address without a cluster."""
        self._own = not self._ray.is_initialized()
        if self._own:
            new: dict[str, Any] = {"num_cpus": cores()} if self._address == LOCAL else {}
            try:
                if self._place is not None:
                    # Check that a server listens: Ray itself would retry for minutes.
                    socket.create_connection(self._place, CONNECT_SECONDS).close()
                self._ray.init(
                    self._address, include_dashboard=False, log_to_driver=False,
                    logging_level="error", **new,
                )  # fmt: skip
            except Exception as error:  # Ray also raises plain `Exception`s
                reason = str(error).partition("\n")[0]
                raise InputError(f"no Ray cluster at {self._address}: {reason}") from None
        return self

    def __exit__(self, *_: object) -> None:
        """End the actors, and the connection if `__enter__` made it."""
        for actor in (*self._actors, *self._starting.values()):
            self._ray.kill(actor)
        self._actors, self._starting = [], {}
        if self._own:
            self._ray.shutdown()

    @property
    def cores(self) -> int:
        """Number of cores that may be used."""
        number = int(self._ray.cluster_resources().get("CPU", 0))
        return number if self._most is None else min(number, self._most)

    def share(self, value: Any) -> Any:
        """Return a reference to a value for the arguments of jobs; each node receives it once."""
        return self._ray.put(value)

    def results_of(
        self, work: Callable[..., Result], jobs: list[tuple[Any, ...]]
    ) -> Iterator[Result]:
        """Yield the results of jobs in order.

        Args:
            work: Function that runs a job, of a module that the nodes can import.
            jobs: Arguments of each job; references of `share` are allowed.

        Raises:
            InputError: A job raised it, or no core is left.
            WorkerLost: `LOSSES` actors were lost during the same job.
            KeyboardInterrupt: Ctrl-C, where it is deferred (`closedhand.core.interrupt`).
        """
        done: dict[int, Result] = {}
        waiting = deque(range(len(jobs)))
        losses = [0] * len(jobs)
        running: dict[Any, tuple[int, Any]] = {}
        self._start_actors()
        for number in range(len(jobs)):
            while number not in done:
                interrupt.check()
                self._assign(work, jobs, waiting, running)
                for ref in self._finished([*running]):
                    job, actor = running.pop(ref)
                    try:
                        done[job] = self._ray.get(ref)
                    except self._gone:
                        self._drop(actor)
                        losses[job] += 1
                        if losses[job] == LOSSES:
                            raise WorkerLost(
                                f"{LOSSES} actors ended during the same job; see the logs of Ray"
                            ) from None
                        waiting.appendleft(job)
                    except self._ray.exceptions.RayTaskError as error:
                        raise error.cause from None
            yield done.pop(number)

    def _assign(
        self, work: Callable[..., Any], jobs: list[tuple[Any, ...]], waiting: deque[int],
        running: dict[Any, tuple[int, Any]],
    ) -> None:  # fmt: skip
        """Assign jobs to the actors that have the fewest, up to `AHEAD` each."""
        has = Counter(actor for _, actor in running.values())
        for given in range(AHEAD):
            for actor in self._actors:
                if waiting and has[actor] <= given:
                    job = waiting.popleft()
                    running[actor.work.remote(work, *jobs[job])] = (job, actor)
                    has[actor] += 1

    def _finished(self, running: list[Any]) -> list[Any]:
        """Wait briefly for finished jobs and return them; add actors that have started."""
        found, _ = self._ray.wait(
            [*running, *self._starting], num_returns=1, timeout=interrupt.WAIT
        )
        if not found:
            self._start_actors()
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

    def _start_actors(self) -> None:
        """Start an actor for each core of the cluster without one."""
        number, there = self.cores, len(self._actors) + len(self._starting)
        if not number and not there:
            raise InputError(f"the Ray cluster at {self._address} has no core")
        kind = self._ray.remote(_Actor)
        for _ in range(there, number):
            actor = kind.options(num_cpus=1, max_restarts=0).remote()
            self._starting[actor.ready.remote()] = actor

    def _drop(self, actor: Any) -> None:
        """Remove a lost actor and start another."""
        if actor in self._actors:
            self._actors.remove(actor)
            self.lost += 1
            self._start_actors()

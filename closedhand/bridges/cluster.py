"""Jobs on a Ray cluster.

A job depends on its arguments alone, and results come in the order of the jobs, as from processes
(`closedhand.core.workers`). So results do not depend on the number of workers or on restarts. A
worker is a process of Ray on one core. Ray restarts the jobs of a lost node on other nodes.
"""

import os
import pickle
import re
import secrets
import socket
import sys
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
AHEAD = 2  # jobs given to Ray for each core: one to run, and the next one
CONNECT_SECONDS = 10.0
LOSSES = 5  # a job that loses so many workers is given up: it may kill them itself


def _host_and_port(address: str) -> tuple[str, int] | None:
    """Parse an address; None for `LOCAL` and `FOUND`, which Ray resolves itself."""
    if address in (LOCAL, FOUND):
        return None
    # Ray would retry any other text forever, and ignore Ctrl-C.
    parts = re.fullmatch(r"(?:ray://)?\[?([^/\s\[\]]+)\]?:(\d{1,5})", address)
    if parts is None or not 0 < int(parts[2]) < 2**16:
        raise InputError(
            f"no Ray cluster at {address}: an address is HOST:PORT, ray://HOST:PORT, {FOUND} or "
            f"{LOCAL}"
        )
    return parts[1], int(parts[2])


def _do(work: Callable[..., Result], pickled: bytes, places: list[int], *shared: Any) -> Result:
    """Do a job: `work` with the `pickled` arguments, the `shared` ones inserted at `places`.

    This one function runs all jobs, as Ray sends each new function to the nodes.
    """
    arguments = pickle.loads(pickled)
    for place, value in zip(places, shared, strict=True):
        arguments[place] = value
    return work(*arguments)


class Cluster:
    """Workers on a cluster (`closedhand.core.workers.RemoteWorkers`), used in a `with` block."""

    def __init__(self, address: str = LOCAL, most: int | None = None) -> None:
        """Import Ray; `with` connects to an address: [ray://]HOST:PORT, `FOUND` or `LOCAL`.

        At most `most` jobs run at a time, by default one on each core.

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
        self._do: Any = self._ray.remote(num_cpus=1, max_retries=LOSSES - 1)(_do)
        self._address, self._most = address, most
        self._running: list[Any] = []
        self._own = False

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
        """End the jobs that still run, and the connection if `__enter__` made it."""
        for ref in self._running:
            self._ray.cancel(ref, force=True)
        self._running = []
        if self._own:
            self._ray.shutdown()

    @property
    def cores(self) -> int:
        """Number of cores that may be used; an `InputError` says if there is none."""
        number = int(self._ray.cluster_resources().get("CPU", 0))
        if not number:
            raise InputError(f"the Ray cluster at {self._address} has no core")
        return min(number, self._most or number)

    def share(self, value: Any) -> Any:
        """Return a reference to a value for the arguments of jobs; each node receives it once."""
        return self._ray.put(value)

    def results_of(
        self, work: Callable[..., Result], jobs: list[tuple[Any, ...]]
    ) -> Iterator[Result]:
        """Yield the results of jobs in order; raise an error of a job as it is.

        `work` is from a module that the nodes can import. A job is a tuple of its arguments, among
        them references of `share`.

        Raises:
            InputError: No core is left.
            WorkerLost: `LOSSES` workers were lost during the same job.
            KeyboardInterrupt: Ctrl-C, where it is deferred (`closedhand.core.interrupt`).
        """
        errors = self._ray.exceptions
        gone = (
            errors.ObjectLostError, errors.NodeDiedError, errors.WorkerCrashedError,
            errors.OutOfMemoryError,
        )  # fmt: skip
        refs: list[Any] = []
        most = self._places()
        for number in range(len(jobs)):
            # Until this job is done, give Ray the next jobs whenever it has fewer than `most`.
            while number == len(refs) or refs[number] in self._running:
                interrupt.check()
                begun = len(refs)
                for job in jobs[begun : begun + max(0, most - len(self._running))]:
                    refs.append(self._do.remote(work, *self._packed(job)))
                self._running += refs[begun:]
                found, self._running = self._ray.wait(self._running, timeout=interrupt.WAIT)
                if not found:  # nodes may have joined or left meanwhile
                    most = self._places()
            try:
                result = self._ray.get(refs[number])
            except gone:
                raise WorkerLost(
                    f"{LOSSES} workers ended during the same job; see the logs of Ray"
                ) from None
            except errors.RayTaskError as error:
                raise error.cause from None
            refs[number] = None  # frees the result
            yield result

    def _packed(self, job: tuple[Any, ...]) -> tuple[Any, ...]:
        # Arrays that Ray pickles itself arrive read-only, but agents write to theirs.
        shared = {i: each for i, each in enumerate(job) if isinstance(each, self._ray.ObjectRef)}
        own = [None if i in shared else each for i, each in enumerate(job)]
        return self._ray.cloudpickle.dumps(own), list(shared), *shared.values()

    def _places(self) -> int:
        ahead = AHEAD * self.cores
        return min(ahead, self._most or ahead)

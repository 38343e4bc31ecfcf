"""What a search may spend, and how threads share it."""

import math
import re
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any, NamedTuple

import numpy as np

from closedhand.core.agent_spec import split_outside, unquoted
from closedhand.core.agents import Traits, files_of
from closedhand.core.game import InputError, shown
from closedhand.core.numba.jit import Floats, Rng
from closedhand.core.options import LARGEST, Range
from closedhand.core.parsing import parse_whole
from closedhand.core.threads import MOST_THREADS, cores

Threads = Annotated[int | None, Range(1, MOST_THREADS), "number of parallel searches"]
"""The option `threads` of agents that search; the default is all cores by the clock, else one."""

MOST_PARTICLES = 10**6
"""Maximum number of particles, or of candidates, of a search."""

Worlds = Annotated[int | None, Range(0, MOST_PARTICLES), "determinisations of each thread"]
"""The option `worlds` of agents that search."""


class Budget(NamedTuple):
    """What a decision may cost; see `budget`."""

    simulations: int
    seconds: float
    threads: int

    @property
    def clocked(self) -> bool:
        """Whether the budget is limited by time."""
        return self.seconds < math.inf

    def deadline(self) -> float:
        """When a decision that begins now has to end, by `time.perf_counter`."""
        return time.perf_counter() + self.seconds


def budget(simulations: int | None, seconds: float | None, threads: int | None) -> Budget:
    """Make a budget.

    Args:
        simulations: Simulations of a decision; None: as many as `seconds` allow.
        seconds: Time of a decision; None: however long the simulations take.
        threads: Number of searches that run side by side; by default one for each core.

    Raises:
        InputError: Neither simulations nor seconds are given, or numbers that make no sense.
    """
    if simulations is None and seconds is None:
        raise InputError("a search takes a number of simulations, or of seconds")
    numbers = {"simulations": simulations, "seconds": seconds, "threads": threads}
    for name, number in numbers.items():
        whole = name == "seconds" or isinstance(number, int)
        if number is not None and not (whole and number > 0):
            raise InputError(f"a search takes a positive number of {name}, not {number!r}")
    return Budget(
        sys.maxsize if simulations is None else simulations,
        math.inf if seconds is None else seconds,
        threads or cores(),
    )


ARGUMENT = re.compile(r"(?P<number>[0-9]{1,18})(?P<ms>ms)?(x(?P<width>[0-9]{1,18}))?")


class SearchArgument(NamedTuple):
    """The parsed argument of an agent that searches; see `read_budget`.

    Attributes:
        text: The argument as given; None: it was left out.
        limits: `seconds` of a decision, or its `simulations` and that they take one thread.
        width: Number after the `x`; None: there is none.
        path: Path after the colon; None: there is none.
    """

    text: str | None
    limits: Mapping[str, Any]
    width: int | None
    path: str | None

    def spent(self, threads: int | None) -> dict[str, Any]:
        """Arguments for a search; `threads` takes precedence over all cores, or one thread."""
        return {**self.limits, **({} if threads is None else {"threads": threads})}

    def traits(self, microseconds: float) -> Traits:
        """The traits of an agent that takes so many microseconds for a simulation."""
        seconds = self.limits.get("seconds")
        time = microseconds * self.limits["simulations"] if seconds is None else 1e6 * seconds
        return Traits(files_of(self.path), seconds is not None, time)


def read_budget(agent: str, usual: str, argument: str | None) -> SearchArgument:
    """Parse the argument of an agent that searches: its budget, and what follows it.

    Bound to its first two arguments it is what `closedhand.core.agents.described` takes as `reads`.

    Args:
        agent: Name of the agent, for messages.
        usual: Argument in place of one that is left out.
        argument: Text such as `500x4:PATH`: `20ms` is milliseconds, on all cores; `500` is
            simulations, on one; `x4` after that is the number of particles or candidates,
            whichever the agent searches with; a path may follow after another colon.

    Raises:
        InputError: The argument is not of this form.
    """
    text, *rest = split_outside(argument or usual, ":", 2)
    match = ARGUMENT.fullmatch(text)
    if match is None or rest == [""]:
        raise InputError(
            f"{agent} takes a budget such as 500, 20ms or 500x4, not {shown(argument)}"
        )
    number = parse_whole(match["number"], f"the budget of {agent}", 0, LARGEST)
    limits = {"seconds": number / 1000} if match["ms"] else {"simulations": number, "threads": 1}
    width = match["width"]
    most = parse_whole(width, f"the width of {agent}", 0, MOST_PARTICLES) if width else None
    return SearchArgument(argument, limits, most, unquoted(rest[0]) if rest else None)


def add_up(
    work: Callable[[int, Rng], Floats],
    shares: list[int],
    rng: Rng,
    spent: Floats,
) -> Floats:
    """Sum of the results of threads, each with a share of the work and its own generator.

    Args:
        work: Makes a share of the simulations; the first column of its result is their number.
        shares: Simulations of each thread.
        rng: Generator of everything that is drawn.
        spent: What the searches have cost so far, to which this one is added (see
            `closedhand.core.agents.SPENT`).
    """
    start, processor = time.perf_counter(), time.process_time()
    if len(shares) == 1:
        sums = work(shares[0], rng)
    else:
        with ThreadPoolExecutor(len(shares)) as executor:
            sums = np.sum(list(executor.map(work, shares, rng.spawn(len(shares)))), axis=0)
    used = time.perf_counter() - start, time.process_time() - processor
    spent += (1, sums[:, 0].sum(), *used)
    return sums

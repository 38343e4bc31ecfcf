"""Budgets of searches, and their division among threads."""

import math
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextvars import copy_context
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import numpy as np

from closedhand.core.agent_spec import split_outside, unquoted
from closedhand.core.agents import SPENT, Traits, files_of
from closedhand.core.checks import generator
from closedhand.core.game import INTEGERS, Game, InputError, shown
from closedhand.core.numba.jit import Floats, Policy, Rng, Rules, with_distinct_name
from closedhand.core.options import LARGEST, Range
from closedhand.core.parsing import parse_whole
from closedhand.core.threads import MOST_THREADS, cores
from closedhand.search import stopping

Threads = Annotated[int | None, Range(1, MOST_THREADS), "number of parallel searches"]
"""The option `threads` of agents that search. By default a budget in milliseconds uses all cores,
and one in simulations uses one thread."""

BATCH = 16
"""Simulations between two checks of the clock."""
PIECE = 64
"""Simulations between two checks whether a search without a clock is stopped."""
SHARE = 64
"""Least number of simulations for each of several threads."""
MOST_PARTICLES = 10**6
"""Maximum number of determinisations that a thread of a search holds."""

Worlds = Annotated[int | None, Range(0, MOST_PARTICLES), "determinisations of each thread"]
"""The option `worlds` of agents that search."""


class Budget(NamedTuple):
    """Limits of one decision; `sys.maxsize` simulations or infinite seconds mean no limit."""

    simulations: int
    seconds: float
    threads: int

    @property
    def clocked(self) -> bool:
        """Whether the budget is limited by time."""
        return self.seconds < math.inf

    def deadline(self) -> float:
        """Return the end of a decision that begins now, by `time.perf_counter`."""
        return time.perf_counter() + self.seconds

    def shares(self) -> list[int]:
        """Divide the simulations evenly: to one thread, or several with at least `SHARE` each."""
        threads = max(1, min(self.threads, self.simulations // SHARE))
        cuts = [self.simulations * i // threads for i in range(threads + 1)]
        return [after - before for before, after in pairwise(cuts)]


def budget(simulations: int | None, seconds: float | None, threads: int | None) -> Budget:
    """Make the budget of a decision; None is no limit, or for `threads` one for each core.

    Raises:
        InputError: Simulations are missing, and seconds are missing or infinite; or a number is not
            positive.
    """
    if simulations is None and seconds in (None, math.inf):
        raise InputError("a search needs a limit: give simulations or seconds")
    for name, number, kinds in (
        ("simulations", simulations, INTEGERS),
        ("seconds", seconds, (*INTEGERS, float)),
        ("threads", threads, INTEGERS),
    ):
        if number is not None and not (isinstance(number, kinds) and number > 0):
            raise InputError(f"a search takes a positive number of {name}, not {number!r}")
    return Budget(
        sys.maxsize if simulations is None else int(simulations),
        math.inf if seconds is None else seconds,
        threads or cores(),
    )


ARGUMENT = re.compile(r"(?P<number>[0-9]{1,18})(?P<ms>ms)?")


class SearchArgument(NamedTuple):
    """The parsed argument of an agent that searches, see `read_budget`.

    Attributes:
        text: The argument as given; None: the agent's usual budget.
        limits: Arguments of `budget`: either `seconds`, or `simulations` with one thread.
        path: Path after the colon; None: not given.
    """

    text: str | None
    limits: Mapping[str, Any]
    path: str | None

    def spent(self, threads: int | None) -> dict[str, Any]:
        """Return the arguments of `budget`; `threads`, unless None, replaces the default."""
        return {**self.limits, **({} if threads is None else {"threads": threads})}

    def traits(
        self, microseconds: float, files: Callable[[str | None], tuple[Path, ...]] = files_of
    ) -> Traits:
        """Return the agent's traits, given the `microseconds` of one simulation.

        `files` maps `path` to the agent's files.
        """
        seconds = self.limits.get("seconds")
        time = microseconds * self.limits["simulations"] if seconds is None else 1e6 * seconds
        return Traits(files(self.path), seconds is not None, time)


def read_budget(agent: str, usual: str, argument: str | None) -> SearchArgument:
    """Parse an argument, such as `500:PATH`, of an agent that searches; None: `usual`.

    `20ms` gives milliseconds, on all cores; `500` gives simulations, in one thread.

    Raises:
        InputError: The argument is not of this form, or a number in it is too large.
    """
    text, *rest = split_outside(argument or usual, ":", 2)
    match = ARGUMENT.fullmatch(text)
    if match is None or rest == [""]:
        raise InputError(f"{agent} takes a budget such as 500 or 20ms, not {shown(argument)}")
    number = parse_whole(match["number"], f"the budget of {agent}", 0, LARGEST)
    limits = {"seconds": number / 1000} if match["ms"] else {"simulations": number, "threads": 1}
    return SearchArgument(argument, limits, unquoted(rest[0]) if rest else None)


class Search:
    """Base of the searches; `spent`, float64 [4], is the cost so far (`core.agents.SPENT`)."""

    def __init__(
        self,
        game: Game,
        policy: Policy,
        *,
        rules: Rules = None,
        simulations: int | None = None,
        seconds: float | None = None,
        threads: int | None = None,
    ) -> None:
        """Prepare a search.

        Args:
            game: The game.
            policy: Policy of the playouts, see `closedhand.search.playout`.
            rules: Rules to simulate by; by default those of the game.
            simulations: Maximum number of simulations of a decision; None: no limit.
            seconds: Time limit, after at least `BATCH` simulations a thread; None: no limit.
            threads: Maximum number of parallel searches; by default one for each core.

        Raises:
            InputError: There is no limit of simulations or of time, or a number is not positive.
        """
        self._budget = budget(simulations, seconds, threads)
        self._game, self._policy = game, with_distinct_name(policy)
        self._rules = game.rules if rules is None else rules
        self.spent = np.zeros(len(SPENT))

    def _batches(self, share: int, deadline: float) -> Iterator[int]:
        """Yield sizes of batches, at least one, until `share` is reached or time runs out."""
        done = 0
        while done < share and (done == 0 or time.perf_counter() < deadline):
            stopping.check()
            size = min(BATCH if self._budget.clocked else PIECE, share - done)
            yield size
            done += size

    def _add_up(self, work: Callable[[int, Rng], Floats], shares: list[int], rng: Rng) -> Floats:
        """Run `work` on each share, several in threads; return the summed results.

        `work` gets a share and a generator. The first column of its result counts simulations.
        """
        generator(rng)
        start, processor = time.perf_counter(), time.process_time()
        if len(shares) == 1:
            sums = work(shares[0], rng)
        else:
            with stopping.threads(len(shares)) as executor:
                parts = [
                    executor.submit(copy_context().run, work, *each)  # the context of `stopping`
                    for each in zip(shares, rng.spawn(len(shares)), strict=True)
                ]
                sums = np.sum([part.result() for part in parts], axis=0)
        used = time.perf_counter() - start, time.process_time() - processor
        self.spent += (1, sums[:, 0].sum(), *used)
        return sums

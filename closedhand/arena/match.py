"""Duplicate matches: two agents play every deal at every seating, so that luck cancels out.

One agent takes one side of the table, the other one all other sides; this goes through all sides
and is then reversed. For a landlord against two peasants that makes two tables a deal. More than
two agents play all pairings, on the same deals.

Deals come from the seed of the match and their number, agents are made anew for every chunk of
deals: a result depends neither on the number of processes nor on where a match was interrupted.
"""

import multiprocessing
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, TypeVar

import numpy as np

from closedhand.envs import kernels, lockstep
from closedhand.games.agents import Agent, act_batch, make_agent
from closedhand.games.game import Game, InputError
from closedhand.games.seating import num_tables, seating

CHUNK = 125
"""Deals that are played side by side."""
CLOCKED_CHUNK = 10
"""The same where an agent searches by the clock, for an interruption loses what is not finished."""

CLOCKED = re.compile(r"(policy-)?search|.*:\d+ms(x\d+)?(:.+)?")
"""Agents, by name, that search on all cores until their time is up."""

Spec = str | Agent
Result = TypeVar("Result")


class Chunk(NamedTuple):
    """What playing some deals brought.

    Attributes:
        returns: Payoffs, float64 [deals, tables, seats].
        seconds: The time that each of the two agents took to decide, float64 [2].
        decisions: How often each decided, int64 [2].
    """

    returns: np.ndarray
    seconds: np.ndarray
    decisions: np.ndarray


@dataclass(frozen=True)
class Match:
    """A match as far as it was played.

    Attributes:
        game: The game.
        agents: Names of the agents.
        seed: Of the deals and of the agents' own randomness.
        pairs: What each pairing brought, in the order of `pairings`.
        interrupted: Whether fewer deals were played than asked for.
    """

    game: Game
    agents: tuple[str, ...]
    seed: int
    pairs: tuple[Chunk, ...]
    interrupted: bool = False

    @property
    def deals(self) -> int:
        """How many deals were played."""
        return len(self.pairs[0].returns)

    @property
    def pairings(self) -> list[tuple[int, int]]:
        """The pairs of agents, as indices."""
        return list(combinations(range(len(self.agents)), 2))


def is_clocked(agent: str) -> bool:
    """Whether an agent, by its name, needs all cores to itself: such matches take one process.

    Examples:
        >>> [is_clocked(agent) for agent in ("search", "monte-carlo:20ms", "search:4000", "rule")]
        [True, True, False, False]
    """
    return CLOCKED.fullmatch(agent) is not None


def tables(sides: Sequence[int]) -> list[tuple[int, ...]]:
    """Which of two agents, 0 or 1, plays each seat, for every table of a duplicate deal.

    Args:
        sides: The side that each seat plays for (`Game.sides`).

    Examples:
        >>> tables((0, 1, 1))
        [(0, 1, 1), (1, 0, 0)]
        >>> len(tables((0, 1, 2)))
        6
    """
    teams = [seating(sides, table) for table in range(num_tables(sides))]
    alone = [tuple(min(team, 1) for team in table) for table in teams]
    reverse = [tuple(1 - agent for agent in table) for table in alone]
    return list(dict.fromkeys(alone + reverse))


def play_out(
    game: Game,
    states: np.ndarray,
    seats: np.ndarray,
    agents: Sequence[Agent],
    after: Callable[[np.ndarray], None] = lambda moved: None,
) -> tuple[np.ndarray, np.ndarray]:
    """Play games in lockstep to their end.

    Args:
        game: The game.
        states: The games, `game.dtype` [n]; changed in place.
        seats: Index of the agent at each seat of each game, integers [n, num_players].
        agents: The agents.
        after: Called behind every step with the indices of the games in which somebody acted.

    Returns:
        The seconds that each agent took to decide, and how often it decided.

    Raises:
        InputError: An agent chose an illegal action.
    """
    seconds, decisions = np.zeros(len(agents)), np.zeros(len(agents), np.int64)

    def choose(views: np.ndarray, games: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), np.int64)
        to_act = seats[games, views["player"]]
        for i, agent in enumerate(agents):
            own = np.flatnonzero(to_act == i)
            if len(own):
                start = time.perf_counter()
                actions[own] = act_batch(agent, views[own])
                seconds[i] += time.perf_counter() - start
                decisions[i] += len(own)
        return actions

    def name(number: int) -> str:
        return f"agent {agents[seats[number, states[number]['player']]].name!r}"

    lockstep.play_out(game, states, choose, name, after)
    return seconds, decisions


def start(
    game: Game, specs: Sequence[Spec], seed: int, deals: range
) -> tuple[list[Agent], np.ndarray]:
    """Agents made for some deals, which have decided once, and the states that are dealt.

    Raises:
        InputError: An unknown agent.
    """
    seeds = np.random.default_rng((seed, deals.start, 1)).integers(2**31, size=len(specs))
    agents = [make_agent(game, spec, int(own)) for spec, own in zip(specs, seeds, strict=True)]
    dealt = np.array([game.deal(np.random.default_rng((seed, i))) for i in deals], game.dtype)
    # One decision each that does not count: loading kernels and networks takes its time.
    first = dealt[:1].copy()
    kernels.hide_all(game.rules, first)
    for agent in agents:
        act_batch(agent, first)
    return agents, dealt


def play_chunk(game: Game, specs: Sequence[Spec], seed: int, deals: range) -> Chunk:
    """Play some deals at every table, with agents made for them.

    Args:
        game: The game.
        specs: Two agents, by name or as objects.
        seed: Of the match.
        deals: Numbers of the deals.

    Raises:
        InputError: An unknown agent, or one that chose an illegal action.
    """
    agents, dealt = start(game, specs, seed, deals)
    seatings = tables(game.sides)
    states = np.repeat(dealt, len(seatings))
    seconds, decisions = play_out(game, states, np.tile(seatings, (len(dealt), 1)), agents)
    returns = np.zeros((len(states), game.num_players))
    kernels.returns_all(game.rules, states, np.arange(len(states)), returns)
    return Chunk(returns.reshape(len(dealt), len(seatings), -1), seconds, decisions)


def play(
    game: Game,
    agents: Sequence[Spec],
    deals: int,
    seed: int = 0,
    workers: int = 1,
    played: Match | None = None,
    progress: Callable[[int], None] = lambda deals: None,
) -> Match:
    """Play a match.

    Args:
        game: The game.
        agents: Two or more, by name or as objects (with several workers such as can be pickled).
        deals: How many; each is played at every table of every pairing.
        seed: Of the deals and of the agents' own randomness.
        workers: Processes; 1 plays in this one.
        played: A match with the same settings to go on from.
        progress: Called with the number of deals finished so far.

    Returns:
        The match; after an interruption (Ctrl-C) with the deals that were finished until then.

    Raises:
        InputError: Fewer than two agents, no deals, an agent that is unknown or plays illegally.
        KeyboardInterrupt: Interrupted before anything was finished.
    """
    if len(agents) < 2:
        raise InputError("a match takes two agents or more: --agents greedy,rule")
    if deals < 1 or workers < 1:
        raise InputError("a match takes one deal and one worker at least")
    if seed < 0:
        raise InputError(f"a seed is not negative: {seed}")
    names = tuple(agent if isinstance(agent, str) else agent.name for agent in agents)
    pairs = [[agents[i], agents[j]] for i, j in combinations(range(len(agents)), 2)]
    if played is not None and played.deals >= deals:
        return played
    size = CLOCKED_CHUNK if any(map(is_clocked, names)) else CHUNK
    kept = played.deals // size * size if played else 0
    chunks = [range(start, min(start + size, deals)) for start in range(kept, deals, size)]
    jobs = [(game, pair, seed, chunk) for chunk in chunks for pair in pairs]
    first = [(game, pair, seed, chunks[0][:1]) for pair in pairs]
    finished: list[Chunk] = []
    interrupted = False
    progress(kept)
    try:
        for chunk in results_of(play_chunk, jobs, first, min(workers, len(jobs))):
            finished.append(chunk)
            progress(kept + count_deals(finished[:: len(pairs)]))
    except KeyboardInterrupt:
        interrupted = True
    # Whole chunks only: every pairing has to have played the same deals.
    finished = finished[: len(finished) // len(pairs) * len(pairs)]
    if not finished and not kept:
        raise KeyboardInterrupt
    parts = [finished[i :: len(pairs)] for i in range(len(pairs))]
    if played is not None and not finished:
        return Match(game, names, seed, played.pairs, interrupted)
    if played is not None:
        parts = [[cut(p, kept), *part] for p, part in zip(played.pairs, parts, strict=True)]
    return Match(game, names, seed, tuple(join(part) for part in parts), interrupted)


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


def count_deals(chunks: Sequence[Chunk]) -> int:
    """How many deals some chunks hold."""
    return sum(len(chunk.returns) for chunk in chunks)


def cut(chunk: Chunk, deals: int) -> Chunk:
    """The first deals of a chunk; times are shared out evenly."""
    share = deals / len(chunk.returns)
    decisions = np.round(chunk.decisions * share).astype(np.int64)
    return Chunk(chunk.returns[:deals], chunk.seconds * share, decisions)


def join(chunks: Sequence[Chunk]) -> Chunk:
    """Several chunks as one."""
    return Chunk(
        np.concatenate([chunk.returns for chunk in chunks]),
        np.sum([chunk.seconds for chunk in chunks], axis=0),
        np.sum([chunk.decisions for chunk in chunks], axis=0),
    )

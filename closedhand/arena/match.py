"""Duplicate matches: two agents play every deal in both roles, which cancels much of the luck.

1. Deal each game from the seed of the match and the number of the deal.
2. Play it at several tables: at each, one agent takes one side and the other agent all other sides.
   All such assignments are played. For one seat against two these are two tables per deal.
3. More than two agents play all pairings, on the same deals.

Agents given by name are created anew for each chunk of deals, so results depend neither on the
number of processes nor on an interruption. An agent given as an object keeps its state; each
process plays a copy of it. If a match gets more deals after its end, an incomplete last chunk is
played again; decisions and times of the deals before it are then estimated (`duplicate.cut`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeVar

from closedhand.core import duplicate
from closedhand.core.agents import AnyAgent, Player, traits_of, watch_files
from closedhand.core.checks import check_seed
from closedhand.core.deals import Deals, choose_deals
from closedhand.core.duplicate import Chunk, Spec, play_chunk
from closedhand.core.game import Game, InputError
from closedhand.core.run import work_off
from closedhand.core.workers import Workers, check_workers

CHUNK = 125
"""Deals that are played side by side, as one job."""
CLOCKED_CHUNK = 10
"""Deals of a job if an agent searches by the clock: an interruption loses unfinished jobs."""


@dataclass(frozen=True)
class Match:
    """A match, complete or up to an interruption.

    Attributes:
        seed: Seed of the deals and the agents.
        pairs: Payoffs and times of each pairing, in the order of `itertools.combinations`; empty
            before any deals are played.
        interrupted: Whether fewer deals were played than asked for.
        digest: Digest of the file of its deals; None if they are those of the seed.
    """

    game: Game
    agents: tuple[Player, ...]
    seed: int
    pairs: tuple[Chunk, ...] = ()
    interrupted: bool = False
    digest: str | None = None

    @property
    def deals(self) -> int:
        """Number of deals played."""
        return len(self.pairs[0].returns) if self.pairs else 0

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the agents, in their order."""
        return tuple(agent.name for agent in self.agents)


Played = TypeVar("Played", bound=Match)


def is_clocked(game: Game, agents: Sequence[AnyAgent]) -> bool:
    """Return whether any agent's strength depends on the clock: the match needs free cores."""
    return any(traits_of(game, agent).clocked for agent in agents)


def play(
    game: Game,
    agents: Sequence[Spec],
    deals: int | Deals,
    seed: int = 0,
    workers: Workers = 1,
    played: Match | None = None,
    progress: Callable[[int], None] = lambda deals: None,
    save: Callable[[Match], object] = lambda match: None,
) -> Match:
    """Play a match.

    Args:
        game: The game.
        agents: Two or more, by name or as objects; with several workers they must be picklable.
        deals: Number of deals, or those of a file; every pairing plays each at every table.
        seed: Seed of the deals and the agents.
        workers: Number of processes, 1 for the calling process only; or a
            `closedhand.core.workers.RemoteWorkers`.
        played: A match with the same settings to resume.
        progress: Called with the number of deals finished so far.
        save: Called at intervals, but not at the end, with the match so far.

    Returns:
        The match, or `played` if it has all deals; after a Ctrl-C with the deals finished by then.

    Raises:
        InputError: There are fewer than two agents, one is unknown or plays illegally, a number is
            not allowed, or workers are lost.
        KeyboardInterrupt: Interrupted before anything was finished.
    """
    if len(agents) < 2:
        raise InputError("a match needs at least two agents")
    dealt = choose_deals(deals, game, "a match")
    check_seed(seed)
    players = duplicate.parse_all(game, agents)
    duplicate.refuse_memory(game, players)
    pairs = [list(pair) for pair in combinations(players, 2)]

    def jobs(some: range, first: bool) -> list[tuple[Any, ...]]:
        return [(game, pair, seed, some, dealt.states(some)) for pair in pairs]

    size = CLOCKED_CHUNK if is_clocked(game, players) else CHUNK
    before = played or Match(game, tuple(players), seed, digest=dealt.digest)
    return play_on(before, dealt.number, size, play_chunk, jobs, workers, progress, save)


def play_on(
    before: Played,
    number: int,
    size: int,
    work: Callable[..., Chunk],
    jobs: Callable[[range, bool], list[tuple[Any, ...]]],
    workers: Workers,
    progress: Callable[[int], None],
    save: Callable[[Played], object],
) -> Played:
    """Continue a match or league up to `number` deals, in jobs of `size` deals; see `play`.

    `jobs(deals, first)` lists arguments of `work` for the deals, a job for each of `Match.pairs`.
    With `first` the jobs only compile kernels: they get one deal, and may play a part of it.
    """
    workers = check_workers(workers)
    if before.deals >= number:
        return before
    kept = before.deals // size * size  # whole jobs only
    chunks = [range(start, min(start + size, number)) for start in range(kept, number, size)]
    first = jobs(chunks[0][:1], True)
    width = len(first)
    finished = [duplicate.cut(chunk, kept) for chunk in before.pairs] if kept else []
    check_files = watch_files(before.game, before.agents)

    def take(chunk: Chunk) -> None:
        finished.append(chunk)
        progress(duplicate.count_deals(finished[::width]))

    def so_far() -> Played | None:
        check_files()
        # Count only chunks finished by all pairings: all must have played the same deals.
        whole = finished[: len(finished) // width * width]
        done = duplicate.count_deals(whole[::width])
        if done <= before.deals:
            return replace(before, interrupted=True) if before.pairs else None
        joined = tuple(duplicate.join(whole[i::width]) for i in range(width))
        return replace(before, pairs=joined, interrupted=done < number)

    progress(kept)
    todo = [job for chunk in chunks for job in jobs(chunk, False)]
    return work_off(work, todo, first, workers, take, so_far, save)

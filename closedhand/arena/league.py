"""Leagues: as many agents as there are seats play against each other.

Leagues are for games with more than two sides of one seat each. A deal is the unit of independent
observations: one game or, in a game whose rounds depend on each other, a whole match of rounds.

1. Deal each game from the seed and the number of the deal.
2. Seat the agents at random and play. A duplicate plays each deal at as many tables as there are
   seats, and each agent takes each seat once.
3. Compute means, differences and their intervals over deals.

Agents are created anew for each job (`deals_per_job`), as for each chunk of a `match`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from closedhand.arena import results
from closedhand.arena.match import Match, play_on
from closedhand.core import batch, batch_kernels
from closedhand.core.agents import Player, traits_of
from closedhand.core.checks import check_seed
from closedhand.core.deals import Deals, choose_deals
from closedhand.core.duplicate import (
    Chunk,
    Spec,
    match_settings,
    parse_all,
    play_out,
    refuse_memory,
    seatings,
    start,
)
from closedhand.core.game import Game, InputError
from closedhand.core.registry import load as load_ref, make_game, spec_of
from closedhand.core.statistics import count_blocks, over_blocks, student
from closedhand.core.workers import Workers

CHUNK = 125
"""Rounds per job; the deals of a job are played side by side."""
TOGETHER = 50
"""Minimum number of deals per job if all agents are steady (`Traits`) and quick."""
QUICK = 100.0
"""Maximum of microseconds per decision of a quick agent."""


@dataclass(frozen=True)
class League(Match):
    """A league, complete or up to an interruption; `pairs` has one entry, `played`.

    Attributes:
        seed: Seed of the deals, the seats and the agents.
        duplicate: Whether each deal was played at all rotations of the agents.
    """

    duplicate: bool = False

    @property
    def played(self) -> Chunk:
        """Payoffs, float64 [deals, tables, rounds, agents], and times."""
        return self.pairs[0]


def bind(name: str, options: Mapping[str, Any], rounds: int, duplicate: bool) -> Game:
    """Make the game of a league of a number of rounds.

    A game whose rounds depend on each other sets the number of rounds of a deal by
    `GameSpec.league_options`; given options take precedence.

    Raises:
        InputError: An unknown game or option, or a game that is not played in a league.
    """
    game = make_game(name, **options)
    if len(set(game.sides)) != game.num_players or game.num_players < 3:
        raise InputError(f"a league is for three or more sides of one seat each, not for {name}")
    league_options = spec_of(name).league_options
    if league_options is None:
        return game
    return make_game(name, **load_ref(league_options)(options, rounds, duplicate))


def seat_all(game: Game, agents: Sequence[Spec]) -> list[Player]:
    """Return an agent for each seat: the given ones, then the last of them at all further seats.

    Raises:
        InputError: No agents, more agents than seats, or an unknown agent.
    """
    if not 1 <= len(agents) <= game.num_players:
        raise InputError(f"a league of {game.name} takes 1 to {game.num_players} agents")
    players = parse_all(game, agents)
    return [*players, *[players[-1]] * (game.num_players - len(agents))]


def seats_of(game: Game, seed: int, deal: int, tables: int) -> np.ndarray:
    """Draw the index of the agent at each seat of a deal, int64 [tables, seats]."""
    order = np.random.default_rng((seed, deal, 2)).permutation(game.num_players)
    return np.array([order[list(table)] for table in seatings(game.sides)[:tables]])


def deals_per_job(game: Game, specs: Sequence[Spec]) -> int:
    """Choose the number of deals of a job, played side by side, by the `Traits` of the agents.

    - 1 in a game of several rounds if an agent remembers them: each deal then has its own agents;
    - otherwise as many deals as fit into `CHUNK` rounds, but at least 1, or at least `TOGETHER` if
      all agents are quick and steady: steady agents get the same results in jobs of any size.
    """
    found = [traits_of(game, spec) for spec in specs]
    if game.rounds > 1 and any(each.remembers for each in found):
        return 1
    is_quick = all(each.steady and (each.microseconds or math.inf) <= QUICK for each in found)
    return max(TOGETHER if is_quick else 1, CHUNK // game.rounds)


def play_chunk(
    game: Game, specs: Sequence[Spec], seed: int, duplicate: bool, deals: range,
    fixed: np.ndarray | None = None,
) -> Chunk:  # fmt: skip
    """Play some deals of a league with newly created agents, one for each seat.

    The start states are `fixed`, or else those of the seed and the numbers of the deals. The result
    has payoffs [deals, tables, rounds, agents]. Errors are those of `play`.
    """
    agents, dealt = start(game, specs, seed, deals, fixed)
    tables = game.num_players if duplicate else 1
    seats = np.concatenate([seats_of(game, seed, deal, tables) for deal in deals])
    states = np.repeat(dealt, tables)
    before, now = np.zeros((2, len(states), game.num_players))
    paid = np.zeros((len(states), game.rounds, game.num_players))
    ended = np.zeros(len(states), np.int64)  # rounds that have ended, by state

    def after(moved: np.ndarray) -> None:
        # Record the rounds that have just ended: payoffs change at the end of a round. If they
        # change more often, the last round gets the rest.
        batch_kernels.returns_all(game.rules, states, moved, now)
        grown = moved[(now[moved] != before[moved]).any(axis=1)]
        paid[grown, np.minimum(ended[grown], game.rounds - 1)] += now[grown] - before[grown]
        ended[grown] += 1
        before[grown] = now[grown]

    if game.staged:
        costs = play_out(game, states, seats, agents, after)
    else:
        costs = play_out(game, states, seats, agents)
        paid[:, 0] = batch.returns(game, states)
    # argsort inverts the permutation: from the agent of each seat to the seat of each agent.
    by_agent = np.take_along_axis(paid, np.argsort(seats)[:, None, :], axis=2)
    payoffs = by_agent.reshape(len(deals), tables, *by_agent.shape[1:])
    return Chunk(payoffs, *costs)


def play(
    game: Game,
    agents: Sequence[Spec],
    deals: int | Deals,
    seed: int = 0,
    duplicate: bool = False,
    workers: Workers = 1,
    played: League | None = None,
    progress: Callable[[int], None] = lambda deals: None,
    save: Callable[[League], object] = lambda league: None,
) -> League:
    """Play a league.

    As `closedhand.arena.match.play`, but one agent is enough: `seat_all` adds the others. `game` is
    that of `bind`, `played` a league to resume. A `duplicate` plays each deal at all rotations of
    the agents; only a duplicate plays the deals of a file.
    """
    specs = seat_all(game, agents)
    dealt = choose_deals(deals, game, "a league")
    check_seed(seed)
    if dealt.fixed is not None and not duplicate:
        raise InputError("a league on fixed deals is a duplicate")
    if duplicate:
        refuse_memory(game, specs)

    def jobs(some: range, first: bool) -> list[tuple[Any, ...]]:
        form = (one_round(game), specs, seed, False) if first else (game, specs, seed, duplicate)
        return [(*form, some, dealt.states(some))]

    size = deals_per_job(game, specs)
    before = played or League(game, tuple(specs), seed, digest=dealt.digest, duplicate=duplicate)
    return play_on(before, dealt.number, size, play_chunk, jobs, workers, progress, save)


def places(payoffs: np.ndarray) -> np.ndarray:
    """Compute the share of games in which each player takes each place, float64 [players, places].

    The payoffs are [games, players]; place 0 is the best. Tied players share their places equally.

    Examples:
        >>> places(np.array([[5.0, 1.0, 1.0]])).tolist()
        [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]]
    """
    better = (payoffs[:, None, :] > payoffs[:, :, None]).sum(axis=2)
    equal = (payoffs[:, None, :] == payoffs[:, :, None]).sum(axis=2)
    found = [
        ((better <= place) & (place < better + equal)) / equal for place in range(len(payoffs[0]))
    ]
    return np.mean(found, axis=1).T


def summary(league: League) -> dict[str, Any]:
    """Summarise a league as JSON data.

    Intervals are 95% intervals by Student's t over deals. Those of a single deal are over `blocks`
    of its rounds, and null if it has one round.

    Returns:
        Settings and, among others:

        - `results`: by agent, points per round, share of each place, time, cost of searches;
        - `differences`: in the ranking by points, each agent's points minus those of the next one;
        - `points`: all payoffs by deal, table, round and agent.
    """
    payoffs = league.played.returns
    by_deal = payoffs.mean(axis=(1, 2))
    estimate, sample, blocks = student, by_deal, 0
    if len(payoffs) == 1:
        estimate, sample = over_blocks, payoffs[0].mean(axis=0)
        blocks = count_blocks(len(sample))
    shares = places(payoffs.reshape(-1, payoffs.shape[-1]))
    times = results.times(league.played)
    labels = results.labels([agent.name for agent in league.agents])
    rows = zip(labels, estimate(sample), shares, strict=True)
    order = np.argsort(-by_deal.mean(axis=0), kind="stable")
    gaps = estimate(sample[:, order[:-1]] - sample[:, order[1:]])
    return {
        **match_settings(league.game, league.agents, league.seed),
        "duplicate": league.duplicate,
        "deals": league.deals,
        "deals_digest": league.digest,
        "tables": payoffs.shape[1],
        "rounds": int(np.prod(payoffs.shape[:3])),
        "blocks": blocks,
        "interrupted": league.interrupted,
        "results": [
            {
                "agent": label,
                "points": results.rounded(mean),
                "places": [round(share, 6) for share in own.tolist()],
                "microseconds_per_decision": times["microseconds_per_decision"][i],
                "spent": times["spent"][i],
            }
            for i, (label, mean, own) in enumerate(rows)
        ],
        "differences": [
            {"agents": [labels[i], labels[j]], **results.rounded(gap)}
            for i, j, gap in zip(order[:-1], order[1:], gaps, strict=True)
        ],
        "decisions": times["decisions"],
        "seconds": times["seconds"],
        "spent": times["spent"],
        "points": results.shorter(payoffs.tolist()),
    }


def one_round(game: Game) -> Game:
    """Return the game with one round; unchanged if it has no option for the number of rounds."""
    if game.rounds == 1 or "rounds" not in game.options:
        return game
    return make_game(game.name, **{**game.options, "rounds": 1})


def load(
    path: Path,
    game: Game,
    agents: Sequence[Spec],
    seed: int,
    duplicate: bool,
    digest: str | None = None,
) -> League:
    """Read a league that is to be resumed; `digest` and errors are as for `results.load`."""
    seated = seat_all(game, agents)
    settings = match_settings(game, seated, seed)
    wanted = {**settings, "duplicate": duplicate, "deals_digest": digest}
    data = results.load_same(path, wanted)
    players = game.num_players
    shape = (-1, players if duplicate else 1, game.rounds, players)
    with results.continuing(path):
        played = results.chunk_of(one_round(game), data, data["points"], shape, players)
    return League(game, tuple(seated), seed, (played,), digest=digest, duplicate=duplicate)

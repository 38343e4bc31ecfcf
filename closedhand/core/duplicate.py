"""Duplicate play: seatings, many games between agents in lockstep, and their results."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from closedhand.core import batch, lockstep
from closedhand.core.agents import SPENT, Agent, Player, act_batch, digests, make_agent, parse_agent
from closedhand.core.game import Game
from closedhand.core.seating import num_tables, seating
from closedhand.core.version import __version__

Spec = str | Player
"""An agent by its text, parsed or not, or as an object."""


class Chunk(NamedTuple):
    """Results of some deals.

    Attributes:
        returns: Payoffs, float64 [deals, tables, seats]; of a league, where a deal is a match,
            [matches, tables, rounds, agents].
        seconds: Decision time of each agent, float64 [agents]; a match has two agents.
        decisions: Number of decisions of each, int64 [agents].
        spent: Cost of the searches of each, float64 [agents, 4], with the columns of
            `closedhand.core.agents.SPENT`; None if there were no searches.
    """

    returns: np.ndarray
    seconds: np.ndarray
    decisions: np.ndarray
    spent: np.ndarray | None = None


def tables(sides: Sequence[int]) -> list[tuple[int, ...]]:
    """List the tables of a duplicate deal: the agent, 0 or 1, at each seat.

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
    """Play games in lockstep to their end; return the seconds and decisions of each agent.

    Args:
        game: The game.
        states: The games, `game.dtype` [n]; changed in place.
        seats: Index of the agent at each seat of each game, integers [n, num_players].
        agents: The agents.
        after: Called after every step with the indices of the games in which a player acted.

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
        return f"agent {agents[int(seats[number, states[number]['player']])].name!r}"

    lockstep.play_out(game, states, choose, name, after)
    return seconds, decisions


def start(
    game: Game, specs: Sequence[Spec], seed: int, deals: range, fixed: np.ndarray | None = None
) -> tuple[list[Agent], np.ndarray]:
    """Make the agents for some deals, let each decide once, and deal the states.

    Args:
        game: The game.
        specs: The agents.
        seed: Seed of the deals and the agents.
        deals: Numbers of the deals.
        fixed: Their states, `game.dtype` [deals]; None: those of the seed.

    Raises:
        InputError: An unknown agent.
    """
    seeds = np.random.default_rng((seed, deals.start, 1)).integers(2**31, size=len(specs))
    agents = [make_agent(game, spec, int(own)) for spec, own in zip(specs, seeds, strict=True)]
    dealt = fixed
    if dealt is None:
        dealt = np.array([game.deal(np.random.default_rng((seed, i))) for i in deals], game.dtype)
    # The first decision of each agent includes loading kernels and networks. It is not timed.
    first = batch.views(game, dealt[:1])
    for agent in agents:
        act_batch(agent, first)
    return agents, dealt


def parse_all(game: Game, agents: Sequence[Spec]) -> list[Player]:
    """Parse the texts of agents."""
    return [parse_agent(game.name, agent) for agent in agents]


def match_settings(game: Game, agents: Sequence[Spec], seed: int) -> dict[str, Any]:
    """Return the settings that must be the same when a match resumes, a dict for JSON."""
    return {
        "game": game.name,
        "options": dict(game.options),
        "agents": [agent if isinstance(agent, str) else agent.name for agent in agents],
        "files": digests(game, agents),
        "seed": seed,
        "version": __version__,
    }


def count_deals(chunks: Sequence[Chunk]) -> int:
    """Return the number of deals in some chunks."""
    return sum(len(chunk.returns) for chunk in chunks)


def cut(chunk: Chunk, deals: int) -> Chunk:
    """Return the first deals of a chunk, with a proportional share of its times and decisions."""
    share = deals / len(chunk.returns)
    decisions = np.round(chunk.decisions * share).astype(np.int64)
    return Chunk(chunk.returns[:deals], chunk.seconds * share, decisions, spent_in(chunk) * share)


def join(chunks: Sequence[Chunk]) -> Chunk:
    """Join several chunks into one."""
    return Chunk(
        np.concatenate([chunk.returns for chunk in chunks]),
        np.sum([chunk.seconds for chunk in chunks], axis=0),
        np.sum([chunk.decisions for chunk in chunks], axis=0),
        np.sum([spent_in(chunk) for chunk in chunks], axis=0),
    )


def spent_in(chunk: Chunk) -> np.ndarray:
    """Return the cost of the searches of each agent, float64 [agents, 4]."""
    nothing = np.zeros((len(chunk.decisions), len(SPENT)))
    return nothing if chunk.spent is None else chunk.spent

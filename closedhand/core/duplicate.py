"""Duplicate play: deals are played at several tables, which differ in the agents at the seats."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from closedhand.core import batch, interrupt, lockstep
from closedhand.core.agents import (
    Agent,
    AnyAgent,
    Player,
    act_batch,
    digests,
    make_agent,
    parse_agent,
    spent_by,
    traits_of,
)
from closedhand.core.game import Game, InputError
from closedhand.core.version import __version__

Spec = str | Player
"""An agent by its text, parsed or not, or as an object."""


class Chunk(NamedTuple):
    """Results of some deals.

    Attributes:
        returns: Payoffs, float64 [deals, tables, seats]; of a league, whose deals may have several
            rounds, [deals, tables, rounds, agents].
        seconds: Decision time of each agent, float64 [agents]; a match has two agents.
        decisions: Number of decisions of each agent, int64 [agents].
        spent: Cost of searches by agent, float64 [agents, 4]; see `closedhand.core.agents.SPENT`.
    """

    returns: np.ndarray
    seconds: np.ndarray
    decisions: np.ndarray
    spent: np.ndarray


def seatings(sides: Sequence[int]) -> list[tuple[int, ...]]:
    """List the team at each seat of each table; there are as many teams and tables as sides.

    At table i, side j is played by team (i + j) mod k, where k is the number of sides.

    Args:
        sides: The side that each seat plays for (`Game.sides`).

    Examples:
        >>> seatings((0, 1, 1))
        [(0, 1, 1), (1, 0, 0)]
    """
    order = sorted(set(sides))
    places = [order.index(side) for side in sides]
    return [tuple((place + i) % len(order) for place in places) for i in range(len(order))]


def tables(sides: Sequence[int]) -> list[tuple[int, ...]]:
    """List the tables of a duplicate deal by `Game.sides`: the agent, 0 or 1, at each seat.

    Agent 0 plays each side in turn, agent 1 the others; then vice versa. Equal tables count once.

    Examples:
        >>> tables((0, 1, 1))
        [(0, 1, 1), (1, 0, 0)]
        >>> len(tables((0, 1, 2)))
        6
    """
    alone = [tuple(min(team, 1) for team in table) for table in seatings(sides)]
    reverse = [tuple(1 - agent for agent in table) for table in alone]
    return list(dict.fromkeys(alone + reverse))


def play_out(
    game: Game,
    states: np.ndarray,
    seats: np.ndarray,
    agents: Sequence[Agent],
    after: Callable[[np.ndarray], None] = lambda moved: None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Play games in lockstep to their end.

    A deferred Ctrl-C takes effect between two steps, or two decisions of an agent without
    `act_batch`. `states` (changed in place), `after` and errors are as for `lockstep.play_out`.
    `seats` has the index in `agents` of each seat's agent, integers [n, num_players].

    Return `seconds`, `decisions` and `spent` as in `Chunk`.
    """
    seconds, decisions = np.zeros(len(agents)), np.zeros(len(agents), np.int64)
    spent = spent_by(agents)

    def choose(views: np.ndarray, games: np.ndarray) -> np.ndarray:
        actions = np.empty(len(views), np.int64)
        to_act = seats[games, views["player"]]
        for i, agent in enumerate(agents):
            own = np.flatnonzero(to_act == i)
            if len(own):
                start = time.perf_counter()
                actions[own] = act_batch(agent, views[own], interrupt.check)
                seconds[i] += time.perf_counter() - start
                decisions[i] += len(own)
        return actions

    def name(number: int) -> str:
        return f"agent {agents[int(seats[number, states[number]['player']])].name!r}"

    lockstep.play_out(game, states, choose, name, after)
    return seconds, decisions, spent_by(agents) - spent


def make_agents(game: Game, specs: Sequence[Spec], seed: int, first: int) -> list[Agent]:
    """Make agents for the deals from number `first` on, each with a seed of its own."""
    # With one seed, copies of an agent would choose alike.
    seeds = np.random.default_rng((seed, first, 1)).integers(2**31, size=len(specs))
    return [make_agent(game, spec, int(own)) for spec, own in zip(specs, seeds, strict=True)]


def start(
    game: Game, specs: Sequence[Spec], seed: int, deals: range, fixed: np.ndarray | None = None
) -> tuple[list[Agent], np.ndarray]:
    """Make the agents, let each decide once, and deal the deals numbered `deals`, or take `fixed`.

    Return agents and states. Both follow from the seed, except `fixed` states and agent objects.
    """
    agents = make_agents(game, specs, seed, deals.start)
    if fixed is None:
        fixed = np.array([game.deal(np.random.default_rng((seed, i))) for i in deals], game.dtype)
    # The first decision of each agent includes loading kernels and networks. It is not timed.
    first = batch.views(game, fixed[:1])
    for agent in agents:
        act_batch(agent, first)
    return agents, fixed


def play_chunk(
    game: Game,
    specs: Sequence[Spec],
    seed: int,
    deals: range,
    fixed: np.ndarray | None = None,
    seatings: Sequence[Sequence[int]] | None = None,
) -> Chunk:
    """Play the deals numbered `deals` at all tables; other arguments are those of `start`.

    `seatings` has the index of the agent at each seat of every table; None: `tables`.

    Raises:
        InputError: An unknown agent, or one that chose an illegal action.
    """
    agents, dealt = start(game, specs, seed, deals, fixed)
    seatings = tables(game.sides) if seatings is None else seatings
    states, seats = np.repeat(dealt, len(seatings)), np.tile(seatings, (len(dealt), 1))
    costs = play_out(game, states, seats, agents)
    return Chunk(batch.returns(game, states).reshape(len(dealt), len(seatings), -1), *costs)


def parse_all(game: Game, agents: Sequence[Spec]) -> list[Player]:
    """Do `parse_agent` for each agent."""
    return [parse_agent(game.name, agent) for agent in agents]


def refuse_memory(game: Game, agents: Sequence[AnyAgent]) -> None:
    """Refuse agents that remember rounds if the game has several: games are played in lockstep."""
    for agent in agents:
        if game.rounds > 1 and traits_of(game, agent).remembers:
            name = getattr(agent, "name", agent)
            raise InputError(f"{name} remembers earlier rounds: it plays rounds in a league only")


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
    """Return the first deals of a chunk, with their share of its seconds, decisions and costs."""
    share = deals / len(chunk.returns)
    decisions = np.round(chunk.decisions * share).astype(np.int64)
    return Chunk(chunk.returns[:deals], chunk.seconds * share, decisions, chunk.spent * share)


def join(chunks: Sequence[Chunk]) -> Chunk:
    """Join chunks: their deals follow each other, and seconds, decisions and costs are added."""
    returns, *costs = zip(*chunks, strict=True)
    return Chunk(np.concatenate(returns), *(np.sum(each, axis=0) for each in costs))

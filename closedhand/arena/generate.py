"""Games between agents as records, for any game."""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from closedhand.core import records
from closedhand.core.agents import AnyAgent, parse_agent
from closedhand.core.checks import check_seed
from closedhand.core.duplicate import make_agents, play_out
from closedhand.core.game import Game, InputError

CHUNK = 500
"""Games that are played in lockstep."""


def generate(
    game: Game,
    agents: Sequence[AnyAgent],
    games: int,
    seed: int = 0,
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[records.Record]:
    """Play games between agents, and yield their records.

    An agent is drawn for each side of each game, and plays all seats of the side. An agent named
    twice is drawn twice as often. `progress` gets the number of games played so far.

    Raises:
        InputError: An agent is unknown or plays illegally, there is none, the seed is not allowed,
            or no record can hold the game.
    """
    if not agents:
        raise InputError("name the agents that play")
    check_seed(seed)
    if game.rounds > 1:
        raise InputError(f"a record holds one round, not {game.rounds}: leave out rounds")
    named = [parse_agent(game.name, agent) for agent in agents]
    sides = np.unique(game.sides, return_inverse=True)[1]
    for start in range(0, games, CHUNK):
        numbers = range(start, min(start + CHUNK, games))
        players = make_agents(game, named, seed, start)
        states, seats = game.empty(len(numbers)), np.empty((len(numbers), len(sides)), np.int64)
        for i, number in enumerate(numbers):
            rng = np.random.default_rng((seed, number))
            states[i] = game.deal(rng)
            seats[i] = rng.integers(len(players), size=sides.max() + 1)[sides]
        play_out(game, states, seats, players)
        for state, row in zip(np.rec.array(states), seats, strict=True):
            yield records.from_state(game, state, [named[k].name for k in row])
        progress(numbers.stop)

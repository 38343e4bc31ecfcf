"""Evaluation of an agent in duplicate: on every deal it plays each side in turn."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from closedhand.core import batch
from closedhand.core.agents import Agent, AnyAgent, make_agent
from closedhand.core.checks import check_deals, check_seed
from closedhand.core.duplicate import play_out, refuse_memory
from closedhand.core.game import Game
from closedhand.core.statistics import Estimate, shares, student, wins

CHUNK = 500
"""Deals that are played in lockstep."""


class Score(NamedTuple):
    """Score of an agent that plays one side while the opponent plays all other seats."""

    points: Estimate  # per game, summed over the seats of a side, mean over the sides
    won: Estimate | None  # share of games won, draws counting half; None where no payoff is a loss
    gain: Estimate | None = None  # points less those of the opponent on the same sides and deals

    def entry(self) -> dict[str, list[float]]:
        """Return `points`, and `won` unless None: mean, low and high, rounded to 4 digits."""
        found = {"points": self.points, "won": self.won}
        return {name: [round(each, 4) for each in part] for name, part in found.items() if part}


def score_of(game: Game, points: np.ndarray) -> Score:
    """Score points by deal and side, float64 [deals, sides], with intervals over the deals."""
    [mean] = student(points.mean(axis=1, keepdims=True))
    [won] = shares(wins(points).mean(axis=1, keepdims=True))
    return Score(mean, won if game.can_lose else None)


def judge(
    game: Game,
    agent: Agent,
    opponent: AnyAgent,
    deals: int,
    seed: int,
    with_gain: bool = False,
    progress: Callable[[int], None] = lambda done: None,
) -> Score:
    """Score an agent on each side in turn of random deals, with the opponent in all other seats.

    `with_gain`: the opponent also plays every deal at all seats. The seed is that of the deals
    and of the opponent. `progress` is called with the number of deals played so far.

    Raises:
        InputError: The opponent is unknown, an action is illegal, or the number of deals or the
            seed is not allowed.
    """
    check_deals(deals, "an evaluation")
    check_seed(seed)
    refuse_memory(game, [agent, opponent])
    found: list[np.ndarray] = []
    for start in range(0, deals, CHUNK):
        some = range(start, min(start + CHUNK, deals))
        other = make_agent(game, opponent, seed + start)
        found.append(_points(game, [agent, other], some, seed, with_gain))
        progress(some.stop)
    points = np.concatenate(found)
    sides = len(set(game.sides))
    alone, usual = points[:, :sides], points[:, sides:]
    score = score_of(game, alone)
    if not with_gain:
        return score
    return score._replace(gain=student((alone - usual).mean(axis=1, keepdims=True))[0])


def _points(
    game: Game, agents: Sequence[Agent], deals: range, seed: int, with_gain: bool
) -> np.ndarray:
    """Return the points of the first agent on each side, [deals, sides], against the second.

    `with_gain` appends as many columns: the points of each side if the second plays all seats.
    """
    sides = np.array(game.sides)
    own = sides == np.unique(sides)[:, None]  # the seats of every side, [sides, seats]
    seatings = np.concatenate([~own, np.ones((int(with_gain), len(sides)), bool)]).astype(int)
    dealt = np.array([game.deal(np.random.default_rng((seed, i))) for i in deals], game.dtype)
    states = np.repeat(dealt, len(seatings))
    play_out(game, states, np.tile(seatings, (len(dealt), 1)), agents)
    returns = batch.returns(game, states).reshape(len(dealt), len(seatings), 1, -1)
    by_side = (returns * own).sum(axis=3)
    alone, usual = np.diagonal(by_side, axis1=1, axis2=2), by_side[:, len(own) :]
    return np.concatenate([alone, usual.reshape(len(dealt), -1)], axis=1)

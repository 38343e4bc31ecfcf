"""Hints: the legal actions of a person in the order of an agent's ratings, the best first."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.agents import Agent, legal_choice
from closedhand.core.game import Game, InputError, State
from closedhand.search.ranking import Ranked, rank

SECONDS = 1.0
"""Time of a ranking by simulation."""


class Hint(NamedTuple):
    """A legal action.

    Attributes:
        action: Id of the action.
        note: The agent's estimate as text; may be empty.
    """

    action: int
    note: str = ""


def hints(game: Game, view: State, adviser: Agent, seconds: float = SECONDS) -> list[Hint]:
    """Rank all legal actions of the player to act, the best first.

    The first of these that the adviser offers decides: `simulation`, `values`, `probabilities`, its
    own choice. Actions that it does not rate follow in the order of their ids. A ranking by
    simulation takes `seconds`.
    """
    legal = game.legal(view)
    if len(legal) == 1:
        return [Hint(int(legal[0]))]
    rated = next(filter(None, (way(game, view, adviser, legal, seconds) for way in WAYS)), [])
    known = {hint.action for hint in rated}
    return [*rated, *(Hint(action) for action in legal.tolist() if action not in known)]


def _by_simulation(
    game: Game, view: State, adviser: Agent, legal: np.ndarray, seconds: float
) -> list[Hint]:
    simulation = getattr(adviser, "simulation", None)
    if simulation is None or game.flat is not game:
        return []  # simulations rank whole plays, not sub-steps
    try:
        how = simulation(view)
    except InputError:  # the agent does not search at this stage of the game
        return []
    return [Hint(each.action, estimate(each)) for each in rank(game, view, how, seconds=seconds)]


def estimate(ranked: Ranked) -> str:
    """Write the win probability of a ranked action with its interval, or its expected points."""
    if ranked.wins is not None:
        half = (ranked.wins.high - ranked.wins.low) / 2
        return f"wins {ranked.wins.mean:.0%} ± {100 * half:.0f}"
    half = (ranked.points.high - ranked.points.low) / 2
    return f"{ranked.points.mean:+.2f} ± {half:.2f} points"


def _by_numbers(name: str) -> Callable[..., list[Hint]]:
    """Make the way that ranks by an optional method of agents, `values` or `probabilities`."""

    def way(
        game: Game, view: State, adviser: Agent, legal: np.ndarray, seconds: float
    ) -> list[Hint]:
        member: Any = getattr(adviser, name, None)
        if member is None:
            return []
        if name == "values":
            numbers = np.asarray(member(view, legal), float)
        else:
            numbers = np.asarray(member(np.array([view], game.dtype))[0], float)[legal]
        order = np.argsort(-numbers, kind="stable")  # NaN comes last
        return [Hint(int(legal[i])) for i in order if not np.isnan(numbers[i])]

    return way


def _by_choice(
    game: Game, view: State, adviser: Agent, legal: np.ndarray, seconds: float
) -> list[Hint]:
    try:
        return [Hint(legal_choice(game, view, adviser))]
    except InputError:
        return []


WAYS = (_by_simulation, _by_numbers("values"), _by_numbers("probabilities"), _by_choice)
"""Ways to rank actions, in order of preference; a way that an agent does not offer returns none."""

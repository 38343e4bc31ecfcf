"""Hints: the legal actions of a person in the order of an agent's ratings, the best first."""

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from closedhand.core.agents import Agent, legal_choice
from closedhand.core.game import Game, InputError, State
from closedhand.search.ranking import Ranked, rank, simulation_of

SECONDS = 1.0
"""Default time of a ranking by simulation."""


class Hint(NamedTuple):
    """The id of a legal action, with the agent's estimate as text, which may be empty."""

    action: int
    note: str = ""


def hints(game: Game, view: State, adviser: Agent, seconds: float = SECONDS) -> list[Hint]:
    """Rank all legal actions of the player to act, the best first.

    The adviser rates them by its `simulation` for `seconds` (not in sub-steps), else by `values`,
    else by `probabilities`; else its choice comes first. Unrated actions follow, in order of ids.
    """
    legal = game.legal(view)
    if len(legal) == 1:
        return [Hint(int(legal[0]))]
    rated: list[Hint] = []
    how = None
    if game.flat is game:  # simulations rank whole plays, not sub-steps
        with suppress(InputError):  # the adviser does not search, or not at this stage
            how = simulation_of(adviser, view)
    if how is not None:
        ranked = rank(game, view, how, seconds=seconds)
        rated = [Hint(each.action, estimate(each)) for each in ranked]
    if not rated and (values := getattr(adviser, "values", None)) is not None:
        rated = [Hint(action) for action, _ in best_first(legal, values(view, legal))]
    if not rated and (policy := getattr(adviser, "probabilities", None)) is not None:
        shares = np.asarray(policy(np.array([view], game.dtype))[0])[legal]
        rated = [Hint(action) for action, _ in best_first(legal, shares)]
    if not rated:
        with suppress(InputError):
            rated = [Hint(legal_choice(game, view, adviser))]
    known = {hint.action for hint in rated}
    return [*rated, *(Hint(action) for action in legal.tolist() if action not in known)]


def estimate(ranked: Ranked) -> str:
    """Write the win probability of a ranked action with its interval, or its expected points."""
    if ranked.wins is not None:
        half = (ranked.wins.high - ranked.wins.low) / 2
        return f"wins {ranked.wins.mean:.0%} ± {100 * half:.0f}"
    half = (ranked.points.high - ranked.points.low) / 2
    return f"{ranked.points.mean:+.2f} ± {half:.2f} points"


def best_first(actions: np.ndarray, numbers: Any) -> list[tuple[int, float]]:
    """Pair action ids with their numbers, the greatest first; leave out those with NaN."""
    numbers = np.asarray(numbers, float)
    order = np.argsort(-numbers, kind="stable")
    return [(int(actions[i]), float(numbers[i])) for i in order if not np.isnan(numbers[i])]

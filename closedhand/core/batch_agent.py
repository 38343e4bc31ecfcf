"""Base of agents that decide on many views in one call; conversions between plays and sub-steps."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from closedhand.core.batch import prepared
from closedhand.core.contract import dispatched
from closedhand.core.copies import OwnArrays
from closedhand.core.game import Game, State
from closedhand.core.numba.jit import Ids, Integer, Rules


class BatchAgent(OwnArrays, ABC):
    """Base of agents that decide by `act_batch` on many views of one game."""

    def __init__(self, game: Game, name: str) -> None:
        self.game, self.name = game, name

    @abstractmethod
    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Choose an action, integers [n], for each view, states [n]."""

    def act(self, view: State) -> int:
        """Choose the action of the player to act; refuse a view that is no state of the game."""
        views = prepared(self.game, np.asarray(view)[np.newaxis], copy=True)
        return int(self.act_batch(views)[0])


@dispatched()
def next_step(rules: Rules, view: State, play: Integer, ids: Ids) -> Integer:
    """Return the next action towards `play`, an action of the flat game (`Game.flat`).

    Games that split or merge flat actions define this function. If no action leads to `play`, for
    example after another agent began a different play, the result is another action. `ids` is
    scratch space, int32 [num_actions].
    """
    ...


def through_substeps(
    states: np.ndarray,
    actions: int,
    policy: Callable[[np.ndarray], np.ndarray],
    play: Callable[[np.ndarray, np.ndarray], np.ndarray],
) -> np.ndarray:
    """Compute the probabilities of flat actions from those of sub-steps, float64 [n, actions].

    Args:
        states: States [n] of the game in sub-steps.
        actions: Number of flat actions.
        policy: Returns the probabilities of sub-steps in states [m], float64 [m, sub-steps].
        play: Plays sub-steps, integers [m], in states [m], in place; returns the flat actions that
            they complete, integers [m], -1 for none.
    """
    shares = np.zeros((len(states), actions))
    sources, chances = np.arange(len(states)), np.ones(len(states))
    while len(states):
        following = policy(states)
        parents, steps = np.nonzero(following)
        states, sources = states[parents], sources[parents]
        chances = chances[parents] * following[parents, steps]
        completed = play(states, steps)
        done = completed >= 0
        np.add.at(shares, (sources[done], completed[done]), chances[done])
        states, sources, chances = states[~done], sources[~done], chances[~done]
    return shares

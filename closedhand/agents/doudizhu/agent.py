"""Base of the Dou Dizhu agents that rate plays."""

from abc import abstractmethod

import numpy as np

from closedhand.agents.agent import PlayAgent
from closedhand.core.game import Game, State
from closedhand.games.doudizhu.auction import is_opening


def values_of(game: Game, plays: np.ndarray, values: np.ndarray, actions: np.ndarray) -> np.ndarray:
    """Convert values of flat plays to values of the game's actions, float64 [n].

    `plays`, int64 [m], are flat ids with `values`, float64 [m]; `actions`, [n], are ids of `game`.
    In sub-steps a main group has the value of its best play. An action without a play has NaN.
    """
    best = np.full(game.num_actions, np.nan)
    whole = game.flat is game
    np.fmax.at(best, plays if whole else game.flat.rules.plays.group[plays], values)
    return best[actions]


class RatingAgent(PlayAgent):
    """A `PlayAgent` that rates some flat plays and makes the best one."""

    @abstractmethod
    def rate_plays(self, view: State) -> tuple[np.ndarray, np.ndarray]:
        """List the flat plays to consider, int64 [n], and their values, float64 [n].

        The player must be about to choose a whole play, not a word (such as a bid) or a kicker.
        -inf marks a play that is not rated, as another is clearly better.
        """

    def values(self, view: State, actions: np.ndarray) -> np.ndarray:
        """Rate legal actions, integers [n], of the player to act; see `values_of`.

        Before the landlord leads, and among kickers, the agent's choice has 0 and all others NaN.
        """
        if is_opening(self.game.flat.rules, view) or view.group >= 0:
            return np.where(actions == self.act(view), 0.0, np.nan)
        return values_of(self.game, *self.rate_plays(view), actions)

"""The agent `equilibrium`: perfect play of Kuhn poker, a family with one parameter."""

from typing import Annotated

import numpy as np

from closedhand.authoring import Game, Range, State, refuse_argument
from kuhn_poker.game import BET


def chances_to_bet(alpha: float) -> np.ndarray:
    """Return the probability of a bet at each decision with each card, float64 [4, 3].

    The decisions are player 0's first, player 1's after a pass, player 1's after a bet, and player
    0's after a pass and a bet; the cards are J, Q, K.

    Args:
        alpha: Probability that player 0 bluffs with a jack, 0 to 1/3; each gives an equilibrium.
    """
    return np.array(
        [[alpha, 0, 3 * alpha], [1 / 3, 0, 1], [0, 1 / 3, 1], [0, alpha + 1 / 3, 1]]
    )  # fmt: skip


class Equilibrium:
    """An agent that plays one of the equilibria.

    Attributes:
        name: `equilibrium`.
    """

    name = "equilibrium"

    def __init__(self, alpha: float, seed: int) -> None:
        """Create the agent.

        Args:
            alpha: Probability that player 0 bluffs with a jack, 0 to 1/3.
            seed: Seed of its choices.
        """
        self._bets = chances_to_bet(alpha)
        self._rng = np.random.default_rng(seed)

    def probabilities(self, views: np.ndarray) -> np.ndarray:
        """Return the probability of each action at each view, float64 [n, 2]."""
        cards = views["cards"][np.arange(len(views)), views["player"]]
        decisions = np.where(views["moves"] == 2, 3, views["moves"])
        decisions += (views["moves"] == 1) & (views["history"][:, 0] == BET)
        bets = self._bets[decisions, cards]
        return np.stack([1 - bets, bets], axis=1)

    def act_batch(self, views: np.ndarray) -> np.ndarray:
        """Draw an action for each view, int32 [n]."""
        return (self._rng.random(len(views)) < self.probabilities(views)[:, BET]).astype(np.int32)

    def act(self, view: State) -> int:
        """Draw the action of the player to act."""
        return int(self.act_batch(np.array([view]))[0])


Alpha = Annotated[float, Range(0, 1 / 3), "probability that player 0 bluffs with a jack"]


def make_equilibrium(
    game: Game, seed: int, argument: str | None, alpha: Alpha = 0.2
) -> Equilibrium:
    """Make the agent `equilibrium`, or `equilibrium[alpha=0.1]`.

    Raises:
        InputError: An argument is given.
    """
    refuse_argument("equilibrium", argument)
    return Equilibrium(alpha, seed)

"""Inputs of deep learners: observations of a game, in sub-steps if it has them, and legal actions.

A game may have thousands of actions of which few are legal. A computation over a list of the legal
ones (`Legal`) takes the time of these alone.
"""

from typing import NamedTuple, Self

import numpy as np
import torch
from torch import Tensor

from closedhand.core import batch
from closedhand.core.checks import InputError
from closedhand.core.game import Game
from closedhand.core.numba.jit import Planes
from closedhand.core.registry import make_game

ENCODERS = {
    "compact": (batch.features, "feature_size"),
    "planes": (batch.observe, "observation_size"),
}
"""Observations by name: the encoding function, and the attribute of `Game` with the size."""
BELOW_ONE = 1 - 2**-53
"""Greatest float64 below 1."""


class Features:
    """A game as a network observes it; planes are flattened.

    Attributes:
        game: The game to learn, in sub-steps if it has them.
        observation: Name of the observation, one of `ENCODERS`.
        inputs: Number of inputs of a network.
        actions: Number of actions of `game`.

    Raises:
        InputError: The observation is unknown.
    """

    def __init__(self, game: Game, observation: str = "compact") -> None:
        if observation not in ENCODERS:
            raise InputError(f"no observation {observation!r}; there are {', '.join(ENCODERS)}")
        self.game = learning_form(game)
        self.observation = observation
        self._encode, size = ENCODERS[observation]
        self.inputs: int = getattr(self.game, size)
        self.actions = self.game.num_actions

    def encode(self, states: np.ndarray) -> tuple[Planes, Planes]:
        """Encode states or views: observations, int8 [n, inputs], and masks, int8 [n, actions]."""
        return self._encode(self.game, states)


def learning_form(game: Game) -> Game:
    """Return a game in sub-steps, with fewer actions, or `game` if it has no `substep_options`."""
    if not game.substep_options:
        return game
    return make_game(game.name, **{**game.options, **game.substep_options})


class Legal(NamedTuple):
    """The legal actions, k in all, of n decisions as one list; places are its indices."""

    rows: Tensor  # decision of each legal action, int64 [k], ascending
    actions: Tensor  # the legal actions, int64 [k], ascending within a decision
    counts: Tensor  # number of legal actions of each decision, int64 [n], all at least 1

    @classmethod
    def of(cls, masks: Planes) -> Self:
        """List the actions that masks, int8 [n, actions], allow."""
        found = np.flatnonzero(masks != 0)
        rows, actions = np.divmod(found, masks.shape[1])
        counts = np.bincount(rows, minlength=len(masks))
        return cls(*map(torch.from_numpy, (rows, actions, counts)))

    @property
    def ends(self) -> Tensor:
        """Place after the last legal action of each decision, int64 [n]."""
        return self.counts.cumsum(0)

    def places(self, decisions: Tensor) -> Tensor:
        """Return the places, int64 [j], of all legal actions of some decisions, int64 [m > 0]."""
        counts = self.counts[decisions]
        ends = counts.cumsum(0)
        shifts = self.ends[decisions] - ends
        return torch.arange(int(ends[-1])) + shifts.repeat_interleave(counts)

    def take(self, decisions: Tensor, places: Tensor) -> "Legal":
        """Select the legal actions of some decisions, int64 [m], given their `places`."""
        counts = self.counts[decisions]
        rows = torch.arange(len(counts)).repeat_interleave(counts)
        return Legal(rows, self.actions[places], counts)

    def chosen(self, actions: Tensor) -> Tensor:
        """Return the places of one action per decision, int64 [n]; each action must be legal."""
        return (self.actions == actions[self.rows]).nonzero().squeeze(1)

    def sums(self, values: Tensor) -> Tensor:
        """Sum values, [k], over the legal actions of each decision, [n]."""
        return values.new_zeros(len(self.counts)).index_add(0, self.rows, values)

    def most(self, values: Tensor) -> Tensor:
        """Return the maximum of values, [k], over the legal actions of each decision, [n]."""
        least = values.new_full((len(self.counts),), -torch.inf)
        return least.scatter_reduce(0, self.rows, values, "amax")

    def log_softmax(self, logits: Tensor) -> Tensor:
        """Compute log-probabilities, [k], of logits, [k], by decision."""
        shifted = logits - self.most(logits.detach())[self.rows]
        return shifted - self.sums(shifted.exp()).log()[self.rows]

    def best(self, values: Tensor) -> Tensor:
        """Find the place of each decision's greatest value, the first of equal ones, int64 [n]."""
        found = (values == self.most(values)[self.rows]).nonzero().squeeze(1)
        rows = self.rows[found]
        return found[rows.diff(prepend=rows.new_full((1,), -1)) != 0]

    def draw(self, shares: Tensor, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """Draw an action for each decision by probabilities [k] and uniform numbers [n], float64.

        Returns:
            Places in the list of the drawn actions, int64 [n], and the position of each number
            within the interval of its action, which is again uniform from 0 to 1.
        """
        sums = shares.cumsum(0)
        upper = sums[self.ends - 1]
        lower = torch.cat([sums.new_zeros(1), upper[:-1]])
        aimed = torch.minimum(lower + numbers * (upper - lower), upper.nextafter(lower))
        drawn = torch.searchsorted(sums, aimed, right=True)
        left = (aimed - sums[drawn] + shares[drawn]) / shares[drawn]
        return drawn, left.clamp(0.0, BELOW_ONE)

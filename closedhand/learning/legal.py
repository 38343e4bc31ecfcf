"""The legal actions of many decisions as one list.

A game may have thousands of actions of which few are legal. A computation over the list takes the
time of the legal ones alone. The list has k actions of n decisions; places are its indices.
"""

from typing import NamedTuple, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

BELOW_ONE = 1 - 2**-53
"""Greatest float64 below 1."""


class Legal(NamedTuple):
    """The legal actions of some decisions."""

    rows: Tensor  # decision of each legal action, int64 [k], ascending
    actions: Tensor  # the legal actions, int64 [k], ascending within a decision
    counts: Tensor  # number of legal actions of each decision, int64 [n], all at least 1

    @classmethod
    def of(cls, masks: NDArray[np.int8]) -> Self:
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

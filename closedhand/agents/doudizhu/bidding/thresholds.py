"""Win probabilities above which a bid pays, from deals played with each player as the landlord.

The payoffs after an auction depend only on the stake and the landlord, so that no game has to be
played again for another auction.

1. Let players with the present thresholds, and players of other modules, hold the auctions of all
   deals.
2. For each seat and highest bid so far, sum the points of each bid by bins of the win probability.
3. Choose the thresholds with the most points, such that the bid rises with the probability
   (`best_cuts`).
4. Repeat for `ROUNDS` rounds. Best responses may cycle, so average the later rounds.

Arrays [n, 3] have a row for each deal and a column for each seat, in the order of the auction.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from closedhand.games.doudizhu.state import SEATS

BIDS = np.arange(1, 4)
BINS = 50
"""The thresholds of each round are multiples of 1 / `BINS`; their mean need not be one."""
NEVER = 1.0
"""Threshold above all win probabilities."""
ROUNDS = 12
ENOUGH = 500
"""Minimum number of auctions with a seat and highest bid; with fewer, thresholds do not change."""


class Module(NamedTuple):
    """A Bid Module applied to some deals."""

    scores: np.ndarray  # compared with the thresholds, by deal and seat, float64 [n, 3]
    thresholds: np.ndarray  # least scores by seat, highest bid so far, bid - 1; float64 [3, 3, 3]

    def bid(self, seat: int, stakes: np.ndarray) -> np.ndarray:
        """Make the bids of `seat`, 0 for none; `stakes` are the highest so far, integers [n]."""
        least = self.thresholds[seat, np.minimum(stakes, 2)]
        worth = ((self.scores[:, seat, None] >= least) * BIDS).max(axis=1)
        return np.where((worth > stakes) & (stakes < 3), worth, 0)


def hold(
    modules: Sequence[Module],
    which: np.ndarray,
    seats: Iterable[int],
    stakes: np.ndarray,
    owners: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Let some seats bid, each by the module whose index is in `which`, integers [n, 3].

    `stakes`, 0 for none, and `owners`, -1 for none, are the highest bids before and their bidders,
    integers [n]. The results are the stakes and owners after the bids.
    """
    for seat in seats:
        made = np.choose(which[:, seat], [module.bid(seat, stakes) for module in modules])
        stakes, owners = np.where(made, made, stakes), np.where(made, seat, owners)
    return stakes, owners


def points_of(points: np.ndarray, stakes: np.ndarray, owners: np.ndarray, seat: int) -> np.ndarray:
    """Compute the points of a seat after auctions, float64 [n]; 0 where all pass.

    `points` are those of the landlord at the stake 1/2, by the landlord's seat, float64 [n, 3];
    `stakes` and `owners` are as `hold` returns them.
    """
    brought = np.take_along_axis(points, np.maximum(owners, 0)[:, None], axis=1)[:, 0]
    return stakes * np.where(owners == seat, 2, -1) * brought


def rotated(columns: np.ndarray) -> np.ndarray:
    """Repeat each deal three times, [3n, 3], so that each player opens the auction once."""
    return np.concatenate([np.roll(columns, -i, axis=1) for i in range(SEATS)])


def best_cuts(totals: np.ndarray, bids: Sequence[int]) -> np.ndarray:
    """Find the thresholds that gain the most points; bids rise with the win probability.

    `totals` are points by bid and bin of the win probability, float64 [len(bids), bins]; `bids`
    ascend from 0. The result, float64 [3], is the least win probability for a bid of 1, 2 and 3,
    `NEVER` for a bid that never pays.
    """
    bins = totals.shape[1]
    # Dynamic program over the bins: `best[k]` is the most points so far if the last bin makes
    # `bids[k]`; for these points `bids[j]` is made from the bin `starts[k, j]` on (`bins`: never).
    best = np.zeros(len(bids))
    starts = np.full((len(bids), len(bids)), bins)
    for i in range(bins):
        for k in range(1, len(bids)):
            if best[k - 1] >= best[k]:
                best[k], starts[k] = best[k - 1], starts[k - 1]
                starts[k, k] = i
        best += totals[:, i]
    chosen = starts[int(best.argmax())]
    cuts = np.full(3, NEVER)
    for k in range(len(bids) - 1, 0, -1):
        if chosen[k] < bins:
            cuts[: bids[k]] = np.minimum(cuts[: bids[k]], chosen[k] / bins)
    return cuts


def fit_thresholds(
    chances: np.ndarray,
    points: np.ndarray,
    others: Sequence[Module],
    which: np.ndarray,
    progress: Callable[[int], None] = lambda rounds: None,
) -> np.ndarray:
    """Find the best thresholds against a mix of players with these thresholds and other modules.

    `chances`, float64 [n, 3], are the win probabilities of a landlord at each seat; `points` are as
    for `points_of`. `which`, integers [n, 3], is the module of each player: 0 for the one sought, 1
    for the first of `others`, and so on. `progress` gets the number of rounds done.

    Returns:
        Thresholds by seat, highest bid so far and bid - 1, float64 [3, 3, 3].
    """
    rounds = [np.full((SEATS, 3, 3), 0.5)]
    for i in range(ROUNDS):
        progress(i)
        modules = [Module(chances, rounds[-1]), *others]
        rounds.append(_respond(points, modules, which))
    return np.mean(rounds[-ROUNDS // 2 :], axis=0)


def _respond(points: np.ndarray, modules: Sequence[Module], which: np.ndarray) -> np.ndarray:
    """Find the best thresholds of each seat, float64 [3, 3, 3], for the scores of `modules[0]`."""
    chances, found = modules[0].scores, modules[0].thresholds.copy()
    nobody = np.zeros(len(points), np.int64), np.full(len(points), -1)
    for seat in range(SEATS):
        stakes, owners = hold(modules, which, range(seat), *nobody)
        bins = np.minimum((chances[:, seat] * BINS).astype(np.int64), BINS - 1)
        for highest in range(3):
            here = stakes == highest
            if here.sum() < ENOUGH:
                continue
            bids = [0, *range(highest + 1, 4)]
            totals = np.empty((len(bids), BINS))
            for k, own in enumerate(bids):
                made = np.full_like(stakes, own), np.full_like(owners, seat)
                before = made if own else (stakes, owners)  # a pass changes nothing
                after = hold(modules, which, range(seat + 1, SEATS), *before)
                brought = points_of(points, *after, seat)
                totals[k] = np.bincount(bins[here], brought[here], BINS)
            found[seat, highest] = best_cuts(totals, bids)
    return found

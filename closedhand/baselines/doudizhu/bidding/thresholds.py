"""The chances from which on a bid pays, counted from deals played with each player as the landlord.

What an auction brings follows from the stake and the landlord alone, so nothing has to be played
anew for another auction. All arrays hold a row for each deal, their columns are the seats in the
order of the auction.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from closedhand.games.doudizhu.rules import SEATS

BIDS = np.arange(1, 4)
BINS = 50
"""The chances from which on to bid are multiples of one in so many."""
NEVER = 1.0
"""A threshold that no chance reaches."""
ROUNDS = 12
ENOUGH = 500
"""An auction that was seen less often keeps the thresholds that it started from."""

Bid = Callable[[int, np.ndarray], np.ndarray]
"""`bid(seat, stakes)` is what a seat bids, 0 to 3, above the highest bids so far, integers [n]."""


class Module(NamedTuple):
    """A Bid Module on some deals.

    Attributes:
        scores: What it compares with its thresholds, by deal and seat, float64 [n, 3].
        thresholds: The least score by seat, highest bid so far and bid less 1, float64 [3, 3, 3].
    """

    scores: np.ndarray
    thresholds: np.ndarray

    def bid(self, seat: int, stakes: np.ndarray) -> np.ndarray:
        """What `seat` bids above the highest bids so far, integers [n]; 0 where that ends at 3."""
        least = self.thresholds[seat, np.minimum(stakes, 2)]
        worth = ((self.scores[:, seat, None] >= least) * BIDS).max(axis=1)
        return np.where((worth > stakes) & (stakes < 3), worth, 0)


def mixed(modules: Sequence[Module], which: np.ndarray) -> Bid:
    """The bids of players of whom each follows the module of index `which`, integers [n, 3]."""
    return lambda seat, stakes: np.choose(
        which[:, seat], [module.bid(seat, stakes) for module in modules]
    )


def hold(
    bid: Bid, seats: Iterable[int], stakes: np.ndarray, owners: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Let some seats bid; return the highest bids and who made them, -1 for nobody."""
    for seat in seats:
        made = bid(seat, stakes)
        stakes, owners = np.where(made, made, stakes), np.where(made, seat, owners)
    return stakes, owners


def points_of(points: np.ndarray, stakes: np.ndarray, owners: np.ndarray, seat: int) -> np.ndarray:
    """What a seat gets after an auction, float64 [n]; a deal that nobody wants brings nothing.

    Args:
        points: What the landlord wins at the stake 1/2, by who is it, float64 [n, 3].
        stakes: The highest bids.
        owners: Who made them.
        seat: Who asks.
    """
    brought = np.take_along_axis(points, np.maximum(owners, 0)[:, None], axis=1)[:, 0]
    return stakes * np.where(owners == seat, 2, -1) * brought


def points_alone(points: np.ndarray, one: Module, others: Module) -> np.ndarray:
    """Points of a player who follows one module among two who follow another one, float64 [n].

    It is the mean over the three seats.
    """
    nobody = np.zeros(len(points), np.int64), np.full(len(points), -1)
    total = np.zeros(len(points))
    for own in range(SEATS):
        which = np.broadcast_to(np.arange(SEATS) == own, points.shape)
        bid = mixed([others, one], which.astype(np.int64))
        total += points_of(points, *hold(bid, range(SEATS), *nobody), own)
    return total / SEATS


def rotated(columns: np.ndarray) -> np.ndarray:
    """Each deal three times, [3n, 3], so that everybody opens the auction once."""
    return np.concatenate([np.roll(columns, -i, axis=1) for i in range(SEATS)])


def best_cuts(totals: np.ndarray, bids: Sequence[int]) -> np.ndarray:
    """The thresholds that bring most among those by which the bid rises with the chance.

    Args:
        totals: Points by bid and bin of the chance, float64 [len(bids), bins].
        bids: Ascending, 0 the first one.

    Returns:
        The chance from which on to bid 1, 2 and 3, float64 [3]; `NEVER` for what never pays.
    """
    bins = totals.shape[1]
    # Points up to a bin by the bid made in it, and in which bin each bid began on the way there.
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
    """The thresholds that are best against players of whom each uses them or other modules.

    Args:
        chances: That the landlord wins, by deal and seat, float64 [n, 3].
        points: What he wins at the stake 1/2, float64 [n, 3].
        others: The other modules.
        which: Who follows which, integers [n, 3]: 0 is the thresholds, 1 the first of `others`.
        progress: Called with the number of rounds done, of `ROUNDS`.

    Returns:
        By seat, highest bid so far and bid less 1, float64 [3, 3, 3].
    """
    rounds = [np.full((SEATS, 3, 3), 0.5)]
    for i in range(ROUNDS):
        progress(i)
        bid = mixed([Module(chances, rounds[-1]), *others], which)
        rounds.append(_respond(chances, points, bid, rounds[-1]))
    # Where the answers go round in circles, it is their middle.
    return np.mean(rounds[-ROUNDS // 2 :], axis=0)


def _respond(
    chances: np.ndarray, points: np.ndarray, bid: Bid, thresholds: np.ndarray
) -> np.ndarray:
    """The best thresholds where the other seats bid like that."""
    found = thresholds.copy()
    nobody = np.zeros(len(points), np.int64), np.full(len(points), -1)
    for seat in range(SEATS):
        stakes, owners = hold(bid, range(seat), *nobody)
        bins = np.minimum((chances[:, seat] * BINS).astype(np.int64), BINS - 1)
        for highest in range(3):
            here = stakes == highest
            if here.sum() < ENOUGH:
                continue
            bids = [0, *range(highest + 1, 4)]
            totals = np.empty((len(bids), BINS))
            for k, own in enumerate(bids):
                made = np.full_like(stakes, own), np.full_like(owners, seat)
                after = hold(bid, range(seat + 1, SEATS), *(made if own else (stakes, owners)))
                brought = points_of(points, *after, seat)
                totals[k] = np.bincount(bins[here], brought[here], BINS)
            found[seat, highest] = best_cuts(totals, bids)
    return found

"""Searches that are stopped while they run."""

from collections.abc import Callable
from threading import Event

import numpy as np
import pytest

from closedhand import make_game
from closedhand.search import ISMCTS, MonteCarlo, PairedSearch, Simulation, Uniform, rank, stopping
from closedhand.search.ranking import Ranking

ENDLESS = 1000.0
LEDUC = make_game("leduc")
VIEW = LEDUC.view_from(0, "SK")
ACTIONS = LEDUC.legal(VIEW)


class Fuse(Event):
    """An event that is set once it has been looked at some times."""

    def __init__(self) -> None:
        super().__init__()
        self.left = 20

    def is_set(self) -> bool:
        self.left -= 1
        return self.left <= 0


def advance_without_end() -> None:
    ranking = Ranking(Simulation(LEDUC, Uniform()), VIEW, ACTIONS, np.random.default_rng(0))
    while True:
        ranking.advance()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "search",
    [
        lambda **limits: PairedSearch(LEDUC, Uniform(), **limits).judge(
            VIEW, ACTIONS, np.random.default_rng(0)
        ),
        lambda **limits: MonteCarlo(LEDUC, Uniform(), **limits).judge(VIEW, ACTIONS),
        lambda **limits: ISMCTS(LEDUC, Uniform(), **limits).judge(VIEW, np.random.default_rng(0)),
    ],
    ids=["paired", "Monte Carlo", "ISMCTS"],
)
@pytest.mark.parametrize("limit", [{"seconds": ENDLESS}, {"simulations": 10**9}])
def test_agents_stop(search: Callable[..., object], threads: int, limit: dict) -> None:
    with pytest.raises(stopping.Stopped):
        stopping.run(Fuse(), lambda: search(**limit, threads=threads))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_ranking_stops(threads: int) -> None:
    with pytest.raises(stopping.Stopped):
        stopping.run(Fuse(), lambda: rank(LEDUC, VIEW, seconds=ENDLESS, threads=threads))
    with pytest.raises(stopping.Stopped):
        stopping.run(Fuse(), advance_without_end)
    stopping.check()  # what follows in the same thread is not stopped

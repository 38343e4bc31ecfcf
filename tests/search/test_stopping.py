"""Searches that are stopped while they run."""

from collections.abc import Callable
from threading import Event
from typing import Any

import numpy as np
import pytest

from closedhand import make_game
from closedhand.search import (
    ISMCTS,
    MonteCarlo,
    PairedSearch,
    Simulation,
    Uniform,
    rank,
    ranking,
    stopping,
)
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
    endless = Ranking(Simulation(LEDUC, Uniform()), VIEW, ACTIONS, np.random.default_rng(0))
    while True:
        endless.advance()


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "search",
    [
        lambda **limits: PairedSearch(LEDUC, Uniform(), **limits).judge(
            VIEW, ACTIONS, np.random.default_rng(0)
        ),
        lambda **limits: MonteCarlo(LEDUC, Uniform(), **limits).judge(
            VIEW, np.random.default_rng(0)
        ),
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


class Interrupted:
    """Work in two threads: one is interrupted while the other one works on, until it is stopped."""

    def __init__(self) -> None:
        self.begun, self.stopped = Event(), False

    def __call__(self, is_first: bool) -> None:
        if is_first:
            assert self.begun.wait(60)
            raise KeyboardInterrupt
        self.begun.set()
        try:
            for _ in range(10**7):  # far longer than it takes the other thread
                stopping.check()
        except stopping.Stopped:
            self.stopped = True
            raise


def test_an_interrupted_search_stops_its_threads() -> None:
    """Ctrl-C acts at once, and not at the end of a decision."""
    work = Interrupted()

    def share(number: int, own: np.random.Generator) -> np.ndarray:
        work(number == 1)
        return np.zeros((1, 1))

    search = MonteCarlo(LEDUC, Uniform(), seconds=ENDLESS, threads=2)
    with pytest.raises(KeyboardInterrupt):
        search._add_up(share, [1, 2], np.random.default_rng(0))
    assert work.stopped
    stopping.check()  # what follows in the same thread is not stopped


def test_an_interrupted_ranking_stops_its_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Interrupted()

    def population(*given: Any) -> np.ndarray:
        work(given[-1].bit_generator.seed_seq.spawn_key[-1] == 0)
        return np.zeros((1, len(ACTIONS)))

    monkeypatch.setattr(ranking, "_population", population)
    with pytest.raises(KeyboardInterrupt):
        rank(LEDUC, VIEW, seconds=ENDLESS, threads=2)
    assert work.stopped

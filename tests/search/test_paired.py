"""Paired search against games played by hand."""

import math
import time
from typing import Any, cast

import numpy as np
import pytest

from closedhand import InputError, make_game
from closedhand.core.game import State
from closedhand.search import PairedSearch, Uniform, paired
from closedhand.search.particles import Particles

GAME = make_game("doudizhu")
WIN = make_game("doudizhu", objective="win")
GAMES = 1000


@pytest.fixture(scope="module")
def view() -> State:
    """The view of a player late in a game."""
    state = GAME.deal(np.random.default_rng(6))
    for _ in range(25):
        GAME.play(state, int(GAME.legal(state)[0]))
    return GAME.view(state, int(state.player))


@pytest.fixture(scope="module")
def means(view: State) -> list[float]:
    """The mean payoff of each of the first three actions, in games played by hand."""
    rng = np.random.default_rng(8)
    means = []
    for action in GAME.legal(view)[:3]:
        won = []
        for _ in range(GAMES):
            full = WIN.redeal(view, int(view.player), rng)
            WIN.play(full, int(action))
            while not WIN.over(full):
                WIN.play(full, WIN.sample(rng, full))
            won.append(WIN.returns(full)[int(view.player)])
        means.append(np.mean(won))
    return means


@pytest.mark.slow
@pytest.mark.parametrize(("threads", "particles"), [(1, 0), (2, 0), (1, 600)])
def test_paired_sums_are_those_of_games_played_by_hand(
    view: State, means: list[float], threads: int, particles: int
) -> None:
    """The advantage over the first action, by uniform playouts."""
    actions = GAME.legal(view)[:3]
    search_ = PairedSearch(
        WIN, Uniform(), span=2.0, simulations=6000, threads=threads, particles=particles
    )
    sums = search_.judge(view, actions, np.random.default_rng(7))
    assert (sums[0] == [sums[0, 0], 0, 0]).all()
    for k in range(1, len(actions)):
        error = 2 * np.sqrt(1 / GAMES + 1 / sums[k, 0])
        assert abs(sums[k, 1] / sums[k, 0] - (means[k] - means[0])) < 4 * error


def test_paired_sums_are_those_of_a_game_with_one_outcome() -> None:
    """Folding loses the bet for sure: less that, the payoffs of calling are as they are, plus 1."""
    game = make_game("uh_leduc")
    view = game.view_from(0, "SA", ["check", "raise"])
    fold, call = game.parse("fold"), game.parse("call")
    sums, same = (
        PairedSearch(game, Uniform(), simulations=200, threads=1, **particles).judge(
            view, np.array([fold, call]), np.random.default_rng(1)
        )
        for particles in ({}, {"particles": 0})
    )
    assert (sums == same).all()
    assert sums.shape == (2, 3) and sums[0].tolist() == [sums[0, 0], 0.0, 0.0]
    # The best card wins 4, 7, 10 or 13, or loses as much to a pair, or folds later.
    tries, total, squares = sums[1]
    assert 20 < tries <= 200 and -12 <= total / tries <= 14
    assert total**2 / tries < squares <= 14 * 14 * tries
    swapped = PairedSearch(game, Uniform(), simulations=200, threads=1).judge(
        view, np.array([call, fold]), np.random.default_rng(1)
    )
    assert (total > 0) == (swapped[1, 1] < 0)


def test_bounds_are_means_and_standard_errors() -> None:
    """With one difference as great as the span, 2, added to the squares."""
    sums = np.array([[4, 0, 0], [4, 2, 3], [1, -1, 1], [0, 0, 0]], float)
    found = np.empty(4)
    for errors in (2.0, -1.0):
        paired.bounds(sums, errors, 2.0, found)
        by_hand = [0.0, 0.5 + errors * 1.5**0.5 / 2, -1.0 + errors * 2.0, errors * 2e9]
        assert found == pytest.approx(by_hand)


def test_actions_that_are_worse_for_sure_are_eliminated() -> None:
    sums = np.array([[400, 0, 0], [400, 0, 400], [400, -600, 1000]], float)
    surviving = np.ones(3, bool)
    assert paired.eliminate(sums, 2.0, surviving)
    assert surviving.tolist() == [True, True, False]
    assert not paired.eliminate(sums[[0, 2]], 2.0, surviving[[0, 1]])
    few = np.ones(3, bool)
    assert paired.eliminate(sums / 400, 2.0, few) and few.all()


def test_drawing_particles_leaves_most_of_the_time_to_playing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shares = []

    class Noted(Particles):
        def __init__(self, *args: Any) -> None:
            shares.append((args[-1] - time.perf_counter()) / 1000.0)
            super().__init__(*args)

    monkeypatch.setattr(paired, "Particles", Noted)
    game = make_game("uh_leduc")
    view = game.view_from(0, "SA", ["check", "raise"])
    search_ = PairedSearch(game, Uniform(), simulations=50, seconds=1000.0, threads=1)
    search_.judge(view, game.legal(view), np.random.default_rng(1))
    assert len(shares) == 1 and 0.2 < shares[0] < 0.5


class Still:
    """Particles of which none moves."""

    def move(self, some: slice) -> None:
        """Keep the particles."""


def screen(number: int, budget: dict[str, Any], cost: float = 0.0) -> tuple[Any, Any]:
    """Screen actions whose advantage is their index; return who survives, and the simulations.

    The clock, if there is one, stands at 0 and ends at 1; a simulation takes `cost` seconds.
    """
    search = PairedSearch(GAME, Uniform(), threads=1, **budget)
    sums = np.zeros((number, 3))

    def simulate(some: slice, surviving: np.ndarray) -> None:
        worlds = len(range(*some.indices(100)))
        sums[surviving, 0] += worlds
        sums[:, 1] = sums[:, 0] * np.arange(number)
        clock[0] += worlds * surviving.sum() * cost

    clock, still = [0.0], cast(Particles, Still())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "perf_counter", lambda: clock[0])
        surviving = search._screen(
            simulate, still, sums, search._budget.simulations, 1.0, np.random.default_rng(2)
        )
    return surviving, sums


@pytest.mark.parametrize("simulations", [40, 400, 4000])
def test_many_actions_are_halved_within_half_of_the_simulations(simulations: int) -> None:
    surviving, sums = screen(3000, {"simulations": simulations})
    played = np.flatnonzero(sums[:, 0])
    assert surviving[0] and surviving[played.max()]
    assert len(played) >= 3 * surviving.sum() > 3
    rest = paired.BATCH * surviving.sum()
    assert simulations / 4 < sums[:, 0].sum() <= simulations / 2
    assert rest <= max(simulations / 2, 2 * paired.BATCH)


@pytest.mark.parametrize("cost", [1e-2, 1e-3, 1e-4])
def test_many_actions_are_halved_within_half_of_the_time(cost: float) -> None:
    surviving, sums = screen(3000, {"seconds": 1.0}, cost)
    rest = paired.BATCH * surviving.sum()
    assert 0.25 < sums[:, 0].sum() * cost < 0.9 and (sums[:, 0].sum() + rest) * cost < 1.4


def test_few_actions_and_those_that_a_budget_allows_are_all_compared() -> None:
    for number, simulations in ((paired.FEW, 40), (100, 1600)):
        surviving, sums = screen(number, {"simulations": simulations})
        assert surviving.all() and not sums.any()
    assert screen(100, {"seconds": 1.0}, 1e-5)[0].all()


def test_a_search_of_many_actions_keeps_its_budget() -> None:
    view = GAME.view(GAME.deal(np.random.default_rng(6)), 0)
    actions = GAME.legal(view)
    assert len(actions) > 2 * paired.FEW
    search = PairedSearch(GAME, Uniform(), simulations=100, threads=1)
    assert search.best(view, actions, np.random.default_rng(1)) in actions
    assert search.spent[1] <= 150  # the last batch may exceed it


@pytest.mark.parametrize("prior", [None, 1e9], ids=["plain", "posterior"])
def test_what_was_dropped_is_not_played(
    monkeypatch: pytest.MonkeyPatch, prior: float | None
) -> None:
    """All actions but the first are lucky in the first round, and lose in all later ones."""
    view = GAME.view(GAME.deal(np.random.default_rng(6)), 0)
    actions = GAME.legal(view)
    search = PairedSearch(GAME, Uniform(), simulations=400, threads=1, span=1.0)
    rounds = []

    def simulate(*given: Any) -> None:
        payoff = -1.0 if rounds else 1.0
        rounds.append(payoff)
        given[-1][:] = payoff
        given[-1][:, 0] = 0.0

    monkeypatch.setattr(paired, "evaluate_all", simulate)
    expected = None if prior is None else np.zeros(len(actions))
    error = math.inf if prior is None else prior
    best = search.best(view, actions, np.random.default_rng(1), expected, error)
    assert best == actions[0] and len(rounds) > 1


def test_what_any_thread_has_compared_may_be_played(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of two threads drops what the other one keeps; both drop the luckiest action."""
    game = make_game("uh_leduc")
    view = game.view_from(0, "SA", ["raise"])
    actions = game.legal(view)
    kept = iter(([True, True, False], [True, False, False]))

    def screen(self: Any, simulate: Any, particles: Any, sums: np.ndarray, *rest: Any) -> Any:
        sums[:] = [[9.0, 0.0, 0.0], [9.0, 50.0, 300.0], [9.0, 99.0, 1200.0]]
        return np.array(next(kept))

    monkeypatch.setattr(PairedSearch, "_screen", screen)
    monkeypatch.setattr(paired, "evaluate_all", lambda *given: None)
    monkeypatch.setattr(paired, "add_advantages", lambda *given: None)
    search = PairedSearch(game, Uniform(), simulations=2, threads=2)
    assert search.best(view, actions, np.random.default_rng(1)) == actions[1]


def test_a_number_of_particles_is_not_negative() -> None:
    with pytest.raises(InputError, match="0 particles or more"):
        PairedSearch(make_game("uh_leduc"), Uniform(), simulations=9, particles=-1)

"""Flat Monte Carlo, on all games and on what can be counted."""

import math
import time
from collections.abc import Callable
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from closedhand import InputError, make_game, search as search_package
from closedhand.core import contract
from closedhand.search import ISMCTS, MonteCarlo, PairedSearch, Particles, Uniform, budget
from closedhand.search.budget import read_budget
from closedhand.search.monte_carlo import most_promising

LEDUC = make_game("leduc")
# A small game and a large one: for each the kernels are compiled, which takes half a minute.
EACH = [("uh_leduc", -13, 13), ("daihinmin", 1, 5)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "low", "high"), EACH)
def test_search_plays_every_game_and_is_reproducible(name: str, low: float, high: float) -> None:
    game = make_game(name)
    state = game.deal(np.random.default_rng(2))
    search = MonteCarlo(game, Uniform(), simulations=300, threads=2)
    for _ in range(3):
        view = game.view(state, int(state.player))
        first, second = (search.best(view, np.random.default_rng(3), low, high) for _ in range(2))
        assert first == second
        assert first in game.legal(state)
        game.play(state, first)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [1, 3])
def test_all_simulations_are_made_and_judge_actions_right(threads: int) -> None:
    """Means of simulations against means of games played by hand."""
    game = make_game("uh_leduc")
    rng = np.random.default_rng(4)
    state = game.deal(rng)
    while len(game.legal(state)) < 2:
        state = game.deal(rng)
    view = game.view(state, int(state.player))
    search = MonteCarlo(game, Uniform(), simulations=3001, threads=threads)
    actions = game.legal(state)
    sums = search.judge(view, rng, -13, 13)
    assert sums[:, 0].sum() == 3001
    assert (sums[:, 2] <= sums[:, 1]).all() and (sums[:, 1] <= sums[:, 0]).all()
    buffer = np.empty(game.num_actions, np.int32)
    for action, (tries, total, _) in zip(actions, sums, strict=True):
        payoffs = []
        for _ in range(4000):
            full = game.redeal(view, int(view.player), rng)
            game.play(full, int(action))
            contract.random_playout(game.rules, full, rng, buffer)
            payoffs.append(game.returns(full)[int(view.player)])
        error = np.std(payoffs) * np.sqrt(1 / len(payoffs) + 1 / tries) + 1e-9
        # Adaptive sampling is biased a little; a wrong player or deal is off by points.
        assert abs(26 * total / tries - 13 - np.mean(payoffs)) < 5 * error + 0.05


def test_untried_actions_come_first_and_then_the_promising_one() -> None:
    sums = np.array([[10, 5, 3], [10, 6, 4], [0, 0, 0]], float)
    assert most_promising(sums) == 2
    sums[2] = 10, 3, 1.5
    assert most_promising(sums) == 1
    sums[:2] *= 100
    assert most_promising(sums) == 2


def test_the_best_mean_is_chosen_however_few_its_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = np.array([[4.0, 3.0, 2.5], [1.0, 0.9, 0.81], [0.0, 0.0, 0.0]])
    monkeypatch.setattr(MonteCarlo, "judge", lambda *_: sums)
    view = LEDUC.view_from(0, "SK", ["raise"])
    actions = LEDUC.legal(view)
    assert len(actions) == 3
    search = MonteCarlo(LEDUC, Uniform(), simulations=5)
    assert search.best(view, np.random.default_rng(1)) == actions[1]


def test_a_budget_of_time_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock on which a second passes in 32 looks: the first two come before any simulation."""
    looks = count()
    clock = SimpleNamespace(perf_counter=lambda: next(looks) / 32, process_time=time.process_time)
    monkeypatch.setattr(budget, "time", clock)
    game = make_game("uh_leduc")
    search = MonteCarlo(game, Uniform(), seconds=1.0, threads=1)
    search.best(game.view_from(0, "SA"), np.random.default_rng(6), -13, 13)
    assert search.spent[:2].tolist() == [1, 31 * budget.BATCH]


@pytest.mark.parametrize(
    "budget",
    [
        {},
        {"simulations": 0},
        {"simulations": 9.0},
        {"seconds": -1.0},
        {"seconds": "1"},
        {"seconds": math.inf},
    ],
)
def test_budgets_that_make_no_sense_are_refused(budget: dict) -> None:
    with pytest.raises(InputError, match=r"a search (takes a positive|needs a limit)"):
        MonteCarlo(make_game("daihinmin"), Uniform(), **budget)


each_search = pytest.mark.parametrize(
    "search",
    [
        lambda view, rng, **limits: MonteCarlo(LEDUC, Uniform(), **limits).best(view, rng),
        lambda view, rng, **limits: MonteCarlo(LEDUC, Uniform(), **limits).judge(view, rng),
        lambda view, rng, **limits: ISMCTS(LEDUC, Uniform(), **limits).best(view, rng),
        lambda view, rng, **limits: ISMCTS(LEDUC, Uniform(), **limits).judge(view, rng),
        lambda view, rng, **limits: PairedSearch(LEDUC, Uniform(), **limits).best(
            view, np.array([1, 3]), rng
        ),
    ],
    ids=["Monte Carlo", "Monte Carlo, judged", "ISMCTS", "ISMCTS, judged", "paired"],
)


@each_search
def test_no_search_of_a_game_that_is_over(search: Callable[..., int]) -> None:
    over = LEDUC.view_from(0, "SJ", ["raise", "fold"])
    with pytest.raises(InputError, match="the game is over"):
        search(over, np.random.default_rng(0), simulations=np.int64(9), threads=1)


@each_search
@pytest.mark.parametrize("rng", [0, 5, "1"])
def test_a_seed_is_no_generator(search: Callable[..., int], rng: Any) -> None:
    view = LEDUC.view_from(0, "SK")
    for threads in (1, 2):
        with pytest.raises(InputError, match=r"rng is a numpy\.random\.Generator, not "):
            search(view, rng, simulations=200, threads=threads)


def test_particles_are_drawn_by_a_generator() -> None:
    with pytest.raises(InputError, match=r"rng is a numpy\.random\.Generator, not 5"):
        Particles(LEDUC, Uniform(), LEDUC.view_from(0, "SK"), 8, 5)


def test_no_search_without_an_action() -> None:
    view, search = LEDUC.view_from(0, "SK"), PairedSearch(LEDUC, Uniform(), simulations=9)
    for none in ([], [[0], [1, 2]]):
        with pytest.raises(InputError, match=r"there is no action|candidates are"):
            search.judge(view, none, rng=np.random.default_rng(0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "spent", "path"),
    [
        ("500", {"simulations": 500, "threads": 1}, None),
        ("20ms", {"seconds": 0.02}, None),
        ("500:a/b.npz", {"simulations": 500, "threads": 1}, "a/b.npz"),
        ("20ms:C:/w.npz", {"seconds": 0.02}, "C:/w.npz"),
    ],
)
def test_budgets_are_read(text: str, spent: dict, path: str | None) -> None:
    """A number of simulations on one thread, or milliseconds on all; then a path."""
    read = read_budget("an agent", "7", text)
    assert (read.text, read.spent(None), read.path) == (text, spent, path)
    assert read.spent(3) == {**spent, "threads": 3}
    assert read_budget("an agent", text, None) == read._replace(text=None)


def test_the_range_of_payoffs_is_that_of_the_game_by_default() -> None:
    game = make_game("uh_leduc")
    state = game.deal(np.random.default_rng(15))
    view, actions = game.view(state, int(state.player)), game.legal(state)
    search = MonteCarlo(game, Uniform(), simulations=300, threads=1)
    given, default = (
        search.judge(view, np.random.default_rng(16), *bounds) for bounds in (game.payoff_range, ())
    )
    assert (given == default).all()
    low, high = game.payoff_range
    best = [
        PairedSearch(game, Uniform(), simulations=300, threads=1, **span).judge(
            view, actions, np.random.default_rng(17)
        )
        for span in ({"span": high - low}, {})
    ]
    assert (best[0] == best[1]).all()


def test_what_a_user_imports_is_on_the_face_of_the_package() -> None:
    assert all(hasattr(search_package, name) for name in search_package.__all__)

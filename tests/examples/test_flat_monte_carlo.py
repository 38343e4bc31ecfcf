"""The example of a kernel: it judges as the search does, and beats who plays at random."""

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from closedhand import make_game
from closedhand.arena import match
from closedhand.search.monte_carlo import MonteCarlo
from closedhand.search.playout import Uniform

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The example as a module."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    return importlib.import_module("flat_monte_carlo")


@pytest.mark.slow
def test_its_means_are_those_of_the_search(example: ModuleType) -> None:
    game = make_game("uh_leduc")
    low, high = game.payoff_range
    rng = np.random.default_rng(1)
    for _ in range(3):
        state = game.deal(rng)
        view = game.view(state, int(state.player))
        means = example.FlatMonteCarlo(game, worlds=20_000, seed=2).means(view)
        search = MonteCarlo(game, Uniform(), simulations=20_000, threads=1)
        tries, totals, squares = search.judge(view, rng).T
        shares = totals / tries
        errors = (high - low) * np.sqrt((squares / tries - shares**2) * (1 / tries + 1 / 20_000))
        assert (abs(low + (high - low) * shares - means) < 5 * errors + 0.05).all()


def test_it_beats_random(example: ModuleType) -> None:
    game = make_game("leduc")
    played = match.play(game, [example.FlatMonteCarlo(game), "random"], deals=300, seed=1)
    (chunk,) = played.pairs
    points = (chunk.returns[:, 0, 0] + chunk.returns[:, 1, 1]) / 2
    assert points.mean() > 5 * points.std() / np.sqrt(len(points)) > 0


def test_it_prints_what_each_action_is_worth(
    example: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    example.main("leduc", 100)
    assert "positions" in capsys.readouterr().out.splitlines()[-1]

"""Values of hints: those of the strategy that is named, or of the simulation that is named."""

import time
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from closedhand import make_game
from closedhand.search.playout import Uniform
from closedhand.search.ranking import Simulation
from closedhand.web import advice, catalogue
from closedhand.web.game_explorer import GameExplorer


@pytest.mark.parametrize("name", ["leduc", "uh_leduc"])
def test_values_of_a_small_game_are_those_of_the_strategy(name: str) -> None:
    """In every view on the way: as *Solve* has them, and equal where an equilibrium mixes."""
    game, rng = make_game(name).flat, np.random.default_rng(0)
    solver = GameExplorer(game)
    solver.play("equilibrium")
    mixed = 0
    for _ in range(40):
        state = game.deal(rng)
        while not game.over(state):
            view = game.view(state, int(state["player"]))
            hint = advice.suggest(game, view, "equilibrium")
            shares = {each["id"]: each["share"] for each in hint["shares"]}
            assert hint["action"]["id"] == max(shares, key=shares.__getitem__)
            found = list(advice.values(game, view, hint["action"]["id"], 0, "equilibrium"))
            exact = solver.values_at(view)
            if len(game.legal(view)) > 1 and exact is not None:
                (only,) = found
                assert only["basis"] == "exact"
                values = {each["id"]: each["mean"] for each in only["values"]}
                assert values == dict(exact)
                likely = [values[each] for each, share in shares.items() if share > 0.1]
                assert np.ptp(likely) < 0.05  # the shipped strategy is an approximation
                mixed += len(likely) > 1
            # The players follow the strategy: off its path a mixture need not be of equal values.
            game.play(state, int(rng.choice(list(shares), p=normalised(shares.values()))))
    assert mixed


def normalised(shares: Iterable[float]) -> np.ndarray:
    values = np.array([*shares])
    return values / values.sum()


def test_the_basis_of_other_values_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "STEP", 0.0)
    monkeypatch.setattr(advice, "LONGEST", 0.0)
    game = make_game("leduc").flat
    view = game.view_from(0, "SK")
    for by in ("", "random"):
        first = int(game.legal(view)[0])
        bases = {each["basis"] for each in advice.values(game, view, first, 0, by)}
        assert bases == {"exact" if by else "random"}


def test_values_are_chances_to_win_where_the_simulated_payoffs_are_1_and_minus_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the game itself pays."""
    monkeypatch.setattr(advice, "STEP", 0.0)
    monkeypatch.setattr(advice, "LONGEST", 0.0)
    game = make_game("leduc").flat
    view = game.view_from(0, "SK")
    first = int(game.legal(view)[0])

    def units() -> set[str]:
        return {each["unit"] for each in advice.values(game, view, first, 0)}

    assert units() == {"points"}
    how = Simulation(replace(game, payoff_range=(-1.0, 1.0)), Uniform())
    monkeypatch.setattr(advice, "playouts_of", lambda _: how)
    assert units() == {"chance"}


MOST_SECONDS = 0.15


@pytest.mark.slow
@pytest.mark.parametrize("name", ["doudizhu", "daihinmin"])
def test_the_first_values_of_many_plays_take_little_work(name: str) -> None:
    """The play of the agent is among them; the seconds are those of the processor."""
    game, spent = make_game(name).flat, list[float]()
    by = catalogue.adviser_of(game)
    for seed in range(8):
        state = game.deal(np.random.default_rng(seed))
        view = game.view(state, int(state["player"]))
        first = advice.suggest(game, view, by)["action"]["id"]
        begun = time.thread_time()
        found = next(advice.values(game, view, first, seed, by))["values"]
        spent.append(time.thread_time() - begun)
        assert first in [each["id"] for each in found] and len(found) <= advice.MOST_SHOWN
        assert all(each["tries"] >= 2 * advice.PAIR for each in found)
    assert np.median(spent) < MOST_SECONDS

"""The Bid Module's fit to games that were played."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import interrupt_at

from closedhand import InputError, make_game
from closedhand.agents.doudizhu.bidding import (
    fitting as bid_fitting,
    modules as bidding,
    thresholds as bid_thresholds,
)
from closedhand.core.run import Run

BIDDING = make_game("doudizhu", bidding=True)


def fitted(
    games: int, seed: int = 0, path: Path | None = None, progress: Callable[[int], object] = abs
) -> bid_fitting.Fit:
    """A fit to at least some games of `rule`; one at the path is resumed."""
    fit = bid_fitting.Fit(make_game("doudizhu"), "rule", seed)
    run = Run(fit, fit.settings, path)
    run.resume_if_kept()
    run.work(over=lambda: fit.games >= games, progress=lambda: progress(fit.games))
    return fit


@pytest.fixture(scope="module")
def run() -> bid_fitting.Fit:
    """A small fit."""
    return fitted(bid_fitting.FEWEST, seed=1)


@pytest.fixture(scope="module")
def results(run: bid_fitting.Fit) -> dict[str, Any]:
    return bid_fitting.results(run)


@pytest.mark.slow
def test_auctions_counted_are_auctions_played(run: bid_fitting.Fit) -> None:
    """The look-up holds the same auction as the game does."""
    deals = run.deals
    module = bid_fitting.fixed(bidding.LOGIC, deals.hands[:200])
    nobody = np.zeros(200, np.int64), np.full(200, -1)
    which = np.zeros((200, 3), np.int64)
    stakes, owners = bid_thresholds.hold([module], which, range(3), *nobody)
    for i in range(200):
        state = BIDDING.deal(np.random.default_rng(0))
        state.hands[:] = deals.hands[i]
        for _ in range(3):
            if state.landlord < 0:
                worth = bidding.score(bidding.LOGIC, state.hands[state.player])
                bid = bidding.bid_with(bidding.LOGIC, worth, BIDDING.rules, state)
                BIDDING.play(state, int(bid))
        assert (state.stake, state.landlord) == (stakes[i], owners[i])
    paid = [bid_thresholds.points_of(deals.points[:200], stakes, owners, i) for i in range(3)]
    assert (sum(paid) == 0).all() and np.any(paid[0] != 0)


def test_the_fit_finds_the_control_cards(results: dict[str, Any]) -> None:
    weights = dict(zip(results["features"], results["weights"], strict=True))
    assert weights["B"] > 0 and weights["S"] > 0 and weights["twos"] > 0
    assert weights["waiting"] < 0
    assert results["log_loss"]["model"] < results["log_loss"]["constant"]
    assert np.shape(results["thresholds"]) == bidding.THRESHOLDS.shape
    assert results["multiplier"]["won"] >= 1
    json.dumps(results)


def test_a_fit_goes_on_where_it_was(run: bid_fitting.Fit, tmp_path: Path) -> None:
    path = tmp_path / "deals.npz"
    half = fitted(1, seed=1, path=path)
    assert half.games == 3 * bid_fitting.CHUNK
    again = fitted(bid_fitting.FEWEST, seed=1, path=path)
    assert again.games == run.games
    np.testing.assert_array_equal(again.deals.points, run.deals.points)
    with pytest.raises(InputError, match="made with seed 1, not 2"):
        fitted(1, seed=2, path=path)
    path.write_bytes(b"nothing")
    with pytest.raises(InputError, match="not an npz file"):
        fitted(1, seed=1, path=path)
    with pytest.raises(InputError, match="fitting bids takes at least"):
        bid_fitting.results(half)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and then nothing of use", b"nonsense"])
def test_damaged_deals_are_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "deals.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match="not an npz file"):
        bid_fitting.read(path)
    np.savez(path, settings="{}", hands=np.zeros((2, 3)), points=np.zeros(2))
    with pytest.raises(InputError, match="holds no deals"):
        bid_fitting.read(path)


def test_an_interrupted_fit_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "deals.npz"
    run = fitted(10_000, path=path, progress=interrupt_at())
    assert run.games == 3 * bid_fitting.CHUNK
    kept = bid_fitting.Fit(make_game("doudizhu"), "rule")
    Run(kept, kept.settings, path).resume()
    assert kept.games == run.games


@pytest.mark.parametrize(
    ("name", "options"),
    [("leduc", {}), ("doudizhu", {"bidding": True}), ("doudizhu", {"objective": "win"})],
)
def test_what_cannot_be_fitted_to(name: str, options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="bids are fitted"):
        bid_fitting.Fit(make_game(name, **options), "rule")


@pytest.mark.parametrize("rules", ["mini", "tiny"])
def test_fits_are_to_hands_of_17_cards(rules: str) -> None:
    with pytest.raises(InputError, match=f"games of 54 cards: not rules={rules}"):
        bid_fitting.Fit(make_game("doudizhu", rules=rules), "rule")

"""The games of self-play: what they gain, and how actions are drawn; and what the critic says."""

import numpy as np
import pytest
from support_torch import QUIET

from closedhand import InputError, make_agent, make_game
from closedhand.agents.doudizhu.deeprocket import sampling
from closedhand.core.files import SHIPPED
from closedhand.games.doudizhu.plays import GROUPS

pytestmark = QUIET

SUBSTEPS = make_game("doudizhu", rules="deeprocket", objective="win", substeps=True)
JUDGE = make_agent(SUBSTEPS, "value-net")


def test_gains_are_measured_by_the_other_games_of_the_deal() -> None:
    won = np.array([[1, 0, 0, 0], [1, 1, 0, 1], [1, 1, 1, 1], [0, 0, 0, 0]], bool)
    gains = sampling.landlords_gains(won)
    for deal, table in np.ndindex(won.shape):
        others = np.delete(won[deal], table)
        assert gains[deal, table] == pytest.approx(won[deal, table] - others.mean(), abs=1e-6)
    assert np.allclose(gains.sum(axis=1), 0, atol=1e-6)


def test_draws_follow_the_shares() -> None:
    shares = np.tile(np.float32([0, 0.25, 0, 0.75, 0]), (4000, 1))
    numbers = np.bincount(sampling.draw(shares, np.random.default_rng(0)), minlength=5)
    assert numbers[[0, 2, 4]].tolist() == [0, 0, 0]
    assert numbers[1] == pytest.approx(1000, abs=120)


@pytest.fixture(scope="module")
def positions() -> np.ndarray:
    """Positions with a choice of main groups, from games of `value-net`."""
    rng, found = np.random.default_rng(4), []
    for _ in range(6):
        state = np.array([SUBSTEPS.deal(rng)], SUBSTEPS.dtype)
        while not SUBSTEPS.over(state[0]):
            view = SUBSTEPS.view(state[0], int(state[0]["player"]))
            if view["group"] < 0 and len(SUBSTEPS.legal(view)) > 1:
                found.append(view)
            SUBSTEPS.play(state[0], JUDGE.act(view))
    return np.array(found, SUBSTEPS.dtype)


def better(views: np.ndarray, shares: np.ndarray) -> np.ndarray:
    every = np.arange(len(views))
    return sampling.improved(sampling.critic_of("value-net"), SUBSTEPS.flat, views, every, shares)


def legal_groups(views: np.ndarray) -> np.ndarray:
    mask = np.zeros((len(views), GROUPS), bool)
    for row, view in zip(mask, views, strict=True):
        row[SUBSTEPS.legal(view)] = True
    return mask


def test_what_wins_more_often_gets_likelier(positions: np.ndarray) -> None:
    mask = legal_groups(positions)
    shares = np.random.default_rng(0).random(mask.shape) * mask
    shares /= shares.sum(axis=1, keepdims=True)
    seen = 0
    for view, was, now in zip(positions, shares, better(positions, shares), strict=True):
        actions = np.flatnonzero(was)
        values = JUDGE.values(view, actions)
        if not now.any() or values.max() == 0.0:  # nothing changes; or a play that ends the game
            continue
        chances = 1 / (1 + np.exp(-np.fmax(values, values[np.isfinite(values)].min())))
        expected = was[actions] * np.exp(chances / sampling.TEMPERATURE)
        assert np.allclose(now[actions], expected / expected.sum(), atol=1e-6)
        assert now.sum() == pytest.approx(1)
        seen += 1
    assert seen > 50


def test_a_play_that_ends_the_game_wins_for_certain() -> None:
    rng, seen = np.random.default_rng(1), 0
    while seen < 3:
        state = np.array([SUBSTEPS.deal(rng)], SUBSTEPS.dtype)
        while not SUBSTEPS.over(state[0]):
            legal = SUBSTEPS.legal(state[0])
            ends = np.array([ends_the_game(state, int(group)) for group in legal])
            if state[0]["group"] < 0 and ends.any() and not ends.all():
                shares = np.zeros((1, GROUPS))
                shares[0, legal] = 1 / len(legal)
                assert np.allclose(better(state, shares)[0, legal], ends / ends.sum())
                seen += 1
            SUBSTEPS.play(state[0], int(rng.choice(legal)))


def ends_the_game(state: np.ndarray, group: int) -> bool:
    after = state.copy()
    SUBSTEPS.play(after[0], group)
    return SUBSTEPS.over(after[0])


def test_what_hardly_changes_is_not_learned(positions: np.ndarray) -> None:
    """A policy that plays the best group for certain has nothing to learn."""
    mask = legal_groups(positions)
    found = better(positions, mask / mask.sum(axis=1, keepdims=True))
    assert found.any(axis=1).mean() > 0.5
    best = found.argmax(axis=1)
    sure = 1e-3 * mask / mask.sum(axis=1, keepdims=True)
    sure[np.arange(len(best)), best] += 1 - 1e-3
    assert not better(positions, sure)[found.any(axis=1)].any()


@pytest.mark.parametrize(
    ("agent", "reason"),
    [
        ("greedy", "the critic is value-net or value-net:PATH, not 'greedy'"),
        ("value-net[x=1]", "the critic is value-net"),
        ("value-net:nowhere.npz", "nowhere.npz"),
    ],
)
def test_other_critics_are_refused(agent: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        sampling.critic_of(agent)


def test_a_critic_of_points_is_refused() -> None:
    with pytest.raises(InputError, match="trained for objective=win"):
        sampling.critic_of(f"value-net:{SHIPPED / 'doudizhu_value_score.npz'}")

"""The critic of fine-tuning: what `value-net` says of main groups."""

import numpy as np
import pytest
from support_torch import QUIET

from closedhand import InputError, make_agent, make_game
from closedhand.baselines.doudizhu.deeprocket import critic
from closedhand.games.doudizhu.plays import GROUPS

pytestmark = QUIET

SUBSTEPS = make_game("doudizhu", rules="deeprocket", objective="win", substeps=True)
JUDGE = make_agent(SUBSTEPS, "value-net")


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


def judged(views: np.ndarray, shares: np.ndarray) -> np.ndarray:
    every = np.arange(len(views))
    return critic.advantages(critic.critic_of("value-net"), SUBSTEPS.flat, views, every, shares)


def legal_groups(views: np.ndarray) -> np.ndarray:
    mask = np.zeros((len(views), GROUPS), bool)
    for row, view in zip(mask, views, strict=True):
        row[SUBSTEPS.legal(view)] = True
    return mask


def test_advantages_are_chances_to_win_less_their_mean(positions: np.ndarray) -> None:
    mask = legal_groups(positions)
    shares = mask / mask.sum(axis=1, keepdims=True)
    found = judged(positions, shares)
    assert np.allclose((shares * found).sum(axis=1), 0.0, atol=1e-6)
    seen = 0
    for view, row, groups in zip(positions, found, mask, strict=True):
        actions = np.flatnonzero(groups)
        values = JUDGE.values(view, actions)
        if not row.any() or values.max() == 0.0:  # nothing at stake; or a play that ends the game
            continue
        rated = np.isfinite(values)
        chances = 1 / (1 + np.exp(-values[rated]))
        chances_of_all = np.full(len(actions), chances.min())
        chances_of_all[rated] = chances
        assert np.allclose(row[actions], chances_of_all - chances_of_all.mean(), atol=1e-6)
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
                assert np.allclose(judged(state, shares)[0, legal], ends - 1 / len(legal))
                seen += 1
            SUBSTEPS.play(state[0], int(rng.choice(legal)))


def ends_the_game(state: np.ndarray, group: int) -> bool:
    after = state.copy()
    SUBSTEPS.play(after[0], group)
    return SUBSTEPS.over(after[0])


def test_what_hardly_matters_is_not_learned(positions: np.ndarray) -> None:
    """A policy that plays the best group for certain has nothing to learn."""
    mask = legal_groups(positions)
    even = judged(positions, mask / mask.sum(axis=1, keepdims=True))
    assert even.any(axis=1).mean() > 0.5
    best = np.where(mask, even, -np.inf).argmax(axis=1)
    sure = np.zeros(mask.shape)
    sure[np.arange(len(best)), best] = 1.0
    assert not judged(positions, sure).any()
    sure *= 1 - 1e-5
    sure[mask] += 1e-5
    assert not judged(positions, sure).any()


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
        critic.critic_of(agent)


def test_a_critic_of_points_is_refused() -> None:
    from closedhand.core.files import SHIPPED

    with pytest.raises(InputError, match="trained for objective=win"):
        critic.critic_of(f"value-net:{SHIPPED / 'doudizhu_value_score.npz'}")

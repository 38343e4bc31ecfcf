"""The samples of self-play and their targets."""

import numpy as np
import pytest

from closedhand import make_game
from closedhand.agents.doudizhu.value_net import features, files, self_play
from closedhand.agents.doudizhu.value_net.agent import FURTHEST, policy_of
from closedhand.agents.doudizhu.value_net.network import new_net
from closedhand.agents.doudizhu.value_net.self_play import SAMPLE, TRACE

GAME = make_game("doudizhu")


def play(games: int, room: int, win: bool = True, seed: int = 0) -> tuple[int, np.ndarray]:
    samples = np.zeros(room, SAMPLE)
    played, n = self_play.play_games(
        policy_of(new_net(0), "win" if win else "score"),
        GAME.rules,
        win,
        games,
        np.random.default_rng(seed),
        np.empty(GAME.num_actions, np.int32),
        np.zeros(1, GAME.dtype),
        samples,
    )
    return played, samples[:n]


def test_games_without_room_are_not_begun() -> None:
    played, samples = play(1000, room=500)
    assert 0 < played < 1000 and len(samples) <= 500
    assert all(np.array_equal(*pair) for pair in zip(samples, play(played, 500)[1], strict=True))


def test_samples_hold_one_decision_each() -> None:
    samples = play(20, 5000)[1]
    assert set(samples["role"].tolist()) == {0, 1, 2}
    for sample in samples:
        inputs = sample.inputs[: sample.known]
        assert len(set(inputs.tolist())) == len(inputs)
        for sort, end in (
            (features.LEFT_NEXT, features.LEFT_LAST),
            (features.LEFT_LAST, features.TARGET),
            (features.BOMBS, features.SITUATION),
            (features.SITUATION, features.PLAY),
            (features.PLAY, features.ALWAYS),
            (features.ALWAYS, features.INPUTS),
        ):
            assert np.sum((inputs >= sort) & (inputs < end)) == 1
        assert FURTHEST <= files.SHARES["win"] * sample.prior <= 0
        assert sample.number > 0 and 0 <= sample.target <= 1


def test_points_have_their_sign_and_their_bombs() -> None:
    samples = play(100, 20_000, win=False)[1]
    last = samples["target"][[np.flatnonzero(samples["role"] == role)[-1] for role in range(3)]]
    assert last[1] == last[2] == -last[0]
    assert np.abs(samples["target"]).max() <= 8
    assert {1.0, 2.0} <= set(np.abs(samples["target"]).tolist())


@pytest.mark.parametrize("win", [True, False])
def test_targets_follow_the_trace(win: bool) -> None:
    """Against the definition: a sum over the later decisions of the same role."""
    rng = np.random.default_rng(4)
    state = GAME.deal(rng)
    for bombs, landlord_wins in ((0, True), (2, False), (7, True)):
        state.left[:] = (0, 3, 5) if landlord_wins else (4, 0, 5)
        state.bombs = bombs
        samples = np.zeros(30, SAMPLE)
        samples["role"] = rng.integers(3, size=30)
        ahead, explored = rng.random(30), rng.random(30) < 0.2
        self_play.set_targets(state, win, ahead, explored, samples)
        for role in range(3):
            won = landlord_wins == (role == 0)
            result = float(won) if win else (1 if won else -1) * 2.0 ** min(bombs, 3)
            own = np.flatnonzero(samples["role"] == role)
            for i, at in enumerate(own):
                expected, weight = 0.0, 1.0
                for later in own[i + 1 :]:
                    part = 1.0 if explored[later] else 1 - TRACE
                    expected += weight * part * ahead[later]
                    weight *= 1 - part
                assert samples["target"][at] == pytest.approx(expected + weight * result, abs=1e-6)

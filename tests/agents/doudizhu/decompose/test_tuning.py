"""The tuning of the weights of plays."""

import numpy as np
import pytest

from closedhand import make_game
from closedhand.agents.doudizhu.decompose import agent as decompose, tuning
from closedhand.arena import match
from closedhand.learning import policy_gradient as self_play

GAME = make_game("doudizhu")


def test_the_gradient_of_no_weights_points_to_those_that_win() -> None:
    weights = decompose.load(None).astype(float)
    for i in range(2):
        found = tuning.gradient(0 * weights, i, np.random.default_rng((3, i)))
        assert found @ weights > 0.05 * np.linalg.norm(found) * np.linalg.norm(weights)


@pytest.mark.slow
def test_some_steps_of_tuning_beat_none(monkeypatch: pytest.MonkeyPatch) -> None:
    task = tuning.TASK._replace(games=2048)
    run = self_play.Training(task, seed=1)
    agents = [decompose.DecomposeAgent(GAME, "untrained", run.weights)]
    for _ in range(12):
        run.step()
    agents.insert(0, decompose.DecomposeAgent(GAME, "trained", run.weights))
    result = match.play(GAME, agents, 200, seed=2)
    assert np.mean(result.pairs[0].returns[:, 0, 0] > 0) > 0.6

"""Envs in processes of their own play as those in one do."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

GAMES = 3


@pytest.mark.slow
def test_envs_in_processes_equal_those_in_one_over_whole_games() -> None:
    # The prefix names the module to import, in processes that are not forks of this one.
    makers = [lambda: gymnasium.make("closedhand:closedhand/Leduc-v0")] * GAMES
    kinds = (SyncVectorEnv, AsyncVectorEnv)
    envs = [kind(makers) for kind in kinds]
    try:
        seen = [env.reset(seed=[5, 6, 7]) for env in envs]
        rng, ended = np.random.default_rng(0), np.zeros(GAMES, int)
        for _ in range(60):
            np.testing.assert_equal(*seen)
            masks = np.stack(list(seen[0][1]["action_mask"])).astype(np.int8)
            # A game that is over begins anew in the next step, whatever the action is.
            legal = [np.flatnonzero(mask) for mask in masks]
            actions = np.array([rng.choice(each) if len(each) else 0 for each in legal])
            steps = [env.step(actions) for env in envs]
            np.testing.assert_equal(*steps)
            ended += steps[0][2]
            seen = [(step[0], step[4]) for step in steps]
        assert (ended >= 5).all()
    finally:
        for env in envs:
            env.close()
